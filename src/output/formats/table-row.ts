/** One row of a table, or one field of an object: what of it is cut, what is wrapped, and what needs more room than its column has. */
import { isUuid } from '../../contract/validate.ts';
import type { Color } from '../terminal-text.ts';
import { cut, cutWords, longestWord, width, wrapped } from '../width.ts';
import { type ColumnSize, gap, shortIdCells } from './fit.ts';
import { shortId } from './screen-column.ts';

export type Paint = (color: Color, text: string) => string;

export interface DrawnRow {
  /** Fewer than columns: the last one has the room of all others at its right. */
  cells: readonly string[];
  /** Lines after the row: texts with a word that is wider than their column. */
  below: readonly string[];
}

export interface CellPlace {
  heading: string;
  width: number;
  kind: ColumnSize['kind'];
}

interface RowRules {
  /** Of the terminal; undefined: nothing is wrapped. */
  width: number | undefined;
  ascii: boolean;
  paint: Paint;
}

const indent = 2;

/**
 * A path, an address or an id is not broken, so that it can be copied: where its column has no room, it takes that of
 * empty cells at its right, or lines of its own below the row.
 */
export function drawnRow(
  texts: readonly string[],
  tones: readonly (Color | undefined)[],
  places: readonly CellPlace[],
  rules: RowRules,
): DrawnRow {
  const below: string[] = [];
  const cells: string[] = [];
  const last = texts.findLastIndex((text) => text !== '');
  const isLabelled = places.filter(({ kind }) => kind === 'wraps').length > 1;
  for (const [at, place] of places.entries()) {
    const text = texts[at] ?? '';
    const painted = (lines: readonly string[]) => paintedLines(lines, tones[at], rules.paint);
    const isWide = at > 0 && rules.width !== undefined && place.kind === 'wraps' && longestWord(text) > place.width;
    const room = isWide ? places.slice(at).reduce((sum, { width }) => sum + width + gap, -gap) : 0;
    if (isWide && at === last && longestWord(text) <= room) {
      cells.push(painted(wrapped(text, room)));
      break;
    }
    if (isWide) {
      below.push(painted(belowLines(isLabelled ? `${place.heading}: ${text}` : text, rules.width)));
      cells.push('');
    } else cells.push(painted(fitted(text, place, at === 0, rules.ascii)));
  }
  return { cells, below };
}

/** Set in, over the whole width. A word that is still wider is broken by the terminal, which copies it whole. */
export function belowLines(text: string, columns = Number.POSITIVE_INFINITY): string[] {
  const blanks = ' '.repeat(columns > 4 * indent ? indent : 0);
  return wrapped(text, Math.max(columns - blanks.length, 1)).map((line) => blanks + line);
}

export function paintedLines(lines: readonly string[], color: Color | undefined, paint: Paint): string {
  return (color === undefined ? lines : lines.map((line) => paint(color, line))).join('\n');
}

function fitted(text: string, { width: cells, kind }: CellPlace, isFirst: boolean, ascii: boolean): string[] {
  if (kind === 'wraps') return wrapped(text, cells, isFirst);
  if (kind === 'id' && cells < 36 && isUuid(text))
    return [shortId(text, ascii).slice(0, Math.max(cells, shortIdCells))];
  return [kind === 'text' ? cutWords(text, cells, ascii) : cut(text, cells, ascii)];
}

/** The widest line. */
export function widthOf(text: string): number {
  return text.split('\n').reduce((most, line) => Math.max(most, width(line)), 0);
}
