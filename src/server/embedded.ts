/** The API in this process: no port, no HTTP framework, the same function type as the network. */
import type { Transport } from '../wire.ts';
import { type ApiOptions, createApi } from './api.ts';
import { openStore, readMeta, type Store } from './store/store.ts';

export interface EmbeddedOptions extends Omit<ApiOptions, 'now'> {
  /** The database folder; made when it is missing. */
  dataDir?: string;
  /** A database of this call alone, gone when it is closed. */
  memory?: boolean;
  /** Default: the clock that the database keeps (the demo's stands still), else the machine's. */
  now?: () => Date;
}

export interface Embedded {
  transport: Transport;
  store: Store;
  close(): Promise<void>;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, memory, ...apiOptions } = options;
  const store = await openStore({ dataDir, memory });
  const now = options.now ?? (await storedClock(store));
  return { transport: createApi(store, { ...apiOptions, now }), store, close: () => store.close() };
}

/** The clock of the database: the moment at which it stands, or the machine's. */
export async function storedClock(store: Store): Promise<() => Date> {
  const at = await readMeta(store.db, 'clock');
  return at === undefined ? () => new Date() : () => new Date(at);
}
