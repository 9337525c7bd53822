/** Change over time: month on month, quarter on quarter, year on year and compound rates. */

import { compare, difference, magnitude, product, quotient } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { pointsOf } from '../series/units.ts';

/** A value at its position in its own grain; positions without a point are holes. */
interface IndexedPoint {
  /** Months, quarters or years since year 0, by the series' grain. */
  index: number;
  value: Numeric | null;
}

export interface Change {
  index: number;
  value: Numeric | null;
  /** The value `steps` periods before; undefined when there is no row there. */
  base: Numeric | null | undefined;
  /** value - base, exact. */
  difference: Numeric | null;
  /** The difference as a fraction of the base's magnitude; null when the base is zero, null or missing. */
  ratio: Numeric | null;
  note: string;
}

/** The change of each point against the one `steps` periods before it (12 for yoy of months, 3 for qoq of months). */
export function changes(points: readonly IndexedPoint[], steps: number): Change[] {
  const byIndex = new Map(points.map(({ index, value }) => [index, value]));
  return points.map(({ index, value }) => {
    const base = byIndex.get(index - steps);
    if (!isNumeric(value) || !isNumeric(base)) {
      const note = value === null ? 'the value is null' : base === null ? 'the base is null' : 'no base period';
      return { index, value, base, difference: null, ratio: null, note };
    }
    const gap = difference(value, base);
    const ratio = quotient(gap, magnitude(base));
    const note = ratio === null ? 'the base is zero: no percentage' : '';
    return { index, value, base, difference: gap, ratio, note };
  });
}

/**
 * The compound annual growth rate between the first and the last point with a value.
 * @param perYear periods in a year of the series' grain: 12, 4 or 1
 * @returns a fraction (0.25 = 25 % a year), or null with the reason in `note`
 */
export function cagr(
  points: readonly IndexedPoint[],
  perYear: number,
): { ratio: number | null; years: number; note: string } {
  const valued = points.filter((point) => point.value !== null).sort((a, b) => a.index - b.index);
  const first = valued[0];
  const last = valued.at(-1);
  if (!first || !last || first.index === last.index) {
    return { ratio: null, years: 0, note: 'needs two periods with a value' };
  }
  const years = (last.index - first.index) / perYear;
  if (compare(first.value as Numeric, 0) <= 0 || compare(last.value as Numeric, 0) < 0) {
    return { ratio: null, years, note: 'needs a first value above zero and a last one not below it' };
  }
  return { ratio: (Number(last.value) / Number(first.value)) ** (1 / years) - 1, years, note: '' };
}

/** A change in percent, of a percentage in points: never in percent of percent. */
export function changeOf(
  { difference: gap, ratio }: Pick<Change, 'difference' | 'ratio'>,
  measure: string | undefined,
): Numeric | null {
  const points = gap === null ? undefined : pointsOf(gap, measure);
  return points ?? percent(ratio);
}

/** A fraction as percent: 0.125 is 12.5. */
export function percent(ratio: Numeric | null): Numeric | null {
  return ratio === null ? null : product(ratio, 100);
}
