/** The plans of every read at 200,000 entries, and how many rows they touch. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/server/store/kysely.ts';
import type { StoreOptions } from '../../src/server/store/store.ts';
import { engine, freshDatabase } from '../helpers/database.ts';
import { companies, now, sessions, unknown, type World, world } from './world.ts';

const size = 200_000;
const listId = '11111111-0000-4000-8000-000000000001';
const view = '22222222-0000-4000-8000-000000000001';
const at = now.toISOString();
/** Tables that grow: a scan of one of them is a mistake. The others are small enough to be read whole. */
const large = [
  'entries',
  'entry_facets',
  'entry_titles',
  'metric_points',
  'publications',
  'grants',
  'tokens',
  'sessions',
];

let w: World;
let options: StoreOptions;
let statements: { sql: string; parameters: readonly unknown[] }[] = [];
let plansRead = 0;

const uuid = (prefix: string) => sql.raw(`'${prefix}-0000-4000-8000-' || substr(cast(1000000000000 + n as text), 2)`);
/** Of the company `c` and the number `k`; the tail of the fund's id is that of the first company. */
const uuidOf = (prefix: string) =>
  sql.raw(
    `'${prefix}-0000-4000-' || substr(cast(10000 + k.n as text), 2) || '-' || substr(c.id, 4, 1) || substr(c.id, 26)`,
  );
const upTo = (count: number) =>
  sql.raw(`with recursive s(n) as (select 0 union all select n + 1 from s where n < ${count - 1})`);

beforeAll(async () => {
  options = await freshDatabase();
  w = await world({}, { ...options, onQuery: (statement) => statements.push(statement) });
  await w.store.write(async (db) => {
    await w.store.engine.unlimited(db);
    await sql`insert into lists (id, company_id, name, slug, entity_type, is_system, position, created_at, updated_at)
      values (${listId}, ${companies.fund}, 'Big', 'big', 'custom', 0, 0, ${at}, ${at})`.execute(db);
    for (const [slug, type] of [
      ['stage', 'text'],
      ['half', 'text'],
      ['rare', 'text'],
    ]) {
      await sql`insert into list_attributes
        (id, list_id, name, slug, attribute_type, config, is_required, position, created_at, updated_at)
        values (${`33333333-0000-4000-8000-${slug?.padEnd(12, '0').replace(/[^0-9a-f]/g, '1')}`}, ${listId}, ${slug}, ${slug}, ${type}, '{}', 0, 0, ${at}, ${at})`.execute(
        db,
      );
    }
    await sql`insert into entries (id, list_id, title, title_key, "values", position, archived, created_at, updated_at)
      ${upTo(size)} select ${uuid('44444444')}, ${listId}, 'Entry ' || n, 'entry ' || n,
        '{"stage":"s' || (n % 100) || '","half":"h' || (n % 2) || '"}', n, 0, ${at}, ${at} from s`.execute(db);
    for (const [slug, divisor] of [
      ['stage', 100],
      ['half', 2],
    ] as const) {
      await sql`insert into entry_facets (list_id, slug, value_key, archived, position, created_at, entry_id)
        ${upTo(size)} select ${listId}, ${slug}, ${slug.slice(0, 1)} || (n % ${sql.lit(divisor)}), 0, n, ${at},
        ${uuid('44444444')} from s`.execute(db);
    }
    await sql`insert into entry_blocks (list_id, archived, block, entries)
      select list_id, archived, position / 1024, count(*) from entries group by list_id, archived, position / 1024`.execute(
      db,
    );
    await sql`insert into saved_views (id, company_id, name, filters, position, is_pinned, created_at, updated_at)
      values (${view}, ${companies.fund}, 'V', '{"stage":["s7"]}', 0, 0, ${at}, ${at})`.execute(db);
    await others(db);
  });
  // PostgreSQL does so by itself after a while; SQLite never does.
  if (engine === 'PostgreSQL') await sql`analyze`.execute(w.store.db);
});
afterAll(async () => {
  process.stdout.write(`plans on ${engine}: ${plansRead} read at ${size} entries\n`);
  await w.close();
  if (options.dataDir) await rm(options.dataDir, { recursive: true });
});

/** Companies beside, with metrics, publications and grants. */
async function others(db: World['store']['db']): Promise<void> {
  const many = 200;
  await sql`insert into companies (id, name, currency, created_at)
    ${upTo(many)} select ${uuid('55555555')}, 'Company ' || n, 'USD', ${at} from s`.execute(db);
  await sql`insert into metric_points (company_id, metric_id, period_type, period_key, version, value, updated_at)
    select c.id, 'metric-' || m.n, 'month', cast(2010 + y.n as text) || '-' || substr(cast(101 + k.n as text), 2), 'actual', '1', ${at}
    from companies c, (${upTo(10)} select n from s) m, (${upTo(10)} select n from s) y, (${upTo(12)} select n from s) k`.execute(
    db,
  );
  await sql`insert into publications (report_id, company_id, period_key, period_type, first_month, last_month,
      version_number, sent_at, data, units, unit_labels, currency, share_token, viewer_policy)
    select ${uuidOf('77777777')}, c.id, '2015-' || substr(cast(101 + k.n as text), 2), 'month', 24180 + k.n, 24180 + k.n, 1, ${at}, '{}', '{}', '{}',
      'USD', 'x', '{}' from companies c, (${upTo(12)} select n from s) k`.execute(db);
  await sql`insert into grants (id, company_id, granted_by, recipient_company_id, scope, metric_ids, include_historical, status, created_at, updated_at)
    select ${uuidOf('88888888')}, c.id, ${unknown}, ${companies.fund}, '["metrics"]', '[]', 1, 'active', ${at}, ${at}
    from companies c, (${upTo(10)} select n from s) k`.execute(db);
  await sql`insert into tokens (id, kind, token_hash, hint, name, user_id, company_id, scopes, created_at)
    ${upTo(5000)} select ${uuid('99999999')}, 'api_key', 'hash ' || n, 'x', 'x', (select min(id) from users), ${companies.fund}, '[]', ${at} from s`.execute(
    db,
  );
  await sql`insert into sessions (id, token_hash, hint, user_id, created_at, expires_at)
    ${upTo(5000)} select ${uuid('66666666')}, 'hash ' || n, 'x', (select min(id) from users), ${at}, ${at} from s`.execute(
    db,
  );
}

interface Plan {
  text: string;
  /** Tables that are read from one end to the other. */
  scans: string[];
  /** Rows that any node took from a table or an index; counted by PostgreSQL alone. */
  rows: number;
}

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
}

async function planOf({ sql: text, parameters }: { sql: string; parameters: readonly unknown[] }): Promise<Plan> {
  plansRead += 1;
  const explain = async (prefix: string) => {
    // The statement as it was, its parameters in their places.
    const pieces = text.split(engine === 'SQLite' ? /\?/ : /\$\d+/);
    const order =
      engine === 'SQLite' ? parameters : [...text.matchAll(/\$(\d+)/g)].map(([, n]) => parameters[Number(n) - 1]);
    const query = pieces
      .slice(1)
      .reduce((all, piece, at) => sql`${all}${sql.value(order[at])}${sql.raw(piece)}`, sql.raw(pieces[0] ?? ''));
    return (await sql<Record<string, unknown>>`${sql.raw(prefix)} ${query}`.execute(w.store.db)).rows;
  };
  if (engine === 'SQLite') {
    const details = (await explain('explain query plan')).map(({ detail }) => String(detail));
    const scans = details.flatMap((detail) => {
      // An index that is walked in order for the first rows of it is no scan of a table.
      const name = /^SCAN (\w+)(?! USING COVERING INDEX)/.exec(detail)?.[1] ?? '';
      const table =
        { e: 'entries', f: 'entry_facets', g: 'entry_facets', p: 'publications', q: 'publications' }[name] ?? name;
      return large.includes(table) ? [table] : [];
    });
    return { text: details.join('\n'), scans, rows: 0 };
  }
  const [row] = await explain('explain (analyze, format json)');
  const [plan] = (row?.['QUERY PLAN'] ?? []) as { Plan: Node }[];
  const nodes = plan ? flat(plan.Plan) : [];
  const reads = nodes.filter((node) => node['Relation Name'] !== undefined);
  const rowsOfNode = (node: Node) =>
    node['Actual Loops'] *
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0));
  return {
    text: nodes.map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''} ${rowsOfNode(node)}`).join('\n'),
    scans: reads.flatMap((node) =>
      node['Node Type'] === 'Seq Scan' && large.includes(node['Relation Name'] ?? '')
        ? [node['Relation Name'] ?? '']
        : [],
    ),
    rows: reads.reduce((sum, node) => sum + rowsOfNode(node), 0),
  };
}

function flat(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flat)];
}

type Sent = Parameters<World['call']>;

/** The body, and the plans of all that was read for it. */
async function read(id: Sent[0], sent: Sent[1] = {}): Promise<{ body: { title: string }[]; plans: Plan[] }> {
  statements = [];
  const { body, status, text } = await w.call(id, sent);
  expect([status, text.slice(0, 300)]).toEqual([200, expect.anything()]);
  const selects = statements.filter((statement) => /^\s*(select|with)/i.test(statement.sql));
  expect(selects.length).toBeGreaterThan(0);
  const plans: Plan[] = [];
  for (const statement of selects) plans.push(await planOf(statement));
  return { body, plans };
}

const entries = (query: Record<string, string>) => read('listEntries', { params: { listId }, query });
const companyId = '55555555-0000-4000-8000-000000000007';

describe('no table is scanned for', () => {
  const pages: Record<string, Record<string, string>> = {
    'the first page': {},
    'a page with its total': { withTotal: 'true' },
    'archived entries': { archivedOnly: 'true' },
    'archived entries too': { archived: 'true' },
    'a deep page': { offset: '199000' },
    'a facet of one in a hundred': { 'filter[stage]': 's7' },
    'a facet of one in two': { 'filter[half]': 'h1' },
    'two facets': { 'filter[stage]': 's8', 'filter[half]': 'h0' },
    'a facet without a value': { 'filter[rare]': 'x' },
    'a search of three characters that is rare': { search: '999' },
    'a search that finds one': { search: 'entry 123456' },
    'a search that finds nothing': { search: 'nothing like it' },
    'a search and a facet': { search: '777', 'filter[stage]': 's7' },
    'a saved view': { viewId: view },
  };
  it.each(Object.entries(pages))('%s', async (_, query) => {
    const { plans } = await entries(query);
    for (const plan of plans) expect(plan.scans, plan.text).toEqual([]);
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
  ] as [Sent[0], Sent[1]][])('%s %j', async (id, sent) => {
    const { plans } = await read(id, sent);
    for (const plan of plans) expect(plan.scans, plan.text).toEqual([]);
  });
});

describe('rows that are read', () => {
  it('for a search that few titles hold are those, not the list', async () => {
    for (const query of [
      { search: 'entry 12345' } as Record<string, string>,
      { search: '777', 'filter[half]': 'h1' },
    ]) {
      const { body, plans } = await entries(query);
      expect(body.length).toBeGreaterThan(5);
      if (engine === 'SQLite') {
        expect(plans.at(-1)?.text).toMatch(
          /CO-ROUTINE page\n(?!.*entries_by_state).*SEARCH e USING INDEX \S+ \(id=\?\)/,
        );
        expect(plans.at(-1)?.text).not.toContain('entries_by_state');
      } else expect(plans.reduce((sum, plan) => sum + plan.rows, 0)).toBeLessThan(20_000);
    }
  });

  it('for a facet of one in a hundred are at most five for each that is returned', async () => {
    const { body, plans } = await entries({ 'filter[stage]': 's7', limit: '500' });
    expect(body).toHaveLength(500);
    if (engine === 'SQLite') {
      // The walk begins at the facet and is in order already, by the index alone; then one look at each row returned.
      const plan = plans.at(-1)?.text ?? '';
      expect(plan).toMatch(
        /SEARCH f USING COVERING INDEX entry_facets_in_order \(list_id=\? AND slug=\? AND value_key=\? AND archived=\?\)/,
      );
      expect(plan).toMatch(/SEARCH e USING INDEX \S+ \(id=\?\)/);
      expect(plan.match(/TEMP B-TREE/g) ?? []).toHaveLength(1);
      return;
    }
    const rows = plans.reduce((sum, plan) => sum + plan.rows, 0);
    expect(rows).toBeLessThanOrEqual(5 * body.length);
  });

  it('for a page deep in the list are those of one block and of the page', async () => {
    const { body, plans } = await entries({ offset: '199000', limit: '100' });
    expect([body[0]?.title, body.length]).toEqual(['Entry 199000', 100]);
    if (engine === 'SQLite') {
      expect(plans.at(-1)?.text).toMatch(
        /SEARCH e USING COVERING INDEX entries_by_state \(list_id=\? AND archived=\? AND position>\?\)/,
      );
      return;
    }
    expect(plans.at(-1)?.rows).toBeLessThanOrEqual(1024 + 2 * 100);
  });
});

describe('a deep page', () => {
  it.each([0, 1, 2047, 2048, 2049, 100_000, 199_899, 199_999, 200_000, 5_000_000])(
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
    const id = (n: number) => `44444444-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const as = sessions.ann;
    await w.call('updateEntry', { params, as, body: { id: id(150_000), position: -5000 } });
    await w.call('updateEntry', { params, as, body: { id: id(150_001), archived: true } });
    await w.call('deleteEntry', { params, as, query: { entryId: id(3) } });
    await w.call('createEntry', { params, as, body: { title: 'New', position: 200_500 } });
    await w.call('createEntry', { params, as, body: { title: 'Before', position: -1 } });
    const titles = async (query: Record<string, string>) => (await entries(query)).body.map(({ title }) => title);
    // Two came before them and one went: they stand one place further down; behind the archived one it is one less.
    expect(await titles({ offset: '99999', limit: '3' })).toEqual(['Entry 99998', 'Entry 99999', 'Entry 100000']);
    expect(await titles({ offset: '100002', limit: '2' })).toEqual(['Entry 100001', 'Entry 100002']);
    expect(await titles({ offset: '199998', limit: '10' })).toEqual(['Entry 199999', 'New']);
    expect(await titles({ offset: '199999', limit: '10', archived: 'true' })).toEqual(['Entry 199999', 'New']);
    expect(await titles({ limit: '2' })).toEqual(['Entry 150000', 'Before']);
    const total = await w.call('listEntries', { params, query: { withTotal: 'true', limit: '1' } });
    expect(total.headers['x-list-total-count']).toBe('200000');
    await w.call('updateEntry', { params, as, body: { id: id(9), title: 'A title of its own' } });
    expect(await titles({ search: 'TITLE OF' })).toEqual(['A title of its own']);
    expect(await titles({ search: 'entry 9 ' })).toEqual([]);
    await w.call('deleteEntry', { params, as, query: { entryId: id(9) } });
    expect(await titles({ search: 'title of' })).toEqual([]);
  });
});
