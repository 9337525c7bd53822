/** Companies with metrics, grants and publications on an embedded API in memory, and `run` against it. */
import { Failure } from '../../src/core/errors.ts';
import { numeric } from '../../src/core/json.ts';
import type { Transport, WireRequest, WireResponse } from '../../src/core/wire.ts';
import { listen } from '../../src/server/app.ts';
import { openEmbedded } from '../../src/server/embedded.ts';
import { loadSeed } from '../../src/server/seed/load.ts';
import type { Seed, SeedPoints } from '../../src/server/seed/seed.ts';
import { type CliResult, cli } from './cli.ts';
import { freshDatabase } from './database.ts';
import { type RunOptions, type RunResult, run } from './run.ts';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const now = '2024-06-15T12:00:00Z';
export const key = 'cmk_metrics-world-0123456789';
export const session = 'comem-auth-token=session-of-metrics-world-0123456789';

export const ids = {
  company: uuid(1),
  other: uuid(2),
  investor: uuid(3),
  silent: uuid(4),
  closed: uuid(5),
  guest: uuid(11),
  active: uuid(21),
  expired: uuid(22),
  revoked: uuid(23),
  toGuest: uuid(24),
  nothing: uuid(999),
};

const exact = (text: string) => numeric(text) as number;

/** Actuals by month from 2018-01 to 2024-05, 77 months, none in 2019-03; a null, a zero and digits that a double loses. */
const actuals: SeedPoints[] = Array.from({ length: 77 }, (_, index) => {
  const period = `${2018 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
  return { company: 'world', period, metrics: { mrr: index, ...(index % 12 === 0 ? { headcount: 10 + index } : {}) } };
}).filter(({ period }) => period !== '2019-03');

const special: SeedPoints[] = [
  { company: 'world', period: '2024-04', metrics: { mrr: 0, churn_rate: exact('1.10'), big: null }, source: 'erp' },
  { company: 'world', period: '2024-05', metrics: { mrr: 76, big: exact('12345678901234567890') } },
  { company: 'world', period: '2024-05', version: 'budget', metrics: { mrr: 70 } },
  { company: 'world', period: '2024-Q1', version: 'budget', metrics: { mrr: 210 } },
  { company: 'world', period: '2024-Q1', version: 'forecast', metrics: { mrr: 205 } },
  { company: 'world', period: 2024, version: 'budget', metrics: { mrr: 900 } },
  { company: 'other', period: '2024-05', metrics: { mrr: 5 } },
];

const published = Array.from({ length: 5 }, (_, index) => ({
  company: 'world',
  period: `2024-0${index + 1}`,
  sent_at: `2024-0${index + 2}-10T08:00:00.000Z`,
  data: { mrr: 100 + index, ...(index === 4 ? { headcount: 9 } : {}) },
  units: { mrr: 'currency' },
  share_token: `share-${index}`,
}));

const seed: Seed = {
  companies: [
    { slug: 'world', id: ids.company, name: 'World' },
    { slug: 'other', id: ids.other, name: 'Other', currency: 'EUR' },
    { slug: 'investor', id: ids.investor, name: 'Investor' },
    { slug: 'silent', id: ids.silent, name: 'Silent' },
    { slug: 'closed', id: ids.closed, name: 'Closed' },
  ],
  users: [
    { email: 'ann@world.example', companies: ['world', 'other', 'investor'] },
    { email: 'guest@world.example', id: ids.guest, companies: [] },
  ],
  keys: [{ name: 'key', secret: key, user: 'ann@world.example', company: 'world' }],
  sessions: [
    { secret: session.split('=')[1] as string, user: 'ann@world.example', expires_at: '2099-01-01T00:00:00Z' },
  ],
  catalog: [
    { company: 'world', metricId: 'big', label: 'Big', unit: 'count' },
    { company: 'world', metricId: 'old', label: 'Old', archived: true },
  ],
  points: [...actuals.filter(({ period }) => period !== '2024-05' && period !== '2024-04'), ...special],
  grants: [
    {
      id: ids.active,
      company: 'world',
      granted_by: 'ann@world.example',
      recipient_company: 'investor',
      include_historical: true,
    },
    {
      id: ids.expired,
      company: 'world',
      granted_by: 'ann@world.example',
      recipient_company: 'other',
      metric_ids: ['mrr'],
      expires_at: '2024-01-01T00:00:00Z',
    },
    {
      id: ids.revoked,
      company: 'world',
      granted_by: 'ann@world.example',
      recipient_company: 'investor',
      metric_ids: ['arr'],
      revoked_at: '2024-02-01T00:00:00.000Z',
    },
    {
      id: ids.toGuest,
      company: 'world',
      granted_by: 'ann@world.example',
      recipient_user: 'guest@world.example',
      metric_ids: ['arr'],
    },
    { company: 'silent', granted_by: 'guest@world.example', recipient_company: 'world' },
  ],
  publications: published,
  preferences: [{ company: 'investor', requestedMetrics: ['mrr'], tableColumns: ['mrr', 'arr'], cardPages: [] }],
};

export interface World {
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** What a command prints as JSON. */
  json(argv: readonly string[]): Promise<unknown>;
  /** The lines of a command's CSV, header first. */
  csv(argv: readonly string[]): Promise<string[]>;
  transport: Transport;
  close(): Promise<void>;
}

export interface ServedWorld {
  url: string;
  /** The built binary against the world; `env` takes its variables' place, undefined takes one away. */
  comem(argv: readonly string[], env?: Record<string, string | undefined>, stdin?: string): Promise<CliResult>;
  close(): Promise<void>;
}

export const credentials = { COMEM_COMPANY_ID: ids.company, COMEM_API_KEY: key, COMEM_SESSION_COOKIE: session };

async function openWorld() {
  const api = await openEmbedded({ ...(await freshDatabase()), now: () => new Date(now) });
  const fail = (path: string, message: string) => new Failure('usage', `${path}: ${message}`);
  await loadSeed(api.store, () => [{ seed, fail }], { now: new Date('2024-01-01T00:00:00Z') });
  return api;
}

/** A fresh world on a port of its own, for the binary as a process. */
export async function servedWorld(): Promise<ServedWorld> {
  const api = await openWorld();
  const server = await listen(api.store, { port: 0, now: () => new Date(now) });
  const own = { ...credentials, COMEM_NOW: now, COMEM_BASE_URL: server.url };
  return {
    url: server.url,
    comem: (argv, env = {}, stdin = '') => cli(argv, { env: { ...own, ...env }, stdin }),
    async close() {
      await server.close();
      await api.close();
    },
  };
}

/** A fresh world in this process. */
export async function metricsWorld(): Promise<World> {
  const api = await openWorld();
  const env = { ...credentials, COMEM_BASE_URL: 'https://world.example' };
  const runHere = (argv: readonly string[], options: RunOptions = {}) =>
    run(argv, { transport: api.transport, now, ...options, env: { ...env, ...options.env } });
  const output = async (argv: readonly string[]) => {
    const { stdout, stderr, code } = await runHere(argv);
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return {
    run: runHere,
    json: async (argv) => JSON.parse(await output([...argv, '-o', 'json'])),
    csv: async (argv) => (await output([...argv, '-o', 'csv'])).trimEnd().split('\n'),
    transport: api.transport,
    close: () => api.close(),
  };
}

/** The API with more metrics in its catalogs. */
export function withMetrics(transport: Transport, metricIds: readonly string[]): Transport {
  const more = metricIds.map((metricId) => ({ metricId, label: metricId, custom: true, archived: false }));
  return async (request) => {
    const answer = await transport(request);
    if (!request.url.includes('/api/metrics/catalog') || answer.status !== 200) return answer;
    const body = JSON.parse(Buffer.from(answer.body).toString());
    return { ...answer, body: Buffer.from(JSON.stringify({ ...body, definitions: [...body.definitions, ...more] })) };
  };
}

/** The requests of series. */
export function seriesOf({ requests }: Pick<RunResult, 'requests'>): RunResult['requests'] {
  return requests.filter(({ path }) => path === '/api/metrics/series');
}

/** `GET /api/lists` for each request. */
export function sent({ requests }: RunResult): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}

/** The API, but for what `answer` answers in its place. */
export function instead(
  transport: Transport,
  answer: (request: WireRequest, url: URL) => { status: number; body?: unknown } | undefined,
): Transport {
  return async (request): Promise<WireResponse> => {
    const found = answer(request, new URL(request.url));
    if (!found) return transport(request);
    const text =
      found.body === undefined ? '' : typeof found.body === 'string' ? found.body : JSON.stringify(found.body);
    return { status: found.status, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
  };
}
