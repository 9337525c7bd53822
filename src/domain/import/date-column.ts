/** How the dates of a column are written, from all its cells. */
import { isDate } from '../../contract/validate.ts';
import { type DateFormat, dateFormats, monthNames, orderIn, orderOf, readDate } from './dates.ts';
import type { Cited } from './number-column.ts';

export type DateFinding =
  /** A cell with two readings. */
  | { is: 'ambiguous date'; cell: Cited; readings: { format: string; date: string }[] }
  /** Two cells that no one format explains. */
  | { is: 'mixed dates'; cells: [Cited, Cited] }
  /** The only format that fits, and a cell that shows it. */
  | { is: 'dates'; cell: Cited; format: string };

export class DateColumn {
  private readonly known: readonly DateFormat[];
  private readonly months: ReadonlyMap<string, number>;
  private readonly isGiven: boolean;
  private alive: readonly DateFormat[];
  private first: Cited | undefined;
  /** The last cell that ruled a format out. */
  private decisive: Cited | undefined;
  private clash: Cited | undefined;
  /** Cells by the formats that read them differently. */
  private readonly doubts = new Map<string, Cited>();

  /** @param given the format, if it is known; else the order of a locale is that of the column */
  constructor(given: DateFormat | undefined, locale: string | undefined) {
    this.months = monthNames(locale);
    this.isGiven = given !== undefined;
    const order = locale === undefined ? undefined : orderOf(locale);
    const fits = (format: DateFormat) =>
      order === undefined || [order, 'ymd'].includes(orderIn(format)) || format.parts.includes('mmm');
    this.known = given === undefined ? dateFormats.filter(fits) : [given];
    this.alive = this.known;
  }

  add(text: string, line: number): void {
    if (this.isGiven || isPlainDate(text)) return;
    const cell = { line, text };
    const read = this.alive.map((format) => ({ format, date: readDate(text, format, this.months) }));
    const fitting = read.filter(({ date }) => date !== undefined);
    if (fitting.length === 0) {
      // A cell that nothing explains is an error of its own.
      if (this.known.some((format) => readDate(text, format, this.months) !== undefined)) this.clash ??= cell;
      return;
    }
    this.first ??= cell;
    if (fitting.length < this.alive.length) {
      this.alive = fitting.map(({ format }) => format);
      this.decisive = cell;
    }
    for (const [at, one] of fitting.entries()) {
      for (const other of fitting.slice(at + 1)) {
        const pair = `${one.format.text} ${other.format.text}`;
        if (one.date !== other.date && !this.doubts.has(pair)) this.doubts.set(pair, cell);
      }
    }
  }

  get findings(): DateFinding[] {
    const { first, alive, clash, decisive } = this;
    if (this.isGiven || first === undefined) return [];
    if (clash) return [{ is: 'mixed dates', cells: [decisive ?? first, clash] }];
    const [one, ...others] = alive;
    for (const other of others) {
      const cell = this.doubts.get(`${one?.text} ${other.text}`);
      if (cell === undefined || one === undefined) continue;
      const readings = [one, other].map((format) => ({
        format: format.text,
        date: readDate(cell.text, format, this.months) ?? '',
      }));
      return [{ is: 'ambiguous date', cell, readings }];
    }
    return [{ is: 'dates', cell: decisive ?? first, format: one?.text ?? '' }];
  }

  /** The date as the API writes it, or undefined. */
  read(text: string): string | undefined {
    if (isPlainDate(text)) return text.trim();
    const [format] = this.alive;
    return format && readDate(text, format, this.months);
  }
}

function isPlainDate(text: string): boolean {
  return isDate(text.trim()) || text.trim().toLowerCase() === 'today';
}
