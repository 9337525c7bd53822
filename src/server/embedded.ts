/** The API in this process: no port, no HTTP framework, the same function type as the network. */
import type { Transport } from '../core/wire.ts';
import { type ApiOptions, createApi } from './api.ts';
import { ensureDemo } from './demo/ensure.ts';
import { localAccess } from './local.ts';
import { explained, openStore, readMeta, type Store } from './store/store.ts';

export interface EmbeddedOptions extends Omit<ApiOptions, 'now'> {
  /** The database folder; made when it is missing. */
  dataDir?: string;
  /** A database of this call alone, gone when it is closed. */
  memory?: boolean;
  /** Instead of a folder: `postgres://…`. */
  database?: string;
  /** Whether a database that never held anything gets the demo data. Default: it stays empty. */
  seed?: 'demo';
  /** Default: the clock that the database keeps (the demo's stands still), else the machine's. */
  now?: () => Date;
}

export interface Embedded {
  transport: Transport;
  store: Store;
  close(): Promise<void>;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, memory, database, seed, ...apiOptions } = options;
  const store = await openStore({ dataDir, memory, database });
  try {
    if (seed === 'demo') await ensureDemo(store);
    const now = options.now ?? (await storedClock(store));
    const local = await localAccess(store);
    const wrappers = [...(apiOptions.wrappers ?? []), ...(local ? [local.wrapper] : [])];
    const transport = createApi(store, { ...apiOptions, now, wrappers, identify: local?.identify });
    return { transport, store, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw explained(store.engine, error);
  }
}

/** The clock of the database: the moment at which it stands, or the machine's. */
export async function storedClock(store: Store): Promise<() => Date> {
  const at = await readMeta(store.db, 'clock');
  return at === undefined ? () => new Date() : () => new Date(at);
}
