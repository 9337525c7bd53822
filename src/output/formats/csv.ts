/** CSV as RFC 4180 says it, in UTF-8, with LF; with a BOM, CR LF and safe text cells for Excel. */

import { formulaLike } from '../../core/csv.ts';
import { machineCell } from '../cells.ts';
import type { Column } from '../column.ts';
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
