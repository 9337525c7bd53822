/** The API in this process: no port, no HTTP framework, the same function type as the network. */
import { type ApiOptions, createApi } from './api.ts';
import { ownerAccess } from './auth.ts';
import { ensureDemo } from './demo.ts';
import { companiesIn } from './store/people.ts';
import { asFailure, openStore, storedClock } from './store/store.ts';

interface EmbeddedOptions extends Omit<ApiOptions, 'now'> {
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

export type Embedded = Awaited<ReturnType<typeof openEmbedded>>;

/** Its clock is undefined where it is the machine's. */
export async function openEmbedded(options: EmbeddedOptions) {
  const { dataDir, memory, database, seed, ...apiOptions } = options;
  const store = await openStore({ dataDir, memory, database });
  try {
    if (seed === 'demo') await ensureDemo(store);
    const clock = await storedClock(store.db);
    const now = options.now ?? (() => clock ?? new Date());
    const transport = createApi(store, { ...apiOptions, ...(await ownerAccess(store)), now });
    return { transport, store, clock, companies: () => companiesIn(store.db), close: () => store.close() };
  } catch (error) {
    await store.close();
    throw asFailure(store.engine, error);
  }
}
