/** Connections of pg's pool under the query builder. */
import { within } from '../../core/concurrency.ts';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from './kysely.ts';
import {
  type Connected,
  codeOf,
  connect,
  maxConnections,
  messageOf,
  type PoolClient,
  takeHosts,
} from './postgres-address.ts';
import { addTrace } from './trace.ts';

/** The connection failed, so that PostgreSQL did not answer. pg gives these errors no code of their own. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/** All connections of this process are in use. The code is that of a server that has no more. */
class NoConnection extends Error {
  override name = 'NoConnection';
  readonly code = '53300';

  constructor() {
    super(`all ${maxConnections} connections of this server to the database are in use`);
  }
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

export class PooledConnection implements DatabaseConnection {
  /** Its last statement has no answer, so that it cannot be used again. */
  isBroken = false;
  /** Whether the statements of this transaction may take any time. */
  isPatient = false;
  private inTransaction = false;

  constructor(
    readonly client: PoolClient,
    private readonly connected: Connected,
    private readonly onError: (error: unknown) => unknown,
  ) {}

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.inTransaction || this.connected.localTimeouts === undefined) return this.query(text, parameters);
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
    // In one message, so that a pool of transactions runs all of it on one server.
    const { localTimeouts } = this.connected;
    await this.query(localTimeouts === undefined ? statement : `${statement}; ${localTimeouts}`);
    this.inTransaction = true;
  }

  /**
   * Begins to read one state of a standby; false, and outside of a transaction, where it has not applied the log up to
   * the positions. The state is chosen after that was read, and in the same message, so that it is of the same server.
   */
  async beginAfter(positions: readonly string[]): Promise<boolean> {
    const position = `greatest(${positions.map((lsn) => `'${lsn}'::pg_lsn`).join(', ')})`;
    const check = `select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn() >= ${position} as reached`;
    const start = `start transaction isolation level repeatable read read only; ${this.connected.localTimeouts ?? ''}`;
    const statements = addTrace(`begin; ${check}; commit; ${start}`);
    const answers: unknown = await this.answered(this.client.query(statements));
    this.inTransaction = true;
    const [row] = Array.isArray(answers) ? answers[1].rows : [];
    if (row?.reached === true && row.standby) return true;
    await this.end('rollback');
    if (row?.standby === true) return false;
    throw new Unreachable('it takes writes, so it is no standby');
  }

  async end(statement: 'commit' | 'rollback'): Promise<void> {
    this.inTransaction = false;
    this.isPatient = false;
    if (statement === 'rollback' && this.isBroken) return;
    await this.query(statement);
  }

  // biome-ignore lint/correctness/useYield: nothing asks for it.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('rows of PostgreSQL are read in pages');
  }

  private async query<R>(text: string, parameters: readonly unknown[] = []): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.answered(this.client.query(addTrace(text), [...parameters]));
    const changes = ['INSERT', 'UPDATE', 'DELETE'].includes(command) && rowCount !== null;
    return { rows, ...(changes && { numAffectedRows: BigInt(rowCount) }) };
  }

  private async answered<T>(answer: Promise<T>): Promise<T> {
    const { patienceMs } = this.connected;
    try {
      if (this.isPatient || patienceMs === 0) return await answer;
      const value = await within(patienceMs, answer);
      if (value !== undefined) return value;
      throw new Error(`it gave no answer within ${patienceMs / 1000} s`);
    } catch (cause) {
      const error = asAnswer(cause);
      this.isBroken ||= error instanceof Unreachable;
      throw this.onError(error);
    }
  }
}

/** Connections of pg's pool under the query builder. Where a host fails, the hosts of the address are tried again. */
export class PoolDriver implements Driver {
  private reconnecting: Promise<void> | undefined;
  private isSuspect = false;

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
    const { connected } = this;
    const client = await connected.pool.connect().catch((error: unknown) => {
      const { active } = this.counts();
      throw active === maxConnections ? new NoConnection() : this.noticed(asAnswer(error));
    });
    return new PooledConnection(client, connected, (error) => this.noticed(error));
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
