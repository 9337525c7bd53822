/** A sheet of a workbook as a table of rows. */
import { refuseColumns } from '../../core/csv.ts';
import { shorten, usage } from '../../core/errors.ts';
import { plainDecimal } from '../../core/json.ts';
import { hasRows, type LongNumber, type MergedCells, openWorkbook, sheetOf, sheetRows } from '../../core/workbook.ts';
import type { Bytes } from '../../core/zip.ts';
import { type FlagNames, isEmptyCell, type SkipRule, type SourceRow, type SourceTable, TableBuilder } from './table.ts';

interface SheetOptions {
  name: string;
  sheet?: string | undefined;
  skips?: SkipRule | undefined;
  flags: FlagNames;
}

/** @throws usage for other files, and for a sheet without rows */
export async function readSheet(
  bytes: Bytes,
  { name, sheet: sheetName, skips, flags }: SheetOptions,
): Promise<SourceTable> {
  const book = await openWorkbook(bytes, name);
  const sheet = sheetOf(book, sheetName);
  const rows: SourceRow[] = [];
  const merged: MergedCells[] = [];
  const builder = new TableBuilder({ rows, lineUnit: 'row', skips, problem: problemOf });
  const long: (LongNumber & { line: number })[] = [];
  const hidden = new Set<number>();
  for await (const { line, cells, long: ofRow, isHidden } of sheetRows(book, sheet, merged)) {
    refuseColumns(cells.length, name, line);
    builder.add({ line, cells: Array.from(cells) });
    if (isHidden) hidden.add(line);
    for (const number of ofRow) long.push({ ...number, line });
  }
  const table = builder.ended();
  if (table === undefined) {
    throw usage(`the sheet "${sheet.name}" of ${name} is empty; its first row must name the columns`);
  }
  const others: string[] = [];
  for (const other of book.sheets) if (other !== sheet && (await hasRows(book, other))) others.push(`"${other.name}"`);
  const hiddenCount = rows.filter(({ line }) => hidden.has(line)).length;
  const { rows: filledRows, filled } = withMerged(rows, merged);
  const notes = [
    ...(others.length > 0 && sheetName === undefined
      ? [`the sheet "${sheet.name}" is read; ${flags.sheet} names another: ${others.join(', ')}`]
      : []),
    ...(hiddenCount > 0 ? [`${hiddenCount} hidden ${hiddenCount === 1 ? 'row is' : 'rows are'} read, too`] : []),
    ...(table.notes ?? []),
    ...(filled.length > 0
      ? [`merged cells have the value of their first cell: ${shorten(filled.join(', '), 60)}`]
      : []),
  ];
  return { ...table, rows: filledRows, notes, warnings: warningsOf(long, table.headers) };
}

function problemOf(cells: readonly unknown[], headers: readonly string[]): string | undefined {
  const at = cells.findIndex((cell, index) => index >= headers.length && !isEmptyCell(cell));
  return at < 0 ? undefined : `the cell in column number ${at + 1} has no header above it`;
}

function warningsOf(long: readonly (LongNumber & { line: number })[], headers: readonly string[]): string[] {
  const [first] = long;
  if (!first) return [];
  const more = long.length > 1 ? ` (and ${long.length - 1} more)` : '';
  return [
    `row ${first.line}, column ${headers[first.column - 1] ?? ''}: ${shorten(first.text, 40)} is read as the double ` +
      `${plainDecimal(first.number)}${more}. A spreadsheet keeps 15 digits of a number: store longer ids as text.`,
  ];
}

/** Gives cells that are merged in one column the value of the first. What is merged across columns has no column. */
function withMerged(rows: readonly SourceRow[], merged: readonly MergedCells[]) {
  const below = merged.filter(({ top }) => rows.some(({ line }) => line === top));
  const filled: string[] = [];
  const byLine = new Map(rows.map((row) => [row.line, row]));
  const changed = rows.map(({ line, cells }): SourceRow => {
    const over = merged.filter(({ top, bottom }) => top <= line && line <= bottom);
    if (over.length === 0) return { line, cells };
    return {
      line,
      cells: cells.map((cell, index) => {
        const column = index + 1;
        const range = over.find(
          ({ top, left, right }) => left <= column && column <= right && (line > top || column > left),
        );
        if (range === undefined) return cell;
        if (range.left < range.right || !below.includes(range)) {
          return { wrong: `is merged with others across columns (${range.place}); unmerge them` };
        }
        if (!filled.includes(range.place)) filled.push(range.place);
        return byLine.get(range.top)?.cells[index];
      }),
    };
  });
  return { rows: changed, filled };
}
