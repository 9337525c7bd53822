/** The API in this process: no port, no HTTP framework, the same function type as the network. */
import type { Transport } from '../core/wire.ts';
import type { Sync } from '../domain/history/versions.ts';
import { type ApiOptions, createApi } from './api.ts';
import { ensureDemo } from './demo/ensure.ts';
import { ownerAccess } from './owner.ts';
import type { Past } from './past.ts';
import { asFailure, openStore, type Store, storedClock } from './store/store.ts';

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
  /** The fixed clock of the database; undefined where it is the machine's. */
  clock: Date | undefined;
  close(): Promise<void>;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, memory, database, seed, ...apiOptions } = options;
  const store = await openStore({ dataDir, memory, database });
  try {
    if (seed === 'demo') await ensureDemo(store);
    const clock = await storedClock(store.db);
    const now = options.now ?? (() => clock ?? new Date());
    const transport = createApi(store, { ...apiOptions, ...(await ownerAccess(store)), now });
    return { transport, store, clock, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw asFailure(store.engine, error);
  }
}

export interface Mirror {
  /** Where its data comes from. */
  api: string | undefined;
  syncs(): Promise<readonly Sync[]>;
  /** The API at one sync, `now` being its clock. */
  at(sync: Sync, now: Date, warn: (text: string) => void): Promise<Past>;
  close(): Promise<void>;
}

/** A mirror in a folder or database. */
export async function openMirror(where: { folder: string } | { database: string }): Promise<Mirror> {
  const [{ openHistory }, { openPast }] = await Promise.all([import('./mirror/open.ts'), import('./past.ts')]);
  const history = await openHistory(where);
  let closing: Promise<void> | undefined;
  return {
    api: history.api,
    syncs: () => history.syncs(),
    at: (sync, now, warn) => openPast({ history, sync, now, warn }),
    close() {
      closing ??= history.close();
      return closing;
    },
  };
}
