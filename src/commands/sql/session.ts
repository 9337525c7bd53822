/** Statements over live data: tables are made of what a statement names, each read once. */
import type { Context } from '../../cli/context.ts';
import { Failure, readWhole, usage } from '../../core/errors.ts';
import { functions } from '../../domain/sql/functions.ts';
import { type Mistake, mistakeOf, refusal } from '../../domain/sql/mistake.ts';
import { atTime } from '../../domain/sql/now.ts';
import { wrong } from '../../domain/sql/place.ts';
import { readStatement, refuseTruthTexts, type Statement } from '../../domain/sql/statement.ts';
import type { Compared, EngineAnswer, EngineRequest, WireValue } from '../../domain/sql/wire.ts';
import type { Column } from '../../output/column.ts';
import { type ResultRow, resultColumns } from './columns.ts';
import { interrupted, type SqlEngine, startEngine } from './engine.ts';
import { type Parameters, valuesFor } from './parameters.ts';
import type { OpenTable } from './table.ts';
import { type SqlTables, sqlTables } from './tables.ts';

/** Rows of one insert on their way to the engine. */
const insertRows = 200;

interface SqlResult {
  columns: Column<ResultRow>[];
  rows: AsyncIterable<ResultRow>;
}

interface Rows {
  rows: WireValue[][];
  last: boolean;
}

type Prepared = Extract<EngineAnswer, { prepared: unknown }>['prepared'];

interface Made {
  table: OpenTable;
  read: boolean;
}

/** A statement on its way; `stopped` when it was cancelled. */
interface Work {
  statement: Statement;
  stopped: Failure | undefined;
}

export class SqlSession {
  readonly tables: SqlTables;
  private engine: SqlEngine | undefined;
  /** The tables of the engine. */
  private made = new Map<string, Made>();
  private work: Work | undefined;

  constructor(
    private readonly ctx: Context,
    flags: { archived?: boolean | undefined },
  ) {
    this.tables = sqlTables(ctx, flags);
  }

  /** @throws usage for a statement that SQLite refuses, before any row is read */
  async query(text: string, parameters: Parameters = new Map()): Promise<SqlResult> {
    const statement = readStatement(text);
    const values = valuesFor(statement, parameters);
    const work: Work = { statement, stopped: undefined };
    this.work = work;
    const { columns, equalities } = await this.prepare(work);
    refuseTruthTexts(statement, (column) => this.hasBoolean(statement, column));
    this.warnOfLists(equalities, statement, values);
    for (const [name, made] of this.made) if (!made.read && names(statement, name)) await this.fill(work, name, made);
    // The clock of the server is known once it has answered.
    const timed = atTime(statement, this.ctx.now, values);
    const first = await this.rows(work, { do: 'run', text: timed, parameters: values });
    const sourceOf = (table: string, column: string) =>
      this.made.get(table.toLowerCase())?.table.columns.find(({ name }) => name === column.toLowerCase());
    return {
      columns: resultColumns(columns, sourceOf, first.rows, first.last),
      rows: this.rest(work, first),
    };
  }

  /** Ends what runs, and forgets the tables. */
  end(reason: Failure = interrupted()): void {
    if (this.work) this.work.stopped = reason;
    this.engine?.end(reason);
    this.engine = undefined;
    this.made = new Map();
  }

  /** Creates the tables that SQLite misses, until it accepts the statement. */
  private async prepare(work: Work): Promise<Prepared> {
    const { statement } = work;
    const { text, explained } = statement;
    for (;;) {
      const answer = await this.ask(work, { do: 'prepare', text, explained });
      if ('prepared' in answer) {
        checkReach(statement, answer.prepared);
        return answer.prepared;
      }
      const mistake = mistakeOf('error' in answer ? answer.error.message : '');
      const name = mistake.kind === 'table' ? mistake.name.replace(/^main\./i, '').toLowerCase() : undefined;
      const table = name === undefined || this.made.has(name) ? undefined : await this.tables.find(name);
      if (name === undefined || !table) throw await this.refusal(work, mistake);
      const open = await table.open();
      const columns = open.columns.map(({ name: column, type }) => ({ name: column, type }));
      await this.done(work, { do: 'create', table: name, columns });
      this.made.set(name, { table: open, read: false });
    }
  }

  /** A list never equals one of its options: the statement is right, and finds nothing. */
  private warnOfLists(
    equalities: readonly Compared[],
    { tokens }: Statement,
    values: Readonly<Record<string, WireValue>>,
  ): void {
    const parameters = [...new Set(tokens.flatMap(({ kind, text }) => (kind === 'parameter' ? [text] : [])))];
    const said = new Set<string>();
    for (const { table, column, ...text } of equalities) {
      const { items = [] } = this.made.get(table)?.table.columns.find(({ name }) => name === column) ?? {};
      const parameter = 'text' in text ? '' : (parameters[text.parameter - 1] ?? '');
      const value = 'text' in text ? text.text : values[parameter.slice(1)];
      if (typeof value !== 'string' || said.has(column)) continue;
      if (!items.some((item) => item.toLowerCase() === value.toLowerCase())) continue;
      said.add(column);
      const written = 'text' in text ? `'${value.replaceAll("'", "''")}'` : parameter;
      this.ctx.out.warn(
        `${table}.${column} is a JSON array of options, which never equals "${value}": write exists (select 1 from json_each(${column}) where value = ${written})`,
      );
    }
  }

  private hasBoolean(statement: Statement, column: string): boolean {
    return [...this.made].some(
      ([name, { table }]) =>
        names(statement, name) && table.columns.some((one) => one.name === column && one.type === 'BOOLEAN'),
    );
  }

  private refusal(work: Work, mistake: Mistake): Promise<Failure> {
    const { statement } = work;
    const columns = [...this.made].flatMap(([name, { table }]) =>
      names(statement, name) ? table.columns.map((column) => column.name) : [],
    );
    const known = { tables: this.tables.known(), columns, companies: this.tables.companies() };
    return refusal(statement, mistake, known, async (text) => {
      const answer = await this.ask(work, { do: 'prepare', text, explained: text });
      return !('error' in answer) || mistakeOf(answer.error.message).kind !== 'syntax';
    });
  }

  private async fill(work: Work, name: string, made: Made): Promise<void> {
    let count = 0;
    let sent: Promise<void> = Promise.resolve();
    const send = async (rows: WireValue[][]) => {
      await sent;
      sent = this.done(work, { do: 'insert', table: name, rows });
      // It is awaited before the next one; until then a failure is not unhandled.
      sent.catch(() => {});
    };
    try {
      for await (const page of readWhole(made.table.pages())) {
        for (let from = 0; from < page.length; from += insertRows) await send(page.slice(from, from + insertRows));
        count += page.length;
        this.ctx.out.progress(`${name}: ${count.toLocaleString('en')} rows`);
      }
      await sent;
      made.read = true;
    } catch (error) {
      // Half a table must not be taken for the complete one by the next statement.
      if (!work.stopped) this.end();
      throw error;
    } finally {
      this.ctx.out.progress(undefined);
    }
  }

  private async *rest(work: Work, first: Rows): AsyncGenerator<ResultRow> {
    let next: Promise<Rows> | undefined;
    for (let answer = first; ; answer = await next) {
      next = answer.last ? undefined : this.rows(work, { do: 'next' });
      next?.catch(() => {});
      yield* answer.rows;
      if (!next) return;
    }
  }

  private async rows(work: Work, request: EngineRequest): Promise<Rows> {
    const { timeoutMs } = this.ctx.settings;
    const answer = await this.ask(work, request, timeoutMs.origin === 'default' ? undefined : timeoutMs.value);
    if ('rows' in answer) return answer;
    throw usage(`the statement failed: ${'error' in answer ? answer.error.message : 'no answer'}`);
  }

  private async done(work: Work, request: EngineRequest): Promise<void> {
    const answer = await this.ask(work, request);
    if (!('error' in answer)) return;
    const { noRoom, message } = answer.error;
    if (!noRoom) throw new Failure('bug', `the SQL engine failed: ${message}`);
    throw usage(
      'the temporary folder has no room for the tables',
      'free some space there, or name another folder with TMPDIR',
    );
  }

  private async ask(work: Work, request: EngineRequest, limitMs?: number): Promise<EngineAnswer> {
    if (work.stopped) throw work.stopped;
    if (!this.engine || this.engine.ended) {
      this.made = new Map();
      this.engine = startEngine(this.ctx.runtime);
    }
    return this.engine.ask(request, limitMs);
  }
}

/** Whether the statement has the word as a name. */
function names({ tokens }: Statement, name: string): boolean {
  return tokens.some(({ kind, value }) => kind === 'name' && value.toLowerCase() === name);
}

/** What the compiled statement does is checked too, not only how it is written. */
function checkReach(
  { text, tokens }: Statement,
  { functions: called, writes }: { functions: readonly string[]; writes: boolean },
): void {
  if (writes) throw wrong(text, tokens[0], 'the statement is not allowed', undefined, '`comem sql` only reads');
  const refused = called.find((name) => !functions.has(name));
  if (refused === undefined) return;
  const token = tokens.find(({ kind, value }) => kind === 'name' && value.toLowerCase() === refused);
  throw wrong(
    text,
    token,
    `the function "${refused}" is not allowed`,
    'a statement may compute, and reads tables only',
  );
}
