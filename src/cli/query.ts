/** Row queries of reading commands (docs/query.md): their flags, and the rows that they select. */

import { Failure, requireField, rowName, usage } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Column as Named, Option, Scope, ValueType } from '../domain/expression/typed.ts';
import type { Pages } from '../domain/query/cells.ts';
import {
  type Cell,
  type Column,
  type ColumnType,
  columnOfHeading,
  columnOfKey,
  machineCell,
} from '../output/column.ts';
import type { RowsOptions } from '../output/output.ts';
import type { Context } from './context.ts';
import { type Flags, flag, inGroup } from './define.ts';
import type { QueryOptions, RowFlags, RowQuery } from './row-query.ts';

export type { RowFlags, RowQuery } from './row-query.ts';

/** The flags that choose rows. */
export const whereFlag = inGroup('ROWS', {
  where: flag.list('EXPR', 'only rows that meet the condition'),
});

const changedFlag = inGroup('ROWS', {
  changedSince: flag.text('WHEN', 'changed since a date, a duration, or the last run'),
});

const oneFlag = inGroup('ROWS', { one: flag.boolean('exactly one row, printed as an object') });

const sortFlag = inGroup('ROWS', {
  sort: flag.list('KEY[:desc],…', 'sort by these columns; KEY:desc sorts downwards'),
});

/** For rows that do not say when they changed. */
export const shortRowFlags = { ...whereFlag, ...sortFlag, ...oneFlag };
export const rowFlags = { ...whereFlag, ...changedFlag, ...sortFlag, ...oneFlag };

const manuals = {
  sort: '--sort puts options in the order of their list, text as people sort it (numbers within text by value), and empty values last. KEY is a column or an expression. All rows are held while they are sorted; with --limit N, those of N rows.',
  changedSince:
    '--changed-since takes a date (2024-01-31), a duration (12h, 7d), a time such as "month - 1", or last: what changed since the previous complete run of this same command with this profile. A run that is interrupted or cut by --limit does not count. Deleted rows cannot be seen.',
  one: '--one: no row is exit 3; several are exit 2, and the message names them.',
};

/** The manual's paragraphs about a command's row flags. */
export function rowFlagsManual(flags: Flags): string[] {
  const names = Object.keys(manuals) as (keyof typeof manuals)[];
  return names.filter((name) => flags[name] === rowFlags[name]).map((name) => manuals[name]);
}

export function hasRowFlags({ where, changedSince, sort, one }: RowFlags): boolean {
  return where !== undefined || changedSince !== undefined || sort !== undefined || one === true;
}

/** @throws usage for an expression that is not valid, before anything is read */
export async function openQuery<Row>(ctx: Context, asking: QueryOptions<Row>): Promise<RowQuery<Row>> {
  if (hasRowFlags(asking.flags) || (asking.conditions ?? []).length > 0) {
    return (await import('./row-query.ts')).createRowQuery(ctx, asking);
  }
  const { Batches } = await import('../output/write/rows.ts');
  return {
    isLocal: false,
    conditions: [],
    columns: new Set(),
    select: (pages) => asRead(pages),
    choose: (pages) => new Batches(asRead(pages)),
    empty: () => ({ count: 0, columns: [] }),
    finished() {},
  };
}

async function* asRead<Row>(pages: Pages<Row>): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) yield page;
}

/** @throws usage for flags that choose rows beside `--raw`, which prints all of a body */
export function refuseRawQuery(ctx: Context, flags: RowFlags, more = false): void {
  if (!ctx.settings.raw || !(hasRowFlags(flags) || more)) return;
  throw usage('--raw prints the body as it was received, and these flags choose rows of it', 'omit --raw');
}

interface Showing<Row> extends RowsOptions<Row> {
  offset?: number | undefined;
  /** Names a row in messages. */
  name(row: Row): string;
}

/** Prints the rows that are chosen, or the one of `--one`. */
export async function showChosen<Row>(
  ctx: Context,
  { question, flags, pages }: { question: RowQuery<Row>; flags: RowFlags; pages: Pages<Row> },
  all: readonly Column<Row>[],
  { offset, name, ...options }: Showing<Row>,
): Promise<void> {
  const columns = besideFirst(all, question.columns);
  if (flags.one) {
    if (ctx.settings.limit !== undefined) throw usage('--one prints one row, so --limit cannot be used with it');
    if (!(await ctx.out.check(columns))) return;
    const { onlyRow } = await import('./row-query.ts');
    const row = await onlyRow(question.choose(pages, { offset }), name);
    await ctx.out.value(row, columns, { id: options.id, ...(options.json && { json: options.json(row) }) });
    question.finished();
    return;
  }
  if (!question.isLocal) {
    // The total is known only for rows in memory or rows that can be computed again.
    const total = Symbol.iterator in pages ? { total: () => countOf(pages) } : {};
    return ctx.out.rows(question.choose(pages), columns, { ...total, ...options });
  }
  const { whole } = await import('./row-query.ts');
  const chosen = whole(question.choose(pages, { offset, limit: ctx.settings.limit }));
  await ctx.out.rows(chosen.rows, columns, options).catch((error: unknown) => {
    // Without rows the output is complete, too.
    if (error instanceof Failure && error.code === 'empty' && chosen.ended()) question.finished();
    throw error;
  });
  if (chosen.ended()) question.finished();
}

function countOf(pages: Iterable<readonly unknown[]>): number {
  let count = 0;
  for (const page of pages) count += page.length;
  return count;
}

/** Moves columns that the query names to second place, so that a narrow table shows them. */
function besideFirst<Row>(columns: readonly Column<Row>[], names: ReadonlySet<string>): readonly Column<Row>[] {
  if (names.size === 0) return columns;
  const visible = columns.filter(({ type, hidden }) => type !== 'id' && !hidden);
  const first = Math.min(...visible.map(rankOf));
  const leader = visible.find((column) => rankOf(column) === first);
  return columns.map((column) => {
    if (column === leader) return { ...column, rank: Math.min(first, namedRank - 1) };
    return isNamed(column, names) ? { ...column, rank: namedRank } : column;
  });
}

const namedRank = 2;

function rankOf<Row>({ rank = 10 }: Column<Row>): number {
  return rank;
}

function isNamed<Row>({ key, aliases = [], rank = 10 }: Column<Row>, names: ReadonlySet<string>): boolean {
  return rank > namedRank && [key, ...aliases].some((name) => names.has(name));
}

interface ShowingRows<Row> extends Omit<Showing<Row>, 'offset'> {
  flags: RowFlags;
  /** As in `QueryOptions`. */
  command: readonly unknown[];
  rules?: ScopeRules;
}

/** Prints rows whose columns are the names of expressions. They are read after the flags are checked. */
export async function showRows<Row>(
  ctx: Context,
  read: () => Promise<readonly Row[]>,
  columns: readonly Column<Row>[],
  { flags, command, rules, ...showing }: ShowingRows<Row>,
): Promise<void> {
  const question = await openRowQuery(ctx, columns, { flags, command, ...(rules && { rules }) });
  let all: readonly Row[] | undefined;
  async function* pages(): AsyncGenerator<readonly Row[]> {
    all = await read();
    yield all;
  }
  const { sort: _, ...choosing } = flags;
  const isChosen = hasRowFlags(choosing);
  const total = () => (isChosen ? undefined : all?.length);
  await showChosen(ctx, { question, flags, pages: pages() }, columns, { total, ...showing });
}

/** The chosen rows, for commands that also judge them. */
export async function chosenRows<Row>(question: RowQuery<Row>, rows: readonly Row[]): Promise<Row[]> {
  const chosen: Row[] = [];
  for await (const row of question.choose([rows])) chosen.push(row);
  return chosen;
}

/** The chosen rows in the order of `rows`, as the same objects. */
export async function selectedRows<Row>(question: RowQuery<Row>, rows: readonly Row[]): Promise<Row[]> {
  const selected: Row[] = [];
  for await (const some of question.select([rows])) for (const row of some) selected.push(row);
  return selected;
}

/** A query whose expressions name the columns of the rows. */
export function openRowQuery<Row>(
  ctx: Context,
  columns: readonly Column<Row>[],
  { flags, command, rules }: Pick<ShowingRows<Row>, 'flags' | 'command' | 'rules'>,
): Promise<RowQuery<Row>> {
  return openQuery(ctx, { scope: columnScope(columns, ctx, rules), flags, command });
}

const types: Readonly<Partial<Record<ColumnType, ValueType>>> = {
  text: 'text',
  id: 'text',
  boolean: 'boolean',
  date: 'time',
  datetime: 'time',
  integer: 'number',
  number: 'number',
  currency: 'number',
  percent: 'number',
};

/** Rules beyond the types of columns: the possible words of a text, a period, or a set of texts. */
export type ScopeRules = Readonly<Record<string, Rule>>;

type Rule = readonly string[] | 'set' | 'period';

/**
 * A column of nested values has no type, and so no name here.
 * @param more columns that are known when the rows are read
 */
export function columnScope<Row>(
  columns: readonly Column<Row>[],
  { now, companyOf }: Pick<Context, 'now' | 'companyOf'>,
  rules: ScopeRules = {},
  more?: (name: string) => Named<Row> | undefined,
): Scope<Row> {
  const known = new Map<string, Named<Row>>();
  for (const { key, get, type = 'text' } of columns) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    const valueType = rule === undefined ? types[type] : typeof rule === 'string' ? named[rule] : 'option';
    // The values of a column such as `before` are of any type, and compared as text.
    const read = valueType === 'text' ? (row: Row) => textOf(get(row)) : get;
    const idOf = type === 'id' && companyIds.test(key) ? (text: string) => companyOf(text, '--where') : undefined;
    if (!valueType) continue;
    known.set(key, { name: key, type: valueType, get: requiredValue(key, read), options: optionsOf(rule), idOf });
  }
  const typed = columns.filter(({ key }) => known.has(key));
  const column = (name: string) =>
    known.get(columnOfKey(typed, name)?.key ?? '') ??
    more?.(name) ??
    known.get(columnOfHeading(typed, name)?.key ?? '');
  return { column, names: [...known.keys()], now };
}

/** Keys of columns with the id of a company or a recipient, whose names tables print. */
const companyIds = /company|recipient/i;

/** Fields that conditions rely on. A row without one is an error. */
const always: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'status', 'metric_ids', 'archived']);

function requiredValue<Row>(key: string, get: (row: Row) => unknown): (row: Row) => unknown {
  if (!always.has(key)) return get;
  return (row) => {
    const value = get(row);
    return value === undefined ? requireField(value, key, rowName('row', isObject(row) ? row.id : undefined)) : value;
  };
}

function textOf(cell: Cell): Cell {
  return cell === null || cell === undefined ? cell : machineCell(cell);
}

const named = { set: 'options', period: 'time' } as const;

function optionsOf(rule: Rule | undefined): Option[] | undefined {
  return typeof rule === 'object' ? rule.map((word) => ({ id: word, label: word })) : undefined;
}
