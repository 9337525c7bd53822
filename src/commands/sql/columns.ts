/** Tables of `comem sql`: columns of output as columns of SQL, and columns of a result as columns of output. */

import type { Context } from '../../cli/context.ts';
import { isInteger, isNumeric, type Numeric, numeric, plainDecimal } from '../../core/json.ts';
import { readInstant } from '../../core/periods.ts';
import type { ResultColumn, SqlValue, TableColumn } from '../../domain/sql/wire.ts';
import { type Cell, type Column, type ColumnType, machineCell } from '../../output/column.ts';

interface SqlColumn extends TableColumn {
  /** The type and unit of its values in output. */
  holds: ColumnType;
  unit: string | undefined;
  /** The possible items of a list. */
  items?: readonly string[] | undefined;
}

interface ReadColumn<Row> extends SqlColumn {
  value(row: Row): SqlValue;
}

/** `first-contact`, `values.title` and `periodKey` as names that need no quotes. */
export function sqlName(key: string): string {
  const name = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^\p{L}\p{N}_]+/gu, '_')
    .toLowerCase();
  return /^\p{N}/u.test(name) ? `_${name}` : name;
}

/** The name, with `_2`, `_3`, … where it is taken; adds it to the taken ones. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
  taken.add(free);
  return free;
}

/** A number has a second column `NAME_text` with every digit; only a whole one fits into SQLite's own numbers always. */
function sqlColumns<Row>(columns: readonly Column<Row>[]): { columns: ReadColumn<Row>[]; renamed: string[] } {
  const taken = new Set<string>();
  const names = new Map(columns.map((column) => [column, freeName(sqlName(column.key), taken)]));
  const renamed = [...names].flatMap(([{ key }, name]) =>
    name === sqlName(key) ? [] : `"${key}" is the column ${name}, since ${sqlName(key)} is another one`,
  );
  const all = columns.flatMap((column): ReadColumn<Row>[] => {
    const name = names.get(column) ?? '';
    const holds = column.type === 'json' ? 'text' : (column.type ?? 'text');
    const type = types[holds];
    const unit = typeof column.unit === 'string' ? column.unit : undefined;
    const read = {
      name,
      type,
      holds,
      unit,
      items: column.items,
      value: valueIn(holds === 'datetime' ? 'time' : type, column),
    };
    if (type !== 'NUMERIC') return [read];
    const digits = { type: 'TEXT', holds: 'text', unit: undefined, value: valueIn('TEXT', column) } as const;
    return [read, { ...digits, name: freeName(`${name}_text`, taken) }];
  });
  return { columns: all, renamed };
}

const types: Readonly<Record<ColumnType, TableColumn['type']>> = {
  text: 'TEXT',
  id: 'TEXT',
  date: 'TEXT',
  datetime: 'TEXT',
  json: 'TEXT',
  integer: 'INTEGER',
  number: 'NUMERIC',
  currency: 'NUMERIC',
  percent: 'NUMERIC',
  boolean: 'BOOLEAN',
} as const;

function valueIn<Row>(type: TableColumn['type'] | 'time', { get }: Column<Row>): (row: Row) => SqlValue {
  if (type === 'time') return (row) => timeText(text(get(row)));
  if (type === 'TEXT') return (row) => text(get(row));
  if (type === 'BOOLEAN') {
    return (row) => {
      const cell = get(row);
      return typeof cell === 'boolean' ? Number(cell) : text(cell);
    };
  }
  return (row) => {
    const cell = get(row);
    return isNumeric(cell) ? sqlNumber(cell) : text(cell);
  };
}

function text(cell: Cell): string | null {
  if (typeof cell === 'string') return cell;
  return cell === null || cell === undefined ? null : machineCell(cell);
}

/** A time in UTC with milliseconds: only texts of one form compare by time. */
function timeText(written: string | null): string | null {
  if (written === null || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(written)) return written;
  const time = readInstant(written);
  return time === undefined ? written : new Date(time).toISOString();
}

/** A whole number of up to 63 bits; else the nearest double. */
export function sqlNumber(value: Numeric): SqlValue {
  if (typeof value === 'number') return value;
  if (!isInteger(value)) return Number(value);
  const whole = BigInt(plainDecimal(value).split('.')[0] ?? '0');
  if (BigInt.asIntN(64, whole) !== whole) return Number(value);
  const double = Number(whole);
  return Number.isSafeInteger(double) ? double : whole;
}

export type ResultRow = readonly SqlValue[];

/** A column of a table keeps its type and unit; another's follows from the first rows. @param complete these are all */
export function resultColumns(
  columns: readonly ResultColumn[],
  sourceOf: (table: string, column: string) => SqlColumn | undefined,
  first: readonly ResultRow[],
  complete: boolean,
): Column<ResultRow>[] {
  const taken = new Set<string>();
  return columns.map(({ name, table, column }, index): Column<ResultRow> => {
    const source = table === null || column === null ? undefined : sourceOf(table, column);
    const type = source
      ? source.holds
      : typeOfValues(
          first.map((row) => row[index] ?? null),
          complete,
        );
    return {
      key: freeName(name, taken),
      type,
      unit: source?.unit,
      get: (row) => cellOf(row[index] ?? null, type),
      shown: (row) => selectedText(row[index] ?? null),
      onScreen: (row) => selectedText(row[index] ?? null),
      tone: (row) => ((row[index] ?? null) === null ? 'dim' : undefined),
      // The statement says the order, and every column is wanted, an empty one too.
      rank: 1,
      required: true,
      absent: emptyText,
      whole: type === 'id',
    };
  });
}

const emptyText = 'NULL';
const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value in a table as it was selected: every digit, no unit, a line break as `\n`. */
function selectedText(value: SqlValue): string {
  if (value === null) return emptyText;
  if (typeof value === 'string') return value.replace(/[\n\r\t]/g, (character) => escapes[character] ?? character);
  return machineCell(typeof value === 'bigint' ? numeric(String(value)) : value);
}

function cellOf(value: SqlValue, type: ColumnType | undefined): Cell {
  if (typeof value === 'bigint') return numeric(String(value));
  if (type === 'boolean' && (value === 0 || value === 1)) return value === 1;
  return value;
}

/** Numbers are doubles unless all rows are known to be whole. */
function typeOfValues(values: readonly SqlValue[], complete: boolean): ColumnType {
  const present = values.filter((value) => value !== null);
  if (present.length === 0 || present.some((value) => typeof value === 'string')) return 'text';
  const whole = present.every((value) => typeof value === 'bigint' || Number.isInteger(value));
  return whole && complete ? 'integer' : 'number';
}

export function forCompany(ctx: Context, companyId: string | undefined): Context {
  return companyId === undefined || ctx.settings.companies.value.length < 2 ? ctx : ctx.forCompanies([companyId]);
}

/** A table before it is read. */
export interface SqlTable {
  name: string;
  /** A short description of its rows. */
  says: string;
  open(): Promise<OpenTable>;
}

/** A table whose columns are known, and whose rows can be read. */
export interface OpenTable {
  columns: readonly SqlColumn[];
  /** Notes about columns whose name was taken. */
  renamed: readonly string[];
  /** Values in the order of the columns; null in those that are not read. */
  pages(isRead: (column: string) => boolean): AsyncIterable<SqlValue[][]>;
}

/** A table whose rows come in pages. */
export function openTable<Row>(columns: readonly Column<Row>[], pages: () => AsyncIterable<readonly Row[]>): OpenTable {
  const { columns: read, renamed } = sqlColumns(columns);
  return {
    columns: read,
    renamed,
    async *pages(isRead) {
      const values = read.map(({ name, value }) => (isRead(name) ? value : () => null));
      for await (const page of pages()) yield page.map((row) => values.map((value) => value(row)));
    },
  };
}
