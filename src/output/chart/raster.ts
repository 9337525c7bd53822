/** A grid of character cells that lines are drawn on: in Braille dots (2 by 4 to a cell) or in one mark for each cell. */

export interface Raster {
  /** Dots across and down. */
  readonly width: number;
  readonly height: number;
  /** Dots down in one line of cells. */
  readonly perLine: number;
  /** A dot of a series; y counts from the top. The first series to take a cell keeps its colour and mark. */
  dot(x: number, y: number, series: number): void;
  /** A point that no line leads to: a whole cell, so that it is seen. */
  lone(x: number, y: number, series: number): void;
  /** The rows of cells, top first; `paint` colours the text of a series. */
  rows(paint: (series: number, text: string) => string): string[];
}

interface Cell {
  bits: number;
  series: number;
  lone: boolean;
}

/** Bits of the Braille block by row and column of the dot. */
const braille: readonly (readonly [number, number])[] = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];

/** @param marks one for each series; undefined: Braille */
export function raster(columns: number, lines: number, marks: readonly string[] | undefined): Raster {
  const [across, down] = marks ? [1, 1] : [2, 4];
  const cells: (Cell | undefined)[] = new Array(columns * lines).fill(undefined);
  const touch = (x: number, y: number, series: number): Cell | undefined => {
    const [column, line] = [Math.floor(x / across), Math.floor(y / down)];
    if (column < 0 || column >= columns || line < 0 || line >= lines) return undefined;
    const at = line * columns + column;
    const cell = cells[at] ?? { bits: 0, series, lone: false };
    cells[at] = cell;
    return cell;
  };
  const textOf = (cell: Cell): string => {
    if (marks) return marks[cell.series % marks.length] ?? '*';
    return cell.lone ? '•' : String.fromCharCode(0x2800 + cell.bits);
  };
  return {
    width: columns * across,
    height: lines * down,
    perLine: down,
    dot(x, y, series) {
      const cell = touch(x, y, series);
      if (cell) cell.bits |= braille[y % down]?.[x % across] ?? 0;
    },
    lone(x, y, series) {
      const cell = touch(x, y, series);
      if (cell) cell.lone = true;
    },
    rows(paint) {
      return Array.from({ length: lines }, (_, row) => {
        let text = '';
        // One colour for each run of cells, not for each cell.
        let run: { series: number; text: string } | undefined;
        const flush = () => {
          if (run) text += paint(run.series, run.text);
          run = undefined;
        };
        for (const cell of cells.slice(row * columns, (row + 1) * columns)) {
          if (cell && run?.series === cell.series) run.text += textOf(cell);
          else {
            flush();
            if (cell) run = { series: cell.series, text: textOf(cell) };
            else text += ' ';
          }
        }
        flush();
        return text;
      });
    },
  };
}

/** The dots from one to another, both ends included (Bresenham). */
export function* line(x0: number, y0: number, x1: number, y1: number): Generator<[number, number]> {
  const [dx, dy] = [Math.abs(x1 - x0), -Math.abs(y1 - y0)];
  const [stepX, stepY] = [x0 < x1 ? 1 : -1, y0 < y1 ? 1 : -1];
  let [x, y, error] = [x0, y0, dx + dy];
  for (;;) {
    yield [x, y];
    if (x === x1 && y === y1) return;
    const twice = 2 * error;
    if (twice >= dy) {
      error += dy;
      x += stepX;
    }
    if (twice <= dx) {
      error += dx;
      y += stepY;
    }
  }
}
