/** The only file that knows PostgreSQL: pg's pool under the query builder. */
import type { Pool, PoolClient } from 'pg';
import { Failure, usage } from '../../core/errors.ts';
import { damage, type Engine, type EngineFailure, replaced } from './engine.ts';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
  type TransactionSettings,
} from './kysely.ts';
import { traced } from './trace.ts';

/** Connections of one process. PostgreSQL accepts a hundred by default, for all processes together. */
const connections = 10;
/** Milliseconds that a request waits for a connection of the pool. */
const connectMs = 10_000;
/** In milliseconds; an address may have others as parameters. */
const defaultTimeouts = {
  /** Milliseconds that one statement of a request may run. */
  statement_timeout: 30_000,
  /** Milliseconds that a statement waits for another writer, as with SQLite. */
  lock_timeout: 15_000,
  /** A transaction that is idle this long belongs to a process that is stuck or gone. */
  idle_in_transaction_session_timeout: 60_000,
};
type Timeouts = typeof defaultTimeouts;

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
    async isStandby(db) {
      const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
      return rows[0]?.standby === true;
    },
    readAfter: (db, positions, work) =>
      db.connection().execute(async (bound) => {
        const connection = await bound.getExecutor().provideConnection(async (only) => only as PooledConnection);
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
    async size(db) {
      const { rows } = await sql<{ n: number }>`select pg_database_size(current_database()) as n`.execute(db);
      return Number(rows[0]?.n);
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

interface Connected {
  pool: Pool;
  /** Sets the time-outs of a transaction; undefined where every connection keeps them. */
  localTimeouts: string | undefined;
}

/** Opens the first host of the address that answers and, where the address asks for it, takes writes. */
async function connect(address: string): Promise<Connected> {
  const [plainAddress, timeouts] = takeTimeouts(address);
  const { hosts, roles } = takeHosts(plainAddress);
  let failure: unknown;
  for (const [role, host] of roles.flatMap((role) => hosts.map((host) => [role, host] as const))) {
    let opened = await openPool(host, timeouts);
    // A pool of transactions, such as PgBouncer's, refuses settings of a session, or has been told to ignore them.
    if ('cause' in opened && codeOf(opened.cause) === protocolViolation) opened = await openPool(host, {});
    if ('cause' in opened) {
      failure ??= opened.cause;
      continue;
    }
    const { pool, statementTimeout, isStandby } = opened;
    if (role !== 'any' && isStandby !== (role === 'standby')) {
      failure = new Error(
        role === 'primary'
          ? 'none of its hosts takes writes: the others are standbys, or do not answer'
          : 'none of its hosts is a standby: the others take writes, or do not answer',
      );
      await pool.end();
      continue;
    }
    if (statementTimeout === timeouts.statement_timeout) return { pool, localTimeouts: undefined };
    const settings = Object.entries(timeouts).map(([name, ms]) => `set local ${name} = ${ms}`);
    return { pool, localTimeouts: settings.join('; ') };
  }
  throw refused(failure, address);
}

interface Hosts {
  /** An address for each host. */
  hosts: string[];
  /** What the host should be; the second where no host is the first. */
  roles: readonly ('any' | 'primary' | 'standby')[];
}

/** The roles that `target_session_attrs` asks for. */
const rolesByName: Readonly<Record<string, Hosts['roles']>> = {
  any: ['any'],
  'read-write': ['primary'],
  primary: ['primary'],
  'read-only': ['standby'],
  standby: ['standby'],
  'prefer-standby': ['standby', 'any'],
};

/** Reads several hosts and `target_session_attrs`, as libpq does: `postgres://a,b/comem?target_session_attrs=read-write`. */
function takeHosts(address: string): Hosts {
  const [, start = '', authority = '', path = '', query = ''] =
    /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)\??(.*)$/s.exec(address) ?? [];
  const parameters = new URLSearchParams(query);
  const name = parameters.get('target_session_attrs') ?? 'any';
  const roles = Object.hasOwn(rolesByName, name) ? rolesByName[name] : undefined;
  if (roles === undefined) {
    throw usage(`target_session_attrs of the database must be ${Object.keys(rolesByName).join(', ')}, not ${name}`);
  }
  parameters.delete('target_session_attrs');
  // Folders of sockets are in a parameter.
  const folders = parameters.get('host')?.split(',');
  const names = authority.split(',');
  const hosts = (folders ?? names).map((host, index) => {
    const ofHost = new URLSearchParams(parameters);
    if (folders) ofHost.set('host', host);
    const name = names[index] ?? names[0] ?? '';
    return `${start}${name}${path}${ofHost.size === 0 ? '' : `?${ofHost}`}`;
  });
  return { hosts, roles };
}

const protocolViolation = '08P01';

/** The address without the time-outs among its parameters, and all time-outs. */
function takeTimeouts(address: string): [string, Timeouts] {
  const [base = '', query = ''] = address.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const timeouts = { ...defaultTimeouts };
  for (const name of Object.keys(timeouts) as (keyof Timeouts)[]) {
    const ms = parameters.get(name);
    if (ms === null || !/^\d+$/.test(ms)) continue;
    timeouts[name] = Number(ms);
    parameters.delete(name);
  }
  return [parameters.size === 0 ? base : `${base}?${parameters}`, timeouts];
}

interface OpenPool {
  pool: Pool;
  /** What the server says. */
  statementTimeout: number;
  isStandby: boolean;
}

async function openPool(address: string, timeouts: Partial<Timeouts>): Promise<OpenPool | { cause: unknown }> {
  const { default: pg } = await import('pg');
  let pool: Pool;
  try {
    pool = new pg.Pool({
      connectionString: address,
      max: connections,
      connectionTimeoutMillis: connectMs,
      ...timeouts,
      // The system notices a connection whose other end vanished.
      keepAlive: true,
      application_name: 'comem',
      types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserOf(pg.types, oid, format) },
    });
  } catch (cause) {
    throw usage(`the address of the database cannot be read: ${messageOf(cause).replaceAll(address, '…')}`, example);
  }
  // The pool replaces a broken connection at the next use, and its current query fails by itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    const { rows } = await pool.query<{ ms: string; standby: boolean }>(
      "select setting as ms, pg_is_in_recovery() as standby from pg_settings where name = 'statement_timeout'",
    );
    return { pool, statementTimeout: Number(rows[0]?.ms), isStandby: rows[0]?.standby === true };
  } catch (cause) {
    await pool.end();
    return { cause };
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
  return new Failure('usage', `cannot open the database ${shownAddress(address)}: ${messageOf(cause)}`, {
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

/** An answer of PostgreSQL has a severity; anything else is of the connection. */
function asAnswer(error: unknown): unknown {
  const isAnswer = error instanceof Error && 'severity' in error;
  return isAnswer ? error : new Unreachable(messageOf(error), { cause: error });
}

/** Read-only, or on its way down: the host is no primary any more. */
function isOfOtherHost(error: unknown): boolean {
  return error instanceof Unreachable || /^(25006|57P0[1-3])$/.test(codeOf(error));
}

/** Names of the statements that are kept prepared, the same on all connections. */
class StatementNames {
  private readonly uses = new Map<string, number>();
  private readonly names = new Map<string, string>();
  private isStopped = false;

  /** Undefined for a statement that is rare, or one too many: each takes memory of every connection. */
  nameOf(text: string): string | undefined {
    if (this.isStopped) return undefined;
    const name = this.names.get(text);
    if (name !== undefined || this.names.size === mostPrepared) return name;
    const uses = (this.uses.get(text) ?? 0) + 1;
    if (uses < usesBeforePrepared) {
      if (this.uses.size === mostCounted) this.uses.clear();
      this.uses.set(text, uses);
      return undefined;
    }
    this.uses.delete(text);
    this.names.set(text, `comem_${this.names.size}`);
    return this.names.get(text);
  }

  /** For a pool that gives each statement another server, and tables that changed. */
  stop(): void {
    this.isStopped = true;
  }
}

const mostPrepared = 50;
const usesBeforePrepared = 3;
const mostCounted = 500;

/** A name that the server does not know, or knows as another statement, or whose columns have changed. */
function isOfPreparedStatement(error: unknown): boolean {
  return ['26000', '42P05', '0A000'].includes(codeOf(error));
}

class PooledConnection implements DatabaseConnection {
  /** Its last statement has no answer, so that it cannot be used again. */
  isBroken = false;
  private inTransaction = false;

  constructor(
    readonly client: PoolClient,
    private readonly localTimeouts: string | undefined,
    private readonly names: StatementNames,
    private readonly onError: (error: unknown) => unknown,
  ) {}

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.inTransaction) return this.query(text, parameters);
    if (this.localTimeouts === undefined) return this.prepared(text, parameters);
    await this.begin('begin');
    try {
      const result = await this.query<R>(text, parameters);
      await this.end('commit');
      return result;
    } catch (error) {
      await this.end('rollback').catch(() => {});
      throw error;
    }
  }

  async begin(statement: string): Promise<void> {
    // One message: a pool of transactions gives the same server to all of it and to what follows.
    await this.query(this.localTimeouts === undefined ? statement : `${statement}; ${this.localTimeouts}`);
    this.inTransaction = true;
  }

  /**
   * Begins to read one state of a standby; false, and outside of a transaction, where it has not applied the log up to
   * the positions. The state is chosen after that was read, and in the same message, so that it is of the same server.
   */
  async beginAfter(positions: readonly string[]): Promise<boolean> {
    const position = `greatest(${positions.map((lsn) => `'${lsn}'::pg_lsn`).join(', ')})`;
    const check = `select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn() >= ${position} as reached`;
    const start = `start transaction isolation level repeatable read read only; ${this.localTimeouts ?? ''}`;
    const answers: unknown = await this.answered(this.client.query(`begin; ${check}; commit; ${start}`));
    this.inTransaction = true;
    const [row] = Array.isArray(answers) ? answers[1].rows : [];
    if (row?.reached === true && row.standby) return true;
    await this.end('rollback');
    if (row?.standby === true) return false;
    throw new Unreachable('it takes writes, so it is no standby');
  }

  async end(statement: 'commit' | 'rollback'): Promise<void> {
    this.inTransaction = false;
    if (statement === 'rollback' && this.isBroken) return;
    await this.query(statement);
  }

  // biome-ignore lint/correctness/useYield: nothing asks for it.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('rows of PostgreSQL are read in pages');
  }

  /** A statement that comes again and again is parsed and planned once for each connection. */
  private async prepared<R>(text: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const name = this.names.nameOf(text);
    // The trace of a request is part of the text.
    if (name === undefined || traced(text) !== text) return this.query(text, parameters);
    try {
      return await this.query<R>(text, parameters, name);
    } catch (error) {
      if (!isOfPreparedStatement(error)) throw error;
      this.names.stop();
      return this.query(text, parameters);
    }
  }

  private async query<R>(text: string, parameters: readonly unknown[] = [], name?: string): Promise<QueryResult<R>> {
    const statement = { text: traced(text), values: [...parameters], ...(name !== undefined && { name }) };
    const { command, rowCount, rows } = await this.answered(this.client.query(statement));
    const changes = ['INSERT', 'UPDATE', 'DELETE'].includes(command) && rowCount !== null;
    return { rows, ...(changes && { numAffectedRows: BigInt(rowCount) }) };
  }

  private async answered<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (cause) {
      const error = asAnswer(cause);
      this.isBroken ||= error instanceof Unreachable;
      throw this.onError(error);
    }
  }
}

/** Connections of pg's pool under the query builder. Where a host fails, the hosts of the address are tried again. */
class PoolDriver implements Driver {
  private reconnecting: Promise<void> | undefined;
  private isSuspect = false;
  private readonly names = new StatementNames();

  constructor(
    private connected: Connected,
    private readonly address: string,
  ) {}

  async init(): Promise<void> {}

  counts(): { active: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.connected.pool;
    return { active: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async acquireConnection(): Promise<PooledConnection> {
    if (this.isSuspect) await this.reconnect();
    const { pool, localTimeouts } = this.connected;
    const client = await pool.connect().catch((error: unknown) => {
      throw this.noticed(asAnswer(error));
    });
    return new PooledConnection(client, localTimeouts, this.names, (error) => this.noticed(error));
  }

  private noticed(error: unknown): unknown {
    if (isOfOtherHost(error) && takeHosts(this.address).hosts.length > 1) this.isSuspect = true;
    return error;
  }

  /** Once for all that wait for a connection. */
  private reconnect(): Promise<void> {
    this.reconnecting ??= connect(this.address)
      .then(
        (connected) => {
          const { pool } = this.connected;
          this.connected = connected;
          this.isSuspect = false;
          // Its last transactions end by themselves.
          void pool.end().catch(() => {});
        },
        (error: unknown) => {
          throw new Unreachable(messageOf(error), { cause: error });
        },
      )
      .finally(() => {
        this.reconnecting = undefined;
      });
    return this.reconnecting;
  }

  async beginTransaction(connection: PooledConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings;
    const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
    await connection.begin(`start transaction${level}${accessMode === undefined ? '' : ` ${accessMode}`}`);
  }

  async commitTransaction(connection: PooledConnection): Promise<void> {
    await connection.end('commit');
  }

  async rollbackTransaction(connection: PooledConnection): Promise<void> {
    await connection.end('rollback');
  }

  async releaseConnection(connection: PooledConnection): Promise<void> {
    connection.client.release(connection.isBroken);
  }

  async destroy(): Promise<void> {
    await this.connected.pool.end();
  }
}

function messageOf(error: unknown): string {
  // Several addresses of one name that all refuse are one error without a text of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
