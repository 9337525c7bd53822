/** Points into the database part by part: memory does not grow with the file. */
import { FileFacts } from './csv-facts.ts';
import { loadPoints } from './load-points.ts';
import type { Loading } from './loading.ts';
import { type OpenFile, type PointsCsvOptions, readPointsCsv } from './read-csv.ts';
import type { Batch, SeedPoints } from './seed.ts';
import { type BlankPoint, SeenPoints } from './seen-points.ts';

export interface PointsFile {
  open: OpenFile;
  options: PointsCsvOptions;
}

/** What to say of the file. */
export async function loadPointsFile(loading: Loading, { open, options }: PointsFile): Promise<string[]> {
  const facts = new FileFacts();
  const defined = new Set<string>();
  const isNew = await isWithoutPoints(loading);
  let stored = 0;
  for await (const { points, metrics, blanks } of readPointsCsv(open, options, facts)) {
    if (!isNew) stored += await storedBlanks(loading, blanks);
    await loadPoints(loading, points, { order: metrics, defined, isNew });
  }
  const notes = facts.notes(options.name);
  if (stored === 0) return notes;
  const cells =
    stored === 1 ? '1 empty cell leaves its stored value' : `${stored} empty cells leave their stored values`;
  return [...notes, `${cells} as before: a CSV file cannot clear a value`];
}

/** The points of a seed file that is read while they are loaded. */
export async function loadLongPoints(loading: Loading, batches: AsyncIterable<Batch<SeedPoints>>): Promise<void> {
  const [defined, seen] = [new Set<string>(), new SeenPoints()];
  const isNew = await isWithoutPoints(loading);
  for await (const { first, items } of batches)
    await loadPoints(loading, items, { order: [], defined, isNew, first, seen });
}

async function isWithoutPoints({ db }: Loading): Promise<boolean> {
  return !(await db.selectFrom('metric_points').select('metric_id').limit(1).executeTakeFirst());
}

/** How many of the empty cells of a file have a value in the database. */
async function storedBlanks({ db, references }: Loading, blanks: readonly BlankPoint[]): Promise<number> {
  const wanted = new Map<string, Set<string>>();
  const periods = new Map<string, Set<string>>();
  for (const { company, period, version, metric } of blanks) {
    const id = references.company('points', company);
    const keys = wanted.get(id) ?? new Set();
    keys.add(JSON.stringify([period, version, metric]));
    wanted.set(id, keys);
    periods.set(id, (periods.get(id) ?? new Set()).add(period));
  }
  let count = 0;
  for (const [company, keys] of wanted) {
    const rows = await db
      .selectFrom('metric_points')
      .select(['period_key', 'version', 'metric_id'])
      .where('company_id', '=', company)
      .where('period_key', 'in', [...(periods.get(company) ?? [])])
      .where('value', 'is not', null)
      .execute();
    for (const { period_key, version, metric_id } of rows)
      if (keys.has(JSON.stringify([period_key, version, metric_id]))) count += 1;
  }
  return count;
}
