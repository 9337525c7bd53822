/** CSV as RFC 4180 says it, in UTF-8, with LF; with a BOM, CR LF and safe text cells for Excel. */

import { formulaLike } from '../../core/csv.ts';
import { usage } from '../../core/errors.ts';
import type { Column } from '../column.ts';
import { cleanLine } from '../terminal-text.ts';
import { machineCell } from '../values.ts';
import type { Result, RowWriter } from './writer.ts';

export function csvWriter<Row>(result: Result<Row>, excel: boolean): RowWriter<Row> {
  const { columns } = result;
  const end = excel ? '\r\n' : '\n';
  const quote = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const safe = (text: string) => quote(excel && formulaLike.test(text) ? `'${text}` : text);
  const cell = (column: Column<Row>, row: Row): string => {
    const value = column.get(row);
    if (typeof value === 'string') return safe(value);
    return typeof value === 'number' || value === null || value === undefined
      ? machineCell(value)
      : quote(machineCell(value));
  };
  // A lone empty cell would be an empty line, which readers skip.
  const line = (cells: string) => (cells === '' && columns.length === 1 ? `""${end}` : cells + end);
  const head = (excel ? '\uFEFF' : '') + (result.header ? columns.map(({ key }) => safe(key)).join(',') + end : '');
  return {
    open: () => head,
    rows(rows) {
      let text = '';
      for (const row of rows) {
        let cells = '';
        for (let index = 0; index < columns.length; index += 1) {
          if (index > 0) cells += ',';
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
  return special.test(text) ? text.replace(/[\t\n\r\\]/g, (found) => escapes[found] ?? found) : text;
}

/** Only ids, one on each line: for `xargs` and for the commands that read ids on stdin. */
export function idWriter<Row>({ id }: Result<Row>): RowWriter<Row> {
  return {
    rows(rows) {
      let text = '';
      for (const row of rows) {
        const found = id(row);
        if (found === undefined)
          throw usage('-o id prints ids, but the rows of this command have none', 'use another -o');
        // An id that spans lines would be read as two.
        text += `${cleanLine(found)}\n`;
      }
      return text;
    },
  };
}
