/** Numbers for eyes: one scale, one unit and as many digits after the point for all that are compared. */
import { isNumeric, type Numeric } from '../../core/json.ts';
import { groupDigits, groupThousands } from '../cells.ts';
import type { Cell } from '../column.ts';

/** `auto`: by the largest amount. */
export type Scale = 'auto' | 'k' | 'M' | 'none';

interface NumberStyle {
  power: 0 | 3 | 6 | 9;
  /** Digits after the point; undefined: all that there are. */
  decimals: number | undefined;
}

const letters = { 0: '', 3: 'k', 6: 'M', 9: 'B' } as const;
const symbols: Readonly<Record<string, string>> = {
  USD: '$',
  EUR: '€',
  GBP: '£',
  JPY: '¥',
};
/** Units that say nothing about a number. */
const plain: ReadonlySet<string> = new Set(['count', 'ratio', 'number']);

const isCurrency = (unit: string | undefined) => unit !== undefined && /^[A-Z]{3}$/.test(unit);

/** Above this a double has no digits after the point, and not all of those before it. */
const mostRounded = 2 ** 53;

interface StyleRules {
  /** Undefined: every digit is shown. */
  scale: Scale | undefined;
  unit: string | undefined;
  isAmount: boolean;
  /** The most digits after the point, where the column says so. */
  digits: number | undefined;
}

/** The style in which these numbers can be compared. */
export function numberStyle(cells: Iterable<Cell>, { scale, unit, isAmount, digits }: StyleRules): NumberStyle {
  if (scale === undefined) return { power: 0, decimals: undefined };
  let [least, most, fraction] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const cell of cells) {
    if (!isNumeric(cell)) continue;
    const size = Math.abs(Number(cell));
    if (!Number.isFinite(size)) return { power: 0, decimals: undefined };
    if (size > 0) least = Math.min(least, size);
    most = Math.max(most, size);
    fraction = Math.max(fraction, fractionOf(cell));
  }
  const amount = isAmount || isCurrency(unit);
  const power = amount ? powerOf(scale, least, most) : 0;
  const significant = least === Number.POSITIVE_INFINITY ? 0 : 2 - Math.floor(Math.log10(least / 10 ** power));
  if (power > 0) return { power, decimals: Math.min(Math.max(significant, 0), 2) };
  const wanted = digits ?? Math.min(Math.max(significant, amount ? 2 : 1), 8);
  return { power, decimals: Math.min(fraction, wanted) };
}

const scales = [
  [9, 1e9],
  [6, 1e6],
  [3, 1e4],
] as const;

/** By the largest amount, if the smallest one still has digits then. */
function powerOf(scale: Scale, least: number, most: number): NumberStyle['power'] {
  if (scale === 'k') return 3;
  if (scale === 'M') return 6;
  if (scale === 'none') return 0;
  return scales.find(([power, from]) => most >= from && least >= 10 ** (power - 2))?.[0] ?? 0;
}

function fractionOf(value: Numeric): number {
  const text = String(value);
  return /[eE]/.test(text) ? 20 : text.length - 1 - (text.includes('.') ? text.indexOf('.') : text.length - 1);
}

export function styledNumber(value: Numeric, { power, decimals }: NumberStyle): string {
  const double = Number(value) / 10 ** power;
  if (decimals === undefined || !(Math.abs(double) < mostRounded)) return groupThousands(value);
  const text = double.toFixed(decimals);
  return groupDigits(/^-0\.?0*$/.test(text) ? text.slice(1) : text);
}

/** A change with its sign, and an arrow where the terminal has one. */
export function signed(number: string, value: Numeric, ascii: boolean): string {
  if (!/[1-9]/.test(number)) return number;
  const up = Number(value) > 0;
  return `${ascii ? '' : up ? '▲ ' : '▼ '}${up ? '+' : ''}${number}`;
}

/** What a heading says of its numbers: `$M`, `CHF k`, `%`, `months`. */
export function unitWord(unit: string | undefined, { power }: NumberStyle, ascii: boolean): string {
  if (unit === undefined || plain.has(unit)) return letters[power];
  if (!isCurrency(unit)) return unit;
  const symbol = symbols[unit];
  if (symbol !== undefined && (!ascii || symbol === '$')) return `${symbol}${letters[power]}`;
  return power === 0 ? unit : `${unit} ${letters[power]}`;
}
