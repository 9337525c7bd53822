/** A server from its options: database, seed, clock, port. */
import { demo } from '../core/demo.ts';
import { usage } from '../core/errors.ts';
import { isLoopback, type Listening, type ListenOptions, listen } from './app.ts';
import { type OperatorCredentials, operatorAccess } from './auth.ts';
import { ensureDemo, holdsDemo } from './demo.ts';
import { newApiKey, newSessionToken, sessionCookie } from './model/secrets.ts';
import { loadFile, type SeedFile } from './seed/file.ts';
import { companiesIn } from './store/people.ts';
import { asFailure, markSeeded, openStore, type Store, type StoreOptions, storedClock } from './store/store.ts';

export interface ServeOptions extends Omit<ListenOptions, 'now' | 'identify'> {
  database: StoreOptions;
  host: string;
  /** The demo, nothing, or a seed file. Default: the demo, only in a new folder on this machine. */
  seed?: 'demo' | 'none' | SeedFile | undefined;
  /** A fixed clock. Default: the clock of the database, else the machine's. */
  now?: Date | undefined;
  /** The port of `/metrics`, on the same host; 0: a free one. Default: none. */
  metricsPort?: number | undefined;
  /** Allows other machines to reach the demo, whose keys are public, and the metrics. */
  isExposed?: boolean;
}

export interface Serving extends Listening {
  store: Store;
  /** The address of `/metrics`. */
  metrics?: string | undefined;
  holdsDemo: boolean;
  /** It has no company. */
  isEmpty: boolean;
  /** The fixed clock; undefined when it is the machine's. */
  clock?: Date | undefined;
  /** The environment of a client of the server. */
  environment: Record<string, string>;
}

export async function serve({ metricsPort, ...options }: ServeOptions): Promise<Serving> {
  if (options.seed === 'demo') refuseExposedDemo(options);
  if (metricsPort !== undefined) checkMetricsPort(options, metricsPort);
  const store = await openStore(options.database);
  try {
    if (await store.engine.isStandby?.(store.db)) {
      throw usage(
        'the database is a standby, which takes no writes',
        'name its primary with --database, and the standby with --read-database',
      );
    }
    await seedStore(store, options);
    const isDemo = await holdsDemo(store);
    if (isDemo) refuseExposedDemo(options);
    const fixed = options.now ?? (await storedClock(store.db));
    const now = fixed ? () => fixed : () => new Date();
    // Credentials for whoever runs the server, valid while it runs.
    const operator = isDemo ? undefined : { apiKey: newApiKey(), session: newSessionToken() };
    const identify = operator && operatorAccess(store, operator);
    const metrics = metricsPort === undefined ? undefined : (await import('./monitoring.ts')).createMetrics(store);
    const listening = await listen(store, { ...options, now, identify, observe: metrics?.observe });
    store.replica?.report((says) => listening.log.warn(says));
    const address = await metrics?.listen({ ...options, port: metricsPort ?? 0 }).catch(async (error: unknown) => {
      await listening.close();
      throw error;
    });
    return {
      ...listening,
      store,
      metrics: address,
      holdsDemo: isDemo,
      isEmpty: (await companiesIn(store.db)).length === 0,
      clock: fixed,
      environment: await environment(store, listening.url, fixed, operator),
      async close() {
        await listening.close();
        await metrics?.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw asFailure(store.engine, error);
  }
}

function checkMetricsPort(options: ServeOptions, metricsPort: number): void {
  const { port } = options;
  if (metricsPort === port && port !== 0) {
    throw usage(`--metrics-port is the port of the API, ${port}`, 'choose another one, or 0 for a free one');
  }
  const hint = 'add --yes to serve them anyway, or leave out --metrics-port';
  refuseExposed(options, 'the metrics need no credential', hint);
}

function refuseExposedDemo(options: ServeOptions): void {
  const hint = 'add --yes to serve it anyway, or choose another --dir';
  refuseExposed(options, 'the keys of the demo are public', hint);
}

function refuseExposed({ host, isExposed }: ServeOptions, reason: string, hint: string): void {
  if (isLoopback(host) || isExposed) return;
  throw usage(`${reason}, and ${host} can be reached from other machines`, hint);
}

async function seedStore(store: Store, { seed, host, database, now }: ServeOptions): Promise<void> {
  if (seed === 'none') return markSeeded(store, 'none');
  if (seed === undefined) {
    // A PostgreSQL database is meant for more than a demo, and other machines may reach any other host.
    if (isLoopback(host) && database.database === undefined) await ensureDemo(store);
    return;
  }
  if (seed !== 'demo') {
    await loadFile(store, { ...seed, now });
    return;
  }
  if (await ensureDemo(store)) return;
  if (await holdsDemo(store)) return;
  throw usage(
    '--seed demo: the database already holds other data',
    'name another --dir, or empty this one with `comem server reset`',
  );
}

async function environment(
  store: Store,
  url: string,
  clock: Date | undefined,
  operator: OperatorCredentials | undefined,
): Promise<Record<string, string>> {
  const companies = await companiesIn(store.db);
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
