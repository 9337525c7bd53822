/** Seeds into a database, in one transaction. */
import { isDeepStrictEqual } from 'node:util';
import { Failure, usage } from '../../core/errors.ts';
import { type Numeric, stringifyJson } from '../../core/json.ts';
import { parsePeriod } from '../../core/periods.ts';
import { isSqliteError } from '../../core/sqlite.ts';
import { type Attribute, mergedConfig, mergedValues, type StoredConfig } from '../model/attribute.ts';
import { ApiError } from '../model/failure.ts';
import { slugOf, stableId } from '../model/names.ts';
import { type Entry, insertEntries, toEntry, updateEntry } from '../store/entries.ts';
import { attributesOf } from '../store/lists.ts';
import type { Db } from '../store/schema.ts';
import { type Store, storedClock, writeMeta } from '../store/store.ts';
import { type Row, type Upserted, upsert } from '../store/tables.ts';
import { type ItemContext, Loading, type LoadReport } from './loading.ts';
import { companySlug, isKnownMetric, requirePeriod, rowOf, sections, timestamp } from './sections.ts';
import type { SeedAttribute, SeedCompany, SeedEntry, SeedList, SeedPoints, SeedSource, SeedUser } from './seed.ts';

type Sources = Iterable<SeedSource> | AsyncIterable<SeedSource>;

interface LoadOptions {
  /** Default: the clock of the seed, else of the database, else of the machine. */
  now?: Date | undefined;
  /** Reports what would be written, and writes nothing. */
  dryRun?: boolean | undefined;
}

/** Ends a transaction without its writes. */
class Undone extends Error {
  constructor(readonly report: LoadReport) {
    super('a dry run');
  }
}

/**
 * Loads sources one after another, in one transaction. Existing rows get the fields that the seed names and keep all
 * others, so that loading the same seed twice changes nothing.
 * @param read runs again when the transaction does
 */
export function loadSeed(store: Store, read: () => Sources, options: LoadOptions = {}): Promise<LoadReport> {
  return store
    .write(async (db) => {
      const report = await loadInto(db, read(), options.now);
      if (options.dryRun) throw new Undone(report);
      return report;
    })
    .catch((error: unknown) => {
      if (error instanceof Undone) return error.report;
      if (error instanceof Failure || !isCollision(error)) throw error;
      throw usage(
        `an id of the seed already belongs to another row: ${(error as Error).message}`,
        'leave the id out, or load the seed into a new database',
      );
    });
}

/** A unique key of either engine. */
function isCollision(error: unknown): boolean {
  return isSqliteError(error, 'constraint') || (error instanceof Error && 'code' in error && error.code === '23505');
}

/**
 * The same inside a transaction that is already open.
 * @param now default: the clock of the seed, else of the database, else of the machine
 */
export async function loadInto(db: Db, sources: Sources, now?: Date): Promise<LoadReport> {
  let loading: Loading | undefined;
  for await (const source of sources) {
    const { seed } = source;
    if (seed.clock !== undefined) await writeMeta(db, 'clock', timestamp(seed.clock));
    loading ??= await Loading.start(db, now ?? (await storedClock(db)) ?? new Date());
    loading.source = source;
    await loadCompanies(loading, seed.companies);
    await loadUsers(loading, seed.users);
    await loadSection(loading, 'keys', seed.keys);
    await loadSection(loading, 'tokens', seed.tokens);
    await loadSection(loading, 'sessions', seed.sessions);
    await loadLists(loading, seed.lists);
    await loadSection(loading, 'views', seed.views);
    await loadSection(loading, 'catalog', seed.catalog);
    await loadPoints(loading, seed.points);
    await loadSection(loading, 'publications', seed.publications);
    await loadSection(loading, 'grants', seed.grants);
    await loadSection(loading, 'preferences', seed.preferences);
  }
  return loading?.report ?? {};
}

interface SectionOptions<T> {
  /** The path of the items in the seed; default: the name of the section. */
  path?: string;
  /** Adds to the row of an item what only the caller knows. */
  complete?(item: T, row: Row, at: ItemContext): Row;
}

async function loadSection<T extends object>(
  loading: Loading,
  name: keyof typeof sections,
  items: readonly T[] = [],
  { path = name, complete }: SectionOptions<T> = {},
): Promise<Upserted> {
  const { now, references } = loading;
  const section = sections[name];
  const { created_at, updated_at } = section.schema.properties ?? {};
  const result = await upsert(loading.db, {
    table: section.table,
    key: section.key,
    rows: items.map((item, index) => {
      const at = { path: `${path}.${index}`, position: index, loading };
      const row = rowOf(section, item, at);
      return complete ? complete(item, row, at) : row;
    }),
    fresh: (row) => ({
      ...(created_at && { created_at: now }),
      ...(updated_at && { updated_at: row.created_at ?? now }),
      ...section.defaults?.(row, references),
    }),
    changed: () => (updated_at ? { updated_at: now } : {}),
    refuse: (index, reason) => loading.fail(`${path}.${index}`, reason),
  });
  loading.count(name, result);
  return result;
}

async function loadCompanies(loading: Loading, companies: readonly SeedCompany[] = []): Promise<void> {
  const slugs = companies.map(companySlug);
  const repeated = slugs.findIndex((slug, index) => slugs.indexOf(slug) !== index);
  if (repeated >= 0) throw loading.fail(`companies.${repeated}.slug`, `repeats ${slugs[repeated]}`);
  const { rows } = await loadSection(loading, 'companies', companies);
  for (const [index, company] of companies.entries()) {
    const { id, currency } = rows[index] ?? {};
    loading.references.addCompany(companySlug(company), company.name, { id: String(id), currency: String(currency) });
  }
}

async function loadUsers(loading: Loading, users: readonly SeedUser[] = []): Promise<void> {
  const { references } = loading;
  const { rows } = await loadSection(loading, 'users', users);
  for (const [index, { email }] of users.entries()) references.addUser(email, String(rows[index]?.id));
  const memberships = users.flatMap(({ companies = [] }, index) =>
    [...new Set(companies)].map((company, at) => ({
      user_id: String(rows[index]?.id),
      company_id: references.company(`users.${index}.companies.${at}`, company),
    })),
  );
  const result = await upsert(loading.db, {
    table: 'memberships',
    key: ['user_id', 'company_id'],
    rows: memberships,
    fresh: () => ({}),
    refuse: () => loading.fail('users', 'name one membership twice'),
  });
  loading.count('memberships', result);
}

async function loadLists(loading: Loading, lists: readonly SeedList[] = []): Promise<void> {
  const { rows } = await loadSection(loading, 'lists', lists, {
    complete(list, row) {
      const key = listKey(row);
      // A list that continues keeps the position that it has.
      const position = loading.lists.has(key) ? undefined : loading.lists.size;
      if (position !== undefined) loading.lists.set(key, 0);
      return { ...row, position: list.position === undefined ? position : row.position };
    },
  });
  for (const [index, list] of lists.entries()) {
    const row = rows[index] as Row;
    const target = { path: `lists.${index}`, id: String(row.id), key: listKey(row) };
    const attributes = await loadAttributes(loading, target, list.attributes ?? []);
    await loadEntries(loading, target, attributes, list.entries ?? []);
  }
}

function listKey({ company_id, slug }: Row): string {
  return JSON.stringify([company_id, slug]);
}

interface TargetList {
  path: string;
  id: string;
  /** Its key in `Loading.lists`. */
  key: string;
}

async function loadAttributes(
  loading: Loading,
  { path, id }: TargetList,
  items: readonly SeedAttribute[],
): Promise<Attribute[]> {
  const before = new Map((await attributesOf(loading.db, id)).map((attribute) => [attribute.slug, attribute]));
  await loadSection(loading, 'attributes', items, {
    path: `${path}.attributes`,
    complete(item, row, at) {
      const old = before.get(String(row.slug));
      if (old && old.attribute_type !== item.attribute_type) {
        const reason = `cannot change: ${old.slug} is a ${old.attribute_type} in the database`;
        throw loading.fail(`${at.path}.attribute_type`, reason);
      }
      return { ...row, list_id: id, config: stringifyJson(configOf(loading, at.path, item, old?.config)) };
    },
  });
  return attributesOf(loading.db, id);
}

/** An option without an id is matched by label, else its id is derived from the label. */
function configOf(loading: Loading, path: string, item: SeedAttribute, before: StoredConfig = {}): StoredConfig {
  const { options, retired, ...bounds } = item.config ?? {};
  const known = [...(before.options ?? []), ...(before.retired ?? [])];
  const withId = (option: NonNullable<typeof options>[number]) => ({
    ...option,
    id: option.id ?? known.find(({ label }) => label === option.label)?.id ?? slugOf(option.label, 'option'),
  });
  const input = { ...bounds, ...(options && { options: options.map(withId) }) };
  const config = withPlace(loading, path, () => mergedConfig(item.attribute_type, input, before));
  return retired ? { ...config, retired: retired.map(withId) } : config;
}

/** Entries that are compared with the database at once. */
const batchSize = 1000;

async function loadEntries(
  loading: Loading,
  target: TargetList,
  attributes: readonly Attribute[],
  items: readonly SeedEntry[],
): Promise<void> {
  const first = loading.lists.get(target.key) ?? 0;
  const numbered = items.map((item, index) => ({
    item,
    id: item.id?.toLowerCase() ?? stableId('entry', target.id, item.title, loading.occurrence(target.id, item.title)),
    at: { path: `${target.path}.entries.${index}`, position: first + index, loading },
  }));
  const ids = new Set<string>();
  for (const { id, at } of numbered) {
    if (ids.has(id)) throw loading.fail(`${at.path}.id`, 'is repeated');
    ids.add(id);
  }
  loading.lists.set(target.key, first + items.length);
  for (let from = 0; from < numbered.length; from += batchSize) {
    await loadBatch(loading, target, attributes, numbered.slice(from, from + batchSize));
  }
}

interface NumberedEntry {
  id: string;
  item: SeedEntry;
  at: ItemContext;
}

/** Validates values as the API does. */
async function loadBatch(
  loading: Loading,
  { id: listId, path }: TargetList,
  attributes: readonly Attribute[],
  batch: readonly NumberedEntry[],
): Promise<void> {
  const { db, now } = loading;
  const types = new Map(attributes.map(({ slug, attribute_type }) => [slug, attribute_type]));
  const ids = batch.map(({ id }) => id);
  const rows = await db
    .selectFrom('entries')
    .selectAll()
    .where('list_id', '=', listId)
    .where('id', 'in', ids)
    .execute();
  const stored = new Map(rows.map((row) => [row.id, toEntry(row)]));
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const created: Entry[] = [];
  for (const numbered of batch) {
    const before = stored.get(numbered.id);
    const entry = entryOf(loading, numbered, before ?? newEntry(loading, listId, numbered), {
      attributes,
      values: before?.values,
    });
    if (!before) {
      created.push(entry);
      counts.created += 1;
    } else if (isDeepStrictEqual(entry, before)) counts.unchanged += 1;
    else {
      const { updated_at } = numbered.item;
      const after = { ...entry, updated_at: updated_at ? timestamp(updated_at) : now };
      await updateEntry(db, { before, after, types });
      counts.updated += 1;
    }
  }
  await insertEntries(db, created, types);
  loading.count('entries', counts);
  await upsert(db, {
    table: 'entry_loops',
    key: ['entry_id'],
    rows: batch.flatMap(({ id, item: { loop } }) =>
      loop ? [{ entry_id: id, queued_at: timestamp(loop.queued_at), steps: Number(loop.steps) }] : [],
    ),
    fresh: () => ({}),
    refuse: (_, reason) => loading.fail(`${path}.entries`, reason),
  });
}

function newEntry({ now }: Loading, listId: string, { id, item: { title, created_at }, at }: NumberedEntry): Entry {
  return {
    id,
    list_id: listId,
    title,
    values: {},
    position: at.position ?? 0,
    archived: false,
    linked_entity_type: null,
    linked_entity_id: null,
    created_by: null,
    created_at: now,
    updated_at: created_at ? timestamp(created_at) : now,
  };
}

/** The entry with what the item says of it. */
function entryOf(
  loading: Loading,
  { item, at }: NumberedEntry,
  before: Entry,
  stored: { attributes: readonly Attribute[]; values: Entry['values'] | undefined },
): Entry {
  const written = item.values ?? {};
  // A null says that the value is known to be missing, so that an entry older than its required attribute can be kept.
  const accepting = stored.attributes.map((attribute) => ({
    ...attribute,
    is_required: attribute.is_required && written[attribute.slug] !== null,
    config: {
      ...attribute.config,
      options: [...(attribute.config.options ?? []), ...(attribute.config.retired ?? [])],
    },
  }));
  const row = Object.entries(rowOf(sections.entries, item, at)).filter(([, value]) => value !== undefined);
  return {
    ...before,
    ...(Object.fromEntries(row) as Partial<Entry>),
    id: before.id,
    position: Number(item.position ?? before.position),
    values: withPlace(loading, at.path, () => mergedValues(accepting, written, stored.values)),
    archived: item.archived ?? before.archived,
  };
}

/** Runs the work; what the API would refuse fails with its place in the seed. */
function withPlace<T>(loading: Loading, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [issue] = (error.details?.issues ?? []) as { path: string; message: string }[];
    throw issue ? loading.fail(`${path}.${issue.path}`, issue.message) : loading.fail(path, error.message);
  }
}

interface Point extends Omit<SeedPoints, 'metrics'> {
  metric: string;
  value: Numeric | null;
  /** The path of its group in the seed. */
  group: string;
  path: string;
}

/** Points that are compared with the database at once. */
const pointBatch = 5000;

async function loadPoints(loading: Loading, groups: readonly SeedPoints[] = []): Promise<void> {
  let batch: Point[] = [];
  for (const [index, { metrics, ...rest }] of groups.entries()) {
    const group = `points.${index}`;
    for (const [metric, value] of Object.entries(metrics)) {
      batch.push({ ...rest, metric, value, group, path: `${group}.metrics.${metric}` });
      if (batch.length < pointBatch) continue;
      await loadPointBatch(loading, batch);
      batch = [];
    }
  }
  if (batch.length > 0) await loadPointBatch(loading, batch);
}

async function loadPointBatch(loading: Loading, points: readonly Point[]): Promise<void> {
  const rows = points.map(({ group, path, metric, value, version = 'actual', ...point }): Row => {
    const company = loading.references.company(`${group}.company`, point.company);
    const period = requirePeriod(point.period, { path: group, loading });
    if (version === 'actual' && period.type !== 'month') {
      throw loading.fail(`${group}.period`, `is a ${period.type}, and actuals exist only by month`);
    }
    if (metric === '' || metric.includes(',')) {
      throw loading.fail(path, 'is not a metric id: an id is not empty and has no comma');
    }
    const series = JSON.stringify([company, version, period.type, metric]);
    const periods = loading.points.get(series) ?? new Set();
    const number = parsePeriod(period.key)?.index ?? 0;
    if (periods.has(number)) throw loading.fail(path, 'is repeated');
    loading.points.set(series, periods.add(number));
    return {
      company_id: company,
      metric_id: metric,
      period_type: period.type,
      period_key: period.key,
      version,
      value: value === null ? null : String(value),
      source: point.source,
      updated_at: point.updated_at && timestamp(point.updated_at),
    };
  });
  await defineUnknown(loading, rows);
  const result = await upsert(loading.db, {
    table: 'metric_points',
    key: ['company_id', 'period_type', 'period_key', 'version', 'metric_id'],
    rows,
    fresh: () => ({ updated_at: loading.now }),
    changed: () => ({ updated_at: loading.now }),
    refuse: (index, reason) => loading.fail(points[index]?.path ?? 'points', reason),
  });
  loading.count('points', result);
}

/**
 * A metric with points but without a definition gets one, in the order of the file. Its aggregation and direction stay
 * unknown.
 */
async function defineUnknown(loading: Loading, points: readonly Row[]): Promise<void> {
  const { definedMetrics } = loading;
  const unknown = new Map<string, Row>();
  for (const { company_id, metric_id } of points) {
    if (isKnownMetric(String(metric_id))) continue;
    const key = JSON.stringify([company_id, metric_id]);
    if (!definedMetrics.has(key)) unknown.set(key, { company_id, metric_id });
  }
  if (unknown.size === 0) return;
  for (const key of unknown.keys()) definedMetrics.add(key);
  const companies = [...new Set([...unknown.values()].map((row) => String(row.company_id)))];
  const defined = await loading.db
    .selectFrom('metric_definitions')
    .select(['company_id', 'metric_id', 'position'])
    .where('company_id', 'in', companies)
    .execute();
  for (const { company_id, metric_id } of defined) unknown.delete(JSON.stringify([company_id, metric_id]));
  const next = Math.max(-1, ...defined.map(({ position }) => position)) + 1;
  const result = await upsert(loading.db, {
    table: 'metric_definitions',
    key: ['company_id', 'metric_id'],
    rows: [...unknown.values()].map((row, index) => ({ ...row, position: next + index })),
    fresh: ({ metric_id }) => ({ label: labelOf(String(metric_id)), custom: 1, archived: 0 }),
    refuse: (_, reason) => loading.fail('points', reason),
  });
  loading.count('catalog', result);
}

/** `trade_transportation` → `Trade transportation`; an id that is not snake case is its own label. */
function labelOf(metric: string): string {
  if (!/^[a-z0-9]+(_[a-z0-9]+)*$/.test(metric)) return metric;
  const words = metric.replaceAll('_', ' ');
  return words[0]?.toUpperCase() + words.slice(1);
}
