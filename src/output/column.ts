import { baseType, type JsonSchema } from '../contract/schema.ts';
import { usage } from '../core/errors.ts';
import { isNumeric, isObject, type Numeric, plainDecimal, stringifyJson } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import type { Color } from './terminal-text.ts';

export type ColumnType =
  | 'text'
  | 'id'
  | 'integer'
  | 'number'
  | 'currency'
  | 'percent'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'json';

/** A cell before it is formatted. `undefined` and `null` are an empty cell; an object or array is compact JSON. */
export type Cell = string | Numeric | boolean | null | undefined | object;

/** A cell as programs read it: nothing for null and absent, numbers in plain decimal, nested values as compact JSON. */
export function machineCell(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (cell === undefined || cell === null) return '';
  if (isNumeric(cell)) return plainDecimal(cell);
  return typeof cell === 'boolean' ? String(cell) : stringifyJson(cell);
}

/** A column of a result: how its value is read from a row and shown. */
export interface Column<Row = Record<string, unknown>> {
  /** The header in csv, tsv, xlsx and parquet, and the name for `--fields`. */
  key: string;
  /** The header of tables and Markdown; default: `key`. */
  heading?: string | undefined;
  /** The machine value. */
  get(row: Row): Cell;
  /** The cell as people read it, in tables and Markdown; default: from the machine value. */
  shown?(row: Row): string | undefined;
  /** The cell in a table of a terminal, where that says it shorter or better; undefined: as in other tables. */
  onScreen?(row: Row): string | undefined;
  /** Default `text`. Numbers are right-aligned, dates short, booleans are words in a table. */
  type?: ColumnType | undefined;
  /** The possible items of a list. */
  items?: readonly string[];
  /** Shown after numbers in a table: a currency code, `%`, or a word. */
  unit?: string | ((row: Row) => string | undefined) | undefined;
  /** Another column has the unit: tables do not repeat it, and a workbook uses it as the number format. */
  unitInRow?: boolean;
  /** The column tells the unit of the numbers in its row, or a part of it. */
  tellsUnit?: boolean;
  /** Each number of a terminal's table shows its unit, because `--fields` left out the column of units. */
  ownUnit?: boolean;
  /** In tables a number is rounded to so many digits after the point; other formats keep all of its digits. */
  digits?: number;
  /** The path of the value in the JSON row, for `--fields` with json, ndjson and yaml; default `[key]`. */
  path?: readonly string[];
  /** Other names under which `--fields` knows the column. */
  aliases?: readonly string[] | undefined;
  /** The column of the API's value, which the aliases name. */
  own?: Column<Row> | undefined;
  /** JSON has no such key: under `--fields` it gets the cell. */
  inJson?: 'cell' | undefined;
  /** Left out of a table that is too narrow before the columns at its right; `last`: after the other ones. */
  spare?: boolean | 'last';
  /**
   * Left out of a table after all others; where it has no room, each row is shown as one object. Text that wraps is on
   * lines below its row instead.
   */
  required?: boolean;
  /** Never cut. */
  whole?: boolean;
  /**
   * Left out of tables and Markdown unless `--fields` names it; always in csv, tsv and the like. `screen`: only of the
   * tables of a terminal; `offScreen`: of all but these; `offTable`: of everything but tables and Markdown.
   */
  hidden?: boolean | 'screen' | 'offScreen' | 'offTable' | undefined;
  /**
   * The position in a table; columns are left out from the end. Default 10, and 90 for ids,
   * which are shown only if everything else fits. `--fields` has its own order.
   */
  rank?: number | undefined;
  /** The header in tables of a terminal, if it differs. */
  title?: string | undefined;
  /** The id of the company or user whose name a table shows in this cell. */
  names?(row: Row): string | null | undefined;
  /** Text with ids, for which a table of a terminal writes names or their starts. */
  hasIds?: boolean;
  /** Text that a table wraps by words where it has no room. */
  wraps?: boolean;
  /** A table of a terminal leaves the column out where every cell says this. */
  usual?: string;
  /** A table of a terminal says it once, below the rows, where every cell is the same. */
  saidOnce?: boolean;
  /** The text for a missing value in tables: `all metrics`, `never`. */
  absent?: string;
  /** The form of a time in a terminal's table: an end, or with the minute. Default: the day. */
  dates?: 'expiry' | 'minute';
  /** Whether a change is in points, `+0.92 pp`: that of a percentage is. */
  points?(row: Row): boolean;
  /** The values beside the cell: it is a change, shown as the difference of these as they are shown. */
  operands?(row: Row): readonly [after: Cell, before: Cell] | undefined;
  /** The values of a group whose change in percent the cell is: they have the digits that show it. */
  ratio?(row: Row): { group: string; after: Cell; before: Cell } | undefined;
  /** Numbers that comem computed: a workbook rounds them to the 15 digits that it keeps. Others are text there. */
  computed?: boolean | undefined;
  /** A number that says how something changed: with its sign and an arrow. */
  change?: boolean;
  /** Numbers of a group have the same digits, and all groups one scale; a column of text with a group shows their unit. */
  group?(row: Row): string | undefined;
  /**
   * What the column is to sparklines: the period of a row, a part of the name of its line, the value that the name says,
   * how many months the period has (`2/3`), or that of some of its numbers by key.
   */
  series?: 'period' | 'name' | 'value' | 'months' | 'incomplete';
  /** The colours of the words that a cell may be: `active`, `failed`. */
  tones?: Readonly<Record<string, Color>> | undefined;
  /** The colour of a cell in a table; never the only thing that says something. */
  tone?: ((row: Row) => Color | undefined) | undefined;
}

/**
 * The requested columns in the requested order; all if none are requested.
 * @throws usage for an unknown name
 */
export function chosenColumns<Row>(
  columns: readonly Column<Row>[],
  fields: readonly string[] | undefined,
): readonly Column<Row>[] {
  if (fields === undefined) return columns;
  const chosen = new Set<Column<Row>>();
  for (const name of fields) chosen.add(columnNamed(columns, name));
  const hasUnit = columns.every((column) => column.tellsUnit !== true || chosen.has(column));
  return [...chosen].map((column) =>
    !hasUnit && (column.unitInRow || column.group) ? { ...column, unitInRow: false, ownUnit: true } : column,
  );
}

/** Gives the function that keeps the columns' keys of a row's JSON, nested ones in their place. */
export function keepKeys<Row>(columns: readonly Column<Row>[]): (json: unknown, row: Row) => unknown {
  const paths = columns.map((column) => ({ column, path: column.path ?? [column.key] }));
  return (json, row) => {
    if (typeof json !== 'object' || json === null) return json;
    const result = {};
    for (const { column, path } of paths) {
      if (column.inJson === 'cell') define(result, column.key, column.get(row));
      else copy(json, result, path);
    }
    return result;
  };
}

type FieldHelp = ReturnType<typeof fieldHelp>[number];

/** The rows of `--fields help`. */
export function fieldHelp<Row>(columns: readonly Column<Row>[]) {
  return columns.map((column) => ({
    field: column.key,
    aliases: (column.aliases ?? []).join(' '),
    heading: column.title || column.heading || column.key,
    type: column.type ?? 'text',
  }));
}

export const fieldHelpColumns = (['field', 'aliases', 'heading', 'type'] as const).map(
  (key): Column<FieldHelp> => ({ key, heading: headingOf(key), get: (row) => row[key] }),
);

/** The column with this key or alias. */
export function columnOfKey<Row>(columns: readonly Column<Row>[], name: string): Column<Row> | undefined {
  return columns.find(({ key }) => key === name) ?? columns.find(({ aliases }) => aliases?.includes(name));
}

/** The column with this key or heading, in any letter case, with `_` or `-` for blanks: `createdAt` is `created_at`. */
export function columnOfHeading<Row>(columns: readonly Column<Row>[], name: string): Column<Row> | undefined {
  const word = foldedName(name);
  return columns.find(({ key, heading = key, title = key }) =>
    [key, heading, title].some((text) => foldedName(text) === word),
  );
}

function foldedName(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[ _-]+/g, ' ');
}

function columnNamed<Row>(columns: readonly Column<Row>[], name: string): Column<Row> {
  const column = columnOfKey(columns, name);
  if (column) return (column.key === name ? undefined : column.own) ?? column;
  const headed = columnOfHeading(columns, name);
  if (headed) return headed;
  const keys = columns.map(({ key }) => key);
  const near = nearest(name, keys);
  if (/[*/+()]| as /.test(name)) throw usage(`--fields: "${name}" is no column`).with({ code: 'computed_field' });
  throw usage(
    `--fields: unknown column "${name}"`,
    `${near === undefined ? '' : `did you mean ${near}? `}the columns are ${keys.join(', ')}`,
  );
}

function copy(from: object, to: object, path: readonly string[]): void {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(from, key)) return;
  const value: unknown = Reflect.get(from, key);
  if (rest.length === 0) {
    define(to, key, value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const within: unknown = Object.hasOwn(to, key) ? Reflect.get(to, key) : undefined;
  const target = typeof within === 'object' && within !== null ? within : {};
  copy(value, target, rest);
  define(to, key, target);
}

/** A key named `__proto__` is a key like any other. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

type Rules = Partial<Omit<Column, 'key' | 'get'>>;

/**
 * A column for each property. Tables show the ids of companies and users by name.
 * @param rules what the schema does not say (a shorter heading, hidden in tables)
 */
export function schemaColumns<Row extends object>(
  schema: JsonSchema,
  rules: Readonly<Record<string, Rules>> = {},
): Column<Row>[] {
  return Object.entries(schema.properties ?? {}).map(([key, property]) => ({
    key,
    // Computed on demand: most formats show no headings.
    get heading() {
      return headingOf(key);
    },
    type: typeOf(property),
    ...(/(?:company_?id|user_id|_by)$/i.test(key) && { names: (row: object) => Reflect.get(row, key) }),
    ...(rules[key] as Partial<Column<Row>> | undefined),
    get: (row) => (row as Record<string, Cell>)[key],
  }));
}

/** A column for each key of the rows, in order of first appearance. */
export function foundColumns(rows: Iterable<unknown>): Column<Record<string, unknown>>[] {
  const keys = new Set<string>();
  for (const row of rows) if (isObject(row)) for (const key of Object.keys(row)) keys.add(key);
  return [...keys].map((key) => ({ key, get: (row) => row[key] as Cell }));
}

/** `recipient_company_id` and `recipientCompanyId` as `Recipient company`; a bare id is `ID`. */
export function headingOf(key: string): string {
  if (key === 'id') return 'ID';
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .filter((word, index, all) => !(word === 'id' && index === all.length - 1));
  const text = words.join(' ').replace(/ at$/, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function typeOf(schema: JsonSchema): ColumnType {
  if (schema.format === 'uuid') return 'id';
  if (schema.format === 'date') return 'date';
  if (schema.format === 'date-time') return 'datetime';
  switch (baseType(schema)) {
    case 'integer':
      return 'integer';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'text';
    default:
      return 'json';
  }
}
