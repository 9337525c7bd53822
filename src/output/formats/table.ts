/**
 * Tables for people. Rows are gathered in blocks: the first block decides the widths, later blocks keep them, so that
 * a result of any size needs the memory of one block.
 */
import { isUuid } from '../../contract/validate.ts';
import { displayCell, isNumberColumn } from '../cells.ts';
import type { Column } from '../column.ts';
import { cleanLine } from '../terminal-text.ts';
import { cut, width } from '../width.ts';
import type { Result, RowWriter, TableRules } from './writer.ts';

/** Rows of one block: enough to find good widths, few enough to wait for. */
const block = 512;

export function tableWriter<Row>(result: Result<Row>, rules: TableRules): RowWriter<Row> {
  const { columns } = result;
  const headings = columns.map((column) => cleanLine(column.heading ?? column.key));
  const texts = (row: Row) => columns.map((column) => cleanLine(displayCell(column, row)));
  let widths: number[] | undefined;
  let pending: string[][] = [];

  const draw = async (): Promise<string> => {
    const rows = pending;
    pending = [];
    const headed = widths === undefined && result.header;
    // Each row has as many cells as there are columns.
    const sizes = columns.map((column, index) => sizeOf(column, headings[index] ?? '', rows, index));
    widths = widthsFor(sizes, widths, rules.width);
    const shown = columns.flatMap((column, index) => {
      const cells = widths?.[index] ?? 0;
      return cells > 0 ? [{ width: cells, align: alignOf(column) }] : [];
    });
    const lines = await layOut(
      [...(headed ? [headings] : []), ...rows].map((cells) => cells.filter((_, index) => (widths?.[index] ?? 0) > 0)),
      shown,
    );
    const [head] = lines;
    if (headed && head !== undefined) lines[0] = await rules.heading(head);
    return lines.map((line) => `${line}\n`).join('');
  };

  return {
    rows(rows) {
      for (const row of rows) pending.push(texts(row));
      return pending.length >= block ? draw() : '';
    },
    broken: async () => (pending.length > 0 ? draw() : ''),
    async close() {
      const text = pending.length > 0 ? await draw() : '';
      const missing = columns.filter((_, index) => widths?.[index] === 0).map(({ key }) => key);
      if (missing.length > 0) rules.leftOut(missing);
      return text;
    },
  };
}

/** One object: a line for each field, its heading before it. */
export async function fieldsTable<Row>(row: Row, columns: readonly Column<Row>[], rules: TableRules): Promise<string> {
  const headings = columns.map((column) => cleanLine(column.heading ?? column.key));
  const texts = columns.map((column) => cleanLine(displayCell(column, row)));
  const before = Math.max(1, ...headings.map(width));
  const room = rules.width === undefined ? Number.POSITIVE_INFINITY : Math.max(rules.width - before - gap, 8);
  const values = texts.map((text, index) => (mayCut(columns[index], text) ? cut(text, room) : text));
  const styled = await Promise.all(headings.map((heading) => rules.heading(heading)));
  // As many values as headings.
  const lines = await layOut(
    styled.map((heading, index) => [heading, values[index] ?? '']),
    [
      { width: before, align: 'left' },
      { width: Math.max(1, ...values.map(width)), align: 'left' },
    ],
  );
  return lines.map((line) => `${line}\n`).join('');
}

const border = ['top', 'bottom', 'left', 'right', 'mid', 'top-mid', 'top-left', 'top-right', 'bottom-mid'];
const corner = ['bottom-left', 'bottom-right', 'left-mid', 'mid-mid', 'right-mid'];
const noBorders = Object.fromEntries([...border, ...corner].map((name) => [name, '']));

/** The library's time grows with the square of the rows. */
const mostLaidOut = 128;

/** Cuts between UTF-16 units, as the library does, are cuts between characters. */
const simple = /^[ -~\u00a1-\u02ff]*$/;

/** One line for each row of clean single-line cells, columns `gap` blanks apart, no blanks at line ends. */
async function layOut(
  rows: readonly (readonly string[])[],
  columns: readonly { width: number; align: 'left' | 'right' }[],
): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const lines: string[] = [];
  for (let at = 0; at < rows.length; at += mostLaidOut) {
    const table = new Table({
      chars: { ...noBorders, middle: ' '.repeat(gap) },
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
      colWidths: columns.map(({ width }) => width),
      colAligns: columns.map(({ align }) => align),
    });
    for (const row of rows.slice(at, at + mostLaidOut)) {
      table.push(row.map((text, index) => (simple.test(text) ? text : cut(text, columns[index]?.width ?? 1))));
    }
    lines.push(...table.toString().replace(/ +$/gm, '').split('\n'));
  }
  return lines;
}

function sizeOf<Row>(
  column: Column<Row>,
  heading: string,
  rows: readonly (readonly string[])[],
  index: number,
): ColumnSize {
  let cells = 0;
  let ids = 0;
  for (const row of rows) {
    const text = row[index] ?? '';
    const taken = width(text);
    cells = Math.max(cells, taken);
    if (isUuid(text)) ids = Math.max(ids, taken);
  }
  return { cells, heading: width(heading), kind: kindOf(column), ids, spare: column.spare };
}

function alignOf<Row>(column: Column<Row>): 'left' | 'right' {
  return isNumberColumn(column) ? 'right' : 'left';
}

function mayCut<Row>(column: Column<Row> | undefined, text: string): boolean {
  return column !== undefined && kindOf(column) === 'text' && !isUuid(text);
}

function kindOf<Row>({ type, whole }: Column<Row>): ColumnSize['kind'] {
  if (whole) return 'whole';
  if (type === 'id') return 'id';
  return type === undefined || type === 'text' || type === 'json' ? 'text' : 'whole';
}

/** Later blocks keep the widths of the first; where nothing may be cut they only grow. */
function widthsFor(
  sizes: readonly ColumnSize[],
  kept: readonly number[] | undefined,
  available: number | undefined,
): number[] {
  if (kept && available !== undefined) return [...kept];
  const natural = sizes.map(({ cells, heading }, index) => Math.max(cells, heading, kept?.[index] ?? 1));
  return available === undefined ? natural : fit(sizes, available);
}

interface ColumnSize {
  /** The widest cell, without the heading. */
  cells: number;
  heading: number;
  /** `whole`: cells are never cut (numbers, dates); nor are those of an `id`, which people copy. */
  kind: 'whole' | 'id' | 'text';
  /** Of a text column: the widest cell that is an id all the same. */
  ids?: number;
  /** Left out before others. */
  spare?: boolean | undefined;
}

/** Blanks between columns. */
export const gap = 2;
const leastText = 12;
const leastHeading = 10;

/**
 * The width of each column within `available` cells; 0 for a column that is left out. Text is cut, the widest before
 * others. Where that is not enough columns are left out: ids after the first column that would take more than a third
 * of the room, then those that are spare, then columns from the right.
 */
export function fit(sizes: readonly ColumnSize[], available: number): number[] {
  const least = sizes.map(leastWidth);
  let shown = sizes.map((_, index) => index);
  if (total(least, shown) > available) {
    shown = shown.filter((at) => at === 0 || sizes[at]?.kind !== 'id' || (least[at] ?? 0) * 3 <= available);
  }
  while (shown.length > 1 && total(least, shown) > available) {
    const spare = shown.find((at) => at > 0 && sizes[at]?.spare);
    if (spare !== undefined) {
      shown = shown.filter((at) => at !== spare);
      continue;
    }
    const last = shown.at(-1) ?? 0;
    // Rather an id that is cut among texts than none of the texts.
    const waived = leastWidth({ ...(sizes[last] as ColumnSize), ids: 0 });
    if (waived < (least[last] ?? 0)) least[last] = waived;
    else shown.pop();
  }
  const widths = sizes.map(({ cells, heading }, at) => (shown.includes(at) ? Math.max(cells, heading) : 0));
  while (total(widths, shown) > available) {
    const widest = widestAbove(widths, least);
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  // A single text column may shrink to one cell; an id or a number that is cut is useless.
  if (shown.length === 1 && sizes[0]?.kind === 'text') {
    widths[0] = Math.min(widths[0] ?? 0, Math.max(available, sizes[0].ids ?? 1, 1));
  }
  return widths;
}

function total(widths: readonly number[], shown: readonly number[]): number {
  return shown.reduce((sum, at) => sum + (widths[at] ?? 0), 0) + gap * (shown.length - 1);
}

function leastWidth({ cells, heading, kind, ids = 0 }: ColumnSize): number {
  const head = Math.min(heading, leastHeading);
  if (kind !== 'text') return Math.max(cells, head);
  return Math.max(Math.min(cells, leastText), head, ids);
}

/** The widest column that may still give way; -1 when none may. */
function widestAbove(widths: readonly number[], floor: readonly number[]): number {
  let found = -1;
  for (const [index, width] of widths.entries()) {
    if (width > (floor[index] ?? 0) && (found < 0 || width > (widths[found] ?? 0))) found = index;
  }
  return found;
}
