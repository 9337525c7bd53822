/** The plans of every read at 200,000 entries, and how many rows they touch. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Sqlite, type SqliteValue } from '../../src/core/sqlite.ts';
import { sql } from '../../src/server/store/kysely.ts';
import type { StoreOptions } from '../../src/server/store/store.ts';
import { engine, freshDatabase } from '../helpers/database.ts';
import { entryId, fill, listId, usual, viewId as view, whole } from './scale-data.ts';
import { companies, sessions, type World, world } from './world.ts';

/** `COMEM_SCALE=whole`, as in `npm run soak`: all that a team has after years. */
const isWhole = process.env.COMEM_SCALE === 'whole';
const wanted = isWhole ? whole : usual;
const size = wanted.entries;
/** Tables that grow: a scan of one of them is a mistake. The others are small enough to be read whole. */
const large = ['entries', 'entry_facets', 'metric_points', 'publications', 'grants', 'tokens', 'sessions'];

let w: World;
let options: StoreOptions;
let statements: { sql: string; parameters: readonly unknown[] }[] = [];
let plansRead = 0;
let counter: RowCounter | undefined;
/** What each read cost, for the last lines of the output. */
const costs: string[] = [];
const summary: string[] = [];

beforeAll(async () => {
  options = engine === 'SQLite' ? { dataDir: await mkdtemp(join(tmpdir(), 'comem-scale-')) } : await freshDatabase();
  w = await world({}, { ...options, onQuery: (statement) => statements.push(statement) });
  await fill(w.store, wanted);
  if (options.dataDir) counter = new RowCounter(await openDatabase(join(options.dataDir, 'comem.db')));
}, 3_600_000);
afterAll(async () => {
  process.stdout.write(
    `plans on ${engine}: ${plansRead} read at ${size} entries and ${wanted.companies * wanted.metrics * 120} points; ${summary.join('; ')}\n`,
  );
  if (isWhole) for (const line of costs) process.stdout.write(`  ${line}\n`);
  counter?.close();
  await w.close();
  if (options.dataDir) await rm(options.dataDir, { recursive: true });
});

interface Plan {
  text: string;
  /** Tables that are read from one end to the other. */
  scans: string[];
  /** Rows that it took from tables and indexes. */
  rows: number;
  /** What it took: rows on SQLite, pages that PostgreSQL looked at. */
  work: number;
}

type Statement = (typeof statements)[number];

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Node[];
}

function planOf(statement: Statement): Promise<Plan> {
  plansRead += 1;
  return engine === 'SQLite' ? planOnSqlite(statement) : planOnPostgres(statement);
}

/** The statement as it was, its parameters in their places, after the prefix. */
async function explained(prefix: string, { sql: text, parameters }: Statement): Promise<Record<string, unknown>[]> {
  const pieces = text.split(engine === 'SQLite' ? /\?/ : /\$\d+/);
  const order =
    engine === 'SQLite' ? parameters : [...text.matchAll(/\$(\d+)/g)].map(([, n]) => parameters[Number(n) - 1]);
  const query = pieces
    .slice(1)
    .reduce((all, piece, at) => sql`${all}${sql.value(order[at])}${sql.raw(piece)}`, sql.raw(pieces[0] ?? ''));
  return (await sql<Record<string, unknown>>`${sql.raw(prefix)} ${query}`.execute(w.store.db)).rows;
}

async function planOnSqlite(statement: Statement): Promise<Plan> {
  const details = (await explained('explain query plan', statement)).map(({ detail }) => String(detail));
  const scans = details.flatMap((detail) => {
    const name = /^SCAN (\w+)/.exec(detail)?.[1] ?? '';
    const table =
      { e: 'entries', f: 'entry_facets', g: 'entry_facets', p: 'publications', q: 'publications' }[name] ?? name;
    return large.includes(table) ? [table] : [];
  });
  const rows = counter?.rowsOf(statement) ?? 0;
  return { text: details.join('\n'), scans, rows, work: rows };
}

/** A second connection, in which every table is a view that counts the rows taken from it. */
class RowCounter {
  private rows = 0;

  constructor(private readonly database: Sqlite) {
    database.function('counted', {}, (_key) => {
      this.rows += 1;
      return 1;
    });
    const tables = database
      .prepare(
        "select name, wr from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'",
      )
      .all() as { name: string; wr: number }[];
    for (const { name, wr } of tables) {
      const [key] = database.prepare('select name from pragma_table_info(?) where pk = 1').all(name) as {
        name: string;
      }[];
      const column = wr === 0 ? 'rowid' : `"${key?.name}"`;
      // Sure to be true, so that the plan is the one without it.
      database.exec(
        `create temp view "${name}" as select * from main."${name}" where likelihood(counted(${column}), 1.0)`,
      );
    }
  }

  rowsOf({ sql: text, parameters }: Statement): number {
    this.rows = 0;
    this.database.prepare(text).all(...(parameters as readonly SqliteValue[]));
    return this.rows;
  }

  close(): void {
    this.database.close();
  }
}

async function planOnPostgres(statement: Statement): Promise<Plan> {
  const [row] = await explained('explain (analyze, buffers, format json)', statement);
  const [plan] = (row?.['QUERY PLAN'] ?? []) as { Plan: Node }[];
  const nodes = plan ? flat(plan.Plan) : [];
  const reads = nodes.filter((node) => node['Relation Name'] !== undefined);
  // Of rows that many match, PostgreSQL may take the first ones where its sample says so; a limit ends that early.
  const isLimited = nodes.some((node) => node['Node Type'] === 'Limit');
  const endsEarly = (node: Node) => isLimited && rowsOfNode(node) < size / 20;
  const rowsOfNode = (node: Node) =>
    node['Actual Loops'] *
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0));
  return {
    text: nodes.map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''} ${rowsOfNode(node)}`).join('\n'),
    scans: reads.flatMap((node) =>
      node['Node Type'] === 'Seq Scan' && large.includes(node['Relation Name'] ?? '') && !endsEarly(node)
        ? [node['Relation Name'] ?? '']
        : [],
    ),
    rows: reads.reduce((sum, node) => sum + rowsOfNode(node), 0),
    work: plan ? plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'] : 0,
  };
}

function flat(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flat)];
}

type Sent = Parameters<World['call']>;

/** The body, and the plans of all that was read for it. */
async function read(
  id: Sent[0],
  sent: Sent[1] = {},
): Promise<{ body: { title: string }[]; plans: Plan[]; selects: Statement[] }> {
  statements = [];
  const { body, status, text } = await w.call(id, sent);
  expect(status, text.slice(0, 300)).toBe(200);
  const selects = statements.filter((statement) => /^\s*(select|with)/i.test(statement.sql));
  expect(selects.length).toBeGreaterThan(0);
  const plans: Plan[] = [];
  for (const statement of selects) plans.push(await planOf(statement));
  return { body, plans, selects };
}

type Query = Record<string, string> | [string, string][];
const entries = (query: Query) =>
  read('listEntries', { params: { listId }, query: new URLSearchParams(query).toString() });
const workOf = (plans: readonly Plan[]) => plans.reduce((sum, { work }) => sum + work, 0);
const unit = engine === 'SQLite' ? 'rows' : 'pages';
const rowsOf = (plans: readonly Plan[]) => plans.reduce((sum, { rows }) => sum + rows, 0);
/**
 * A read of a hundred rows takes a few hundred rows or pages. The most is what it takes to look at all entries of a facet
 * of 1 %, which the engines do for a text that many titles hold, five pages each where PostgreSQL has not come round to
 * marking them as seen by all; the list takes hundreds of times that.
 */
const most = 10_000 * (isWhole ? 10 : 1);
const companyId = '55555555-0000-4000-8000-000000000007';

describe('no table is scanned for', () => {
  const pages: Record<string, Query> = {
    'the first page': {},
    'archived entries': { archivedOnly: 'true' },
    'archived entries too': { archived: 'true' },
    'a facet of one in a hundred': { 'filter[stage]': 's7' },
    'a facet of one in two': { 'filter[half]': 'h1' },
    'a facet without a value': { 'filter[rare]': 'x' },
    'a saved view': { viewId: view },
  };
  it.each(Object.entries(pages))('%s', async (name, query) => {
    const { body, plans } = await entries(query);
    costs.push(`${name}: ${body.length} rows, ${workOf(plans)} ${unit}`);
    for (const plan of plans) expect(plan.scans, plan.text).toEqual([]);
    expect(workOf(plans), plans.at(-1)?.text).toBeLessThan(most);
  });

  it.each([
    ['listLists', { query: { companyId: companies.fund } }],
    ['getList', { params: { listId } }],
    ['getMetricPreferences', { query: { vcCompanyId: companies.fund } }],
    ['listGrants', { query: { companyId: companies.fund } }],
    ['getMetricCatalog', { query: { companyId: companies.fund } }],
    ['getLiveMetrics', { query: { companyId: companies.fund } }],
    ['getMetricSeries', { query: { companyId: companies.fund, periodType: 'month', versions: 'actual', limit: '60' } }],
    [
      'getMetricSeries',
      {
        query: {
          companyId: companies.fund,
          periodType: 'month',
          versions: 'actual',
          order: 'desc',
          metricIds: 'metric-3',
        },
      },
    ],
    ['getPublishedMetrics', { params: { companyId } }],
    ['getPublishedMetrics', { params: { companyId }, query: { from: '2015-03', to: '2015-06' } }],
  ] as [Sent[0], Sent[1]][])('%s %j', async (id, sent = {}) => {
    const { plans } = await read(id, sent);
    costs.push(`${id} ${JSON.stringify(sent.query ?? {})}: ${workOf(plans)} ${unit}`);
    for (const plan of plans) expect(plan.scans, plan.text).toEqual([]);
    expect(workOf(plans), plans.at(-1)?.text).toBeLessThan(most);
  });
});

describe('rows that are read', () => {
  it('for a facet of one in a hundred are at most five for each that is returned', async () => {
    const { body, plans, selects } = await entries({ 'filter[stage]': 's7', limit: '500' });
    expect(body).toHaveLength(500);
    const rows = rowsOf(plans);
    summary.push(`${rows} rows read for ${body.length} of a facet of 1 %`);
    expect(rows).toBeLessThanOrEqual(5 * body.length);
    // What is counted sees a walk: the same page without the facet's index.
    if (counter && !isWhole) {
      const [text = '', ...more] = [selects.at(-1)?.sql.replace('f.list_id = ?', "f.list_id || '' = ?")];
      expect(more).toEqual([]);
      const walked = counter.rowsOf({ sql: text, parameters: selects.at(-1)?.parameters ?? [] });
      expect(walked).toBeGreaterThan(20 * body.length);
    }
  });
});

describe('a deep page', () => {
  it.each([0, 1, 2047, 2048, 2049, size / 2, size - 101, size - 1, size, 5_000_000])(
    'at %i is the right one',
    async (offset) => {
      const { body } = await entries({ offset: String(offset), limit: '100' });
      const expected = Array.from(
        { length: Math.max(0, Math.min(100, size - offset)) },
        (_, n) => `Entry ${offset + n}`,
      );
      expect(body.map(({ title }) => title)).toEqual(expected);
    },
  );

  it('stays right when entries move, go, are archived and come, also to positions below zero', async () => {
    const params = { listId };
    const id = entryId;
    const as = sessions.ann;
    await w.call('updateEntry', { params, as, body: { id: id(150_000), position: -5000 } });
    await w.call('updateEntry', { params, as, body: { id: id(150_001), archived: true } });
    await w.call('deleteEntry', { params, as, query: { entryId: id(3) } });
    await w.call('createEntry', { params, as, body: { title: 'New', position: size + 500 } });
    await w.call('createEntry', { params, as, body: { title: 'Before', position: -1 } });
    const titles = async (query: Record<string, string>) => (await entries(query)).body.map(({ title }) => title);
    // Two came before them and one went: they stand one place further down; behind the archived one it is one less.
    expect(await titles({ offset: '99999', limit: '3' })).toEqual(['Entry 99998', 'Entry 99999', 'Entry 100000']);
    expect(await titles({ offset: '100002', limit: '2' })).toEqual(['Entry 100001', 'Entry 100002']);
    expect(await titles({ offset: String(size - 2), limit: '10' })).toEqual([`Entry ${size - 1}`, 'New']);
    expect(await titles({ offset: String(size - 1), limit: '10', archived: 'true' })).toEqual([
      `Entry ${size - 1}`,
      'New',
    ]);
    expect(await titles({ limit: '2' })).toEqual(['Entry 150000', 'Before']);
    const total = await w.call('listEntries', { params, query: { withTotal: 'true', limit: '1' } });
    expect(total.headers['x-list-total-count']).toBe(String(size));
    await w.call('updateEntry', { params, as, body: { id: id(9), title: 'A title of its own' } });
    expect(await titles({ search: 'TITLE OF' })).toEqual(['A title of its own']);
    expect(await titles({ search: 'entry 9 ' })).toEqual([]);
    await w.call('deleteEntry', { params, as, query: { entryId: id(9) } });
    expect(await titles({ search: 'title of' })).toEqual([]);
  });
});
