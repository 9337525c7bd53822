/**
 * A workbook of one sheet. The only file that knows the library, which builds the sheet in memory.
 *
 * A spreadsheet's numbers are doubles: a number with more digits than one holds is written as text, and said so.
 */
import type { Cell as SheetCell } from 'write-excel-file/node';
import { Failure } from '../../errors.ts';
import { isNumeric } from '../../json.ts';
import type { Column } from '../column.ts';
import { machineCell } from '../machine-cell.ts';
import type { FileRules, FileWriter } from './file-writer.ts';
import type { Result } from './row-writer.ts';
import { dayOf, doubleOf, microsecondsOf } from './typed-cell.ts';

/** Excel's own limits. */
const mostRows = 1_048_576;
const mostColumns = 16_384;
const mostCharacters = 32_767;
/** More would not fit into the one string that a sheet is built as. */
const mostCells = 4_000_000;

/** Excel takes 1900 for a leap year, so that only later days have the same number everywhere. */
const firstDay = Date.UTC(1900, 2, 1);

const formats = { date: 'yyyy-mm-dd', datetime: 'yyyy-mm-dd hh:mm:ss' } as const;

export async function xlsxWriter<Row>({ columns, header }: Result<Row>, rules: FileRules): Promise<FileWriter<Row>> {
  const { default: writeWorkbook } = await import('write-excel-file/node');
  if (columns.length > mostColumns) {
    throw tooLarge(`${columns.length} columns, and a sheet takes ${mostColumns}`, '--fields picks columns');
  }
  const sheet: SheetCell[][] = header ? [columns.map(({ key }) => ({ value: text(key), fontWeight: 'bold' }))] : [];
  const widths = columns.map(({ key }) => key.length);
  const inexact = { count: 0, first: '' };

  const cellOf = (column: Column<Row>, row: Row, index: number): SheetCell => {
    const cell = column.get(row);
    if (cell === undefined || cell === null) return null;
    const plain = machineCell(cell);
    widths[index] = Math.max(widths[index] ?? 0, plain.length);
    if (isNumeric(cell)) {
      const double = doubleOf(cell);
      if (double !== undefined) return styled(double, numberFormat(column, row));
      inexact.count += 1;
      inexact.first ||= `${plain} in ${column.key}`;
      return plain;
    }
    if (typeof cell === 'boolean') return cell;
    const date = column.type === 'date' || column.type === 'datetime' ? dateOf(column.type, plain) : undefined;
    if (date) return { value: date, format: formats[column.type === 'date' ? 'date' : 'datetime'] };
    if (plain.length > mostCharacters) {
      throw tooLarge(`a text of ${plain.length} characters in ${column.key}, and a cell takes ${mostCharacters}`);
    }
    return text(plain);
  };

  return {
    rows(rows) {
      for (const row of rows) sheet.push(columns.map((column, index) => cellOf(column, row, index)));
      if (sheet.length > mostRows) throw tooLarge(`more than ${mostRows - 1} rows, and a sheet takes no more`);
      if (sheet.length * columns.length > mostCells) {
        throw tooLarge(`more than ${mostCells} cells, and a workbook is made in memory`);
      }
      return undefined;
    },
    async close() {
      if (inexact.count > 0) {
        const said = inexact.count === 1 ? '1 number has' : `${inexact.count} numbers have`;
        rules.warn(`${said} more digits than a spreadsheet keeps and stand as text: ${inexact.first}`);
      }
      const options = {
        sheet: 'Data',
        columns: widths.map((width) => ({ width: Math.min(Math.max(width + 2, 8), 60) })),
        ...(header ? { stickyRowsCount: 1 } : {}),
      };
      return writeWorkbook(sheet, options).toBuffer();
    },
  };
}

/** Excel reads `_x0041_` in a text as a character. */
function text(plain: string): string {
  return plain.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_');
}

function styled(value: number, format: string | undefined): SheetCell {
  return format === undefined ? value : { value, format };
}

/** A unit beside the number, which stays the number: percents are not divided by 100. */
function numberFormat<Row>({ type, unit }: Column<Row>, row: Row): string | undefined {
  const word = (typeof unit === 'function' ? unit(row) : unit) ?? (type === 'percent' ? '%' : undefined);
  if (word === undefined || word === '') return undefined;
  const quoted = word.replaceAll('"', '');
  if (/^[A-Z]{3}$/.test(word)) return `#,##0.00 "${quoted}"`;
  return word === '%' ? 'General"%"' : `General "${quoted}"`;
}

/** Spreadsheets keep times to the millisecond; finer ones stay text. */
function dateOf(type: 'date' | 'datetime', plain: string): Date | undefined {
  const micros = microsecondsOf(plain);
  const instant = micros !== undefined && micros % 1000n === 0n ? new Date(Number(micros / 1000n)) : undefined;
  const date = type === 'date' ? dayOf(plain) : (instant ?? dayOf(plain));
  return date && date.getTime() >= firstDay ? date : undefined;
}

function tooLarge(what: string, hint = '-o csv and -o parquet have no such limit'): Failure {
  return new Failure('usage', `-o xlsx: the result has ${what}`, { hint, code: 'too_large' });
}
