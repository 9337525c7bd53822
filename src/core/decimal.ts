/** Decimal arithmetic on numbers as they are written: 0.3 - 0.1 is 0.2. */
import Big from 'big.js';
import { usage } from './errors.ts';
import { ExactNumber, type Numeric } from './json.ts';

/** Digits of a quotient that does not end: a double, and so a workbook, holds any 15. */
const quotientDigits = 15;

/** Digits of operands and results: multiplying takes the square of their number. */
const maxDigits = 5000;

/** Significant digits of the longest text of a double. */
const maxDoubleDigits = 17;

function big(value: Numeric): Big {
  return new Big(String(value));
}

/** @throws usage for a result of more than `maxDigits` digits */
function checkDigits(count: number): void {
  if (count > maxDigits) throw usage(`a result has more than ${maxDigits} digits`);
}

/** A plain number where a double prints the same digits, else an ExactNumber. */
function numeric(value: Big): Numeric {
  checkDigits(Math.max(value.c.length, value.e + 1) + Math.max(0, -value.e));
  if (value.c.length > maxDoubleDigits) return new ExactNumber(value.toFixed());
  const double = value.toNumber();
  return Number.isFinite(double) && value.eq(String(double)) ? double : new ExactNumber(value.toFixed());
}

export function sum(values: readonly Numeric[]): Numeric {
  const total = new Total();
  for (const value of values) total.add(value);
  return total.value();
}

/** An exact sum. Small amounts are added as integers, without a decimal for each. */
export class Total {
  private units = 0;
  private beyond: Big | undefined;

  add(value: Numeric): void {
    const units = unitsOf(value);
    if (Number.isNaN(units)) this.beyond = (this.beyond ?? new Big(0)).plus(big(value));
    else {
      this.units += units;
      if (Math.abs(this.units) >= maxUnits) this.settle();
    }
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

/** A double of fewer units is exact: dividing gives back the digits that it was read from. */
const maxUnits = 1e15;

/** The number in ten-thousandths; NaN where these are too many for a double, or not whole. */
function unitsOf(value: Numeric): number {
  const short = shortNumber(value);
  // Zero has no sign here, as in its text.
  const units = Math.round(short * perUnit) + 0;
  return Math.abs(units) < maxUnits && units / perUnit === short ? units : Number.NaN;
}

export function difference(a: Numeric, b: Numeric): Numeric {
  const units = unitsOf(a) - unitsOf(b);
  return Math.abs(units) < maxUnits ? units / perUnit : numeric(big(a).minus(big(b)));
}

export function product(a: Numeric, b: Numeric): Numeric {
  const units = unitsOf(a) * unitsOf(b);
  return Math.abs(units) < maxUnits ? units / (perUnit * perUnit) : longProduct(big(a), big(b));
}

function longProduct(a: Big, b: Big): Numeric {
  checkDigits(a.c.length + b.c.length);
  const places = a.c.length - 1 - a.e + (b.c.length - 1 - b.e);
  return numeric(new Big(`${a.s === b.s ? '' : '-'}${wholeOf(a) * wholeOf(b)}e${-places}`));
}

/** `a / b`, exact or rounded half up to 15 digits, leading zeros not counted; `a` where `b` is 1, null where it is zero. */
export function quotient(a: Numeric, b: Numeric): Numeric | null {
  const [dividend, divisor] = [big(a), big(b)];
  if (divisor.eq(0)) return null;
  // Dividing by 1 keeps all digits.
  if (divisor.eq(1)) return numeric(dividend);
  checkDigits(dividend.c.length + divisor.c.length);
  // The decimals of an exact quotient, and one more for rounding any other.
  const places = Math.max(quotientDigits, quotientDigits + divisor.e - dividend.e) + 1;
  const shift = places + (dividend.e - dividend.c.length) - (divisor.e - divisor.c.length);
  // A division of whole numbers: the library's goes digit by digit.
  const numerator = wholeOf(dividend) * 10n ** BigInt(Math.max(0, shift));
  const denominator = wholeOf(divisor) * 10n ** BigInt(Math.max(0, -shift));
  const digits = numerator / denominator;
  const decimal = new Big(`${dividend.s === divisor.s ? '' : '-'}${digits}e-${places}`);
  const isExact = digits % 10n === 0n && digits * denominator === numerator;
  return numeric(isExact ? decimal : decimal.round(Math.max(0, quotientDigits - 1 - decimal.e), Big.roundHalfUp));
}

function wholeOf(value: Big): bigint {
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

export function roundTo(value: Numeric, digits: number): Numeric {
  return numeric(big(value).round(digits, Big.roundHalfUp));
}

/** The double that prints the same number, `1.1` for `1.10`; undefined where a double would lose digits. */
export function asDouble(value: Numeric): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const short = shortNumber(value);
  if (!Number.isNaN(short)) return short;
  const double = value.valueOf();
  return Number.isFinite(double) && big(value).eq(String(double)) ? double : undefined;
}

const shortText = /^-?[\d.]{1,15}$/;

/** The double that prints the number, `1.1` for `1.10`; NaN for a longer one. */
function shortNumber(value: Numeric): number {
  if (typeof value === 'number') return value;
  const double = shortText.test(value.text) ? Number(value.text) : Number.NaN;
  return Object.is(double, -0) ? Number.NaN : double;
}
