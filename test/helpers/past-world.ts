/** The demo with a clock that moves: random edits, syncs of a mirror in between, and what commands answered at each. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demo } from '../../src/core/demo.ts';
import { type Embedded, openEmbedded } from '../../src/server/embedded.ts';
import { loadSeed } from '../../src/server/seed/load.ts';
import { afterFile } from './after-file.ts';
import { demoDatabase, engine, freshPostgres } from './database.ts';
import { type RunOptions, type RunResult, run } from './run.ts';
import { sqlEngine } from './sql-engine.ts';

export const companies = ['northgate', 'lumen'] as const;

/** A generator of numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface PastWorld {
  api: Embedded;
  /** The folder of the mirror, or its address. */
  mirror: string;
  /** The clock of the API and of commands. */
  now(): string;
  wait(hours: number): void;
  /** One change of anything but the kinds that are named. @returns its kind */
  edit(random: () => number, except?: readonly string[]): Promise<string>;
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Of two companies; with flags, of what they name of the first. */
  sync(...flags: string[]): Promise<RunResult>;
}

const checks = `version: 1
checks:
  - list: deal-pipeline
    expect:
      - count >= 10
      - unique(title)
      - valid()
  - metrics: of lumen
    company: lumen
    last: 6
    expect:
      - no_gaps(mrr, arr)
  - grants: of northgate
    expect: [none_expired_active]
`;

export async function pastWorld(): Promise<PastWorld> {
  let clock = Date.parse(demo.now);
  const api = await openEmbedded({ ...(await demoDatabase()), now: () => new Date(clock) });
  const folder = mkdtempSync(join(tmpdir(), 'comem-past-'));
  afterFile(() => rmSync(folder, { recursive: true }));
  afterFile(() => api.close());
  writeFileSync(join(folder, 'checks.yaml'), checks);
  const database = engine === 'PostgreSQL' ? (await freshPostgres()).database : undefined;
  const now = () => new Date(clock).toISOString();
  const engineOfSql = await sqlEngine();
  const world: PastWorld = {
    api,
    mirror: database ?? join(folder, 'mirror'),
    now,
    wait(hours) {
      clock += Math.round(hours * 3_600_000);
    },
    edit: (random, except = []) => edit(api, random, { clock, except }),
    run: (argv, options = {}) =>
      run(['-p', 'demo', ...argv], { transport: api, now: now(), sqlEngine: engineOfSql, cwd: folder, ...options }),
    sync: (...flags) => {
      const where = database === undefined ? [world.mirror] : ['--database', database];
      const named = flags.length > 0 ? [] : companies.flatMap((company) => ['-c', company]);
      return world.run(['mirror', 'sync', ...where, ...named, ...flags]);
    },
  };
  return world;
}

type Body = Record<string, unknown>;

/** One change of anything that a mirror keeps. @returns what it was */
async function edit(
  api: Embedded,
  random: () => number,
  { clock, except }: { clock: number; except: readonly string[] },
): Promise<string> {
  const send = async <T>(method: string, path: string, body?: Body): Promise<T> => {
    const response = await api.transport({
      method,
      url: `http://embedded${path}`,
      headers: {
        authorization: `Bearer ${demo.apiKey}`,
        cookie: demo.session,
        'x-company-id': demo.companyId,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = Buffer.from(response.body).toString();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const word = () => Math.floor(random() * 1e6).toString(36);
  const company = demo.companyId;
  const lists = await send<{ id: string; slug: string }[]>('GET', `/api/lists?companyId=${company}`);
  const list = pick(lists.filter(({ slug }) => slug === 'deal-pipeline' || random() < 0.3)) ?? pick(lists);
  const { list_attributes: attributes } = await send<{
    list_attributes: { id: string; slug: string; attribute_type: string; config: { options?: Body[] } }[];
  }>('GET', `/api/lists/${list.id}`);
  const at = `/api/lists/${list.id}`;
  const entries = await send<{ id: string; position: number; values: Body }[]>(
    'GET',
    `${at}/entries?archived=true&limit=500`,
  );
  const entry = pick(entries);
  const kinds: Record<string, () => Promise<unknown>> = {
    async create() {
      const required = await send<{ values: Body }[]>('GET', `${at}/entries?limit=1`);
      await send('POST', `${at}/entries`, { title: `New ${word()}`, values: required[0]?.values ?? {} });
    },
    rename: () => send('PATCH', `${at}/entries`, { id: entry.id, title: `Renamed ${word()}` }),
    async value() {
      const other = pick(entries);
      await send('PATCH', `${at}/entries`, { id: entry.id, values: other.values });
    },
    move: () => send('PATCH', `${at}/entries`, { id: entry.id, position: pick(entries).position }),
    archive: () => send('PATCH', `${at}/entries`, { id: entry.id, archived: random() < 0.7 }),
    delete: () => send('DELETE', `${at}/entries?entryId=${entry.id}`),
    attribute: () => send('POST', `${at}/attributes`, { name: `Column ${word()}`, attribute_type: 'text' }),
    async option() {
      const attribute = attributes.find(({ config }) => (config.options?.length ?? 0) > 1);
      if (!attribute) return;
      const [first, ...others] = attribute.config.options ?? [];
      const options = random() < 0.5 ? others : [...others, { ...first, label: `Label ${word()}` }];
      await send('PATCH', `${at}/attributes`, { id: attribute.id, config: { options } });
    },
    list: () => send('PATCH', at, { name: `List ${word()}` }),
    newList: () => send('POST', '/api/lists', { name: `List ${word()}`, companyId: company }),
    async point() {
      const points = [
        {
          company: 'Lumen Robotics',
          period: pick(['2025-11', '2025-12', '2026-01', '2026-02']),
          version: pick(['actual', 'budget'] as const),
          metrics: { [pick(['mrr', 'arr', 'headcount', 'burn'])]: Math.round(random() * 1e7) / 100 },
        },
      ];
      const fail = (path: string, message: string) => new Error(`${path} ${message}`) as never;
      const { id } = { id: demo.companies.lumen };
      await loadSeed(
        api.store,
        () => [{ seed: { points: points.map((point) => ({ ...point, company: id })) }, fail }],
        { now: new Date(clock) },
      );
    },
    grant: () =>
      send('POST', '/api/metrics/grants', {
        companyId: company,
        recipient_company_id: pick(Object.values(demo.companies).filter((id) => id !== company)),
        scope: ['metrics'],
        metric_ids: random() < 0.5 ? ['mrr', 'arr'] : [],
        include_historical: random() < 0.5,
        expires_at: new Date(clock + random() * 5e8).toISOString(),
      }),
    async revoke() {
      const { grants } = await send<{ grants: { id: string; status: string }[] }>(
        'GET',
        `/api/metrics/grants?companyId=${company}`,
      );
      const active = grants.filter(({ status }) => status === 'active');
      if (active.length > 0)
        await send('PATCH', `/api/metrics/grants/${pick(active).id}/revoke`, { companyId: company });
    },
    preferences: () =>
      send('POST', '/api/metrics/preferences', {
        vcCompanyId: company,
        requestedMetrics: [pick(['mrr', 'arr', 'burn'])],
      }),
  };
  const kind = entries.length === 0 ? 'create' : pick(Object.keys(kinds).filter((name) => !except.includes(name)));
  await kinds[kind]?.();
  return kind;
}
