/** Decimal arithmetic on numbers as they are written: 0.3 - 0.1 is 0.2. */
import Big from 'big.js';
import { usage } from './errors.ts';
import { ExactNumber, type Numeric } from './json.ts';
import { mostUnits, shortDifference, shortNumber, shortProduct, shortQuotient, shortRounded } from './short-decimal.ts';

/**
 * Digits that a quotient without an end keeps; sums, differences and products keep all of theirs. A double holds any 15,
 * so that such a quotient is a number in a workbook too.
 */
const quotientDigits = 15;

/** Digits of a result, and of what is multiplied or divided, which takes the square of them. */
const mostDigits = 5000;

/** Significant digits of the longest text of a double. */
const mostDoubleDigits = 17;

function big(value: Numeric): Big {
  return new Big(String(value));
}

/** @throws usage where a result has more digits than anybody reads */
function checkDigits(count: number): void {
  if (count > mostDigits) throw usage(`a result has more than ${mostDigits} digits`);
}

/** A plain number where a double prints the same digits, else an ExactNumber. */
function numeric(value: Big): Numeric {
  checkDigits(Math.max(value.c.length, value.e + 1) + Math.max(0, -value.e));
  if (value.c.length > mostDoubleDigits) return new ExactNumber(value.toFixed());
  const double = value.toNumber();
  return Number.isFinite(double) && value.eq(String(double)) ? double : new ExactNumber(value.toFixed());
}

export function sum(values: readonly Numeric[]): Numeric {
  const total = new Total();
  for (const value of values) total.add(value);
  return total.value();
}

/** A sum: exact, and for amounts of few digits without a decimal for each. */
export class Total {
  private units = 0;
  private beyond: Big | undefined;

  add(value: Numeric): void {
    const short = shortNumber(value);
    const units = Math.round(short * perUnit);
    // So few digits are those of the double: dividing gives it back.
    if (Math.abs(units) < mostUnits && units / perUnit === short) {
      this.units += units;
      if (Math.abs(this.units) >= mostUnits) this.settle();
    } else this.beyond = (this.beyond ?? new Big(0)).plus(big(value));
  }

  value(): Numeric {
    return this.beyond ? numeric(this.settle()) : this.units / perUnit;
  }

  private settle(): Big {
    this.beyond = (this.beyond ?? new Big(0)).plus(new Big(this.units).div(perUnit));
    this.units = 0;
    return this.beyond;
  }
}

/** Amounts of up to four digits after the point. */
const perUnit = 10_000;

/** `a - b` */
export function difference(a: Numeric, b: Numeric): Numeric {
  const short = shortDifference(shortNumber(a), shortNumber(b));
  return Number.isNaN(short) ? numeric(big(a).minus(big(b))) : short;
}

export function product(a: Numeric, b: Numeric): Numeric {
  const short = shortProduct(shortNumber(a), shortNumber(b));
  return Number.isNaN(short) ? longProduct(big(a), big(b)) : short;
}

function longProduct(a: Big, b: Big): Numeric {
  checkDigits(a.c.length + b.c.length);
  const places = a.c.length - 1 - a.e + (b.c.length - 1 - b.e);
  return numeric(new Big(`${a.s === b.s ? '' : '-'}${whole(a) * whole(b)}e${-places}`));
}

/** `a / b`, exact or rounded half up to 15 digits, leading zeros not counted; `a` where `b` is 1, null where it is zero. */
export function quotient(a: Numeric, b: Numeric): Numeric | null {
  const [over, under] = [shortNumber(a), shortNumber(b)];
  if (under === 0) return null;
  // What is not divided keeps all of its digits.
  if (under === 1) return a;
  const short = shortQuotient(over, under);
  return Number.isNaN(short) ? longQuotient(big(a), big(b)) : short;
}

/** One division of whole numbers: the library's own goes digit by digit. */
function longQuotient(over: Big, under: Big): Numeric | null {
  if (under.eq(0)) return null;
  checkDigits(over.c.length + under.c.length);
  // An exact quotient keeps so many digits after the point. One more says how another one is rounded.
  const places = Math.max(quotientDigits, quotientDigits + under.e - over.e) + 1;
  const shift = places + (over.e - over.c.length) - (under.e - under.c.length);
  const dividend = whole(over) * 10n ** BigInt(Math.max(0, shift));
  const divisor = whole(under) * 10n ** BigInt(Math.max(0, -shift));
  const digits = dividend / divisor;
  const found = new Big(`${over.s === under.s ? '' : '-'}${digits}e-${places}`);
  const isExact = digits % 10n === 0n && digits * divisor === dividend;
  return numeric(isExact ? found : found.round(Math.max(0, quotientDigits - 1 - found.e), Big.roundHalfUp));
}

function whole(value: Big): bigint {
  return BigInt(value.c.join(''));
}

/** The mean, exact or rounded as a quotient is; null of nothing. */
export function average(values: readonly Numeric[]): Numeric | null {
  return values.length === 0 ? null : quotient(sum(values), values.length);
}

/** Negative when `a < b`, 0 when equal, positive when `a > b`. */
export function compare(a: Numeric, b: Numeric): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const short = shortNumber(a) - shortNumber(b);
  return Number.isNaN(short) ? big(a).cmp(big(b)) : short;
}

export function magnitude(value: Numeric): Numeric {
  const short = shortNumber(value);
  return Number.isFinite(short) ? Math.abs(short) : numeric(big(value).abs());
}

/** Rounded half up to `digits` after the point. */
export function rounded(value: Numeric, digits: number): Numeric {
  const short = shortRounded(shortNumber(value), digits);
  return Number.isNaN(short) ? numeric(big(value).round(digits, Big.roundHalfUp)) : short;
}

/** The double that prints the same number, `1.1` for `1.10`; undefined where a double would lose digits. */
export function asDouble(value: Numeric): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const short = shortNumber(value);
  if (!Number.isNaN(short)) return short;
  const double = value.valueOf();
  return Number.isFinite(double) && big(value).eq(String(double)) ? double : undefined;
}
