/** The embedded API in this process, behind the same function type as the network. */
import { TransportError } from '../wire.ts';
import type { Connection } from './network.ts';

export interface EmbeddedOptions {
  /** The database folder. */
  dataDir: string;
  now?(): Date;
}

/** Opens the API on a database folder; a new one gets the demo data. The one place where the client half loads the server half. */
export async function embeddedConnection(options: EmbeddedOptions): Promise<Connection> {
  const { openEmbedded } = await import('../server/embedded.ts');
  const { transport, close } = await openEmbedded({ ...options, seed: 'demo' });
  return {
    async send(request) {
      if (request.signal?.aborted) {
        throw new TransportError('given up', false, 'aborted', { cause: request.signal.reason });
      }
      return transport(request);
    },
    close,
  };
}
