/** What a person should know of a CSV file of points: values that are missing, dates that are not monthly. */
import { parsePeriod } from '../../core/periods.ts';
import type { PointPeriod } from './point-period.ts';

/** The first month of a metric, and what divides the distances of all its others. */
interface Months {
  first: number;
  step: number;
  count: number;
}

export class FileFacts {
  private dots = 0;
  private dotLine = 0;
  private readonly months = new Map<string, Months>();

  /** A cell with only a point, as statistical offices write a missing value. */
  addDot(line: number): void {
    if (this.dots === 0) this.dotLine = line;
    this.dots += 1;
  }

  addValue(metric: string, { type, key }: PointPeriod): void {
    const month = type === 'month' ? parsePeriod(key)?.index : undefined;
    const before = this.months.get(metric);
    if (month === undefined) {
      if (before === undefined) this.months.set(metric, { first: 0, step: 1, count: 0 });
      return;
    }
    const { first, step, count } = before ?? { first: month, step: 0, count: 0 };
    const apart = Math.abs(month - first);
    // Rows of one month may be of several companies or versions.
    this.months.set(metric, { first, step: divisor(step, apart), count: before && apart === 0 ? count : count + 1 });
  }

  /** In the order of the file. */
  metrics(): Iterable<string> {
    return this.months.keys();
  }

  notes(name: string): string[] {
    const notes: string[] = [];
    if (this.dots > 0) {
      const cells = this.dots === 1 ? '1 cell is' : `${this.dots} cells are`;
      notes.push(`${name}: ${cells} ".", read as no value (the first on line ${this.dotLine})`);
    }
    const sparse = [...this.months].filter(([, { step, count }]) => count > 2 && step % 3 === 0);
    const [first] = sparse;
    if (first !== undefined) {
      const grain = first[1].step % 12 === 0 ? 'year' : 'quarter';
      const more = sparse.length === 1 ? '' : ` and ${sparse.length - 1} more`;
      notes.push(
        `${name}: the dates of ${first[0]}${more} are a ${grain} or more apart; each value is stored only for the month of its date`,
      );
    }
    return notes;
  }
}

/** Of two distances, the largest that divides both. */
function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
