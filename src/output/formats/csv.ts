/** CSV as RFC 4180 says it, in UTF-8, with LF unless it is asked otherwise. */

import { machineCell } from '../cells.ts';
import type { Column } from '../column.ts';
import type { CsvRules, Result, RowWriter } from './writer.ts';

/** What is guarded already gets one more `'`, so that a reader can take one off. */
const formula = /^'*[=+\-@\t\r]/;

export function csvWriter<Row>(result: Result<Row>, rules: CsvRules): RowWriter<Row> {
  const { columns } = result;
  const end = rules.crlf || rules.excel ? '\r\n' : '\n';
  const { delimiter } = rules;
  const special = new RegExp(`["\\r\\n${delimiter.replace(/[\]\\^-]/g, '\\$&')}]`, 'u');
  const quote = (text: string) => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const safe = (text: string) => quote(rules.excel && formula.test(text) ? `'${text}` : text);
  const cell = (column: Column<Row>, row: Row): string => {
    const value = column.get(row);
    if (typeof value === 'string') return safe(value);
    return typeof value === 'number' || value === null || value === undefined
      ? plain(value)
      : quote(machineCell(value));
  };
  const plain = (value: number | null | undefined) => quoteNumber(machineCell(value));
  // A number holds no special character but where the delimiter is one of its own.
  const quoteNumber = /[\d.-]/.test(delimiter) ? quote : (text: string) => text;
  // A lone empty cell would be an empty line, which readers skip.
  const line = (cells: string) => (cells === '' && columns.length === 1 ? `""${end}` : cells + end);
  const head =
    (rules.excel ? '\uFEFF' : '') + (result.header ? columns.map(({ key }) => safe(key)).join(delimiter) + end : '');
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
