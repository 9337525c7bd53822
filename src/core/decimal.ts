/** Decimal arithmetic on numbers as they are written: 0.3 - 0.1 is 0.2. */
import Big from 'big.js';
import { usage } from './errors.ts';
import { ExactNumber, type Numeric } from './json.ts';

/**
 * Digits of a quotient that does not end; sums, differences and products keep all digits. A double holds any 15,
 * so that such a quotient is a number in a workbook too.
 */
const quotientDigits = 15;

/** Digits of operands and results: multiplying takes the square of their number. */
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
    // A double of so few digits is exact: dividing gives it back.
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
  return numeric(new Big(`${a.s === b.s ? '' : '-'}${wholeOf(a) * wholeOf(b)}e${-places}`));
}

/** `a / b`, exact or rounded half up to 15 digits, leading zeros not counted; `a` where `b` is 1, null where it is zero. */
export function quotient(a: Numeric, b: Numeric): Numeric | null {
  const [over, under] = [shortNumber(a), shortNumber(b)];
  if (under === 0) return null;
  // Dividing by 1 keeps all digits.
  if (under === 1) return numeric(big(a));
  const short = shortQuotient(over, under);
  return Number.isNaN(short) ? longQuotient(big(a), big(b)) : short;
}

/** One division of whole numbers: the library's own goes digit by digit. */
function longQuotient(over: Big, under: Big): Numeric | null {
  if (under.eq(0)) return null;
  checkDigits(over.c.length + under.c.length);
  // The decimals of an exact quotient, and one more for rounding any other.
  const places = Math.max(quotientDigits, quotientDigits + under.e - over.e) + 1;
  const shift = places + (over.e - over.c.length) - (under.e - under.c.length);
  const dividend = wholeOf(over) * 10n ** BigInt(Math.max(0, shift));
  const divisor = wholeOf(under) * 10n ** BigInt(Math.max(0, -shift));
  const digits = dividend / divisor;
  const decimal = new Big(`${over.s === under.s ? '' : '-'}${digits}e-${places}`);
  const isExact = digits % 10n === 0n && digits * divisor === dividend;
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

/** Every double below it gives back the digits that it was read from. */
const mostUnits = 1e15;
const mostShortDigits = 15;

/** Those powers of ten that are doubles: dividing by one rounds once, and gives the double that prints the quotient. */
const powers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const shortText = /^-?[\d.]{1,15}$/;

/** The double that prints the number, `1.1` for `1.10`; NaN for a longer one. */
function shortNumber(value: Numeric): number {
  if (typeof value === 'number') return value;
  const double = shortText.test(value.text) ? Number(value.text) : Number.NaN;
  return Object.is(double, -0) ? Number.NaN : double;
}

/** The number of decimals; NaN for a number of more than fifteen digits. */
function placesOf(value: number): number {
  if (isWholeAt(value, 0)) return 0;
  if (isWholeAt(value, 2)) return 2;
  if (isWholeAt(value, 4)) return 4;
  const places = mostShortDigits - 1 - Math.floor(Math.log10(Math.abs(value)));
  return isWholeAt(value, places) ? places : Number.NaN;
}

function isWholeAt(value: number, places: number): boolean {
  return !Number.isNaN(unitsAt(value, places));
}

/** The number in units of its last digit; dividing gives it back. */
function unitsAt(value: number, places: number): number {
  const power = powers[places] ?? Number.NaN;
  // Zero has no sign here, as in its text.
  const units = Math.round(value * power) + 0;
  return Math.abs(units) < mostUnits && units / power === value ? units : Number.NaN;
}

function ofUnits(units: number, places: number): number {
  return Math.abs(units) < mostUnits ? units / (powers[places] ?? Number.NaN) : Number.NaN;
}

function shortDifference(a: number, b: number): number {
  const places = Math.max(placesOf(a), placesOf(b));
  return ofUnits(unitsAt(a, places) - unitsAt(b, places), places);
}

function shortProduct(a: number, b: number): number {
  const places = placesOf(a);
  const units = unitsAt(a, places);
  // A percentage: the point moves, and all digits stay.
  const moved = powers.indexOf(b);
  if (moved >= 0 && moved <= places) return ofUnits(units, places - moved);
  const otherPlaces = placesOf(b);
  return ofUnits(units * unitsAt(b, otherPlaces), places + otherPlaces);
}

/** `b` is not zero. */
function shortQuotient(a: number, b: number): number {
  const places = Math.max(placesOf(a), placesOf(b));
  const over = unitsAt(a, places);
  const under = unitsAt(b, places);
  const ratio = shortRatio(Math.abs(over), Math.abs(under));
  return over < 0 === under < 0 ? ratio : -ratio;
}

/** Long division, several digits in each step. */
function shortRatio(over: number, under: number): number {
  if (over === 0 && under > 0) return 0;
  const step = mostShortDigits - digitsOf(under);
  if (!(over > 0 && under > 0 && step > 0)) return Number.NaN;
  let rest = over;
  let places = 0;
  // Zeros before the first other digit are not counted.
  for (; rest < under; rest *= 10) places += 1;
  let digits = timesIn(rest, under);
  rest -= digits * under;
  for (let missing = mostShortDigits - digitsOf(digits); missing > 0 && rest > 0; ) {
    const now = Math.min(step, missing);
    const power = powers[now] as number;
    const next = timesIn(rest * power, under);
    rest = rest * power - next * under;
    digits = digits * power + next;
    places += now;
    missing -= now;
  }
  if (rest === 0) return ofUnits(digits, places);
  if (endsWithin(rest, under, Math.max(mostShortDigits, mostShortDigits + digitsOf(under) - digitsOf(over)) - places)) {
    return Number.NaN;
  }
  return ofUnits(rest * 2 >= under ? digits + 1 : digits, places);
}

/** Half up, also below zero. */
function shortRounded(value: number, digits: number): number {
  const places = placesOf(value);
  if (places <= digits) return ofUnits(unitsAt(value, places), places);
  const units = unitsAt(value, places);
  const power = powers[places - digits] ?? Number.NaN;
  const size = Math.abs(units);
  const wholeOf = timesIn(size, power);
  const rounded = ofUnits((size - wholeOf * power) * 2 >= power ? wholeOf + 1 : wholeOf, digits);
  return units < 0 ? -rounded : rounded;
}

/** Whether the quotient of the rest ends within `count` digits: an exact quotient keeps more digits than a rounded one. */
function endsWithin(rest: number, under: number, count: number): boolean {
  for (let left = count; left > 0 && rest > 0; left -= 1) {
    rest = rest * 10 - timesIn(rest * 10, under) * under;
  }
  return rest === 0;
}

/** The integer quotient. Below 1e15 the division is never rounded up to the next whole number. */
function timesIn(over: number, under: number): number {
  return Math.floor(over / under);
}

function digitsOf(wholeOf: number): number {
  let digits = 1;
  while (digits < powers.length && wholeOf >= (powers[digits] as number)) digits += 1;
  return digits;
}
