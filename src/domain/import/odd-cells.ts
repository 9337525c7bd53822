/** Columns that stay text although most of their cells are numbers or dates: what keeps them from it. */
import { isDate } from '../../contract/validate.ts';
import { isNumeric } from '../../core/json.ts';
import { parseNumber } from '../entries/numbers.ts';
import { dateFormats, monthNames, readDate } from './dates.ts';
import { commaStyle, pointStyle, readNumber } from './numbers.ts';

export interface OddCells {
  type: 'number' | 'date';
  /** Cells of another kind. */
  count: number;
  /** Of the first one. */
  line: number;
  cell: string;
  /** A cell that is one only as people of some country write it, such as `1.234,50`. */
  written?: string;
}

interface Kind {
  type: OddCells['type'];
  fits(cell: unknown): boolean;
  /** Beyond what `fits` takes; undefined: nothing is. */
  isWritten?(cell: string): boolean;
}

const months = monthNames();

const kinds: readonly Kind[] = [
  { type: 'number', fits: isNumberCell },
  { type: 'date', fits: isDateCell },
  { type: 'number', fits: isNumberCell, isWritten: isWrittenNumber },
  { type: 'date', fits: isDateCell, isWritten: isWrittenDate },
];

/** After so many cells of another kind, a column of this share of them is not looked at any more. */
const [mostOdd, mostShare] = [50, 0.05];

export class OddColumn {
  private total = 0;
  private readonly found = kinds.map((kind) => ({
    kind,
    odd: { type: kind.type, count: 0, line: 0, cell: '' } as OddCells,
  }));

  add(cell: unknown, line: number, label: (cell: unknown) => string): void {
    this.total += 1;
    for (const { kind, odd } of this.found) {
      if ((odd.count > mostOdd && odd.count > this.total * mostShare) || kind.fits(cell)) continue;
      if (typeof cell === 'string' && kind.isWritten?.(cell)) odd.written ??= cell;
      else {
        odd.count += 1;
        if (odd.count === 1) Object.assign(odd, { line, cell: label(cell) });
      }
    }
  }

  /** One cell, or one of each hundred, may be of another kind. */
  get odd(): OddCells | undefined {
    const most = this.total > 2 ? Math.max(1, this.total / 100) : 0;
    const few = this.found.filter(({ odd }) => (odd.written !== undefined || odd.count > 0) && odd.count <= most);
    return few.sort((a, b) => a.odd.count - b.odd.count)[0]?.odd;
  }
}

export function isDateCell(cell: unknown): boolean {
  return typeof cell === 'string' && isDate(cell.trim());
}

/** A number that no code may be: neither a phone number nor an id. */
export function isNumberText(cell: string): boolean {
  return parseNumber(cell) !== undefined && !isCode(cell);
}

function isNumberCell(cell: unknown): boolean {
  return typeof cell === 'string' ? isNumberText(cell) : isNumeric(cell);
}

/** The integers that a double tells apart have at most this many digits. */
const mostDigits = 15;

/** `007`, `+4930123456`, `1e5`, an id of more digits than a number keeps, or an ISBN. */
function isCode(cell: string): boolean {
  const text = cell.trim();
  const [digits = ''] = /^\d+/.exec(text.replace(/^[+-]/, '')) ?? [];
  return (
    /^[+-]?0\d/.test(text) ||
    /^\+\d{6,}$/.test(text) ||
    /^\d+[eE]\d+$/.test(text) ||
    digits.length > mostDigits ||
    isBookNumber(text)
  );
}

/** An ISBN of 13 digits, with its check digit. */
function isBookNumber(text: string): boolean {
  if (!/^97[89]\d{10}$/.test(text)) return false;
  return [...text].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 1 ? 3 : 1), 0) % 10 === 0;
}

function isWrittenNumber(text: string): boolean {
  return !isCode(text) && (readNumber(text, pointStyle) ?? readNumber(text, commaStyle)) !== undefined;
}

function isWrittenDate(text: string): boolean {
  return dateFormats.some((format) => readDate(text, format, months) !== undefined);
}
