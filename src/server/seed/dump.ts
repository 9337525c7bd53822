/**
 * The database as a seed that loads back the same. Of credentials it holds the hash, never the secret: whoever has the
 * secret can use it on the copy too.
 */
import { usage } from '../../core/errors.ts';
import { parseJson, stringifyJson } from '../../core/json.ts';
import { mostTextBytes, mostYamlCharacters } from '../../core/limits.ts';
import { writeYaml } from '../../core/yaml-text.ts';
import type { Attribute } from '../model/attribute.ts';
import { freeSlug, slugOf } from '../model/slug.ts';
import { toEntry } from '../store/entries.ts';
import { attributesOf, toAttribute } from '../store/lists.ts';
import { numberOf, type PointRow } from '../store/metrics.ts';
import type { Db } from '../store/schema.ts';
import { readMeta } from '../store/store.ts';
import type {
  Seed,
  SeedAttribute,
  SeedDefinition,
  SeedEntry,
  SeedGrant,
  SeedList,
  SeedPoints,
  SeedPreferences,
  SeedPublication,
  SeedSession,
  SeedToken,
  SeedView,
} from './seed.ts';

/**
 * The text of a dump. NDJSON is written while the database is read; YAML and JSON are one document.
 * @throws usage for a document that `comem server load` would refuse as too long
 */
export async function* dumpText(db: Db, format: 'json' | 'ndjson' | 'yaml'): AsyncGenerator<string> {
  const seed: Seed = {};
  let length = 0;
  for await (const part of dumpParts(db)) {
    const line = `${stringifyJson(part)}\n`;
    if (format === 'ndjson') yield line;
    else {
      length += line.length;
      requireLength(length, mostTextBytes);
      append(seed, part);
    }
  }
  if (format === 'ndjson') return;
  const text = format === 'json' ? `${stringifyJson(seed, 2)}\n` : writeYaml(seed);
  requireLength(text.length, format === 'json' ? mostTextBytes : mostYamlCharacters);
  yield text;
}

function requireLength(length: number, most: number): void {
  if (length <= most) return;
  throw usage(
    `the seed has more than the ${most} characters that \`comem server load\` reads at once`,
    'run `comem server dump -o ndjson`, which has no limit',
  );
}

/** Adds a part. The entries of a list that continues are added to the list. */
export function append(seed: Seed, { lists = [], ...part }: Seed): void {
  for (const { entries = [], ...list } of lists) {
    const before = seed.lists?.at(-1);
    if (before && before.id === list.id) before.entries?.push(...entries);
    else seed.lists = [...(seed.lists ?? []), { ...list, entries: [...entries] }];
  }
  const sections: Record<string, unknown> = seed;
  for (const [section, value] of Object.entries(part)) {
    const before = sections[section];
    sections[section] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  }
}

/** Items of a part. */
const partSize = 100;

/** Seeds that are the whole one together. */
async function* dumpParts(db: Db): AsyncGenerator<Seed> {
  const names = await namesOf(db);
  const clock = await readMeta(db, 'clock');
  if (clock !== undefined) yield { clock };
  yield* inParts('companies', await dumpCompanies(db, names));
  yield* inParts('users', await dumpUsers(db, names));
  yield* inParts('keys', await dumpTokens(db, names, 'api_key'));
  yield* inParts('tokens', await dumpTokens(db, names, 'oauth'));
  yield* inParts('sessions', await dumpSessions(db, names));
  for await (const list of dumpLists(db, names)) yield { lists: [list] };
  yield* inParts('views', await dumpViews(db, names));
  yield* inParts('catalog', await dumpCatalog(db, names));
  for await (const points of dumpPoints(db, names)) yield* inParts('points', points);
  yield* inParts('publications', await dumpPublications(db, names));
  yield* inParts('grants', await dumpGrants(db, names));
  yield* inParts('preferences', await dumpPreferences(db, names));
}

function* inParts<T>(section: Exclude<keyof Seed, 'clock' | '$schema'>, items: readonly T[]): Generator<Seed> {
  for (let from = 0; from < items.length; from += partSize) yield { [section]: items.slice(from, from + partSize) };
}

async function dumpCompanies(db: Db, names: Names): Promise<NonNullable<Seed['companies']>> {
  const rows = await db.selectFrom('companies').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map((row) => ({ slug: names.company(row.id), ...withoutNull(row) }));
}

async function dumpUsers(db: Db, names: Names): Promise<NonNullable<Seed['users']>> {
  const members = await db.selectFrom('memberships').selectAll().orderBy('company_id').execute();
  const rows = await db.selectFrom('users').selectAll().orderBy('created_at').orderBy('email').execute();
  return rows.map((row) => ({
    ...withoutNull(row),
    companies: members.filter(({ user_id }) => user_id === row.id).map(({ company_id }) => names.company(company_id)),
  }));
}

async function dumpTokens(db: Db, names: Names, kind: 'api_key' | 'oauth'): Promise<SeedToken[]> {
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where('kind', '=', kind)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ token_hash, user_id, company_id, scopes, kind: _, ...row }) => ({
    ...withoutNull(row),
    hash: token_hash,
    user: names.user(user_id),
    company: names.company(company_id),
    scopes: JSON.parse(scopes) as string[],
  }));
}

async function dumpSessions(db: Db, names: Names): Promise<SeedSession[]> {
  const rows = await db.selectFrom('sessions').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(({ token_hash, user_id, ...row }) => ({
    ...withoutNull(row),
    hash: token_hash,
    user: names.user(user_id),
  }));
}

/** Each list with its first entries, and then again for each further part of them. */
async function* dumpLists(db: Db, names: Names): AsyncGenerator<SeedList> {
  const rows = await db
    .selectFrom('lists')
    .selectAll()
    .orderBy('company_id')
    .orderBy('position')
    .orderBy('id')
    .execute();
  for (const { company_id, network_id: _, is_system, created_by, ...row } of rows) {
    const attributes = (await attributesOf(db, row.id)).map(toAttribute);
    const list: Omit<SeedList, 'entries'> = {
      company: names.company(company_id),
      ...withoutNull(row),
      position: Number(row.position),
      is_system: is_system === 1,
      ...(created_by !== null && { created_by: names.user(created_by) }),
      // Every stored option has a label, which the type of the API leaves open.
      attributes: attributes.map(({ list_id: _list, ...attribute }) => attribute as SeedAttribute),
    };
    let part = list;
    for await (const entries of dumpEntries(db, names, row.id, attributes)) {
      yield { ...part, entries };
      part = { id: row.id, company: list.company, name: row.name, slug: row.slug };
    }
  }
}

async function* dumpEntries(
  db: Db,
  names: Names,
  listId: string,
  attributes: readonly Attribute[],
): AsyncGenerator<SeedEntry[]> {
  // Entries may be older than a required attribute: a null says that the value is known to be missing.
  const required = attributes.filter(({ is_required }) => is_required).map(({ slug }) => [slug, null]);
  let last: { position: number | bigint | string; created_at: string; id: string } | undefined;
  do {
    let query = db.selectFrom('entries').selectAll().where('list_id', '=', listId);
    if (last) {
      const { position, created_at, id } = last;
      query = query.where((is) =>
        is(is.refTuple('position', 'created_at', 'id'), '>', is.tuple(Number(position), created_at, id)),
      );
    }
    const rows = await query.orderBy('position').orderBy('created_at').orderBy('id').limit(partSize).execute();
    const loops = await loopsOf(
      db,
      rows.map(({ id }) => id),
    );
    yield rows.map(toEntry).map(({ list_id: _, created_by, values, ...entry }) => {
      const loop = loops.get(entry.id);
      return {
        ...withoutNull(entry),
        values: { ...Object.fromEntries(required), ...values },
        ...(created_by !== null && { created_by: names.user(created_by) }),
        ...(loop && { loop }),
      };
    });
    last = rows.length < partSize ? undefined : rows.at(-1);
  } while (last);
}

async function loopsOf(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('entry_loops')
    .select(['entry_id', 'queued_at', 'steps'])
    .where('entry_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ entry_id, ...loop }) => [entry_id, loop]));
}

async function dumpViews(db: Db, names: Names): Promise<SeedView[]> {
  const rows = await db
    .selectFrom('saved_views')
    .selectAll()
    .orderBy('company_id')
    .orderBy('position')
    .orderBy('id')
    .execute();
  return rows.map(({ company_id, created_by, filters, is_pinned, ...row }) => ({
    company: names.company(company_id),
    ...withoutNull(row),
    position: Number(row.position),
    filters: parseJson(filters) as SeedView['filters'],
    is_pinned: is_pinned === 1,
    ...(created_by !== null && { created_by: names.user(created_by) }),
  }));
}

async function dumpCatalog(db: Db, names: Names): Promise<SeedDefinition[]> {
  const rows = await db
    .selectFrom('metric_definitions')
    .selectAll()
    .orderBy('company_id')
    .orderBy('position')
    .orderBy('metric_id')
    .execute();
  return rows.map((row) => {
    const { company_id, metric_id, unit_label, value_semantics, custom, archived, ...rest } = row;
    return {
      company: names.company(company_id),
      metricId: metric_id,
      ...withoutNull(rest),
      ...(unit_label !== null && { unitLabel: unit_label }),
      ...(value_semantics !== null && { valueSemantics: value_semantics }),
      custom: custom === 1,
      archived: archived === 1,
    };
  });
}

/** Points that are in memory at once. */
const batchSize = 5000;

const pointKey = ['company_id', 'period_type', 'period_key', 'version', 'metric_id'] as const;

/** One group for each period and version, and for each source and time within them. */
async function* dumpPoints(db: Db, names: Names): AsyncGenerator<SeedPoints[]> {
  const groups = new Map<string, SeedPoints>();
  let currentPeriod = '';
  for await (const rows of pointRows(db)) {
    const complete: SeedPoints[] = [];
    for (const { company_id, metric_id, period_type, period_key, version, value, source, updated_at } of rows) {
      const period = JSON.stringify([company_id, period_type, period_key, version]);
      if (period !== currentPeriod) {
        complete.push(...groups.values());
        groups.clear();
        currentPeriod = period;
      }
      const key = JSON.stringify([source, updated_at]);
      const group = groups.get(key) ?? {
        company: names.company(company_id),
        period: period_key,
        version,
        ...(source !== null && { source }),
        updated_at,
        // Without a prototype: any text may be a metric id.
        metrics: Object.create(null) as SeedPoints['metrics'],
      };
      group.metrics[metric_id] = value === null ? null : numberOf(value);
      groups.set(key, group);
    }
    yield complete;
  }
  yield [...groups.values()];
}

async function* pointRows(db: Db) {
  let last: PointRow | undefined;
  do {
    let query = db.selectFrom('metric_points').selectAll();
    if (last) {
      const { company_id, period_type, period_key, version, metric_id } = last;
      const after = [company_id, period_type, period_key, version, metric_id] as const;
      query = query.where((is) => is(is.refTuple(...pointKey), '>', is.tuple(...after)));
    }
    const rows = await query
      .orderBy('company_id')
      .orderBy('period_type')
      .orderBy('period_key')
      .orderBy('version')
      .orderBy('metric_id')
      .limit(batchSize)
      .execute();
    yield rows;
    last = rows.length < batchSize ? undefined : rows.at(-1);
  } while (last);
}

async function dumpPublications(db: Db, names: Names): Promise<SeedPublication[]> {
  const rows = await db
    .selectFrom('publications')
    .selectAll()
    .orderBy('company_id')
    .orderBy('last_month')
    .orderBy('first_month')
    .orderBy('version_number')
    .execute();
  return rows.map((row) => ({
    report_id: row.report_id,
    company: names.company(row.company_id),
    period: row.period_key,
    version_number: row.version_number,
    sent_at: row.sent_at,
    data: parseJson(row.data) as SeedPublication['data'],
    units: parseJson(row.units) as NonNullable<SeedPublication['units']>,
    unit_labels: parseJson(row.unit_labels) as NonNullable<SeedPublication['unit_labels']>,
    currency: row.currency,
    share_token: row.share_token,
    viewer_policy: parseJson(row.viewer_policy) as NonNullable<SeedPublication['viewer_policy']>,
  }));
}

async function dumpGrants(db: Db, names: Names): Promise<SeedGrant[]> {
  const rows = await db
    .selectFrom('grants')
    .selectAll()
    .orderBy('company_id')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    company: names.company(row.company_id),
    granted_by: names.user(row.granted_by),
    ...(row.recipient_company_id !== null && {
      recipient_company: names.company(row.recipient_company_id),
    }),
    ...(row.recipient_user_id !== null && {
      recipient_user: names.user(row.recipient_user_id),
    }),
    scope: JSON.parse(row.scope) as string[],
    metric_ids: JSON.parse(row.metric_ids) as string[],
    include_historical: row.include_historical === 1,
    ...(row.note !== null && { note: row.note }),
    ...(row.expires_at !== null && { expires_at: row.expires_at }),
    ...(row.revoked_at !== null && { revoked_at: row.revoked_at }),
    ...(row.revoked_by !== null && { revoked_by: names.user(row.revoked_by) }),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }));
}

async function dumpPreferences(db: Db, names: Names): Promise<SeedPreferences[]> {
  const rows = await db.selectFrom('metric_preferences').selectAll().orderBy('company_id').execute();
  return rows.map((row) => ({
    id: row.id,
    company: names.company(row.company_id),
    requestedMetrics: JSON.parse(row.requested_metrics) as string[],
    tableColumns: JSON.parse(row.table_columns) as string[],
    cardPages: JSON.parse(row.card_pages) as NonNullable<SeedPreferences['cardPages']>,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }));
}

/** The names of companies and users in a dump. */
interface Names {
  company(id: string): string;
  /** The email; the id of a user who is gone. */
  user(id: string): string;
}

async function namesOf(db: Db): Promise<Names> {
  const slugs = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, name } of await db.selectFrom('companies').select(['id', 'name']).orderBy('id').execute()) {
    const slug = freeSlug(slugOf(name, 'company'), taken);
    taken.add(slug);
    slugs.set(id, slug);
  }
  const users = await db.selectFrom('users').select(['id', 'email']).execute();
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return { company: (id) => slugs.get(id) ?? id, user: (id) => emails.get(id) ?? id };
}

type WithoutNull<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** A row without the columns that hold nothing: a seed leaves out what it does not say. */
function withoutNull<T extends object>(row: T): WithoutNull<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNull<T>;
}
