/** Text of a file to a table of rows, whatever of CSV, TSV, JSON, NDJSON and YAML it is. */

import { type CsvRecord, readCsv, sniffDelimiter } from '../../core/csv.ts';
import { shortened, usage } from '../../core/errors.ts';
import { JsonSyntaxError, parseJson, stringifyJson } from '../../core/json.ts';
import { readTsv, type TsvEscapes } from '../../core/tsv.ts';
import { readYaml } from '../../core/yaml.ts';
import { ownExport } from './own-export.ts';
import { type ImportIssue, ownHeaders, type SourceTable } from './table.ts';

export const rowFormats = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
export type RowFormat = (typeof rowFormats)[number];

const extensions: Record<string, RowFormat> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  yaml: 'yaml',
  yml: 'yaml',
};

/** Other files that people have tables in. */
const otherExtensions = new Set(['xlsx', 'xls', 'ods', 'numbers', 'parquet', 'md', 'xml', 'html', 'pdf']);

/** The extension of a name that says that the file is of another format. */
export function otherFormat(name: string): string | undefined {
  const extension = extensionOf(name);
  return otherExtensions.has(extension) ? extension : undefined;
}

/** By the extension of the name; undefined for an unknown one. */
export function formatOfName(name: string): RowFormat | undefined {
  return extensions[extensionOf(name)];
}

function extensionOf(name: string): string {
  return /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** By how the text begins: an array, an object, or a table. */
export function formatOfText(text: string): RowFormat {
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
  tsvEscapes?: TsvEscapes | undefined;
  /** Names of the columns in place of those on the first line. */
  header?: readonly string[] | undefined;
}

/** @throws usage naming file and line for a text that is not of the format */
export async function readRows(text: string, format: RowFormat, options: ReadOptions): Promise<SourceTable> {
  const { name } = options;
  if (format === 'csv') {
    const table = tableOf(await readCsv(text, options), options);
    return options.hasMark && /^[^\n]*\r\n/.test(text) ? unguarded(table) : table;
  }
  if (format === 'tsv') {
    const own = ([head, ...rest]: readonly CsvRecord[]) => {
      const fits = rest.every(({ cells }) => cells.length === head?.cells.length);
      return head && fits ? ownExport(head.cells, rest) : undefined;
    };
    const { records, read } = await readTsv(text, { name, escapes: options.tsvEscapes, own });
    return { ...tableOf(records, options), notes: read === undefined ? [] : [read] };
  }
  const items =
    format === 'ndjson'
      ? readLines(text, name)
      : itemsOf(format === 'json' ? parsed(text, name) : (await readYaml(text, name)).value, format, name);
  return objectsOf(items, format);
}

function tableOf(records: readonly CsvRecord[], { name, header }: ReadOptions): SourceTable {
  const [head, ...rest] = records;
  if (head === undefined) throw usage(`${name} is empty; its first line must name the columns`);
  if (header !== undefined && header.length !== head.cells.length) {
    throw usage(`--header names ${header.length} columns, and ${name} has ${head.cells.length}`);
  }
  const { headers, unnamed } = ownHeaders((header ?? head.cells).map((one) => one.trim()));
  const issues: ImportIssue[] = [];
  const count = (amount: number) => `${amount} ${amount === 1 ? 'cell' : 'cells'}`;
  for (const { line, cells } of rest) {
    const more = cells.length > headers.length && cells.slice(headers.length).some((cell) => cell !== '');
    if ((!more && cells.length >= headers.length) || cells.every((cell) => cell === '')) continue;
    issues.push({ line, message: `the row has ${count(cells.length)}, and the header has ${count(headers.length)}` });
  }
  // Spreadsheets write a line of delimiters for every row that was ever touched.
  const rows = rest.filter(({ cells }) => cells.some((cell) => cell !== ''));
  return { headers, unnamed, rows, json: false, place: 'line', issues };
}

/**
 * An export with --excel has a `'` before each text that a spreadsheet would take for a formula, also before one that
 * begins with such a mark itself. A file without the marks of that export keeps its apostrophes.
 */
function unguarded(table: SourceTable): SourceTable {
  const every = table.rows.flatMap(({ cells }) => cells as readonly string[]);
  const isNumber = (cell: string) => /^-[\d.]+$/.test(cell);
  if (every.some((cell) => formula.test(cell) && !isNumber(cell)) || !every.some((cell) => guarded.test(cell)))
    return table;
  const bare = (cell: unknown) => (typeof cell === 'string' && guarded.test(cell) ? cell.slice(1) : cell);
  const rows = table.rows.map(({ line, cells }) => ({ line, cells: cells.map(bare) }));
  return { ...table, headers: table.headers.map((header) => String(bare(header))), rows, notes: ['guards'] };
}

const formula = /^[=+\-@\t\r]/;
const guarded = /^'+[=+\-@\t\r]/;

/** A value, or why it cannot be read. */
type Item = { line: number; value: unknown } | { line: number; wrong: string };

function itemsOf(value: unknown, format: 'json' | 'yaml', name: string): Item[] {
  if (!Array.isArray(value)) {
    const hint = format === 'json' ? 'use the format ndjson for one object per line' : undefined;
    throw usage(`${name} must hold one ${format === 'json' ? 'JSON array' : 'YAML sequence'} of objects`, hint);
  }
  return value.map((item: unknown, index) => ({ line: index + 1, value: item }));
}

/** Each line on its own, so that one mistake hides no other; a text without any valid line is not NDJSON. */
function readLines(text: string, name: string): Item[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ line: index + 1, text: line.trimEnd() }]));
  const items = lines.map(({ line, text: one }): Item => {
    try {
      return { line, value: parseJson(one) };
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      return { line, wrong: `is not JSON: ${error.says} at column ${error.column}` };
    }
  });
  const [first] = items;
  if (first && 'wrong' in first && items.every((one) => 'wrong' in one)) {
    throw usage(`${name}, line ${first.line} ${first.wrong}`, 'use the format json for one array of objects');
  }
  return items;
}

function parsed(text: string, name: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw usage(`${name} is not JSON: ${error.message}`);
    throw error;
  }
}

/** Objects as rows; the values of an entry, as the API nests them, become columns `values.SLUG`. */
function objectsOf(items: readonly Item[], format: RowFormat): SourceTable {
  const places = new Map<string, number>();
  const issues: ImportIssue[] = [];
  const rows = items.flatMap((item) => {
    const { line } = item;
    if ('wrong' in item) {
      issues.push({ line, message: item.wrong });
      return [];
    }
    const { value } = item;
    if (!isObject(value)) {
      issues.push({ line, message: `must be an object, got ${short(value)}` });
      return [];
    }
    const cells: unknown[] = [];
    for (const [key, cell] of Object.entries(value)) {
      const fields =
        key === 'values' && isObject(cell) ? Object.entries(cell).map(([k, v]) => [`values.${k}`, v]) : [[key, cell]];
      for (const [header, inner] of fields as [string, unknown][]) {
        const place = places.get(header) ?? places.size;
        places.set(header, place);
        cells[place] = inner;
      }
    }
    return [{ line, cells }];
  });
  return { headers: [...places.keys()], rows, json: true, place: format === 'ndjson' ? 'line' : 'item', issues };
}

function short(value: unknown): string {
  return shortened(stringifyJson(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}
