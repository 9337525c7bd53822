/** Cells to aligned lines. The only file that knows the table library. */
import type { Measure } from '../terminal-text.ts';

export type Align = 'left' | 'right';

/** Takes the place of every cell of a text while the library lays out. */
const standIn = '\uE000';

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'left-mid', 'mid-mid', 'right-mid'].map((name) => [name, '']),
);
const noCorners = Object.fromEntries(
  ['top-mid', 'top-left', 'top-right', 'bottom-mid', 'bottom-left', 'bottom-right'].map((name) => [name, '']),
);

/**
 * One line for each row, columns `gap` blanks apart, no blanks at line ends. Cells must be clean single lines that fit
 * their widths.
 *
 * The library lays out one row of stand-ins, and the rows take their places: its work is by the cell, a fifth of a
 * command that prints twenty rows, and it takes combining marks and new emoji for wider than terminals do.
 */
export async function layOut(
  rows: readonly (readonly string[])[],
  columns: readonly { width: number; align: Align }[],
  gap: number,
  measure: Measure,
): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const widths = columns.map(({ width }) => Math.max(width, 1));
  const table = new Table({
    chars: { ...noBorders, ...noCorners, middle: ' '.repeat(gap) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: widths,
  });
  table.push(widths.map((width) => standIn.repeat(width)));
  const between = table.toString().split(/\uE000+/);
  return rows.map((row) =>
    columns
      .reduce((line, { align }, index) => {
        const cell = row[index] ?? '';
        const blanks = ' '.repeat(Math.max((widths[index] ?? 1) - measure.width(cell), 0));
        return line + (align === 'right' ? blanks + cell : cell + blanks) + (between[index + 1] ?? '');
      }, between[0] ?? '')
      .trimEnd(),
  );
}
