/** The trend of a series as a line of text: one character for each period. */
import { isNumeric, type Numeric } from '../../core/json.ts';

const unicode = '▁▂▃▄▅▆▇█';
const ascii = '_.,-=+*#';

/** The share of the greatest value that fills the height at least. */
const minSpan = 0.1;

interface SparkOptions {
  /** Eight levels in plain ASCII, for terminals without more. */
  ascii?: boolean;
  /** Positions of values of which only some months are known; they have no level. */
  partial?: ReadonlySet<number>;
}

/**
 * Values in their order, each as one of eight levels between the least and the greatest of them; a blank for a missing
 * one. Equal values are in the middle. The scale may not begin at zero: it shows shape, not size, but a change of 3 %
 * does not fill it.
 */
export function sparkline(values: readonly (Numeric | null | undefined)[], options: SparkOptions = {}): string {
  const levels = options.ascii ? ascii : unicode;
  const numbers = values.map((value) => (isNumeric(value) ? Number(value) : undefined));
  const known = numbers.filter(
    (value, at) => !options.partial?.has(at) && value !== undefined && Number.isFinite(value),
  ) as number[];
  const least = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const greatest = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const floor = minSpan * Math.max(Math.abs(least), Math.abs(greatest));
  return numbers
    .map((value, at) => {
      if (value !== undefined && options.partial?.has(at)) return options.ascii ? '?' : '░';
      if (value === undefined || !Number.isFinite(value)) return ' ';
      // Changes below the floor stay near the middle.
      const share = 0.5 + (value - (least + greatest) / 2) / Math.max(greatest - least, floor || 1);
      // Rounding can put the least value a little below 0.
      return levels[Math.max(0, Math.min(levels.length - 1, Math.floor(share * levels.length)))] ?? ' ';
    })
    .join('');
}
