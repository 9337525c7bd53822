/** The embedded API in this process, as a connection like the network's. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { demo } from '../core/demo.ts';
import { Failure, TransportError } from '../core/errors.ts';
import type { Connection } from './network.ts';

const load = () => import('../server/embedded.ts');

interface EmbeddedOptions {
  /** The database folder. */
  dataDir: string;
  /** The folder of the demo: a new one gets the demo data. */
  isDemo: boolean;
  now?(): Date;
}

/** Opens the API on a database folder. The one place where the client half loads the server half. @throws notFound */
export async function embeddedConnection({ isDemo, ...options }: EmbeddedOptions): Promise<Connection> {
  if (!isDemo && lstatSync(join(options.dataDir, 'comem.db'), { throwIfNoEntry: false }) === undefined) {
    throw new Failure('notFound', `no database in ${options.dataDir}`, {
      hint: `create one with \`comem init --company NAME --dir '${options.dataDir}'\``,
    });
  }
  const { openEmbedded } = await load();
  const { transport, clock, companies, close } = await openEmbedded({ ...options, ...(isDemo && { seed: 'demo' }) });
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    clock: async () => clock,
    companies,
    async send(request) {
      if (isClosed || request.signal?.aborted) {
        throw new TransportError('aborted', false, 'aborted', { cause: request.signal?.reason });
      }
      const answer = transport(request);
      running.add(answer);
      return answer.finally(() => running.delete(answer));
    },
    // A failed command may leave a request that still needs the database.
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      await close();
    },
  };
}

/** The clock of the demo's folder while it has no database yet. */
export function clockOfNew(folder: string): Date | undefined {
  return existsSync(join(folder, 'comem.db')) ? undefined : new Date(demo.now);
}

/** Why the database engine does not work on this machine; undefined when it does. */
export async function checkEngine(): Promise<string | undefined> {
  try {
    const { openEmbedded } = await load();
    await (await openEmbedded({ memory: true })).close();
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n')[0];
  }
}
