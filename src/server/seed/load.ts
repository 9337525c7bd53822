/**
 * A seed into the database, in one transaction. Existing rows get the fields that the seed names and keep all others,
 * so that loading the same seed twice changes nothing.
 */
import { Failure, usage } from '../../core/errors.ts';
import { isSqliteError } from '../../core/sqlite.ts';
import type { Db } from '../store/schema.ts';
import { type Store, storedClock, writeMeta } from '../store/store.ts';
import type { Counts } from '../store/upsert.ts';
import { loadLists, loadViews } from './load-lists.ts';
import { loadCatalog, loadGrants, loadPreferences, loadPublications } from './load-metrics.ts';
import { loadCompanies, loadSessions, loadTokens, loadUsers } from './load-people.ts';
import { loadPoints } from './load-points.ts';
import { loadLongPoints, loadPointsFile, type PointsFile } from './load-points-file.ts';
import { type Loading, References } from './loading.ts';
import type { LongParts, Seed } from './seed.ts';

/** A seed that was read, and how to say what is wrong at a place of it. */
export interface SeedSource {
  seed: Seed;
  fail(path: string, message: string): Failure;
  /** Points that are read while they are loaded. */
  file?: PointsFile;
  /** Parts of the seed that are read while they are loaded. */
  long?: LongParts;
}

/** How many rows of each section were created, changed and left as they were. */
export type LoadReport = Record<string, Counts>;

/** Told what a person should know: how a file was read, and what it left as it was. */
export type Say = (note: string) => void;

export async function loadSeed(store: Store, source: SeedSource, now?: Date, say?: Say): Promise<LoadReport> {
  return store
    .write((db) => loadInto(db, source, now, say))
    .catch((error: unknown) => {
      if (error instanceof Failure || !isCollision(error)) throw error;
      throw usage(
        `an id of the seed already belongs to another row: ${(error as Error).message}`,
        'leave the id out, or load the seed into a new database',
      );
    });
}

/**
 * The same inside a transaction that is already open.
 * @param now default: the clock of the seed, else of the database, else of the machine
 */
export async function loadInto(db: Db, source: SeedSource, now?: Date, say?: Say): Promise<LoadReport> {
  const { seed, fail, file, long } = source;
  const at = now ?? (seed.clock === undefined ? await storedClock(db) : new Date(seed.clock)) ?? new Date();
  const references = await References.of(db, fail);
  const report: LoadReport = {};
  const loading: Loading = {
    db,
    now: at.toISOString(),
    fail,
    references,
    count(section, { created, updated, unchanged }) {
      const sum = report[section] ?? { created: 0, updated: 0, unchanged: 0 };
      sum.created += created;
      sum.updated += updated;
      sum.unchanged += unchanged;
      report[section] = sum;
    },
  };
  await loadCompanies(loading, seed.companies ?? []);
  await loadUsers(loading, seed.users ?? []);
  await loadTokens(loading, 'keys', 'api_key', seed.keys ?? []);
  await loadTokens(loading, 'tokens', 'oauth', seed.tokens ?? []);
  await loadSessions(loading, seed.sessions ?? []);
  await loadLists(loading, seed.lists ?? [], long?.entries());
  await loadViews(loading, seed.views ?? []);
  await loadCatalog(loading, seed.catalog ?? []);
  await loadPoints(loading, seed.points ?? []);
  if (long) await loadLongPoints(loading, long.points());
  if (file) for (const note of await loadPointsFile(loading, file)) say?.(note);
  await loadPublications(loading, seed.publications ?? []);
  await loadGrants(loading, seed.grants ?? []);
  await loadPreferences(loading, seed.preferences ?? []);
  if (seed.clock !== undefined) await writeMeta(db, 'clock', new Date(seed.clock).toISOString());
  return report;
}

/** A unique key of either engine. */
function isCollision(error: unknown): boolean {
  return isSqliteError(error, 'constraint') || (error instanceof Error && 'code' in error && error.code === '23505');
}
