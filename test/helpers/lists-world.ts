/** A company with a few lists on an embedded API in memory, and `run` against it. One for each test file. */
import { Failure } from '../../src/core/errors.ts';
import type { Transport } from '../../src/core/wire.ts';
import { listen } from '../../src/server/app.ts';
import { openEmbedded } from '../../src/server/embedded.ts';
import { loadSeed } from '../../src/server/seed/load.ts';
import type { Seed, SeedEntry } from '../../src/server/seed/seed.ts';
import { type CliResult, cli } from './cli.ts';
import { freshDatabase } from './database.ts';
import { type RunOptions, type RunResult, run } from './run.ts';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const key = 'cmk_lists-world-0123456789';
const session = 'session-of-lists-world-0123456789';

export const ids = {
  company: uuid(1),
  deals: uuid(11),
  empty: uuid(12),
  view: uuid(21),
  acme: uuid(101),
  borealis: uuid(102),
  old: uuid(103),
  nothing: uuid(999),
};

const deals: SeedEntry[] = [
  {
    id: ids.acme,
    title: 'Acme, "Rockets"',
    values: {
      stage: 'Won',
      tags: ['climate', 'space; deep tech'],
      amount: 1250000.5,
      since: '2024-02-29',
      site: 'https://acme.example',
      contact: 'ann@acme.example',
      hot: true,
      score: 4,
      size: 12,
      notes: 'first\nsecond',
    },
  },
  { id: ids.borealis, title: 'Børealis', values: { stage: 'open', amount: 7, hot: false, notes: '=1+1' } },
  { id: ids.old, title: 'Old deal', archived: true, values: { stage: 'open', amount: 1 } },
  { title: 'Twin' },
  { title: 'Twin' },
];

const seed: Seed = {
  companies: [{ slug: 'world', id: ids.company, name: 'World' }],
  users: [{ email: 'ann@world.example', companies: ['world'] }],
  keys: [{ name: 'key', secret: key, user: 'ann@world.example', company: 'world' }],
  sessions: [{ secret: session, user: 'ann@world.example', expires_at: '2099-01-01T00:00:00Z' }],
  lists: [
    {
      id: ids.deals,
      company: 'world',
      name: 'Deals',
      description: 'Companies we look at',
      attributes: [
        {
          name: 'Stage',
          attribute_type: 'status',
          config: {
            options: [
              { id: 'o-open', label: 'Open', tone: 'sand' },
              { id: 'o-won', label: 'Won' },
            ],
          },
        },
        {
          name: 'Tags',
          attribute_type: 'multi_select',
          config: {
            options: [
              { id: 't-climate', label: 'climate' },
              { id: 't-space', label: 'space; deep tech' },
            ],
          },
        },
        { name: 'Amount', attribute_type: 'currency', config: { currency: 'EUR', min: 0 } },
        { name: 'Since', attribute_type: 'date' },
        { name: 'Site', attribute_type: 'url' },
        { name: 'Contact', attribute_type: 'email' },
        { name: 'Hot', attribute_type: 'checkbox' },
        { name: 'Score', attribute_type: 'rating' },
        { name: 'Size', attribute_type: 'number' },
        { name: 'Notes', attribute_type: 'text' },
        { name: 'Sector', attribute_type: 'select', config: { options: [{ id: 's-1', label: 'Energy' }] } },
        { name: 'Title', slug: 'title', attribute_type: 'text' },
      ],
      entries: deals.map((entry) =>
        entry.values?.stage === 'open' ? { ...entry, values: { ...entry.values, stage: 'Open' } } : entry,
      ),
    },
    { id: ids.empty, company: 'world', name: 'Empty' },
    { company: 'world', name: 'Same', slug: 'same-a' },
    { company: 'world', name: 'Same', slug: 'same-b' },
  ],
  views: [{ id: ids.view, company: 'world', name: 'Won', filters: { search: 'acme' } }],
};

export interface World {
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** The rows of a command as JSON. */
  json(argv: readonly string[]): Promise<unknown>;
  transport: Transport;
  close(): Promise<void>;
}

export interface ServedWorld {
  /** The built binary against the world; `env` takes its variables' place, undefined takes one away. */
  comem(argv: readonly string[], env?: Record<string, string | undefined>): Promise<CliResult>;
  /** What the binary needs to reach the world. */
  env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const at = '2026-03-05T12:00:00Z';
export const credentials = {
  COMEM_COMPANY_ID: ids.company,
  COMEM_API_KEY: key,
  COMEM_SESSION_COOKIE: `comem-auth-token=${session}`,
  COMEM_NOW: at,
};

async function openWorld() {
  const api = await openEmbedded({ ...(await freshDatabase()), now: () => new Date(at) });
  const fail = (path: string, message: string) => new Failure('usage', `${path}: ${message}`);
  await loadSeed(api.store, () => [{ seed, fail }], { now: new Date('2026-01-01T00:00:00Z') });
  return api;
}

/** A fresh world on a port of its own, for the binary as a process. */
export async function servedWorld(): Promise<ServedWorld> {
  const api = await openWorld();
  const server = await listen(api.store, { port: 0, now: () => new Date(at) });
  const reach = { ...credentials, COMEM_BASE_URL: server.url };
  return {
    comem: (argv, env = {}) => cli(argv, { env: { ...reach, ...env } }),
    env: reach,
    async close() {
      await server.close();
      await api.close();
    },
  };
}

/** A fresh world in this process. */
export async function listsWorld(): Promise<World> {
  const api = await openWorld();
  const env = { ...credentials, COMEM_BASE_URL: 'https://world.example' };
  const runHere = (argv: readonly string[], options: RunOptions = {}) =>
    run(argv, { transport: api.transport, now: at, ...options, env: { ...env, ...options.env } });
  return {
    run: runHere,
    async json(argv) {
      const { stdout, stderr, code } = await runHere([...argv, '-o', 'json']);
      if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    transport: api.transport,
    close: () => api.close(),
  };
}

/** `GET /api/lists` for each request. */
export function sent({ requests }: RunResult): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}
