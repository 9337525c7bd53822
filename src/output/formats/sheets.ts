/** A workbook of sheets laid out for reading and for paper, small enough to be complete in memory. */

import type { Cell } from '../column.ts';
import { doubleOf } from './typed-cell.ts';
import { type CellStyle, sheetsWorkbook, stylesXml } from './workbook.ts';
import { cellXml, lettersOf } from './xlsx.ts';

export interface PrintSheet {
  name: string;
  /** The last of the head repeats on every page and stays in sight. */
  head: SheetCell[][];
  rows: SheetCell[][];
  /** Columns at the left that repeat and stay in sight. */
  frozen: number;
}

export interface SheetCell extends CellStyle {
  value?: Cell;
  /** The formatted text, which decides the width of the column. */
  shown?: string;
  /** Text that may reach over its neighbours: its column is as wide as without it. */
  flows?: boolean;
  /** Cells at the right that it covers, too. */
  across?: number;
}

/** @param warn says which numbers are text, since a spreadsheet has doubles */
export function printWorkbook(sheets: readonly PrintSheet[], warn: (text: string) => void): Promise<Uint8Array> {
  const styles: CellStyle[] = [{}];
  const known = new Map<string, number>([['{}', 0]]);
  const styleOf = ({ value: _, across: __, shown: ___, flows: ____, ...style }: SheetCell): number => {
    const key = JSON.stringify(style);
    const found = known.get(key) ?? styles.push(style) - 1;
    known.set(key, found);
    return found;
  };
  const inexact: string[] = [];
  const names = new Set<string>();
  const laid = sheets.map((sheet) => {
    const name = uniqueName(sheet.name, names);
    return { name, xml: sheetXml(sheet, styleOf, inexact), titles: titlesOf(sheet) };
  });
  if (inexact.length > 0) {
    const said = inexact.length === 1 ? '1 number has' : `${inexact.length} numbers have`;
    warn(`${said} more digits than a spreadsheet keeps, written as text: ${inexact[0]}`);
  }
  return sheetsWorkbook(laid, stylesXml(styles));
}

/** Widths of columns in characters. */
const narrowest = 7;
const widest = 18;

function sheetXml({ head, rows, frozen }: PrintSheet, styleOf: (cell: SheetCell) => number, inexact: string[]): string {
  const all = [...head, ...rows];
  const widths: number[] = [];
  const merged: string[] = [];
  const lines = all.map((cells, rowAt) => {
    const xml = cells.map((cell, at) => {
      const { value, shown, flows, across = 0 } = cell;
      if (value === undefined || value === null || value === '') return '';
      const place = `${lettersOf(at)}${rowAt + 1}`;
      if (across > 0) merged.push(`<mergeCell ref="${place}:${lettersOf(at + across)}${rowAt + 1}"/>`);
      const style = styleOf(cell);
      const plain = String(value);
      // A title may stand over its neighbours.
      if (across === 0 && !flows && cells.length > 1) widths[at] = Math.max(widths[at] ?? 0, (shown ?? plain).length);
      if (typeof value === 'string') return cellXml(place, value, style);
      const number = doubleOf(value);
      if (number !== undefined) return cellXml(place, { number, style });
      inexact.push(plain);
      return cellXml(place, plain, style);
    });
    return `<row r="${rowAt + 1}">${xml.join('')}</row>`;
  });
  const columns = Array.from({ length: widths.length }, (_, at) => {
    const width = Math.min(Math.max((widths[at] ?? 0) + 2, narrowest), at === 0 ? 40 : widest);
    return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`;
  });
  const corner = `${lettersOf(frozen)}${head.length + 1}`;
  const pane = `<pane xSplit="${frozen}" ySplit="${head.length}" topLeftCell="${corner}" activePane="bottomRight" state="frozen"/>`;
  return [
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    `<sheetViews><sheetView showGridLines="0" workbookViewId="0">${pane}</sheetView></sheetViews>`,
    columns.length > 0 ? `<cols>${columns.join('')}</cols>` : '',
    `<sheetData>${lines.join('')}</sheetData>`,
    merged.length > 0 ? `<mergeCells count="${merged.length}">${merged.join('')}</mergeCells>` : '',
    '<pageMargins left="0.5" right="0.5" top="0.6" bottom="0.6" header="0.3" footer="0.3"/>',
    '<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>',
    '<headerFooter><oddFooter>&amp;L&amp;A&amp;R&amp;P / &amp;N</oddFooter></headerFooter>',
  ].join('');
}

function titlesOf({ head, frozen }: PrintSheet): string {
  const columns = frozen > 0 ? [`$A:$${lettersOf(frozen - 1)}`] : [];
  return [...columns, `$1:$${head.length}`].join(',');
}

/** Excel's rules: at most 31 characters, some not allowed, no two alike without case. */
function uniqueName(given: string, taken: Set<string>): string {
  const plain = given.replace(/[\\/?*[\]:]|^'|'$/g, ' ').trim() || 'Sheet';
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : ` (${number})`;
    const name = plain.slice(0, 31 - end.length) + end;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}
