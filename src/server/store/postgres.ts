/** The only file that knows PostgreSQL: pg's pool under the query builder. */
import type { Pool } from 'pg';
import { Failure, usage } from '../../core/errors.ts';
import type { Engine, EngineFailure } from './engine.ts';
import { damage, replaced } from './health.ts';
import {
  type DataTypeNode,
  type Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  sql,
} from './kysely.ts';
import { createSearch, searchIndex, titleSearch } from './postgres-search.ts';
import type { Database } from './schema.ts';

/** Connections of one process. PostgreSQL accepts a hundred by default, for all processes together. */
const connections = 10;
/** How long a request waits for a connection of the pool. */
const connectMs = 10_000;
/** How long one statement of a request may run. */
const statementMs = 30_000;
/** How long a statement waits for another writer, as SQLite does. */
const lockMs = 15_000;
/** A transaction that is idle this long belongs to a process that is stuck or gone. */
const idleMs = 60_000;

/** The first tables that a migration creates. */
const ourTables: readonly string[] = ['meta', 'companies', 'users', 'lists', 'entries'];

/** First halves of the keys of advisory locks, which all programs on one database share: "come". */
const lockSpace = 0x636f6d65;
const writersLock = 1;
const schemaLock = 2;

/** Connects to `postgres://user:password@host:port/database`. The password is in no message. */
export async function openPostgres(address: string): Promise<Engine> {
  const pool = await connect(address);
  return {
    name: 'PostgreSQL',
    oneWriter: false,
    binary: 'bytea',
    clustered: '',
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PostgresDriver({ pool }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new ByteOrderCompiler(),
    },
    titleContains: titleSearch(),
    createSearch,
    searchIndex,
    // Serialization failure, deadlock, and a row that another writer was the first to add.
    isConflict: (error) => ['40001', '40P01', '23505'].includes(codeOf(error)),
    async foreignTables(db) {
      const { rows } = await sql<{ name: string }>`
        select tablename as name from pg_tables where schemaname = current_schema()`.execute(db);
      // Others may share the database, under names of their own.
      return rows.map(({ name }) => name).filter((name) => ourTables.includes(name));
    },
    trouble,
    async lockWrites(db, scope) {
      // A writer with a scope waits for writers of the same scope, and for those without one.
      const lock =
        scope === undefined
          ? sql`select pg_advisory_xact_lock(${lockSpace}::int, ${writersLock}::int)`
          : sql`select pg_advisory_xact_lock_shared(${lockSpace}::int, ${writersLock}::int),
                pg_advisory_xact_lock(hashtextextended(${scope}, 0))`;
      await lock.execute(db);
    },
    async lockSchema(db) {
      // Other locks may be held for long, and so may an index of a table of millions take.
      await sql`set local lock_timeout = 0`.execute(db);
      await sql`set local statement_timeout = 0`.execute(db);
      await sql`select pg_advisory_xact_lock(${lockSpace}::int, ${schemaLock}::int)`.execute(db);
    },
    async version(db) {
      const { rows } = await sql<{ server_version: string }>`show server_version`.execute(db);
      return String(rows[0]?.server_version);
    },
    async size(db) {
      const { rows } = await sql<{ n: number }>`select pg_database_size(current_database()) as n`.execute(db);
      return Number(rows[0]?.n);
    },
    unlimited: async (db: Kysely<Database>) => {
      await sql`set local statement_timeout = 0`.execute(db);
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
    },
  };
}

/** The address as it may be shown: without its password. */
export function shownAddress(address: string): string {
  try {
    const url = new URL(address);
    if (url.password !== '') url.password = '***';
    for (const name of [...url.searchParams.keys()]) {
      if (/password|key|cert/i.test(name)) url.searchParams.set(name, '***');
    }
    return url.href;
  } catch {
    return 'postgres://…';
  }
}

async function connect(address: string): Promise<PostgresPool> {
  const { default: pg } = await import('pg');
  let pool: Pool;
  try {
    pool = new pg.Pool({
      connectionString: address,
      max: connections,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: idleMs,
      // The system notices a connection whose other end vanished.
      keepAlive: true,
      application_name: 'comem',
      types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserOf(pg.types, oid, format) },
    });
  } catch (cause) {
    throw usage(`the address of the database cannot be read: ${says(cause).replaceAll(address, '…')}`, example);
  }
  // The pool replaces a broken connection at the next use, and its current query fails by itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    const client = await pool.connect();
    client.release();
    return reachable(pool, (error) => error instanceof pg.DatabaseError);
  } catch (cause) {
    await pool.end();
    throw refused(cause, address);
  }
}

const example = 'it looks like postgres://user:password@host:5432/database';

/** Big integers as numbers: positions are checked to be safe ones, counts are. */
function parserOf(types: typeof import('pg').types, oid: number, format?: 'text' | 'binary') {
  if (oid === types.builtins.INT8 && format !== 'binary') return Number;
  return types.getTypeParser(oid, format);
}

function refused(cause: unknown, address: string): Failure {
  const hints: Record<string, string> = {
    ECONNREFUSED: 'is PostgreSQL running there, and does it listen on that address?',
    ENOENT: 'is PostgreSQL running there, and does it listen on that socket?',
    ENOTFOUND: 'is the host name correct?',
    '28P01': 'is the password correct? PGPASSWORD or ~/.pgpass may hold it instead of the address',
    '28000': 'does pg_hba.conf let this user in from here?',
    '3D000': 'create it first: createdb --encoding=UTF8 NAME',
    '53300': 'raise max_connections, or run fewer servers',
    '57P03': 'it is starting or stopping; try again',
  };
  return new Failure('usage', `cannot open the database ${shownAddress(address)}: ${says(cause)}`, {
    hint: hints[codeOf(cause)] ?? example,
    cause,
  });
}

function trouble(error: unknown): EngineFailure | undefined {
  const code = codeOf(error);
  const again = 'run the same command again';
  if (code === '55P03' || code === '57014' || code === '53200')
    return { says: 'The database is busy; nothing was written', hint: again };
  if (code === 'XX001' || code === 'XX002') return damage;
  // A database, schema or table that was there when it was opened.
  if (code === '3D000' || code === '3F000' || code === '42P01') return replaced;
  if (code === '53100') {
    return {
      lasts: 'until a write',
      says: 'The disk of the database is full; nothing was written',
      hint: `free some disk space on its server, then ${again}`,
    };
  }
  if (code === '25006' || code === '42501') {
    return {
      lasts: 'until a write',
      says: 'The database cannot be written; nothing was written',
      hint: `grant its user write access, then ${again}`,
    };
  }
  if (code === '53300') return { says: 'The database accepts no more connections', hint: again };
  if (code.startsWith('58')) {
    return {
      lasts: 'until a write',
      says: 'The files of the database cannot be read or written; nothing was written',
      hint: `check the disk of its server, then ${again}`,
    };
  }
  // Also a password that was changed, and a database that is closed to connections.
  if (error instanceof Unreachable || /^(08|28|57P0)|^55000$/.test(code)) {
    return { says: 'The database cannot be reached', hint: again };
  }
  return undefined;
}

/** The connection failed, so that PostgreSQL did not answer. pg gives these errors no code of their own. */
class Unreachable extends Error {
  override name = 'Unreachable';
}

/** The pool with every failure that is not an answer of PostgreSQL as an Unreachable. */
function reachable(pool: Pool, isAnswer: (error: unknown) => boolean): PostgresPool {
  const failed = (cause: unknown) => (isAnswer(cause) ? cause : new Unreachable(says(cause), { cause }));
  return {
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw failed(error);
      });
      const query = async (text: string, values: readonly unknown[]) =>
        client.query(text, [...values]).catch((error: unknown) => {
          throw failed(error);
        });
      // The type also has an overload for cursors, which are not configured and so never passed.
      return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() };
    },
  };
}

function says(error: unknown): string {
  // Several addresses of one name that all refuse are one error without a text of its own.
  if (error instanceof AggregateError) return error.errors.map(says).join('; ');
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Text is compared byte by byte, as SQLite does, whatever the locale of the database. */
class ByteOrderCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === 'text') this.append(' collate "C"');
  }
}
