/** Runs a statement over live data: each table that it names is read once. */

import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { pairs } from '../../cli/arguments.ts';
import type { Context, Runtime } from '../../cli/context.ts';
import { Failure, readWhole, usage } from '../../core/errors.ts';
import { isNumeric, numeric } from '../../core/json.ts';
import { nearestHint } from '../../core/nearest.ts';
import { describingTable } from '../../domain/sql/allowed.ts';
import { AmountRows } from '../../domain/sql/amounts.ts';
import { wholeDivisions } from '../../domain/sql/divisions.ts';
import {
  type EngineAnswer,
  type EngineRequest,
  type Prepared,
  type Refusal,
  readRows,
  type SqlValue,
  type TableShape,
} from '../../domain/sql/wire.ts';
import { hasSecond, hintOfNames, isEmpty, type Words, wordsOf } from '../../domain/sql/words.ts';
import { type Column, machineCell } from '../../output/column.ts';
import { severalCurrencies } from '../metrics/columns.ts';
import { type OpenTable, type ResultRow, resultColumns, type SqlTable, sqlNumber } from './columns.ts';
import type { SqlTables } from './tables.ts';

/** Rows of one insert on their way to the engine. */
const insertRows = 200;

interface SqlResult {
  columns: Column<ResultRow>[];
  rows: AsyncIterable<ResultRow>;
}

/** The statement of the command line: an argument, a file or stdin. */
export async function statementText(ctx: Context, argument: string | undefined, file: string | undefined) {
  if (argument !== undefined && file !== undefined) {
    throw usage('the statement is given twice, as STATEMENT and with --file', 'omit one of them');
  }
  if (file !== undefined) return ctx.readArgument(file === '-' ? '-' : `@${file}`);
  if (argument !== undefined) return ctx.readArgument(/^[^@\s]\S*\.sql$/i.test(argument) ? `@${argument}` : argument);
  if (!ctx.runtime.terminal.stdinIsTTY) return ctx.readStdin();
  throw usage(
    'STATEMENT is missing',
    "run `comem sql 'select 1'`, `comem sql FILE.sql` or `comem sql --tables`; stdin is read from a pipe",
  );
}

/** Prints the rows of a statement. */
export function showResult({ out }: Context, { columns, rows }: SqlResult): Promise<void> {
  const id = columns.find(({ key }) => key.toLowerCase() === 'id');
  return out.rows(rows, columns, {
    json: (row) => Object.fromEntries(columns.map(({ key, get }) => [key, get(row) ?? null])),
    id: (row) => {
      if (!id) throw usage('-o id prints ids, and the result has no column "id"', 'select id, or use another -o');
      return String(id.get(row));
    },
  });
}

/** Runs a statement, and gives its rows to `show`; a time-out bounds all of it. */
export async function runStatement(
  ctx: Context,
  { tables, text, parameters }: { tables: SqlTables; text: string; parameters: Parameters },
  show: (result: SqlResult) => Promise<void>,
): Promise<void> {
  const { value: limitMs, origin } = ctx.settings.timeoutMs;
  const engine = new SqlEngine(ctx.runtime);
  const onTimeout = () => {
    ctx.runtime.abandonOutput?.();
    engine.end(timeoutFailure(limitMs));
  };
  const timer = origin === 'default' ? undefined : setTimeout(onTimeout, limitMs);
  try {
    const statement = new Statement(ctx, engine, { tables, text, parameters });
    const output = statement.run().then(show);
    output.catch(() => {});
    await Promise.race([output, engine.engineFailure]);
  } finally {
    clearTimeout(timer);
    engine.close();
  }
}

class Statement {
  private readonly words: Words;
  private readonly values: Readonly<Record<string, SqlValue>>;
  private readonly usesNow: boolean;
  private readonly open = new Map<string, OpenTable>();
  /** Columns with whole numbers, and companies' values, of the filled tables. */
  private readonly whole = new Set<string>();
  private readonly amounts = new Map<string, AmountRows>();

  constructor(
    private readonly ctx: Context,
    private readonly engine: SqlEngine,
    private readonly input: { tables: SqlTables; text: string; parameters: Parameters },
  ) {
    if (isEmpty(input.text))
      throw usage('the statement is empty', 'try `comem sql "select 1"`, or `comem sql --tables`');
    this.words = wordsOf(input.text);
    this.values = valuesFor(this.words, input.parameters);
    const [date] = this.words.dates;
    if (date !== undefined) {
      throw usage(`${date} is a subtraction`, `write '${date}' for the date, or blanks around the minus`);
    }
    this.usesNow = /now|subsec/i.test([input.text, ...Object.values(this.values)].join('\n'));
  }

  /** @throws usage for a statement that is refused, before any row is read */
  async run(): Promise<SqlResult> {
    const { text } = this.input;
    await this.create(this.input.tables.fixed());
    const prepared = await this.prepare();
    if (hasSecond(text)) throw usage('there is a second statement, and `comem sql` runs one', 'run one at a time');
    this.warn(prepared);
    // SQLite does not report the columns by which these join, nor a table of which nothing else is read.
    const isJoined = /\b(?:natural|using)\b/i.test(text);
    for (const [name, table] of this.open) {
      const read = prepared.reads.get(name);
      if (!read && !(isJoined && text.toLowerCase().includes(name))) continue;
      await this.fill(name, table, (column) => isJoined || read?.has(column) === true);
    }
    this.warnOfArithmetic(prepared);
    // The clock of the server is known once it has answered.
    const now = timeFunctions.some((name) => prepared.functions.has(name)) ? this.ctx.now().toISOString() : undefined;
    const first = await this.rows({
      do: 'run',
      text,
      parameters: this.values,
      now: now?.slice(0, -1).replace('T', ' '),
    });
    const sourceOf = (table: string, column: string) =>
      this.open.get(table)?.columns.find(({ name }) => name === column);
    return { columns: resultColumns(prepared.columns, sourceOf, first.rows, first.last), rows: this.allRows(first) };
  }

  /** Tables of lists need requests: they are created for a statement that cannot be compiled without them. */
  private async prepare(): Promise<Prepared> {
    const { text, tables } = this.input;
    const request = { do: 'prepare', text, names: [...this.words.parameters], usesNow: this.usesNow } as const;
    const first = await this.engine.ask(request);
    if (first.is === 'refused' && first.refusal.because !== 'statement') throw failureOf(first.refusal);
    const describes = first.is === 'prepared' && first.prepared.virtual.has(describingTable);
    if (first.is === 'prepared' && !describes) return first.prepared;
    const parts = [text, ...Object.values(this.values)].join('\n').toLowerCase();
    const others = (await tables.ofLists()).filter(({ name }) => describes || parts.includes(name));
    await this.create(others);
    const second = await this.engine.ask(request);
    if (second.is === 'prepared') return second.prepared;
    throw second.is === 'refused' ? this.failure(second.refusal) : unexpectedAnswer(second);
  }

  private async create(tables: readonly SqlTable[]): Promise<void> {
    const shapes: TableShape[] = [];
    for (const table of tables) {
      const open = await table.open();
      this.open.set(table.name, open);
      shapes.push({ name: table.name, columns: open.columns.map(({ name, type }) => ({ name, type })) });
    }
    await this.send({ do: 'create', tables: shapes });
  }

  /** SQLite's message, with the nearest name. */
  private failure(refusal: Refusal): Failure {
    if (refusal.because !== 'statement') return failureOf(refusal);
    const { text, tables } = this.input;
    const named = [...this.open].filter(([name]) => this.words.names.has(name));
    const columns = named.flatMap(([, table]) => table.columns.map(({ name }) => name));
    const listTables = tables.hint();
    const hint = hintOfNames(text, this.words, { tables: tables.known(), columns, listTables });
    const names = named.map(([name]) => name).join(',');
    const otherwise = names === '' ? listTables : `run \`comem sql --schema ${names}\` to see the columns`;
    return failureOf({ ...refusal, hint: hint ?? otherwise });
  }

  /** Warns of comparisons that never hold. Whether the statement compares the text with the column is not known. */
  private warn({ reads, virtual }: Prepared): void {
    const texts = [...this.words.texts].map((text) => ({ text, written: `'${text.replaceAll("'", "''")}'` }));
    const parameters = Object.entries(this.values).map(([name, value]) => ({
      text: String(value),
      written: `:${name}`,
    }));
    const among = (options: readonly string[]) =>
      [...texts, ...parameters].find(({ text }) =>
        options.some((option) => option.toLowerCase() === text.toLowerCase()),
      );
    for (const [name, read] of reads) {
      const { columns = [], renamed = [] } = this.open.get(name) ?? {};
      for (const text of renamed) this.ctx.out.note(`${name}: ${text}`);
      for (const { name: column, type, items = [] } of columns) {
        if (!read.has(column)) continue;
        const option = virtual.size > 0 ? undefined : among(items);
        if (option) {
          this.ctx.out.warn(
            `${name}.${column} is a JSON array of options, which never equals "${option.text}": write exists (select 1 from json_each(${column}) where value = ${option.written})`,
          );
        }
        const truth = type === 'BOOLEAN' ? among(['true', 'false']) : undefined;
        if (truth) {
          this.ctx.out.warn(
            `${name}.${column} is 1 or 0, which never equals the text "${truth.text}": write ${truth.text.toLowerCase()} without quotes`,
          );
        }
      }
    }
  }

  /** Warns of sums and quotients that are valid SQL but misleading figures. */
  private warnOfArithmetic({ reads, functions }: Prepared): void {
    const { out } = this.ctx;
    const [division] = wholeDivisions(this.input.text, (column) => this.whole.has(column));
    if (division !== undefined) {
      out.warn(`${division} divides whole numbers, and SQLite drops the fraction: write 1.0 * ${division}`);
    }
    if (!['sum', 'total', 'avg'].some((name) => functions.has(name))) return;
    const texts = new Set([...this.words.texts, ...Object.values(this.values).map(String)]);
    for (const [name, amounts] of this.amounts) {
      const columns = reads.get(name);
      if (!columns?.has('value') || columns.has('company') || columns.has('company_id')) continue;
      const currencies = amounts.currencies(texts);
      if (currencies.length > 1 && !columns.has('currency')) {
        out.warn(`${name}: ${severalCurrencies(currencies)}: group by currency, or choose one`);
      }
      const rollups = amounts.rollups(texts);
      if (rollups.length > 0) {
        const written = rollups.map((company) => `'${company.replaceAll("'", "''")}'`).join(', ');
        out.warn(
          `${name}: values of ${rollups.join(', ')} are sums of other companies, which are added up too: add where company not in (${written})`,
        );
      }
    }
  }

  private async fill(name: string, table: OpenTable, isRead: (column: string) => boolean): Promise<void> {
    const columns = table.columns.map((column) => column.name);
    const amounts = AmountRows.isIn(columns) ? new AmountRows(columns) : undefined;
    if (amounts) this.amounts.set(name, amounts);
    const pages = table.pages(amounts ? () => true : isRead);
    let count = 0;
    let pending: Promise<void> = Promise.resolve();
    try {
      for await (const page of readWhole(pages)) {
        for (let from = 0; from < page.length; from += insertRows) {
          await pending;
          pending = this.send({ do: 'insert', table: name, rows: page.slice(from, from + insertRows) });
          // The page is awaited before the next insert. Node must not report its failure as unhandled until then.
          pending.catch(() => {});
        }
        for (const row of page) {
          amounts?.add(row);
          for (let at = 0; at < columns.length; at += 1) {
            const value = row[at];
            if (typeof value === 'bigint' || Number.isInteger(value)) this.whole.add(columns[at] as string);
          }
        }
        count += page.length;
        this.ctx.out.progress(`${name}: ${count.toLocaleString('en')} rows`);
      }
      await pending;
    } finally {
      this.ctx.out.progress(undefined);
    }
  }

  private async *allRows(first: Rows): AsyncGenerator<ResultRow> {
    let next: Promise<Rows> | undefined;
    for (let answer = first; ; answer = await next) {
      next = answer.last ? undefined : this.rows({ do: 'next' });
      next?.catch(() => {});
      yield* answer.rows;
      if (!next) return;
    }
  }

  /** SQLite gets the time-out of a request for its next rows, because a statement may never end. */
  private async rows(request: EngineRequest): Promise<Rows> {
    const { value: limitMs } = this.ctx.settings.timeoutMs;
    const timer = setTimeout(() => this.engine.end(timeoutFailure(limitMs)), limitMs);
    const answer = await this.engine.ask(request).finally(() => clearTimeout(timer));
    if (answer.is === 'rows') return { rows: readRows(answer), last: answer.last };
    throw answer.is === 'refused' ? failureOf(answer.refusal) : unexpectedAnswer(answer);
  }

  private async send(request: EngineRequest): Promise<void> {
    const answer = await this.engine.ask(request);
    if (answer.is === 'refused') throw failureOf(answer.refusal);
  }
}

interface Rows {
  rows: SqlValue[][];
  last: boolean;
}

/** Functions that may ask for the time. */
const timeFunctions = [
  ...['date', 'time', 'datetime', 'julianday', 'unixepoch', 'strftime', 'timediff'],
  ...['current_date', 'current_time', 'current_timestamp'],
];

function failureOf({ because, says, hint, code }: Refusal): Failure {
  switch (because) {
    case 'denied':
      return new Failure('usage', says, { hint, code });
    case 'limit':
    case 'statement':
      return usage(`the statement is refused: ${says}`, hint);
    case 'full':
      return usage(
        'the temporary folder has no room for the tables',
        'free some space there, or name another folder with TMPDIR',
      );
  }
}

const unexpectedAnswer = ({ is }: EngineAnswer): Failure => new Failure('bug', `the SQL engine answered "${is}"`);

function timeoutFailure(limitMs: number): Failure {
  return new Failure('tryLater', `the statement took longer than ${limitMs / 1000} s and was cancelled`, {
    code: 'timeout',
    retryable: false,
    hint: 'give it more time with --timeout, or make it read fewer rows',
  });
}

type Parameters = ReadonlyMap<string, SqlValue>;

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** `name=VALUE`: a number, true, false and null by their look, else text; `name:=JSON`: as JSON says. */
export function parametersOf(written: readonly string[] | undefined): Parameters {
  const values = new Map<string, SqlValue>();
  for (const pair of pairs('--param', written)) {
    const name = pair.key.replace(/^[:@$]/, '');
    if (values.has(name)) throw usage(`--param ${name} is given twice`, 'give each parameter once');
    values.set(name, 'text' in pair ? parseValue(pair.text) : fromJson(pair.json));
  }
  return values;
}

function parseValue(text: string): SqlValue {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0;
  return number.test(text) ? sqlNumber(numeric(text)) : text;
}

/** A list or an object is JSON text, for json_each. */
function fromJson(json: unknown): SqlValue {
  if (typeof json === 'boolean') return json ? 1 : 0;
  if (isNumeric(json)) return sqlNumber(json);
  return typeof json === 'string' || json === null ? json : machineCell(json as object);
}

/** @throws usage for a parameter without a value, and a value that the statement does not use */
function valuesFor({ parameters }: Words, values: Parameters): Record<string, SqlValue> {
  for (const name of parameters) {
    if (values.has(name)) continue;
    throw usage(`the parameter ":${name}" has no value`, `add --param ${name}=VALUE`);
  }
  const unused = [...values.keys()].find((name) => !parameters.has(name));
  if (unused !== undefined) {
    const names = [...parameters];
    const otherwise = names.length > 0 ? `it has: ${names.join(', ')}` : 'write :name in it where the value belongs';
    throw usage(`the statement has no parameter "${unused}"`, nearestHint(unused, names, otherwise));
  }
  return Object.fromEntries(values);
}

/** Flags that keep the engine's process small: its memory is added to that of this one. */
const nodeFlags = ['--max-semi-space-size=1', '--optimize-for-size', '--v8-pool-size=0', '--no-warnings'];
const small = { MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1' };

/** The signal by which the engine ends itself: the statement takes more memory or temporary files than it may. */
const overLimit = 'SIGUSR2';

class SqlEngine {
  private readonly child: ChildProcess;
  private readonly waiting: { resolve(answer: EngineAnswer): void; reject(error: Failure): void }[] = [];
  private failure: Failure | undefined;
  private complaint = '';
  private fail: (reason: Failure) => void = () => {};
  private readonly onAbort = () => this.end(new Failure('interrupted', 'interrupted; the statement was cancelled'));

  /** Fails when the engine ends before it is closed. */
  readonly engineFailure: Promise<never>;

  constructor(private readonly runtime: Pick<Runtime, 'env' | 'signal' | 'sqlEngine' | 'keepHeapSmall'>) {
    runtime.keepHeapSmall?.();
    this.engineFailure = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.engineFailure.catch(() => {});
    const { TMPDIR = tmpdir(), SQLITE_TMPDIR, PATH, SystemRoot, TEMP, TZ } = runtime.env;
    this.child = fork(runtime.sqlEngine ?? '', [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      execArgv: nodeFlags,
      // Only what SQLite needs of the environment.
      env: { TMPDIR, SQLITE_TMPDIR, PATH, SystemRoot, TEMP, TZ, ...small },
      // Ctrl-C on a terminal is for this process, which decides what it ends.
      detached: true,
    });
    // The engine says that it has started.
    const started = { resolve: () => {}, reject: () => {} };
    this.waiting.push(started);
    this.child.on('message', (answer) => this.waiting.shift()?.resolve(answer as EngineAnswer));
    this.child.stderr?.on('data', (text) => {
      this.complaint = (this.complaint + text).slice(-2_000);
    });
    this.child.on('error', (error) => this.end(engineFailure(error.message)));
    this.child.on('exit', (code, signal) => {
      this.end(
        signal === overLimit
          ? overLimitFailure()
          : engineFailure(this.complaint.trim() || (signal ?? `exit code ${code}`)),
      );
    });
    if (runtime.signal.aborted) this.onAbort();
    else runtime.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Answers one request at a time. @throws Failure when the engine ends */
  ask(request: EngineRequest): Promise<EngineAnswer> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise<EngineAnswer>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.send(request, (error) => error && this.end(engineFailure(error.message)));
    });
  }

  /** Ends the process, also during a statement; what waits for an answer fails with the reason. */
  end(reason: Failure): void {
    if (this.failure) return;
    this.failure = reason;
    this.runtime.signal.removeEventListener('abort', this.onAbort);
    this.child.kill('SIGKILL');
    for (const { reject } of this.waiting.splice(0)) reject(reason);
    this.fail(reason);
  }

  /** Ends the process when its work is done. */
  close(): void {
    this.end(engineFailure('it was closed'));
  }
}

function overLimitFailure(): Failure {
  return usage(
    'the statement takes more than 200 MiB of memory or 512 MiB of temporary files, and was cancelled',
    'let it read or combine fewer rows',
  );
}

const engineFailure = (why: string): Failure => new Failure('bug', `the SQL engine ended unexpectedly: ${why}`);
