/** The database of a `server` command, the seed file that fills it, and the flags of both. */
import { lstatSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { flag, inGroup } from '../../cli/define.ts';
import { filePieces, stdinPieces } from '../../cli/input-files.ts';
import { shellWord } from '../../cli/words.ts';
import { embeddedFolder, isEmbedded, isPostgres } from '../../core/addresses.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isSqliteError } from '../../core/sqlite.ts';
import { unwritable } from '../../output/write/sinks.ts';
import type { SeedFile, SeedForm } from '../../server/seed/file.ts';
import type { Engine } from '../../server/store/engine.ts';
import type { Store, StoreOptions } from '../../server/store/store.ts';

export const databaseFlags = inGroup('DATABASE', {
  dir: flag.text('DIR', "database folder; default: the profile's, else in XDG data", {
    also: { 'data-dir': 'VALUE' },
  }),
  database: flag.text('URL', 'PostgreSQL instead: postgres://user@host/db; COMEM_DATABASE'),
});

interface DatabaseChoice {
  dir?: string | undefined;
  database?: string | undefined;
}

/** A database, and its name in messages, without a password. */
export interface NamedDatabase {
  options: StoreOptions;
  label: string;
  /** The demo's own, which is filled when it is new. */
  isDemo?: boolean;
}

/** `--database` or `--dir`, else that of a base URL `embedded:…`, else COMEM_DATABASE, else the data folder. */
export async function databaseOf(ctx: Context, { dir: name, database }: DatabaseChoice): Promise<NamedDatabase> {
  if (name !== undefined && database !== undefined) {
    throw usage('--dir and --database cannot be combined', 'give one of them');
  }
  if (database !== undefined) return namedDatabase(database, '--database');
  if (name !== undefined) return folder(resolve(ctx.runtime.cwd, folderName(name)));
  const { value: baseUrl } = ctx.settings.baseUrl;
  if (baseUrl !== undefined && isEmbedded(baseUrl)) {
    const dir = embeddedFolder(baseUrl);
    const path = dir === undefined ? join(ctx.folders.data, 'demo') : resolve(ctx.runtime.cwd, dir);
    return { ...folder(path), isDemo: dir === undefined };
  }
  const address = ctx.runtime.env.COMEM_DATABASE;
  return address ? namedDatabase(address, 'COMEM_DATABASE') : folder(ctx.folders.data);
}

/** A folder would be named after the address, password included. One letter is a drive of Windows. */
function folderName(text: string): string {
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(text)?.[1];
  if (scheme === undefined) return text;
  // Only the scheme is shown: the rest may contain a password.
  throw usage(
    `--dir does not take an address that begins with ${scheme}:`,
    'name a folder; --database takes a postgres:// address',
  );
}

async function namedDatabase(address: string, from: string): Promise<NamedDatabase> {
  // The text is not shown: it may contain a password.
  if (!isPostgres(address)) throw usage(`${from} must begin with postgres://`, 'a folder is --dir');
  const { shownAddress } = await import('../../server/store/postgres-address.ts');
  return { options: { database: address }, label: shownAddress(address) };
}

const folder = (dataDir: string): NamedDatabase => ({ options: { dataDir }, label: dataDir });

type Work<T> = (store: Store, database: NamedDatabase) => Promise<T>;

/** Opens the database, hands it over, and closes it whatever happens. */
export async function withStore<T>(ctx: Context, choice: DatabaseChoice, work: Work<T>): Promise<T> {
  return withOpen(await databaseOf(ctx, choice), work);
}

/** The same without creating a database; only the demo's own folder gets the demo data. @throws notFound */
export async function withExisting<T>(ctx: Context, choice: DatabaseChoice, work: Work<T>): Promise<T> {
  const database = await databaseOf(ctx, choice);
  const { dataDir } = database.options;
  const missing =
    dataDir !== undefined && lstatSync(join(dataDir, 'comem.db'), { throwIfNoEntry: false }) === undefined;
  if (missing && !database.isDemo) {
    throw new Failure('notFound', `no database in ${dataDir}`, {
      hint: `choose another --dir, or create one with \`comem init --company NAME --dir ${shellWord(dataDir)}\``,
    });
  }
  return withOpen(database, async (store) => {
    if (missing) await (await import('../../server/demo.ts')).ensureDemo(store);
    return work(store, database);
  });
}

/** The time by which the API on the database goes: COMEM_NOW, else its clock. */
export async function timeOf(ctx: Context, store: Store): Promise<Date> {
  const { storedClock } = await import('../../server/store/store.ts');
  return (ctx.runtime.env.COMEM_NOW ? undefined : await storedClock(store.db)) ?? ctx.runtime.now();
}

async function withOpen<T>(database: NamedDatabase, work: Work<T>): Promise<T> {
  const { asFailure, openStore } = await import('../../server/store/store.ts');
  const store = await openStore(database.options);
  try {
    return await work(store, database);
  } catch (error) {
    throw asFailure(store.engine, error);
  } finally {
    await store.close();
  }
}

export const seedForms = ['yaml', 'json', 'ndjson', 'csv', 'tsv'] as const satisfies readonly SeedForm[];

/** FILE, or stdin for `-`. @param format default: by the extension, and YAML on stdin */
export async function seedFile(ctx: Context, file: string, format?: string): Promise<SeedFile> {
  const input = file === '-' ? await stdinPieces(ctx.runtime) : filePieces(resolve(ctx.runtime.cwd, file), file);
  return {
    name: file === '-' ? 'stdin' : basename(file),
    form: seedForms.find((form) => form === format) ?? (file === '-' ? 'yaml' : undefined),
    open: () => input.open(),
  };
}

/** Copies the database into a new file. Errors of the database read as in other commands. */
export async function backUpTo(engine: Engine, name: string, file: string): Promise<void> {
  try {
    await engine.backUp?.(file);
  } catch (error) {
    if (isSqliteError(error, 'full')) throw unwritable(name, { code: 'ENOSPC' });
    throw error instanceof Error && 'syscall' in error ? unwritable(name, error) : error;
  }
}

/** The names that `--fault` takes. Each was a flag once. */
export const faultNames = ['latency', 'fail', 'expire-session', 'max-page'] as const;

export const serveFlags = {
  port: flag.integer('N', 'port; default 4010; a free one for 0 and with -- COMMAND', { minimum: 0, maximum: 65_535 }),
  host: flag.text('HOST', 'address to listen on; default 127.0.0.1, only this machine'),
  allowHost: flag.list('NAME', 'a name in Host to answer to, beside those of loopback', { hidden: true }),
  metricsPort: flag.integer('N', 'port of /metrics for Prometheus; 0: a free one', {
    minimum: 0,
    maximum: 65_535,
    hidden: true,
  }),
  rateLimit: flag.text('N', 'requests of one credential in a minute; N/s in a second', { hidden: true }),
  ...databaseFlags,
  ...inGroup('DATABASE', {
    readDatabase: flag.text('URL', 'a standby of --database to read from; COMEM_READ_DATABASE'),
  }),
  seed: flag.text('demo|FILE|none', 'first content; default demo in a new local folder, else none'),
  now: flag.text('TIME', 'fixed clock; default COMEM_NOW, else that of the data', { hidden: true }),
  ...inGroup('FAULTS', {
    fault: flag.list('NAME=VALUE', `one of ${faultNames.join(', ')}`, {
      also: Object.fromEntries(faultNames.map((name) => [name, `${name}=VALUE`])),
    }),
  }),
};
