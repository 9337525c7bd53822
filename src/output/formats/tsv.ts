/** Tab-separated values; tab, newline, carriage return and backslash are written `\t \n \r \\`. */
import { machineCell } from '../cells.ts';
import type { Result, RowWriter } from './writer.ts';

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
