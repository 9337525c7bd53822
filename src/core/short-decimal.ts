/**
 * Arithmetic on numbers of at most fifteen digits, such as amounts of money, in whole doubles: a decimal of digits takes
 * fifty times as long. Every result is exact, or rounded as `decimal.ts` says; NaN where that takes more digits.
 */
import type { Numeric } from './json.ts';

/** Every double below it gives back the digits that it was read from. */
export const mostUnits = 1e15;
const mostDigits = 15;

/** Those powers of ten that are doubles: dividing by one rounds once, and gives the double that prints the quotient. */
const powers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const shortText = /^-?[\d.]{1,15}$/;

/** The double that prints the number, `1.1` for `1.10`; NaN for a longer one. */
export function shortNumber(value: Numeric): number {
  if (typeof value === 'number') return value;
  const double = shortText.test(value.text) ? Number(value.text) : Number.NaN;
  return Object.is(double, -0) ? Number.NaN : double;
}

/** How many digits after the point make a whole number of it; NaN where it has more digits than fifteen. */
function placesOf(value: number): number {
  if (isWholeAt(value, 0)) return 0;
  if (isWholeAt(value, 2)) return 2;
  if (isWholeAt(value, 4)) return 4;
  const places = mostDigits - 1 - Math.floor(Math.log10(Math.abs(value)));
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

export function shortDifference(a: number, b: number): number {
  const places = Math.max(placesOf(a), placesOf(b));
  return ofUnits(unitsAt(a, places) - unitsAt(b, places), places);
}

export function shortProduct(a: number, b: number): number {
  const places = placesOf(a);
  const units = unitsAt(a, places);
  // A percentage: the point moves, and all digits stay.
  const moved = powers.indexOf(b);
  if (moved >= 0 && moved <= places) return ofUnits(units, places - moved);
  const others = placesOf(b);
  return ofUnits(units * unitsAt(b, others), places + others);
}

/** `b` is not zero. */
export function shortQuotient(a: number, b: number): number {
  const places = Math.max(placesOf(a), placesOf(b));
  const over = unitsAt(a, places);
  const under = unitsAt(b, places);
  const ratio = shortRatio(Math.abs(over), Math.abs(under));
  return over < 0 === under < 0 ? ratio : -ratio;
}

/** Long division, several digits in each step. */
function shortRatio(over: number, under: number): number {
  if (over === 0 && under > 0) return 0;
  const step = mostDigits - digitsOf(under);
  if (!(over > 0 && under > 0 && step > 0)) return Number.NaN;
  let rest = over;
  let places = 0;
  // Zeros before the first other digit are not counted.
  for (; rest < under; rest *= 10) places += 1;
  let digits = timesIn(rest, under);
  rest -= digits * under;
  for (let missing = mostDigits - digitsOf(digits); missing > 0 && rest > 0; ) {
    const now = Math.min(step, missing);
    const power = powers[now] as number;
    const next = timesIn(rest * power, under);
    rest = rest * power - next * under;
    digits = digits * power + next;
    places += now;
    missing -= now;
  }
  if (rest === 0) return ofUnits(digits, places);
  if (endsWithin(rest, under, Math.max(mostDigits, mostDigits + digitsOf(under) - digitsOf(over)) - places)) {
    return Number.NaN;
  }
  return ofUnits(rest * 2 >= under ? digits + 1 : digits, places);
}

/** Half up, whatever the sign. */
export function shortRounded(value: number, digits: number): number {
  const places = placesOf(value);
  if (places <= digits) return ofUnits(unitsAt(value, places), places);
  const units = unitsAt(value, places);
  const power = powers[places - digits] ?? Number.NaN;
  const size = Math.abs(units);
  const whole = timesIn(size, power);
  const rounded = ofUnits((size - whole * power) * 2 >= power ? whole + 1 : whole, digits);
  return units < 0 ? -rounded : rounded;
}

/** Whether the quotient of the rest ends after so many digits. An exact quotient keeps more digits than a rounded one. */
function endsWithin(rest: number, under: number, count: number): boolean {
  for (let left = count; left > 0 && rest > 0; left -= 1) {
    rest = rest * 10 - timesIn(rest * 10, under) * under;
  }
  return rest === 0;
}

/** How often one whole number is in another. Below 1e15 the quotient is never rounded up to the next whole number. */
function timesIn(over: number, under: number): number {
  return Math.floor(over / under);
}

function digitsOf(whole: number): number {
  let digits = 1;
  while (digits < powers.length && whole >= (powers[digits] as number)) digits += 1;
  return digits;
}
