/** The embedded API in this process, as a connection like the network's. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { demo } from '../core/demo.ts';
import { TransportError } from '../core/errors.ts';
import type { Connection } from './network.ts';

const load = () => import('../server/embedded.ts');

export interface EmbeddedOptions {
  /** The database folder. */
  dataDir: string;
  now?(): Date;
}

/** Opens the API on a database folder; a new one gets the demo data. The one place where the client half loads the server half. */
export async function embeddedConnection(options: EmbeddedOptions): Promise<Connection> {
  const { openEmbedded } = await load();
  const { transport, clock, close } = await openEmbedded({ ...options, seed: 'demo' });
  return {
    clock: async () => clock,
    async send(request) {
      if (request.signal?.aborted) {
        throw new TransportError('aborted', false, 'aborted', { cause: request.signal.reason });
      }
      return transport(request);
    },
    close,
  };
}

/** The clock of a folder that has no database yet: that of the demo, which it gets. */
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
