/** Text of a file to a table of rows, whatever of CSV, TSV, JSON and NDJSON it is. */
import type { ImportIssue, SourceTable } from '../domain/import/table.ts';
import { usage } from '../errors.ts';
import { JsonSyntaxError, parseJson } from '../json.ts';
import { type CsvRecord, readCsv } from './csv.ts';
import { readTsv } from './tsv.ts';

export const rowFormats = ['csv', 'tsv', 'json', 'ndjson'] as const;
export type RowFormat = (typeof rowFormats)[number];

const extensions: Record<string, RowFormat> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** By the extension of the name; undefined where it tells nothing. */
export function formatOfName(name: string): RowFormat | undefined {
  return extensions[/\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
}

/** By how the text begins: an array, an object, or a table. */
export function formatOfText(text: string): RowFormat {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('[')) return 'json';
  return start.startsWith('{') ? 'ndjson' : 'csv';
}

/** @throws usage naming file and line for a text that is not of the format */
export async function readRows(
  text: string,
  format: RowFormat,
  options: { name: string; delimiter?: string },
): Promise<SourceTable> {
  const { name } = options;
  if (format === 'csv') return tableOf(await readCsv(text, options), name);
  if (format === 'tsv') return tableOf(await readTsv(text, name), name);
  return objectsOf(format === 'json' ? readArray(text, name) : readLines(text, name), name, format);
}

function tableOf(records: readonly CsvRecord[], name: string): SourceTable {
  const [head, ...rest] = records;
  if (head === undefined) throw usage(`${name} is empty; its first line must name the columns`);
  const headers = head.cells.map((header) => header.trim());
  const issues: ImportIssue[] = [];
  const count = (amount: number) => `${amount} ${amount === 1 ? 'cell' : 'cells'}`;
  for (const { line, cells } of rest) {
    const more = cells.length > headers.length && cells.slice(headers.length).some((cell) => cell !== '');
    if ((!more && cells.length >= headers.length) || cells.every((cell) => cell === '')) continue;
    issues.push({ line, message: `the row has ${count(cells.length)}, and the header has ${count(headers.length)}` });
  }
  // Spreadsheets write a line of delimiters for every row that was ever touched.
  const rows = rest.filter(({ cells }) => cells.some((cell) => cell !== ''));
  return { headers, rows, json: false, place: 'line', issues };
}

interface Item {
  line: number;
  value: unknown;
}

function readArray(text: string, name: string): Item[] {
  const value = parsed(text, name);
  if (!Array.isArray(value))
    throw usage(`${name} must hold one JSON array of objects`, 'one object a line is --format ndjson');
  return value.map((item: unknown, index) => ({ line: index + 1, value: item }));
}

function readLines(text: string, name: string): Item[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((one) => one.text !== '')
    .map((one) => ({ line: one.line, value: parsed(one.text, `${name}, line ${one.line}`) }));
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
function objectsOf(items: readonly Item[], name: string, format: RowFormat): SourceTable {
  const places = new Map<string, number>();
  const rows = items.map(({ line, value }) => {
    if (!isObject(value)) {
      throw usage(
        `${name}, ${format === 'json' ? 'item' : 'line'} ${line}: must be an object, got ${JSON.stringify(value)}`,
      );
    }
    const cells: unknown[] = [];
    for (const [key, cell] of Object.entries(value)) {
      const fields =
        key === 'values' && isObject(cell) ? Object.entries(cell).map(([k, v]) => [`values.${k}`, v]) : [[key, cell]];
      for (const [header, item] of fields as [string, unknown][]) {
        const place = places.get(header) ?? places.size;
        places.set(header, place);
        cells[place] = item;
      }
    }
    return { line, cells };
  });
  return { headers: [...places.keys()], rows, json: true, place: format === 'json' ? 'item' : 'line', issues: [] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}
