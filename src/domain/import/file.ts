/** Reads CSV, TSV, JSON, NDJSON and YAML as a table of rows. */

import { type CsvRecord, formulaLike, refuseColumns, sniffDelimiter, streamCsv } from '../../core/csv.ts';
import { JsonSyntaxError, shorten, usage } from '../../core/errors.ts';
import { isObject, NumberRangeError, parseJson, stringifyJson } from '../../core/json.ts';
import { type GrowingRows, mapRows, type Rows } from '../../core/row-store.ts';
import { linesOf, type OpenText, readTsv } from '../../core/tsv.ts';
import { readYaml } from '../../core/yaml.ts';
import {
  exportKind,
  type ImportIssue,
  reasonColumn,
  type rowFormats,
  type SkipRule,
  type SourceRow,
  type SourceTable,
  TableBuilder,
  type textFormats,
} from './table.ts';

export type TextFormat = (typeof textFormats)[number];
export type RowFormat = (typeof rowFormats)[number];

const extensions: Record<string, RowFormat> = {
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  yaml: 'yaml',
  yml: 'yaml',
};

/** Table formats that comem does not read. */
const otherExtensions = new Set(['xls', 'xlsb', 'ods', 'numbers', 'parquet', 'md', 'xml', 'html', 'pdf']);

/** The extension of a name, if it is that of an unsupported format. */
export function otherFormat(name: string): string | undefined {
  const extension = extensionOf(name);
  return otherExtensions.has(extension) ? extension : undefined;
}

export function formatOfName(name: string): RowFormat | undefined {
  return extensions[extensionOf(name)];
}

function extensionOf(name: string): string {
  return /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

export function formatOfText(text: string): TextFormat {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return 'ndjson';
  if (/^- [\w."'-]+:(?:\s|$)/.test(start)) return 'yaml';
  return sniffDelimiter(start) === '\t' ? 'tsv' : 'csv';
}

export interface ReadOptions {
  name: string;
  delimiter?: string;
  /** The text began with a byte order mark. */
  hasMark?: boolean;
  /** Opens the store of rows; the default is an array. */
  keep?<T>(): Promise<GrowingRows<T>>;
  skips?: SkipRule | undefined;
}

/** @throws usage naming file and line for a text that is not of the format */
export async function readRows(
  source: string | OpenText,
  format: TextFormat,
  options: ReadOptions,
): Promise<SourceTable> {
  const { name, hasMark } = options;
  const open: OpenText = typeof source === 'string' ? () => [source] : source;
  const keep = options.keep ?? (async <T>(): Promise<GrowingRows<T>> => []);
  if (format === 'csv') {
    let delimiter: string | undefined;
    const onDelimiter = (mark: string) => {
      delimiter = mark;
    };
    const read = await tableOf(streamCsv(open(), { ...options, onDelimiter }), await keep(), options);
    const table = { ...read, ...(delimiter !== undefined && { delimiter }) };
    return hasMark ? removeGuards(table) : table;
  }
  if (format === 'tsv') {
    const { records, read } = await readTsv(open, { name, exportKind: exportKindOf, keep });
    const table = await tableOf(records, await keep(), options);
    return { ...table, notes: [...(table.notes ?? []), ...(read === undefined ? [] : [conventions[read]])] };
  }
  const table = new ObjectTable(await keep(), options);
  if (format === 'ndjson') readLines(open(), name, table);
  else {
    const text = [...open()].join('');
    const items = format === 'json' ? parsedJson(text, name) : (await readYaml(text, name)).value;
    addItems(items, format, name, table);
  }
  return table.ended(format === 'ndjson' ? 'line' : 'item');
}

const conventions = {
  escapes: '\\t, \\n, \\r and \\\\ are read as escapes',
  backslashes: 'backslashes are read as they are',
  quotes: 'cells in quotes are read as a spreadsheet writes them',
} as const;

/** Whether the rows are an export of comem. */
function exportKindOf(rows: Rows<CsvRecord>): 'whole' | 'part' | undefined {
  const [{ cells: headers = [] } = {}] = rows;
  if (headers.includes(reasonColumn)) return 'whole';
  for (const { cells } of rows) if (cells.length !== headers.length) return undefined;
  return exportKind(headers, rows);
}

async function tableOf(
  records: Iterable<CsvRecord> | AsyncIterable<CsvRecord>,
  rows: GrowingRows<SourceRow>,
  { name, skips }: ReadOptions,
): Promise<SourceTable> {
  const builder = new TableBuilder({ rows, lineUnit: 'line', skips, problem: problemOf });
  for await (const record of records) builder.add(record);
  const table = builder.ended();
  if (table === undefined) throw usage(`${name} is empty; its first line must name the columns`);
  return table;
}

function problemOf(cells: readonly unknown[], headers: readonly string[]): string | undefined {
  const count = (amount: number) => `${amount} ${amount === 1 ? 'cell' : 'cells'}`;
  const more = cells.slice(headers.length).some((cell) => cell !== '');
  if (!more && cells.length >= headers.length) return undefined;
  return `the row has ${count(cells.length)}, and the header has ${count(headers.length)}`;
}

/**
 * Removes the guards of an export for Excel: a `'` before each text that a spreadsheet would read as a formula.
 * A file with an unguarded formula is no such export and keeps its apostrophes.
 */
function removeGuards(table: SourceTable): SourceTable {
  const isNumber = (cell: string) => /^-[\d.]+$/.test(cell);
  let hasGuard = false;
  for (const { cells } of table.rows) {
    for (const cell of cells as readonly string[]) {
      if (formula.test(cell) && !isNumber(cell)) return table;
      hasGuard ||= isGuarded(cell);
    }
  }
  if (!hasGuard) return table;
  const bare = (cell: unknown) => (typeof cell === 'string' && isGuarded(cell) ? cell.slice(1) : cell);
  const rows = mapRows(table.rows, ({ line, cells }) => ({ line, cells: cells.map(bare) }));
  return {
    ...table,
    headers: table.headers.map((header) => String(bare(header))),
    rows,
    notes: [...(table.notes ?? []), "the ' before formulas, as an export for Excel writes it, is taken off"],
  };
}

/** Texts that every version of the export guards. */
const formula = /^[=+\-@\t\r]/;
const isGuarded = (cell: string) => cell.startsWith("'") && formulaLike.test(cell);

function addItems(value: unknown, format: 'json' | 'yaml', name: string, table: ObjectTable): void {
  if (!Array.isArray(value)) {
    const hint = format === 'json' ? 'use the format ndjson for one object per line' : undefined;
    throw usage(`${name} must hold one ${format === 'json' ? 'JSON array' : 'YAML sequence'} of objects`, hint);
  }
  for (const [index, item] of value.entries()) table.add(index + 1, item);
}

/** Reads line by line, so that all mistakes are reported. A text without a valid line is not NDJSON. */
function readLines(pieces: Iterable<string>, name: string, table: ObjectTable): void {
  let firstMistake: string | undefined;
  let hasItem = false;
  for (const { line, text } of linesOf(pieces, name, '\n')) {
    const json = (line === 1 ? text.replace(/^\uFEFF/, '') : text).trimEnd();
    if (json === '') continue;
    try {
      table.add(line, parseJson(json));
      hasItem = true;
    } catch (error) {
      if (error instanceof NumberRangeError) table.refuse(line, error.message);
      else if (error instanceof JsonSyntaxError) {
        const mistake = `is not JSON: ${error.says} at column ${error.column}`;
        firstMistake ??= `${name}, line ${line} ${mistake}`;
        table.refuse(line, mistake);
      } else throw error;
    }
  }
  if (firstMistake !== undefined && !hasItem) throw usage(firstMistake, 'use the format json for one array of objects');
}

function parsedJson(text: string, name: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof NumberRangeError) throw usage(`${name}: ${error.message}`);
    if (error instanceof JsonSyntaxError) throw usage(`${name} is not JSON: ${error.message}`);
    throw error;
  }
}

/** Cells by column index. A missing cell is not null. */
interface ObjectRow {
  line: number;
  cells: Record<number, unknown>;
}

/** Collects objects as rows. Nested values of an entry become columns `values.SLUG`. */
class ObjectTable {
  private readonly indexes = new Map<string, number>();
  private readonly issues: ImportIssue[] = [];

  constructor(
    private readonly rows: GrowingRows<ObjectRow>,
    private readonly options: ReadOptions,
  ) {}

  refuse(line: number, message: string): void {
    if (!this.options.skips?.(line)) this.issues.push({ line, message });
  }

  add(line: number, value: unknown): void {
    const isFailed = isObject(value) && Object.hasOwn(value, reasonColumn);
    if (!isFailed && this.options.skips?.(line)) return;
    if (!isObject(value)) {
      this.refuse(line, `must be an object, got ${short(value)}`);
      return;
    }
    const cells: ObjectRow['cells'] = {};
    for (const [key, cell] of Object.entries(value)) {
      if (key !== 'values' || !isObject(cell)) cells[this.indexOf(key)] = cell;
      else for (const [slug, inner] of Object.entries(cell)) cells[this.indexOf(`values.${slug}`)] = inner;
    }
    this.rows.push({ line, cells });
  }

  ended(lineUnit: SourceTable['lineUnit']): SourceTable {
    const rows = mapRows(this.rows, ({ line, cells }): SourceRow => ({ line, cells: Object.assign([], cells) }));
    return { headers: [...this.indexes.keys()], rows, json: true, lineUnit, issues: this.issues };
  }

  private indexOf(header: string): number {
    const known = this.indexes.get(header);
    if (known !== undefined) return known;
    const index = this.indexes.size;
    refuseColumns(index + 1, this.options.name);
    this.indexes.set(header, index);
    return index;
  }
}

function short(value: unknown): string {
  return shorten(stringifyJson(value));
}
