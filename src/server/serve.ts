/** A server from its options: database, seed, clock, port. What `comem serve` does besides talking to a person. */
import { demo } from '../core/demo.ts';
import { usage } from '../core/errors.ts';
import type { ApiOptions, Wrapper } from './api.ts';
import { ensureDemo, holdsDemo, markSeeded } from './demo/ensure.ts';
import { storedClock } from './embedded.ts';
import { type Listening, type ListenOptions, listen } from './listen.ts';
import { newApiKey, newSessionToken, sessionCookie } from './model/secrets.ts';
import { companiesIn, type OperatorCredentials, operatorAccess } from './operator.ts';
import { loadFile } from './seed/load-file.ts';
import { explained, openStore, readMeta, type Store, type StoreOptions } from './store/store.ts';

export interface ServeOptions {
  database: StoreOptions;
  host: string;
  port: number;
  /** The demo, nothing, or a seed file. Default: the demo, in a new folder on this machine alone. */
  seed?: 'demo' | 'none' | { name: string; text: string };
  /** Where the clock stands. Default: where the database says, else it runs. */
  now?: Date;
  maxPage?: number;
  wrappers?: readonly Wrapper[];
  /** The demo, whose keys everyone knows, may be reached from other machines. */
  exposeDemo?: boolean;
  /** Who runs the server gets credentials of its own, good while it runs. */
  operator?: boolean;
  onError?: ApiOptions['onError'];
  onAnswer?: ApiOptions['onAnswer'];
  limits?: ListenOptions['limits'];
}

export interface Serving extends Listening {
  store: Store;
  holdsDemo: boolean;
  /** Where the clock stands; undefined when it runs. */
  clock?: Date;
  /** What a client needs to use the server. */
  environment: Record<string, string>;
}

export async function serve(options: ServeOptions): Promise<Serving> {
  const { host, port, maxPage, wrappers, onError, onAnswer, limits } = options;
  if (options.seed === 'demo') refuseExposed(options);
  const store = await openStore(options.database);
  try {
    await seedStore(store, options);
    const isDemo = await holdsDemo(store);
    if (isDemo) refuseExposed(options);
    const fixed = options.now ?? ((await readMeta(store.db, 'clock')) ? (await storedClock(store))() : undefined);
    const now = fixed ? () => fixed : () => new Date();
    const operator = options.operator && !isDemo ? { apiKey: newApiKey(), session: newSessionToken() } : undefined;
    const identify = operator && operatorAccess(store, operator);
    const listening = await listen(store, { host, port, now, maxPage, wrappers, identify, onError, onAnswer, limits });
    return {
      ...listening,
      store,
      holdsDemo: isDemo,
      clock: fixed,
      environment: await environment(store, listening.url, fixed, operator),
      async close() {
        await listening.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw explained(store.engine, error);
  }
}

function refuseExposed({ host, exposeDemo }: ServeOptions): void {
  if (isLoopback(host) || exposeDemo) return;
  throw usage(
    `the keys of the demo are known to everyone, and ${host} can be reached from other machines`,
    'add --yes if that is meant, or serve another --data-dir',
  );
}

async function seedStore(store: Store, { seed, host, database }: ServeOptions): Promise<void> {
  if (seed === 'none') return markSeeded(store, 'none');
  if (seed === undefined) {
    // A database that someone made elsewhere is meant for more than a look, and a proxy may stand before this machine.
    if (isLoopback(host) && database.database === undefined) await ensureDemo(store);
    return;
  }
  if (seed !== 'demo') {
    await loadFile(store, { ...seed, now: new Date() });
    return;
  }
  if (await ensureDemo(store)) return;
  if (await holdsDemo(store)) return;
  throw usage(
    '--seed demo: the database holds other data, and the demo goes into a new one alone',
    'name another --data-dir, or empty this one with `comem server reset`',
  );
}

async function environment(
  store: Store,
  url: string,
  clock: Date | undefined,
  operator: OperatorCredentials | undefined,
): Promise<Record<string, string>> {
  const companies = await companiesIn(store);
  const company =
    companies.find(({ id }) => id === demo.companyId) ?? (companies.length === 1 ? companies[0] : undefined);
  return {
    COMEM_BASE_URL: url,
    COMEM_API_KEY: operator?.apiKey ?? demo.apiKey,
    COMEM_SESSION_COOKIE: `${sessionCookie}=${operator?.session ?? demo.sessionToken}`,
    ...(company && { COMEM_COMPANY_ID: company.id }),
    ...(clock && { COMEM_NOW: clock.toISOString() }),
  };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
