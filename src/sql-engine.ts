/**
 * The program that runs SQL statements, beside main.ts: a statement cannot be interrupted in its process, so that Ctrl-C
 * and the time-out end the process. It reads requests from stdin and answers on stdout, a line of JSON each.
 */
import { Buffer } from 'node:buffer';
import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import {
  isSqliteError,
  openDatabase,
  rowsOf,
  type Sqlite,
  type SqliteStatement,
  type SqliteValue,
} from './core/sqlite.ts';
import { equalities, type Instruction } from './domain/sql/equalities.ts';
import type { EngineAnswer, EngineRequest, TableColumn, WireValue } from './domain/sql/wire.ts';

/** Rows of one answer; the first are fewer, so that they come at once. */
const answerRows = 500;

/** Values of one insert: SQLite takes 32,766, and more than a few thousand gain nothing. */
const insertValues = 2_000;

/** Page cache; what does not fit stays in the file. */
const cacheKiB = 2_000;

/** Ends this process when the other end of descriptor 3 is gone: a statement may run for hours after it. */
const watch = `
const { Socket } = require('node:net');
const { parentPort } = require('node:worker_threads');
const end = () => process.kill(process.pid, 'SIGKILL');
new Socket({ fd: 3 }).on('end', end).on('error', end).on('close', end).resume();
parentPort.postMessage('watching');
`;

/** Instructions of a compiled statement that change a database or the connection. */
const writing = new Set(['OpenWrite', 'Vacuum', 'JournalMode', 'AutoCommit', 'Savepoint', 'ParseSchema', 'SetCookie']);

class Engine {
  private rows: Iterator<unknown> | undefined;
  /** By the page where they begin. */
  private readonly tables = new Map<number, { table: string; columns: readonly string[] }>();
  private readonly inserts = new Map<string, SqliteStatement>();
  /** Whether rows of a table are on their way: a transaction is open. */
  private filling = false;

  constructor(private readonly database: Sqlite) {}

  answer(request: EngineRequest): EngineAnswer {
    if (request.do !== 'insert') this.filled();
    switch (request.do) {
      case 'prepare':
        return { prepared: this.prepared(request) };
      case 'create':
        this.create(request.table, request.columns);
        return { done: true };
      case 'insert':
        this.insert(request.table, request.rows);
        return { done: true };
      case 'run': {
        const statement = this.arrays(request.text);
        statement.setReadBigInts(true);
        const named = Object.entries(request.parameters).map(([name, value]) => [name, whole(value)] as const);
        this.rows = rowsOf(statement, Object.fromEntries(named));
        return this.next(1);
      }
      case 'next':
        return this.next(answerRows);
    }
  }

  private prepared({ text, explained }: Extract<EngineRequest, { do: 'prepare' }>) {
    const columns = this.database.prepare(text).columns();
    const functions = new Set<string>();
    let writes = false;
    const program = this.arrays(`explain ${explained}`).all() as Instruction[];
    for (const [, code, , p2, , p4] of program) {
      if (writing.has(code) || (code === 'Transaction' && p2 !== 0)) writes = true;
      const called = typeof p4 === 'string' ? /^([^()]+)\(-?\d+\)$/.exec(p4)?.[1] : undefined;
      if (called !== undefined && /Func|Agg/.test(code)) functions.add(called.toLowerCase());
    }
    return {
      columns: columns.map(({ name, table, column }) => ({ name, table, column })),
      functions: [...functions],
      writes,
      equalities: equalities(program).flatMap(({ root, column: place, ...text }) => {
        const { table, columns = [] } = this.tables.get(root) ?? {};
        const column = columns[place];
        return table === undefined || column === undefined ? [] : [{ table, column, ...text }];
      }),
    };
  }

  private create(table: string, columns: readonly TableColumn[]): void {
    const definitions = columns.map(({ name, type }) => `${quoted(name)} ${type}`);
    this.database.exec(`create table ${quoted(table)} (${definitions.join(', ')})`);
    const root = this.database.prepare('select rootpage from sqlite_schema where name = ?').get(table);
    const { rootpage } = root as { rootpage: number };
    this.tables.set(rootpage, { table, columns: columns.map(({ name }) => name) });
  }

  private insert(table: string, rows: readonly (readonly WireValue[])[]): void {
    if (!this.filling) this.database.exec('begin');
    this.filling = true;
    const width = rows[0]?.length ?? 1;
    const most = Math.max(1, Math.floor(insertValues / width));
    for (let from = 0; from < rows.length; from += most) {
      const some = rows.slice(from, from + most);
      const count = some.length === most ? most : 1;
      const statement = this.insertOf(table, width, count);
      if (count === most) statement.run(...some.flatMap((row) => row.map(bound)));
      else for (const row of some) statement.run(...row.map(bound));
    }
  }

  /** A statement whose rows are arrays. */
  private arrays(text: string): SqliteStatement {
    const statement = this.database.prepare(text);
    statement.setReturnArrays(true);
    return statement;
  }

  private insertOf(table: string, width: number, count: number) {
    const key = `${table} ${count}`;
    const known = this.inserts.get(key);
    if (known) return known;
    const row = `(${Array(width).fill('?').join(',')})`;
    const statement = this.database.prepare(`insert into ${quoted(table)} values ${Array(count).fill(row).join(',')}`);
    this.inserts.set(key, statement);
    return statement;
  }

  private filled(): void {
    if (!this.filling) return;
    this.filling = false;
    this.database.exec('commit');
  }

  private next(most: number): EngineAnswer {
    const rows: WireValue[][] = [];
    while (rows.length < most) {
      const { done, value } = this.rows?.next() ?? { done: true, value: undefined };
      if (done) return { rows, last: true };
      rows.push((value as unknown[]).map(sent));
    }
    return { rows, last: false };
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function bound(value: WireValue): SqliteValue {
  // The package takes these for 0; a column makes a number of the text.
  if (typeof value === 'number' && value !== 0 && Math.abs(value) < Number.EPSILON) return String(value);
  return typeof value === 'object' && value !== null ? BigInt(value.whole) : value;
}

/** A large number is bound as a double; columns convert whole ones, and a parameter has no column. */
function whole(value: WireValue): SqliteValue {
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : bound(value);
}

/** A cell of SQLite as JSON has it. */
function sent(value: unknown): WireValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { whole: String(value) };
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value === null || typeof value === 'string') return value;
  return Buffer.from(value as Uint8Array).toString('hex');
}

async function start(file: string): Promise<void> {
  // First of all: what begins before could outlive the program.
  const watcher = new Worker(watch, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  await new Promise((resolve) => watcher.once('message', resolve));
  closeSync(openSync(file, 'a', 0o600));
  const database = await openDatabase(file);
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'locking_mode = EXCLUSIVE', 'temp_store = FILE']) {
    database.exec(`pragma ${pragma}`);
  }
  database.exec(`pragma cache_size = -${cacheKiB}`);
  // The lock is taken and the file is open: without a name it is gone with this process, however that ends.
  database.exec('create table opened (x); drop table opened');
  rmSync(dirname(file), { recursive: true, force: true, maxRetries: 0 });
  const engine = new Engine(database);
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    let answer: EngineAnswer;
    try {
      answer = engine.answer(JSON.parse(line) as EngineRequest);
    } catch (error) {
      const noRoom = isSqliteError(error, 'full', 'disk');
      answer = { error: { noRoom, message: error instanceof Error ? error.message : String(error) } };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

start(process.argv[2] ?? '').catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(70);
});
