/** Which database a `server` command works on. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { flag } from '../../cli/define.ts';
import { embeddedFolder, isEmbedded } from '../../config/base-url.ts';
import { Failure, usage } from '../../core/errors.ts';
import type { Store, StoreOptions } from '../../server/store/store.ts';

export const databaseFlags = {
  dataDir: flag.text(
    'DIR',
    'folder of the database; default: comem/ in the XDG data folder, or that of an embedded profile',
  ),
  database: flag.text('URL', 'a PostgreSQL database instead: postgres://user@host/name; default COMEM_DATABASE'),
};

export interface DatabaseChoice {
  dataDir?: string | undefined;
  database?: string | undefined;
}

/** A database as the store takes it, and as it may be shown. */
export interface NamedDatabase {
  options: StoreOptions;
  shown: string;
  /** It is reached by an `embedded:` address, which puts the demo into a new one. */
  embedded?: boolean;
}

/**
 * `--database` or `--data-dir`, else the folder of a base URL `embedded:…` (so that `-p demo` means the demo's), else
 * COMEM_DATABASE, else the data folder.
 */
export async function databaseOf(ctx: Context, { dataDir, database }: DatabaseChoice): Promise<NamedDatabase> {
  if (dataDir !== undefined && database !== undefined) {
    throw usage('--data-dir and --database name two databases', 'give one of them');
  }
  if (database !== undefined) return named(database, '--database');
  if (dataDir !== undefined) return folder(resolve(ctx.runtime.cwd, dataDir));
  const { value: baseUrl } = ctx.settings.baseUrl;
  if (baseUrl !== undefined && isEmbedded(baseUrl)) {
    const dir = embeddedFolder(baseUrl);
    const found = dir === undefined ? join(ctx.folders.data, 'demo') : resolve(ctx.runtime.cwd, dir);
    return { ...folder(found), embedded: true };
  }
  const given = ctx.runtime.env.COMEM_DATABASE;
  return given ? named(given, 'COMEM_DATABASE') : folder(ctx.folders.data);
}

/** A PostgreSQL address, or a folder. */
export async function anyDatabase(ctx: Context, text: string): Promise<NamedDatabase> {
  const { isPostgres } = await import('../../server/store/store.ts');
  return isPostgres(text) ? named(text, 'the address') : folder(resolve(ctx.runtime.cwd, text));
}

async function named(address: string, from: string): Promise<NamedDatabase> {
  const { isPostgres } = await import('../../server/store/store.ts');
  // What is not understood is not shown: it may hold a password.
  if (!isPostgres(address)) throw usage(`${from} must begin with postgres://`, 'a folder is --data-dir');
  const { shownAddress } = await import('../../server/store/postgres.ts');
  return { options: { database: address }, shown: shownAddress(address) };
}

function folder(dataDir: string): NamedDatabase {
  return { options: { dataDir }, shown: dataDir };
}

/** Opens the database, hands it over, and closes it whatever happens. */
export async function withStore<T>(
  ctx: Context,
  choice: DatabaseChoice,
  work: (store: Store, database: NamedDatabase) => Promise<T>,
): Promise<T> {
  const database = await databaseOf(ctx, choice);
  return opened(database, (store) => work(store, database));
}

/**
 * The same for a command that makes no database: a folder without one is not found, but for that of an embedded
 * address, which gets the demo data as at any first use.
 */
export async function withExisting<T>(
  ctx: Context,
  choice: DatabaseChoice,
  work: (store: Store, database: NamedDatabase) => Promise<T>,
): Promise<T> {
  const database = await databaseOf(ctx, choice);
  const { dataDir } = database.options;
  const missing = dataDir !== undefined && !holdsDatabase(dataDir);
  if (missing && !database.embedded) {
    throw new Failure('notFound', `there is no database in ${dataDir}`, {
      hint: '--data-dir names another folder; `comem server load FILE` and `comem serve` make a database',
    });
  }
  return opened(database, async (store) => {
    if (missing) await (await import('../../server/demo/ensure.ts')).ensureDemo(store);
    return work(store, database);
  });
}

/** The same for a database that is named in another way. */
export async function opened<T>({ options }: NamedDatabase, work: (store: Store) => Promise<T>): Promise<T> {
  const { asFailure, openStore } = await import('../../server/store/store.ts');
  const store = await openStore(options);
  try {
    return await work(store);
  } catch (error) {
    throw asFailure(store.engine, error);
  } finally {
    await store.close();
  }
}

/** Opening makes a database where there is none, which is not what someone means who wants to read from it. */
export function requireDatabase({ options: { dataDir } }: NamedDatabase, flag: string): void {
  if (dataDir === undefined || holdsDatabase(dataDir)) return;
  throw new Failure('notFound', `${flag}: there is no database in ${dataDir}`, {
    hint: 'name the folder that holds comem.db',
  });
}

function holdsDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, 'comem.db'));
}
