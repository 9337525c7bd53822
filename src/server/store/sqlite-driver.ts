/** One connection of SQLite under the query builder, with its prepared statements. A part of sqlite.ts. */
import { allRows, isSqliteError, type Sqlite, type SqliteStatement, type SqliteValue } from '../../core/sqlite.ts';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from './kysely.ts';

/** The part of waiting for another process that is inside the library, which blocks this process. */
const blockingMs = 20;
/** Prepared statements in the cache; more than all queries of the store. */
const keptStatements = 256;

interface Prepared {
  statement: SqliteStatement;
  /** Then it only reads: no statement of the store writes and gives rows. */
  givesRows: boolean;
}

export interface SqliteDriverOptions {
  /** How long a statement waits for another process. */
  busyMs: number;
  /** Called for each statement that does more than read. */
  onWrite(): void;
  onClosed(): void;
}

/** A write transaction takes the write lock at once: one that began by reading cannot wait for it. */
export class SqliteDriver implements Driver {
  private readonly turns = new Turns();
  private readonly session: Connection;

  constructor(
    private readonly database: Sqlite,
    private readonly options: SqliteDriverOptions,
  ) {
    this.session = new Connection(database, options.onWrite);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.turns.take();
    return this.session;
  }

  async releaseConnection(): Promise<void> {
    this.turns.give();
  }

  async beginTransaction(_: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    if (settings?.accessMode === 'read only') {
      this.database.exec('begin');
      return;
    }
    const { busyMs } = this.options;
    const waiting = (ms: number) => `pragma busy_timeout = ${ms}`;
    try {
      this.database.exec(`${waiting(Math.min(blockingMs, busyMs))}; begin immediate; ${waiting(busyMs)}`);
    } catch (error) {
      this.database.exec(waiting(busyMs));
      throw error;
    }
  }

  async commitTransaction(): Promise<void> {
    this.database.exec('commit');
  }

  /** A full disk has already rolled the transaction back; a second error would hide the reason. */
  async rollbackTransaction(): Promise<void> {
    if (this.database.isTransaction) this.database.exec('rollback');
  }

  async savepoint(_: DatabaseConnection, name: string): Promise<void> {
    this.database.exec(`savepoint ${name}`);
  }

  async rollbackToSavepoint(_: DatabaseConnection, name: string): Promise<void> {
    if (this.database.isTransaction) this.database.exec(`rollback to ${name}`);
  }

  async releaseSavepoint(_: DatabaseConnection, name: string): Promise<void> {
    this.database.exec(`release ${name}`);
  }

  async destroy(): Promise<void> {
    this.session.forget();
    this.database.close();
    this.options.onClosed();
  }
}

class Connection implements DatabaseConnection {
  private readonly statements = new Map<string, Prepared>();

  constructor(
    private readonly database: Sqlite,
    private readonly onWrite: () => void,
  ) {}

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, givesRows } = this.prepared(sql);
    const values = parameters as readonly SqliteValue[];
    if (givesRows) return { rows: allRows(this.database, statement, values) as Row[] };
    const { changes } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: nothing asks for it.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('rows of SQLite are read in pages');
  }

  forget(): void {
    this.statements.clear();
  }

  private prepared(text: string): Prepared {
    if (!/^\s*select\b/.test(text)) this.onWrite();
    const known = this.statements.get(text);
    if (known) return known;
    const statement = this.database.prepare(text);
    const prepared = { statement, givesRows: statement.columns().length > 0 };
    if (/^\s*(select|insert|update|delete|with)\b/.test(text)) {
      if (this.statements.size >= keptStatements) this.statements.clear();
      this.statements.set(text, prepared);
    }
    return prepared;
  }
}

/** One after the other, in the order of asking. */
class Turns {
  private taken = false;
  private readonly waiting: (() => void)[] = [];

  async take(): Promise<void> {
    if (this.taken) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.taken = true;
  }

  give(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken = false;
  }
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error, 'busy');
}
