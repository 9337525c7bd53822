/** The board as a workbook: numbers stay exact, and their formats scale and round them. */

import type { Context } from '../../cli/context.ts';
import { isNumeric } from '../../core/json.ts';
import { type PrintSheet, printWorkbook, type SheetCell } from '../../output/formats/sheets.ts';
import type { BoardCell, BoardLine, Sheet } from './board-sheet.ts';

const colors = { good: '0B7A75', bad: 'C0392B' } as const;

const colorOf = (verdict: string | undefined): string | undefined =>
  verdict === 'good' || verdict === 'bad' ? colors[verdict] : undefined;

/** @param oneSheet the companies are below each other */
export function boardWorkbook(ctx: Context, sheets: readonly Sheet[], oneSheet: boolean): Promise<Uint8Array> {
  const [first] = sheets;
  const several = sheets.length > 1;
  const printed =
    oneSheet && several && first
      ? [printSheet('Board', sheets, { ...first, periods: markedPeriods(sheets) }, true)]
      : sheets.map((sheet) => printSheet(sheet.company ?? 'Board', [sheet], sheet, false));
  return printWorkbook(printed, (text) => ctx.out.warn(text));
}

/** The periods of all, marked where those of one company are. */
function markedPeriods(sheets: readonly Sheet[]): Sheet['periods'] {
  const [first] = sheets;
  return (first?.periods ?? []).map(({ key, heading }) => ({
    key,
    heading:
      sheets.flatMap(({ periods }) => periods).find((other) => other.key === key && other.heading !== key)?.heading ??
      heading,
  }));
}

function printSheet(name: string, sheets: readonly Sheet[], { periods, lines }: Sheet, companies: boolean): PrintSheet {
  const lead = [...(companies ? ['Company'] : []), 'Metric', 'Unit'];
  const columns = lines[0]?.cells[0] ?? [];
  const blanks: SheetCell[] = lead.map(() => ({}));
  const bands = periods.flatMap(({ heading }): SheetCell[] => [
    { value: heading, bold: true, centered: true, across: columns.length - 1 },
    ...columns.slice(1).map(() => ({})),
  ]);
  const headings = periods.flatMap(() =>
    columns.map(
      ({ heading, kind }): SheetCell => ({ value: heading, bold: true, ...(kind !== 'verdict' && { right: true }) }),
    ),
  );
  const rows = sheets.flatMap((sheet) =>
    sheet.lines.map((line) => [...leadOf(line, companies), ...line.cells.flat().map((cell) => cellOf(cell, line))]),
  );
  const explained = sheets.flatMap((sheet) =>
    sheet.explained.map(({ label, period, percent, text, mark }): SheetCell[] => [
      ...(companies ? [{ value: sheet.company ?? '' }] : []),
      { value: label },
      { value: period },
      { value: percent, right: true },
      { value: text, flows: true, indented: true, ...(mark === '!' && { color: colors.bad }) },
    ]),
  );
  return {
    name,
    frozen: lead.length,
    head: [
      [{ value: companies ? 'Board' : name, bold: true }],
      [...blanks, ...bands],
      [...lead.map((value): SheetCell => ({ value, bold: true })), ...headings],
    ],
    rows: explained.length === 0 ? rows : [...rows, [], [{ value: 'Explanations', bold: true }], ...explained],
  };
}

function leadOf({ company, label, unit, subtotal }: BoardLine, companies: boolean): SheetCell[] {
  const bold = subtotal ? { bold: true } : {};
  // The scale is in the number formats, and the unit is that of the numbers shown.
  return [...(companies ? [{ value: company ?? '' }] : []), { value: label, ...bold }, { value: unit }];
}

function cellOf(cell: BoardCell, { subtotal }: BoardLine): SheetCell {
  const color = cell.kind === 'amount' && cell.key !== 'difference' ? undefined : colorOf(cell.verdict);
  const style = { ...(subtotal && { bold: true }), ...(color !== undefined && { color }) };
  if (cell.kind === 'verdict') return { value: cell.text, indented: true, ...style };
  // A workbook keeps 15 digits, and the board is not where more are needed.
  const value = isNumeric(cell.value) ? Number(Number(cell.value).toPrecision(15)) : cell.value;
  return { value, shown: cell.text, format: formatOf(cell), ...style };
}

const thousands = { none: '', k: ',', M: ',,' } as const;

/** `#,##0.0,` shows thousands with one digit. */
function formatOf({ kind, scale, digits }: BoardCell): string {
  const fraction = digits > 0 ? `.${'0'.repeat(digits)}` : '';
  return kind === 'percent' ? `0${fraction}"%"` : `#,##0${fraction}${thousands[scale]}`;
}
