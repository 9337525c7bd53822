/** Databases of the size that a team reaches after years, made by the engine itself: a row at a time would take hours. */
import { type AttributeType, attributeTypes } from '../../src/contract/lists.ts';
import { sql } from '../../src/server/store/kysely.ts';
import type { Db } from '../../src/server/store/schema.ts';
import type { Store } from '../../src/server/store/store.ts';
import { companies, now, unknown } from './world.ts';

export interface Size {
  /** Of the one large list. */
  entries: number;
  /** Lists in all. */
  lists: number;
  /** Of each of the eleven types, not only the three that the filters are tried on. */
  everyType: boolean;
  companies: number;
  /** Of each company, by month for ten years. */
  metrics: number;
}

/** In a run of all tests, and in `npm run soak`. */
export const usual: Size = { entries: 200_000, lists: 5, everyType: false, companies: 200, metrics: 10 };
export const whole: Size = { entries: 1_000_000, lists: 200, everyType: true, companies: 2_000, metrics: 40 };

export const listId = '11111111-0000-4000-8000-000000000001';
export const viewId = '22222222-0000-4000-8000-000000000001';
const at = now.toISOString();

/** The id of entry `n` of the large list. Random ones are in no order either. */
export const entryId = (n: number) => `${digits((n * 40_503) % 99_999_989, 8)}-0000-4000-8000-${digits(n, 12)}`;
const digits = (n: number, width: number) => String(n).padStart(width, '0');
const padded = (expression: string, width: number) => `substr(cast(${10 ** width} + ${expression} as text), 2)`;
const entryIdSql = sql.raw(`${padded('n * 40503 % 99999989', 8)} || '-0000-4000-8000-' || ${padded('n', 12)}`);
const uuid = (prefix: string) => sql.raw(`'${prefix}-0000-4000-8000-' || ${padded('n', 12)}`);
/** Of the company `c` and the number `k`; the tail of the fund's id is that of the first company. */
const uuidOf = (prefix: string) =>
  sql.raw(`'${prefix}-0000-4000-' || ${padded('8000 + k.n', 4)} || '-' || substr(c.id, 4, 1) || substr(c.id, 26)`);
const from = (first: number, count: number) =>
  sql.raw(
    `with recursive s(n) as (select cast(${first} as bigint) union all select n + 1 from s where n < ${first + count - 1})`,
  );
const upTo = (count: number) => from(0, count);

/** The value of each attribute as JSON, and the texts by which filters find it, as SQL over `n`. */
const attributes: { slug: string; type: AttributeType; json: string; keys: string[] }[] = [
  { slug: 'stage', type: 'select', json: `'"s' || (n % 100) || '"'`, keys: [`'s' || (n % 100)`] },
  { slug: 'half', type: 'status', json: `'"h' || (n % 2) || '"'`, keys: [`'h' || (n % 2)`] },
  { slug: 'rare', type: 'text', json: `'"note ' || n || '"'`, keys: [`'note ' || n`] },
  { slug: 'count', type: 'number', json: `(n + 1) || '1'`, keys: [`(n + 1) || '1'`] },
  { slug: 'amount', type: 'currency', json: `(n + 1) || '.25'`, keys: [`(n + 1) || '25e-2'`] },
  {
    slug: 'day',
    type: 'date',
    json: `'"2025-01-' || ${padded('n % 28 + 1', 2)} || '"'`,
    keys: [`'2025-01-' || ${padded('n % 28 + 1', 2)}`],
  },
  { slug: 'site', type: 'url', json: `'"https://example.com/' || n || '"'`, keys: [`'https://example.com/' || n`] },
  { slug: 'mail', type: 'email', json: `'"p' || n || '@example.com"'`, keys: [`'p' || n || '@example.com'`] },
  {
    slug: 'tags',
    type: 'multi_select',
    json: `'["t' || (n % 5) || '","t' || (5 + n % 4) || '"]'`,
    keys: [`'t' || (n % 5)`, `'t' || (5 + n % 4)`],
  },
  {
    slug: 'done',
    type: 'checkbox',
    json: `case when n % 3 = 0 then 'true' else 'false' end`,
    keys: [`case when n % 3 = 0 then 'true' else 'false' end`],
  },
  { slug: 'stars', type: 'rating', json: `cast(n % 6 as text)`, keys: [`cast(n % 6 as text)`] },
];
const optionsOf: Partial<Record<string, string[]>> = {
  stage: Array.from({ length: 100 }, (_, n) => `s${n}`),
  half: ['h0', 'h1'],
  tags: Array.from({ length: 9 }, (_, n) => `t${n}`),
};

/** Fills a database that holds the small world and nothing else. Committed in parts, as a large transaction fills the log. */
export async function fill(store: Store, size: Size): Promise<void> {
  const part = async (work: (db: Db) => Promise<unknown>) => {
    await store.write(async (db) => {
      if (store.engine.name === 'PostgreSQL') await sql`set local statement_timeout = 0`.execute(db);
      await work(db);
    });
  };
  if (attributes.length !== attributeTypes.length) throw new Error('a type of attribute has no values here');
  const used = size.everyType ? attributes : attributes.slice(0, 3);
  // Kibibytes: rows of a bulk go to all places of their indexes.
  if (store.engine.name === 'SQLite') await sql`pragma cache_size = -2000000`.execute(store.db);
  await part((db) => lists(db, size, used));
  for (let first = 0; first < size.entries; first += 50_000) {
    await part((db) => entries(db, first, Math.min(50_000, size.entries - first), used));
  }
  await part((db) => others(db, size));
  for (let month = 0; month < 120; month += 6) await part((db) => points(db, month, size.metrics));
  if (store.engine.name === 'SQLite') await sql`pragma cache_size = -16000`.execute(store.db);
  // PostgreSQL does so by itself after a while; SQLite never does.
  if (store.engine.name === 'PostgreSQL') await sql`analyze`.execute(store.db);
}

async function lists(db: Db, size: Size, used: typeof attributes): Promise<void> {
  await sql`insert into lists (id, company_id, name, slug, entity_type, is_system, position, created_at, updated_at)
    ${from(1, size.lists)} select ${uuid('11111111')}, ${companies.fund}, 'List ' || n, 'list-' || n, 'custom', 0, n, ${at}, ${at} from s`.execute(
    db,
  );
  for (const [place, { slug, type }] of used.entries()) {
    const config = JSON.stringify({ options: optionsOf[slug]?.map((id) => ({ id, label: id })) });
    await sql`insert into list_attributes
      (id, list_id, name, slug, attribute_type, config, is_required, position, created_at, updated_at)
      select '33333333-0000-4000-' || ${String(8000 + place)} || substr(id, 24), id, ${slug}, ${slug}, ${type}, ${config}, 0, ${place}, ${at}, ${at}
      from lists`.execute(db);
  }
  await sql`insert into saved_views (id, company_id, name, filters, position, is_pinned, created_at, updated_at)
    values (${viewId}, ${companies.fund}, 'V', '{"stage":["s7"]}', 0, 0, ${at}, ${at})`.execute(db);
  // Fifty entries in each of the other lists.
  await sql`insert into entries (id, list_id, title, title_key, "values", position, archived, created_at, updated_at)
    ${upTo(50)} select 'bbbbbbbb-0000-4000-' || ${sql.raw(padded('n', 4))} || substr(l.id, 24), l.id, 'Small ' || n, 'small ' || n, '{}', n, 0, ${at}, ${at}
    from lists l, s where l.id <> ${listId}`.execute(db);
}

async function entries(db: Db, first: number, count: number, used: typeof attributes): Promise<void> {
  const filled = used.length > 3 ? used : used.slice(0, 2);
  const values = filled.map(({ slug, json }) => `'"${slug}":' || ${json}`).join(` || ',' || `);
  await sql`insert into entries (id, list_id, title, title_key, "values", position, archived, created_at, updated_at)
    ${from(first, count)} select ${entryIdSql}, ${listId}, 'Entry ' || n, 'entry ' || n,
      '{' || ${sql.raw(values)} || '}', n, 0, ${at}, ${at} from s`.execute(db);
  for (const { slug, keys } of filled) {
    for (const key of keys) {
      await sql`insert into entry_facets (list_id, slug, value_key, archived, position, created_at, entry_id)
        ${from(first, count)} select ${listId}, ${slug}, ${sql.raw(key)}, 0, n, ${at}, ${entryIdSql} from s`.execute(
        db,
      );
    }
  }
}

/** Companies beside, with catalogs, publications and grants; keys and sessions. */
async function others(db: Db, size: Size): Promise<void> {
  await sql`insert into companies (id, name, currency, created_at)
    ${upTo(size.companies)} select ${uuid('55555555')}, 'Company ' || n, 'USD', ${at} from s`.execute(db);
  await sql`insert into metric_definitions (company_id, metric_id, label, custom, archived, position)
    select c.id, 'metric-' || m.n, 'Metric ' || m.n, 1, 0, m.n from companies c, (${upTo(size.metrics)} select n from s) m`.execute(
    db,
  );
  await sql`insert into publications (report_id, company_id, period_key, period_type, first_month, last_month,
      version_number, sent_at, data, units, unit_labels, currency, share_token, viewer_policy)
    select ${uuidOf('77777777')}, c.id, cast(2010 + k.n / 12 as text) || '-' || ${sql.raw(padded('1 + k.n % 12', 2))}, 'month', 24120 + k.n, 24120 + k.n, 1, ${at}, '{}', '{}', '{}',
      'USD', 'x', '{}' from companies c, (${upTo(120)} select n from s) k`.execute(db);
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

/** Six months of all companies. */
async function points(db: Db, month: number, metrics: number): Promise<void> {
  await sql`insert into metric_points (company_id, metric_id, period_type, period_key, version, value, updated_at)
    select c.id, 'metric-' || m.n, 'month', cast(2010 + k.n / 12 as text) || '-' || ${sql.raw(padded('1 + k.n % 12', 2))}, 'actual', cast(k.n * 100 + m.n as text), ${at}
    from companies c, (${upTo(metrics)} select n from s) m, (${from(month, 6)} select n from s) k`.execute(db);
}
