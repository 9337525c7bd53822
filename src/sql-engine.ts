/**
 * The program that runs SQL statements, beside main.ts: a statement cannot be interrupted in its process, so that Ctrl-C,
 * the time-out and the limits end the process.
 */
import { Buffer } from 'node:buffer';
import { Worker } from 'node:worker_threads';
import {
  isSqliteError,
  openDatabase,
  openTemporary,
  overrideLongTexts,
  overrideNow,
  overrideTime,
  rowsOf,
  type Sqlite,
  type SqliteAuthorizer,
  type SqliteStatement,
  sqliteAction,
  verdicts,
} from './core/sqlite.ts';
import { computedTables, describingTable, stepRefusal } from './domain/sql/allowed.ts';
import {
  type EngineAnswer,
  type EngineRequest,
  type Refusal,
  type ResultColumn,
  type SqlValue,
  type TableShape,
  writeRows,
} from './domain/sql/wire.ts';

/** The most bytes of a value, and of a row. */
const maxBytes = 16 * 1024 * 1024;
/** Limits of the process. Temporary files hold sorted rows and intermediate results. */
const maxMemory = 200 * 1024 * 1024;
const maxFiles = 512 * 1024 * 1024;

const tooBig = `a value or a row is larger than ${maxBytes / 1024 / 1024} MiB`;
const maxParameters = 32_766;

const limits = {
  length: maxBytes,
  sqlLength: 200_000,
  column: 1000,
  exprDepth: 1000,
  compoundSelect: 200,
  functionArg: 127,
  attach: 0,
  likePatternLength: 1000,
  triggerDepth: 1,
};

/** Rows of one answer, and about how many bytes. */
const answerRows = 500;
const answerBytes = 1024 * 1024;

/** Values of one insert: SQLite takes 32,766, and more than a few thousand gain nothing. */
const insertValues = 2_000;

/** Page cache; what does not fit stays in the file. */
const cacheKiB = 2_000;

/**
 * Ends this process when the program that started it is gone, and when it takes more than it may: a statement lets nothing
 * else run here.
 */
const watch = `
const { fstatSync } = require('node:fs');
const { workerData: { parent, maxMemory, maxFiles }, parentPort } = require('node:worker_threads');
let tables;
const end = (signal) => { try { process.kill(process.pid, signal) } catch { process.kill(process.pid, 'SIGKILL') } };
const files = () => {
  let bytes = 0;
  // A new file gets the lowest number that is free.
  for (let [fd, free] = [3, 0]; free < 5; fd += 1) {
    try { const file = fstatSync(fd); if (file.isFile()) bytes += file.size } catch { free += 1 }
  }
  return bytes;
};
const isOrphan = () => {
  try { process.kill(parent, 0) } catch { return true }
  return process.platform !== 'win32' && process.ppid !== parent;
};
parentPort.on('message', () => { tables = files() });
setInterval(() => {
  if (isOrphan()) end('SIGKILL');
  if (process.memoryUsage.rss() > maxMemory || (tables !== undefined && files() - tables > maxFiles)) end('SIGUSR2');
}, 20);
parentPort.postMessage('watching');
`;

class Engine {
  private readonly tables = new Set<string>();
  private readonly inserts = new Map<string, SqliteStatement>();
  private rows: Iterator<unknown> | undefined;
  /** Whether rows of a table are on their way: a transaction is open. */
  private filling = false;
  private steps = noSteps();
  private refused: Refusal | undefined;
  private now: string | undefined;
  private usesNow = false;

  constructor(
    private readonly database: Sqlite,
    /** Without tables: it runs functions of SQLite that the statement gets in another form. */
    private readonly helper: Sqlite,
    private readonly watcher: Worker,
  ) {
    overrideLongTexts(database, helper, maxBytes);
    overrideTime(database, helper, () => this.now);
  }

  answer(request: EngineRequest): EngineAnswer {
    try {
      return this.answered(request);
    } catch (error) {
      return { is: 'refused', refusal: this.refusalOf(error) };
    }
  }

  private answered(request: EngineRequest): EngineAnswer {
    switch (request.do) {
      case 'create':
        this.database.setAuthorizer(null);
        for (const table of request.tables) this.create(table);
        return { is: 'done' };
      case 'insert':
        this.insert(request.table, request.rows);
        return { is: 'done' };
      case 'prepare':
        if (request.usesNow && !this.usesNow) overrideNow(this.database, this.helper, () => this.now);
        this.usesNow ||= request.usesNow;
        return this.prepare(request.text, request.names);
      case 'run': {
        if (this.filling) this.database.exec('commit');
        this.database.setAuthorizer(null);
        this.database.exec('pragma query_only = 1');
        this.watcher.postMessage('running');
        this.now = request.now;
        const statement = this.compile(request.text);
        statement.setReturnArrays(true);
        statement.setReadBigInts(true);
        const values = Object.entries(request.parameters).map(
          ([name, value]) => [name, parameterValue(value)] as const,
        );
        const named = Object.fromEntries(values);
        this.rows = rowsOf(statement, named);
        try {
          return this.next(1);
        } catch (error) {
          // Only this one has SQLite's code in its error.
          if (!(error instanceof Refused)) statement.get(named);
          throw error;
        }
      }
      case 'next':
        return this.next(answerRows);
    }
  }

  private refusalOf(error: unknown): Refusal {
    if (error instanceof Refused) return { because: 'denied', says: error.message, hint: error.hint };
    if (this.refused) return this.refused;
    if (isSqliteError(error, 'tooBig')) return { because: 'limit', says: tooBig };
    if (isSqliteError(error, 'full', 'disk')) return { because: 'full', says: 'there is no room for the tables' };
    return { because: 'statement', says: error instanceof Error ? error.message : String(error) };
  }

  private create({ name, columns }: TableShape): void {
    const definitions = columns.map((column) => `${quoteName(column.name)} ${column.type}`);
    this.database.exec(`create table ${quoteName(name)} (${definitions.join(', ')})`);
    this.tables.add(name);
  }

  private insert(table: string, rows: readonly (readonly SqlValue[])[]): void {
    if (!this.filling) {
      this.database.setAuthorizer(null);
      this.database.exec('begin');
    }
    this.filling = true;
    const width = rows[0]?.length ?? 1;
    const most = Math.max(1, Math.floor(insertValues / width));
    for (let from = 0; from < rows.length; from += most) {
      const some = rows.slice(from, from + most);
      const count = some.length === most ? most : 1;
      const statement = this.insertOf(table, width, count);
      if (count === most) statement.run(...some.flat().map(insertedValue));
      else for (const row of some) statement.run(...row.map(insertedValue));
    }
  }

  private insertOf(table: string, width: number, count: number): SqliteStatement {
    const key = `${table} ${count}`;
    const known = this.inserts.get(key);
    if (known) return known;
    const row = `(${Array(width).fill('?').join(',')})`;
    const statement = this.database.prepare(
      `insert into ${quoteName(table)} values ${Array(count).fill(row).join(',')}`,
    );
    this.inserts.set(key, statement);
    return statement;
  }

  private prepare(text: string, names: readonly string[]): EngineAnswer {
    const statement = this.compile(text);
    const { reads, virtual, functions, unknown, named } = this.steps;
    const columns = statement.columns();
    if (columns.length === 0)
      throw new Refused('the statement gives no rows', 'begin it with select, with, values or explain');
    this.database.limits.variableNumber = names.length;
    const isNamed = this.compiles(text);
    this.database.limits.variableNumber = maxParameters;
    if (!isNamed) throw new Refused('a parameter has no name', 'write :name, and give --param name=VALUE');
    // A table that is read without a column, and is none of a `with` clause.
    for (const name of unknown)
      if (!named.has(name)) this.deny({ action: 'read', first: name, second: null, database: 'main' });
    if (this.refused) throw new Error(this.refused.says);
    return { is: 'prepared', prepared: { columns: columns.map(columnOf), reads, virtual, functions } };
  }

  /** Under the authorizer, which takes down what the statement does. */
  private compile(text: string): SqliteStatement {
    this.database.setAuthorizer(this.authorize);
    if (text.includes('\0')) throw new Refused('the statement has a NUL character');
    this.steps = noSteps();
    this.refused = undefined;
    return this.database.prepare(text);
  }

  private readonly authorize: SqliteAuthorizer = (code, first, second, database, inner) => {
    const action = sqliteAction(code);
    const name = first?.toLowerCase() ?? '';
    const { reads, virtual, functions, unknown, named } = this.steps;
    if (inner) named.add(inner.toLowerCase());
    if (action === 'function' && second !== null) functions.add(second.toLowerCase());
    if (action === 'read') {
      if (computedTables.has(name) || name === describingTable) virtual.add(name);
      else if (this.tables.has(name)) reads.set(name, (reads.get(name) ?? new Set()).add(second ?? ''));
      else unknown.add(name);
    }
    return this.deny({ action, first: name, second, database }) ? verdicts.deny : verdicts.ok;
  };

  private deny(step: Parameters<typeof stepRefusal>[0]): boolean {
    const refusal = stepRefusal(step, this.tables);
    if (refusal) this.refused ??= { because: 'denied', ...refusal };
    return refusal !== undefined;
  }

  private compiles(text: string): boolean {
    try {
      this.database.prepare(text);
      return true;
    } catch {
      return false;
    }
  }

  private next(most: number): EngineAnswer {
    const rows: SqlValue[][] = [];
    let bytes = 0;
    while (rows.length < most && bytes < answerBytes) {
      const { done, value } = this.rows?.next() ?? { done: true, value: undefined };
      if (done) return { is: 'rows', ...writeRows(rows), last: true };
      const row = (value as unknown[]).map(resultValue);
      const size = row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0);
      if (size > maxBytes) return { is: 'refused', refusal: { because: 'limit', says: tooBig } };
      bytes += size;
      rows.push(row);
    }
    return { is: 'rows', ...writeRows(rows), last: false };
  }
}

/** A statement that no change of the tables makes right. */
class Refused extends Error {
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** The accesses of a statement, as SQLite's authorizer reports them. */
interface Steps {
  reads: Map<string, Set<string>>;
  virtual: Set<string>;
  functions: Set<string>;
  /** Tables without a column of theirs. */
  unknown: Set<string>;
  /** Tables of `with` clauses. */
  named: Set<string>;
}

function noSteps(): Steps {
  return { reads: new Map(), virtual: new Set(), functions: new Set(), unknown: new Set(), named: new Set() };
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function columnOf({ name, table, column }: ResultColumn): ResultColumn {
  return { name, table, column };
}

/** The package takes numbers below 2^-52 for 0. A column makes a number of their text. */
function insertedValue(value: SqlValue): SqlValue {
  return typeof value === 'number' && value !== 0 && Math.abs(value) < Number.EPSILON ? String(value) : value;
}

/** A whole number has to be an integer of SQLite. */
function parameterValue(value: SqlValue): SqlValue {
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : insertedValue(value);
}

/** A cell of SQLite: bytes are text in hexadecimal digits. */
function resultValue(value: unknown): SqlValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Refused(`the statement gives ${value}, which is not a number`);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return value as SqlValue;
}

async function start(): Promise<void> {
  // Started first: anything that starts earlier could outlive the program.
  const watcher = new Worker(watch, {
    eval: true,
    workerData: { parent: process.ppid, maxMemory, maxFiles },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  await new Promise((resolve) => watcher.once('message', resolve));
  watcher.unref();
  const database = await openTemporary(cacheKiB);
  database.enableDefensive(true);
  const engine = new Engine(database, await openDatabase(':memory:'), watcher);
  Object.assign(database.limits, limits);
  process.on('message', (request) => process.send?.(engine.answer(request as EngineRequest)));
  process.send?.({ is: 'done' } satisfies EngineAnswer);
}

void start();
