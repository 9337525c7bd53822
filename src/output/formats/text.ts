/** Formats of text: CSV as RFC 4180 says it, with a BOM, CR LF and safe cells for Excel; TSV, ids, JSON, YAML, Markdown. */

import { formulaLike } from '../../core/csv.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, stringifyJson } from '../../core/json.ts';
import { type Column, machineCell } from '../column.ts';
import { screenColumns } from '../screen-column.ts';
import { cleanLine, cleanLines } from '../terminal-text.ts';
import { displayCell, isNumberColumn } from '../values.ts';
import type { Result, RowWriter, TableRules } from './writer.ts';

export function csvWriter<Row>(
  result: Result<Row>,
  excel: '.' | ',' | false,
  delimiter = excel === ',' ? ';' : ',',
): RowWriter<Row> {
  const { columns } = result;
  const end = excel ? '\r\n' : '\n';
  const quotable = new RegExp(`["\\r\\n${delimiter}]`);
  const quote = (text: string) => (quotable.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const safe = (text: string) => quote(excel && formulaLike.test(text) ? `'${text}` : text);
  const cell = (column: Column<Row>, row: Row): string => {
    const value = column.get(row);
    if (typeof value === 'string') return safe(value);
    if (excel === ',' && isNumeric(value)) return machineCell(value).replace('.', ',');
    return typeof value === 'number' || value === null || value === undefined
      ? machineCell(value)
      : quote(machineCell(value));
  };
  // A lone empty cell would be an empty line, which readers skip.
  const line = (cells: string) => (cells === '' && columns.length === 1 ? `""${end}` : cells + end);
  const head =
    (excel ? '\uFEFF' : '') + (result.header ? columns.map(({ key }) => safe(key)).join(delimiter) + end : '');
  return {
    open: () => head,
    rows(rows) {
      let text = '';
      for (const row of rows) {
        let cells = '';
        for (let index = 0; index < columns.length; index += 1) {
          if (index > 0) cells += delimiter;
          cells += cell(columns[index] as Column<Row>, row);
        }
        text += line(cells);
      }
      return text;
    },
  };
}

/** Tab-separated values; tab, newline, carriage return and backslash are written `\t \n \r \\`. */
const special = /[\t\n\r\\]/;
const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

export function tsvWriter<Row>({ columns, header }: Result<Row>): RowWriter<Row> {
  return {
    open: () => (header ? `${columns.map(({ key }) => escapeCell(key)).join('\t')}\n` : ''),
    rows(rows) {
      let text = '';
      for (const row of rows)
        text += `${columns.map((column) => escapeCell(machineCell(column.get(row)))).join('\t')}\n`;
      return text;
    },
  };
}

function escapeCell(text: string): string {
  return special.test(text) ? text.replace(/[\t\n\r\\]/g, (match) => escapes[match] ?? match) : text;
}

/** Only ids, one on each line: for `xargs` and for the commands that read ids on stdin. */
export function idWriter<Row>({ id }: Result<Row>): RowWriter<Row> {
  return {
    rows(rows) {
      let text = '';
      for (const row of rows) {
        const rowId = id(row);
        if (rowId === undefined)
          throw usage('-o id prints ids, but the rows of this command have none', 'use another -o');
        // A line break in an id would make two ids.
        text += `${cleanLine(rowId)}\n`;
      }
      return text;
    },
  };
}

/** One array, a row on each line. A failure leaves it open, so that no parser takes it for complete. */
export function jsonWriter<Row>({ json }: Result<Row>): RowWriter<Row> {
  let before = '\n';
  return {
    open: () => '[',
    rows(rows) {
      let text = '';
      for (const row of rows) {
        text += before + stringifyJson(json(row));
        before = ',\n';
      }
      return text;
    },
    close: (none) => (none ? ']\n' : '\n]\n'),
  };
}

/** NDJSON: a row on each line. */
export function ndjsonWriter<Row>({ json }: Result<Row>): RowWriter<Row> {
  return {
    rows(rows) {
      let text = '';
      for (const row of rows) text += `${stringifyJson(json(row))}\n`;
      return text;
    },
  };
}

export function yamlWriter<Row>({ json }: Result<Row>): RowWriter<Row> {
  return {
    // The sequence of these rows continues the one before it.
    rows: async (rows) => (await import('../../core/yaml.ts')).writeYaml(rows.map(json)),
    close: (none) => (none ? '[]\n' : ''),
  };
}

/** Rows whose numbers have common decimals. */
const markdownBlock = 512;

export function markdownWriter<Row>(
  result: Result<Row>,
  { look, turn }: Pick<TableRules, 'look' | 'turn'>,
): RowWriter<Row> {
  const { columns } = result;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  let pending: Row[] = [];
  const lines = async () => {
    const rows = pending;
    pending = [];
    const numbers = screenColumns(columns, rows, { ...look, isScreen: false });
    const cell = (column: Column<Row>, at: number, row: Row) =>
      escapeMarkdown((isNumberColumn(column) ? numbers[at]?.text(row) : undefined) ?? displayCell(column, row));
    let text = '';
    for (const row of rows) {
      text += line(columns.map((column, at) => cell(column, at, row)));
      await turn();
    }
    return text;
  };
  return {
    // A Markdown table needs its header, so `--no-header` does not apply.
    open: () =>
      line(columns.map(({ heading, key }) => escapeMarkdown(heading ?? key))) +
      line(columns.map((column) => (isNumberColumn(column) ? '---:' : '---'))),
    rows(rows) {
      pending.push(...rows);
      return pending.length < markdownBlock ? '' : lines();
    },
    broken: lines,
    close: lines,
  };
}

/** Escapes text that would end a cell, start a tag or an entity, or be read as emphasis, code or a link. */
function escapeMarkdown(text: string): string {
  return cleanLines(text)
    .replace(/[\\|`*<[]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .trim()
    .replace(/\n/g, '<br>')
    .replace(/\t/g, ' ');
}
