/**
 * The database as a seed that loads back the same. Of credentials it holds the hash, never the secret: whoever has the
 * secret can use it on the copy too.
 */
import type { Version } from '../../contract/metrics.ts';
import { stringifyJson } from '../../core/json.ts';
import { writeYaml } from '../../core/yaml.ts';
import { numberOf } from '../store/metrics.ts';
import type { Db } from '../store/schema.ts';
import { readMeta } from '../store/store.ts';
import { type Row, rowsOf } from '../store/tables.ts';
import { type Names, readNames } from './references.ts';
import { itemOf, type Section, sections } from './sections.ts';
import type { Seed, SeedAttribute, SeedCompany, SeedEntry, SeedList, SeedPoints, SeedUser } from './seed.ts';

/** The text of a dump. NDJSON is written while the database is read; YAML and JSON are one document. */
export async function* dumpText(db: Db, format: 'json' | 'ndjson' | 'yaml'): AsyncGenerator<string> {
  const seed: Seed = {};
  for await (const part of dumpParts(db)) {
    if (format === 'ndjson') yield `${stringifyJson(part)}\n`;
    else append(seed, part);
  }
  if (format !== 'ndjson') yield format === 'json' ? `${stringifyJson(seed, 2)}\n` : writeYaml(seed);
}

/** Adds a part. The entries of a list that continues are added to the list. */
export function append(seed: Seed, { lists = [], ...part }: Seed): void {
  for (const { entries = [], ...list } of lists) {
    const before = seed.lists?.at(-1);
    if (before && before.id === list.id) before.entries?.push(...entries);
    else seed.lists = [...(seed.lists ?? []), { ...list, entries: [...entries] }];
  }
  const all: Record<string, unknown> = seed;
  for (const [section, value] of Object.entries(part)) {
    const before = all[section];
    all[section] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  }
}

/** Items of a part. */
const partSize = 100;

/** Seeds that are the whole one together. */
async function* dumpParts(db: Db): AsyncGenerator<Seed> {
  const names = await readNames(db);
  const clock = await readMeta(db, 'clock');
  if (clock !== undefined) yield { clock };
  for await (const companies of readItems<SeedCompany>(db, names, 'companies')) {
    yield { companies: companies.map((company) => ({ slug: names.company(String(company.id)), ...company })) };
  }
  const members = await db.selectFrom('memberships').selectAll().orderBy('company_id').execute();
  const companiesOf = (user: SeedUser) =>
    members.filter(({ user_id }) => user_id === user.id).map(({ company_id }) => names.company(company_id));
  for await (const users of readItems<SeedUser>(db, names, 'users')) {
    yield { users: users.map((user) => ({ ...user, companies: companiesOf(user) })) };
  }
  yield* dumpSections(db, names, 'keys', 'tokens', 'sessions');
  yield* dumpLists(db, names);
  yield* dumpSections(db, names, 'views', 'catalog');
  yield* dumpPoints(db, names);
  yield* dumpSections(db, names, 'publications', 'grants', 'preferences');
}

async function* dumpSections(
  db: Db,
  names: Names,
  ...sections: ('keys' | 'tokens' | 'sessions' | 'views' | 'catalog' | 'publications' | 'grants' | 'preferences')[]
): AsyncGenerator<Seed> {
  for (const section of sections) {
    for await (const items of readItems(db, names, section)) yield { [section]: items };
  }
}

async function* readItems<T extends object>(
  db: Db,
  names: Names,
  name: keyof typeof sections,
  where?: Row,
): AsyncGenerator<T[]> {
  const section: Section = sections[name];
  const selection = { order: section.order, where: { ...section.constant, ...where }, limit: partSize };
  for await (const rows of rowsOf(db, section.table, selection)) {
    yield rows.map((row) => itemOf<T>(section, row, names));
  }
}

/** Each list with its first entries, repeated for every further part of them. */
async function* dumpLists(db: Db, names: Names): AsyncGenerator<Seed> {
  for await (const lists of readItems<SeedList>(db, names, 'lists')) {
    for (const list of lists) {
      const attributes: SeedAttribute[] = [];
      const where = { list_id: list.id };
      for await (const items of readItems<SeedAttribute>(db, names, 'attributes', where)) attributes.push(...items);
      // Entries may be older than a required attribute: a null says that the value is known to be missing.
      const required = attributes.filter(({ is_required }) => is_required).map(({ slug }) => [slug, null]);
      const { id, company, name, slug } = list;
      let part: SeedList = { ...list, attributes, entries: [] };
      for await (const entries of readItems<SeedEntry>(db, names, 'entries', where)) {
        const loops = await readLoops(db, entries);
        part.entries = entries.map((entry) => ({
          ...entry,
          values: { ...Object.fromEntries(required), ...entry.values },
          ...loops.get(entry.id),
        }));
        yield { lists: [part] };
        part = { id: String(id), company, name, slug: String(slug) };
      }
      if (part.attributes) yield { lists: [part] };
    }
  }
}

async function readLoops(db: Db, entries: readonly SeedEntry[]) {
  const ids = entries.map(({ id }) => String(id));
  const rows = await db.selectFrom('entry_loops').selectAll().where('entry_id', 'in', ids).execute();
  return new Map(rows.map(({ entry_id, ...loop }) => [entry_id as string | undefined, { loop }]));
}

/** One group for each period and version, and for each source and time within them. */
async function* dumpPoints(db: Db, names: Names): AsyncGenerator<Seed> {
  const groups = new Map<string, SeedPoints>();
  let currentPeriod = '';
  for await (const rows of rowsOf(db, 'metric_points')) {
    for (const { company_id, metric_id, period_type, period_key, version, value, source, updated_at } of rows) {
      const period = JSON.stringify([company_id, period_type, period_key, version]);
      if (period !== currentPeriod && groups.size >= partSize) {
        yield { points: [...groups.values()] };
        groups.clear();
      }
      currentPeriod = period;
      const key = JSON.stringify([period, source, updated_at]);
      const group = groups.get(key) ?? {
        company: names.company(String(company_id)),
        period: String(period_key),
        version: version as Version,
        ...(source !== null && { source: String(source) }),
        updated_at: String(updated_at),
        // Without a prototype: any text may be a metric id.
        metrics: Object.create(null) as SeedPoints['metrics'],
      };
      group.metrics[String(metric_id)] = value === null ? null : numberOf(String(value));
      groups.set(key, group);
    }
  }
  if (groups.size > 0) yield { points: [...groups.values()] };
}
