/** The API in this process: no port, no HTTP framework, the same function type as the network. */
import type { Transport } from '../core/wire.ts';
import { type ApiOptions, createApi } from './api.ts';
import { ensureDemo } from './demo/ensure.ts';
import { ownerAccess } from './owner.ts';
import { asFailure, openStore, readMeta, type Store } from './store/store.ts';

export interface EmbeddedOptions extends Omit<ApiOptions, 'now'> {
  /** The database folder; created when it is missing. */
  dataDir?: string | undefined;
  /** A database of this call only, deleted when it is closed. */
  memory?: boolean | undefined;
  /** Instead of a folder: `postgres://…`. */
  database?: string | undefined;
  /** Whether a new database gets the demo data. Default: it stays empty. */
  seed?: 'demo';
  /** Default: the clock of the database (the demo's is fixed), else the machine's. */
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
    const transport = createApi(store, { ...apiOptions, ...(await ownerAccess(store)), now });
    return { transport, store, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw asFailure(store.engine, error);
  }
}

/** The clock of the database: the moment at which it is fixed, or the machine's. */
export async function storedClock(store: Store): Promise<() => Date> {
  const at = await readMeta(store.db, 'clock');
  return at === undefined ? () => new Date() : () => new Date(at);
}
