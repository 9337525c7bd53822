/** PostgreSQL: what differs from the other engine, and what its failures mean. */
import { databaseCorrupt, type Engine, type EngineFailure, filesReplaced } from './engine.ts';
import { type Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from './kysely.ts';
import { codeOf, connect } from './postgres-address.ts';
import { PoolDriver, type PooledConnection, Unreachable } from './postgres-connections.ts';
import type { Database } from './schema.ts';

/** The first tables that a migration creates. */
const ourTables: readonly string[] = ['meta', 'companies', 'users', 'lists', 'entries'];

/** First halves of the keys of advisory locks, which all programs on one database share: "come". */
const lockSpace = 0x636f6d65;
const writersLock = 1;
const schemaLock = 2;

/** Connects to `postgres://user:password@host:port/database`. The password is in no message. */
export async function openPostgres(address: string): Promise<Engine> {
  const driver = new PoolDriver(await connect(address), address);
  return {
    name: 'PostgreSQL',
    oneWriter: false,
    text: 'text collate "C"',
    keyed: '',
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    positionOf: 'strpos',
    // Which transactions are visible. After a failover or a crash their numbers are given a second time.
    state: `pg_postmaster_start_time() || ' ' || pg_current_snapshot()`,
    quoted: (expression) => `coalesce(to_json(${expression})::text, 'null')`,
    // Serialization failure, deadlock, and a row that another writer was the first to add.
    isConflict: (error) => ['40001', '40P01', '23505'].includes(codeOf(error)),
    async foreignTables(db) {
      const { rows } = await sql<{ name: string }>`
        select tablename as name from pg_tables where schemaname = current_schema()`.execute(db);
      // Other programs may have tables of other names in the database.
      return rows.map(({ name }) => name).filter((name) => ourTables.includes(name));
    },
    classifyError: classifyError,
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
      (await connectionOf(db)).isPatient = true;
      await sql`set local lock_timeout = 0`.execute(db);
      await sql`set local statement_timeout = 0`.execute(db);
      await sql`select pg_advisory_xact_lock(${lockSpace}::int, ${schemaLock}::int)`.execute(db);
    },
    async isStandby(db) {
      const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
      return rows[0]?.standby === true;
    },
    readAfter: (db, positions, work) =>
      db.connection().execute(async (bound) => {
        const connection = await connectionOf(bound);
        if (!(await connection.beginAfter(positions))) return undefined;
        try {
          const value = await work(bound);
          await connection.end('commit');
          return { value };
        } catch (error) {
          await connection.end('rollback').catch(() => {});
          throw error;
        }
      }),
    pool: () => driver.counts(),
    async replicationLag(db) {
      const { rows } = await sql<{ seconds: string | null }>`
        select max(extract(epoch from coalesce(replay_lag, '0'))) as seconds from pg_stat_replication
        where state is not null`.execute(db);
      const seconds = rows[0]?.seconds ?? undefined;
      return seconds === undefined ? undefined : Number(seconds);
    },
  };
}

/** The connection of a transaction. */
function connectionOf(db: Kysely<Database>): Promise<PooledConnection> {
  return db.getExecutor().provideConnection(async (connection) => connection as PooledConnection);
}

function classifyError(error: unknown): EngineFailure | undefined {
  const code = codeOf(error);
  const again = 'run the same command again';
  if (code === '55P03' || code === '57014' || code === '53200')
    return { says: 'The database is busy; nothing was written', hint: again };
  if (code === 'XX001' || code === 'XX002') return databaseCorrupt;
  // A database, schema or table that was there when it was opened.
  if (code === '3D000' || code === '3F000' || code === '42P01') return filesReplaced;
  if (code === '53100') {
    return {
      says: 'The disk of the database is full; nothing was written',
      hint: `free some disk space on its server, then ${again}`,
    };
  }
  if (code === '25006') {
    return {
      says: 'The database takes no writes, as a standby does; nothing was written',
      hint: `name the primary, or all hosts with target_session_attrs=read-write, then ${again}`,
    };
  }
  if (code === '42501') {
    return {
      says: 'The database cannot be written; nothing was written',
      hint: `grant its user write access, then ${again}`,
    };
  }
  if (code === '53300') return { says: 'The database accepts no more connections', hint: again };
  if (code.startsWith('58')) {
    return {
      says: 'The files of the database cannot be read or written; nothing was written',
      hint: `check the disk of its server, then ${again}`,
    };
  }
  // Includes a changed password, and a database that is closed to connections.
  if (error instanceof Unreachable || /^(08|28|57P0)|^55000$/.test(code)) {
    return { says: 'The database cannot be reached', hint: again };
  }
  return undefined;
}
