/** A sheet of a workbook as a table of rows. */
import { refuseColumns } from '../../core/csv.ts';
import { usage } from '../../core/errors.ts';
import {
  hasRows,
  type LongNumber,
  type MergedCells,
  openWorkbook,
  type SheetCell,
  sheetOf,
  sheetRows,
} from '../../core/workbook.ts';
import type { Bytes } from '../../core/zip.ts';
import {
  cellText,
  type ImportIssue,
  isTitle,
  type ReadNote,
  type SourceRow,
  type SourceTable,
  uniqueHeaders,
} from './table.ts';

interface SheetOptions {
  /** The name for messages. */
  name: string;
  sheet?: string | undefined;
}

interface SheetTable {
  table: SourceTable;
  /** The name of the sheet, and of the other sheets with rows. */
  sheet: string;
  others: string[];
  /** Rows that the spreadsheet does not show. */
  hidden: number;
  /** Integers with more digits than a spreadsheet keeps: their count and the first. */
  long: { count: number; first?: LongNumber & { line: number; header: string } };
}

/** @throws usage for other files, and for a sheet without rows */
export async function readSheet(bytes: Bytes, { name, sheet: sheetName }: SheetOptions): Promise<SheetTable> {
  const book = await openWorkbook(bytes, name);
  const sheet = sheetOf(book, sheetName);
  const rows: SourceRow[] = [];
  const issues: ImportIssue[] = [];
  const merged: MergedCells[] = [];
  let names: string[] | undefined;
  let named: ReturnType<typeof uniqueHeaders> | undefined;
  let notes: ReadNote[] = [];
  let hidden = 0;
  const long: SheetTable['long'] = { count: 0 };
  for await (const { line, cells, long: ofRow, isHidden } of sheetRows(book, sheet, merged)) {
    if (cells.every((cell) => cell === undefined || cell === '')) continue;
    refuseColumns(cells.length, name, line);
    const isBelowTitle = named === undefined && names !== undefined && isTitle(names, cells);
    if (names === undefined || isBelowTitle) {
      if (isBelowTitle) notes = ['title'];
      names = Array.from(cells, (cell) => cellText(cell).replace(/\s+/g, ' ').trim());
      continue;
    }
    named ??= uniqueHeaders(names);
    const { headers } = named;
    const isMore = (cell: SheetCell, at: number) => at >= headers.length && cell !== undefined && cell !== '';
    const at = cells.findIndex(isMore);
    if (at >= 0) issues.push({ line, message: `the cell in column number ${at + 1} has no header above it` });
    if (isHidden) hidden += 1;
    long.count += ofRow.length;
    const [first] = ofRow;
    if (first) long.first ??= { ...first, line, header: headers[first.column - 1] ?? '' };
    rows.push({ line, cells: headers.map((_, index) => cells[index] ?? '') });
  }
  if (names === undefined) {
    throw usage(`the sheet "${sheet.name}" of ${name} is empty; its first row must name the columns`);
  }
  const others: string[] = [];
  for (const other of book.sheets) if (other !== sheet && (await hasRows(book, other))) others.push(other.name);
  const table = {
    ...(named ?? uniqueHeaders(names)),
    ...{
      rows: withMerged(rows, merged),
      json: false,
      lineUnit: 'row' as const,
      issues,
      ...(notes.length > 0 && { notes }),
    },
  };
  return { table, sheet: sheet.name, others, hidden, long };
}

/** Marks merged cells as wrong: whether they repeat the first cell's value is unknown. */
function withMerged(rows: readonly SourceRow[], merged: readonly MergedCells[]): readonly SourceRow[] {
  if (merged.length === 0) return rows;
  return rows.map(({ line, cells }) => {
    const over = merged.filter(({ top, bottom }) => top <= line && line <= bottom);
    const isHidden =
      (column: number) =>
      ({ top, left, right }: MergedCells) =>
        left <= column && column <= right && (line > top || column > left);
    return {
      line,
      cells: cells.map((cell, index) => {
        const range = over.find(isHidden(index + 1));
        return range ? { wrong: `is merged with others (${range.place}); unmerge them` } : cell;
      }),
    };
  });
}
