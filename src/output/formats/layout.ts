/** Cells to aligned lines. The only file that knows the table library. */
import type { Measure } from '../width.ts';
import { isSingle } from '../width.ts';

export type Align = 'left' | 'right';

/** Stands for one cell's width of a text that the library would measure wrongly. */
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
 */
export async function layOut(
  rows: readonly (readonly string[])[],
  columns: readonly { width: number; align: Align }[],
  gap: number,
  measure: Measure,
): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    chars: { ...noBorders, ...noCorners, middle: ' '.repeat(gap) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: columns.map(({ width }) => Math.max(width, 1)),
    colAligns: columns.map(({ align }) => align),
  });
  // The library takes combining marks and new emoji for wider than terminals do: it lays out stand-ins of the right
  // width, and the texts take their places back in the order in which they went.
  const texts: string[] = [];
  for (const row of rows) {
    table.push(
      row.map((cell) => {
        if (isSingle(cell)) return cell;
        const width = measure.width(cell);
        if (width > 0) texts.push(cell);
        return standIn.repeat(width);
      }),
    );
  }
  const laid = table.toString().replace(/\uE000+/g, () => texts.shift() ?? '');
  return laid.split('\n').map((line) => line.trimEnd());
}
