/** Decimal arithmetic on numbers as they are written: 0.3 - 0.1 is 0.2. */
import Big from 'big.js';
import { ExactNumber, type Numeric } from './json.ts';

/**
 * Digits that a quotient without an end keeps; sums, differences and products keep all of theirs. A double holds any 15,
 * so that such a quotient is a number in a workbook too.
 */
const quotientDigits = 15;

function big(value: Numeric): Big {
  return new Big(String(value));
}

/** A plain number where a double prints the same digits, else an ExactNumber. */
function numeric(value: Big): Numeric {
  const double = value.toNumber();
  return Number.isFinite(double) && value.eq(String(double)) ? double : new ExactNumber(value.toFixed());
}

export function sum(values: readonly Numeric[]): Numeric {
  return numeric(values.reduce((total: Big, value) => total.plus(big(value)), new Big(0)));
}

/** A sum of many: exact as `sum`, and for amounts of few digits without a decimal for each. */
export class Total {
  private units = 0;
  private beyond = new Big(0);

  add(value: Numeric): void {
    const units = typeof value === 'number' ? Math.round(value * perUnit) : Number.NaN;
    // So few digits are those of the double: dividing gives it back.
    if (Math.abs(units) < mostUnits && units / perUnit === value) {
      this.units += units;
      if (Math.abs(this.units) >= mostUnits) this.settle();
    } else this.beyond = this.beyond.plus(big(value));
  }

  value(): Numeric {
    this.settle();
    return numeric(this.beyond);
  }

  private settle(): void {
    this.beyond = this.beyond.plus(new Big(this.units).div(perUnit));
    this.units = 0;
  }
}

/** Amounts of up to four digits after the point. */
const perUnit = 10_000;
/** Fifteen digits: every double holds them. */
const mostUnits = 1e15;

/** `a - b` */
export function difference(a: Numeric, b: Numeric): Numeric {
  return numeric(big(a).minus(big(b)));
}

export function product(a: Numeric, b: Numeric): Numeric {
  return numeric(big(a).times(big(b)));
}

/** `a / b`, exact or rounded half up to 15 digits, leading zeros not counted; null when `b` is zero. */
export function quotient(a: Numeric, b: Numeric): Numeric | null {
  const divisor = big(b);
  if (divisor.eq(0)) return null;
  // The precision is a property of the constructor, and a copy keeps it from any other user of the library.
  const Precise = Big();
  const divided = (digitsAfterPoint: number) => {
    Precise.DP = Math.max(0, digitsAfterPoint);
    return new Precise(String(a)).div(String(b));
  };
  const near = divided(Math.max(quotientDigits, quotientDigits + divisor.e - big(a).e));
  return numeric(near.times(divisor).eq(big(a)) ? near : divided(quotientDigits - 1 - near.e));
}

/** The mean, exact or rounded as a quotient is; null of nothing. */
export function average(values: readonly Numeric[]): Numeric | null {
  return values.length === 0 ? null : quotient(sum(values), values.length);
}

/** Negative when `a < b`, 0 when equal, positive when `a > b`. */
export function compare(a: Numeric, b: Numeric): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return big(a).cmp(big(b));
}

export function magnitude(value: Numeric): Numeric {
  return numeric(big(value).abs());
}

/** Rounded half up to `digits` after the point. */
export function rounded(value: Numeric, digits: number): Numeric {
  return numeric(big(value).round(digits, Big.roundHalfUp));
}

/** The double that prints the same number, `1.1` for `1.10`; undefined where a double would lose digits. */
export function asDouble(value: Numeric): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const double = value.valueOf();
  return Number.isFinite(double) && big(value).eq(String(double)) ? double : undefined;
}
