/** The database of a mirror, `mirror.db` in its folder: opened, checked, and its failures in words. */
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, usage } from '../core/errors.ts';
import { isSqliteError } from '../core/sqlite.ts';
import { databaseCorrupt, type Engine, failureOf, filesReplaced } from '../server/store/engine.ts';
import { Kysely } from '../server/store/kysely.ts';
import type { Database } from '../server/store/schema.ts';
import { isDatabaseFile, requirePlainFiles } from '../server/store/sqlite-file.ts';
import { openEngine, requireNoPrograms } from '../server/store/store.ts';
import { whenFree } from '../server/store/writes.ts';
import { createTables, type MirrorDb, query, schemaVersion } from './tables.ts';

export interface MirrorDatabase {
  db: MirrorDb;
  engine: Engine;
  folder: string;
  close(): Promise<void>;
}

export const mirrorFile = 'mirror.db';
/** Rows come in the order of their table, and the keys that come in none fit. */
const cacheKiB = 4_000;

/** Opens an existing mirror. @throws notFound, or usage for another folder */
export async function openExisting(folder: string): Promise<MirrorDatabase> {
  inFolder(folder, requireMirrorFile);
  const mirror = await open(folder);
  return checkMirror(mirror, async () => {
    if ((await versionOf(mirror)) === undefined) throw noMirror(folder);
  });
}

/** Opens a mirror for a sync, which makes a new one of a folder that is empty or missing. */
export async function openOrCreate(folder: string): Promise<MirrorDatabase> {
  inFolder(folder, prepareFolder);
  const mirror = await open(folder);
  return checkMirror(mirror, async () => {
    if ((await versionOf(mirror)) !== undefined) return;
    const { db, engine } = mirror;
    await whenFree(engine, () =>
      db.transaction().execute(async (tx) => {
        if ((await versionOf({ ...mirror, db: tx })) !== undefined) return;
        if ((await engine.foreignTables(tx)).length > 0) throw noMirror(folder);
        await createTables(tx);
        await writeMeta(tx, 'schema_version', String(schemaVersion));
      }),
    );
  });
}

async function checkMirror(mirror: MirrorDatabase, check: () => Promise<void>): Promise<MirrorDatabase> {
  try {
    await check();
    await requireNoPrograms(mirror.engine, mirror.db);
    return mirror;
  } catch (error) {
    await mirror.close();
    throw mirrorFailure(mirror, error);
  }
}

async function open(folder: string): Promise<MirrorDatabase> {
  const engine = await openEngine({ dataDir: folder, file: mirrorFile, cacheKiB }).catch((error: unknown) => {
    const isDamage = error instanceof Failure && isSqliteError(error.cause, 'corrupt', 'notADatabase');
    throw isDamage ? damagedMirror(folder, error) : error;
  });
  const db = new Kysely<Database>({ dialect: engine.dialect });
  return { db, engine, folder, close: () => db.destroy() };
}

/** Undefined when it has no tables of a mirror. @throws usage for one of another schema */
async function versionOf({ db, folder }: MirrorDatabase): Promise<number | undefined> {
  const tables = await query(db, "select name from sqlite_master where type = 'table' and name = 'mirror_meta'");
  if (tables.length === 0) return undefined;
  const text = await readMeta(db, 'schema_version');
  if (text === undefined) return undefined;
  const version = Number(text);
  if (version === schemaVersion) return version;
  const isNewer = version > schemaVersion;
  throw usage(
    `the mirror in ${folder} was written by ${isNewer ? 'a newer' : 'an older'} comem (schema ${version}, known ${schemaVersion})`,
    isNewer ? 'update comem, or name another folder' : 'begin a new mirror in another folder',
  );
}

export async function readMeta(db: MirrorDb, key: string): Promise<string | undefined> {
  const [row] = await query<{ value: string }>(db, 'select value from mirror_meta where key = ?', [key]);
  return row?.value;
}

export async function writeMeta(db: MirrorDb, key: string, value: string): Promise<void> {
  await query(db, 'insert or replace into mirror_meta (key, value) values (?, ?)', [key, value]);
}

/** A failure for damage to the mirror's files; any other error stays as it is. */
export function mirrorFailure({ engine, folder }: Pick<MirrorDatabase, 'engine' | 'folder'>, error: unknown): unknown {
  if (error instanceof Failure) return error;
  // The rows of a sync fit its tables: others changed these.
  if (isSqliteError(error, 'constraint')) return damagedMirror(folder, error);
  const trouble = failureOf(engine, error);
  if (trouble === undefined) return error;
  if (trouble === databaseCorrupt || trouble === filesReplaced) return damagedMirror(folder, error);
  const { says, hint } = trouble;
  return new Failure('tryLater', ofMirror(says, folder), { hint, cause: error });
}

/** Rewords a sentence about a database as one about a mirror. */
function ofMirror(says: string, folder: string): string {
  const text = says.replace(/\bthe database\b/i, `the mirror in ${folder}`);
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Merges the log into the database file. @returns why it could not, in words */
export async function checkpoint({ db, engine, folder }: MirrorDatabase): Promise<string | undefined> {
  try {
    await query(db, 'pragma wal_checkpoint(truncate)');
    return undefined;
  } catch (error) {
    const says = failureOf(engine, error)?.says ?? (error instanceof Error ? error.message : String(error));
    return ofMirror(says.replace(/; nothing was written$/, ''), folder);
  }
}

function damagedMirror(folder: string, cause?: unknown): Failure {
  return new Failure('usage', `the mirror in ${folder} is damaged, or its file was replaced`, {
    hint: 'restore a copy of its folder, or begin a new mirror in another one',
    cause,
  });
}

function noMirror(folder: string): Failure {
  return usage(
    `${folder} is not a mirror: it holds other data`,
    'name another one; a new mirror needs an empty or a missing folder',
  );
}

/** The time in which another process that creates the mirror writes its first page. */
const creationMs = 3000;

/** Removes the files of a mirror without a sync. */
export function removeMirror(folder: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, mirrorFile + end), { force: true });
}

/** @throws notFound when there is no mirror, usage when its file is something else */
function requireMirrorFile(folder: string): void {
  const file = join(folder, mirrorFile);
  requirePlainFiles(file);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) {
    const exists = statSync(folder, { throwIfNoEntry: false }) !== undefined;
    throw new Failure(
      'notFound',
      exists ? `${folder} is not a mirror: it has no ${mirrorFile}` : `no folder ${folder}`,
      {
        hint: 'make one with `comem mirror sync DIR`, or name another folder',
      },
    );
  }
  if (size === 0) throw noSyncYet(folder);
  if (!isDatabaseFile(file)) throw damagedMirror(folder);
}

export function noSyncYet(folder: string): Failure {
  return new Failure('notFound', `the mirror in ${folder} has no completed sync`, {
    hint: 'run `comem mirror sync` first',
  });
}

/** Turns an error of the file system into a failure. */
function inFolder(folder: string, work: (folder: string) => void): void {
  try {
    work(folder);
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error) || !('syscall' in error)) throw error;
    throw new Failure('usage', `cannot open the mirror in ${folder}: ${error.message}`, {
      hint: 'name a folder of your own, or make this one yours',
      cause: error,
    });
  }
}

/** A folder that is missing, empty, or a mirror: only its owner may read it. */
function prepareFolder(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw usage(`${folder} is not a folder`, 'name a folder for the mirror');
  const names = readdirSync(folder);
  const isMirror = names.every((name) => name.startsWith(mirrorFile));
  if (!isMirror && !names.includes(mirrorFile)) throw noMirror(folder);
  if (names.includes(mirrorFile)) {
    requirePlainFiles(join(folder, mirrorFile));
    const { size, mtimeMs } = statSync(join(folder, mirrorFile));
    if (size > 0) requireMirrorFile(folder);
    // A process was killed just after it had created it.
    else if (Date.now() - mtimeMs > creationMs) rmSync(join(folder, mirrorFile));
  }
  chmodSync(folder, 0o700);
}
