/** The one formatter of values: cells as people read them, as programs read them, numbers and times for eyes. */
import { ExactNumber, isNumeric, type Numeric, numeric, plainDecimal, stringifyJson } from '../core/json.ts';
import { minuteOfTime, readDay, readInstant } from '../core/periods.ts';
import type { Cell, Column } from './column.ts';

/** Longer than this in plain digits, a number is shown as the API wrote it (`5e-324`). */
const maxDigits = 40;

const grouped: ReadonlySet<string | undefined> = new Set(['integer', 'number', 'currency', 'percent']);

/** Whether the column's cells are aligned to the right. */
export function isNumberColumn(column: Pick<Column, 'type'>): boolean {
  return grouped.has(column.type);
}

/**
 * The cell of a row as text for people, not cleaned yet. Empty for null and absent.
 * @param decimals those of the numbers beside it
 */
export function displayCell<Row>(column: Column<Row>, row: Row, decimals?: number): string {
  const printed = column.shown?.(row);
  if (printed !== undefined) return printed;
  const cell = column.get(row);
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (isNumeric(cell)) {
    if (!isNumberColumn(column)) return String(cell);
    const word = column.unitInRow ? undefined : unitWord(column, row);
    if (decimals !== undefined) return withUnit(formatNumber(cell, { power: 0, decimals }), word);
    const number = roundedNumber(cell, column.digits);
    const isMoney = column.type === 'currency' || minorUnit(word) !== undefined;
    return withUnit(isMoney ? withCents(number) : number, word);
  }
  if (typeof cell === 'object') return displayObject(cell);
  if (column.type === 'date' || column.type === 'datetime') return plainTime(cell, column.type);
  return cell;
}

/** An amount with no digits after the point or at least two: `275` for `275.000`, `0.50` for `0.5`. */
function withCents(number: string): string {
  const [whole = '', fraction] = number.split('.');
  const digits = fraction?.replace(/0+$/, '');
  return digits === undefined || /e/i.test(number) ? number : `${whole}${digits && `.${digits.padEnd(2, '0')}`}`;
}

/** A single number, with at most so many digits after the point. */
function roundedNumber(value: Numeric, digits: number | undefined): string {
  if (digits === undefined || !Number.isFinite(Number(value))) return groupThousands(value);
  return formatNumber(value, { power: 0, decimals: Math.min(digits, fractionOf(value)) });
}

/** Digits with `,` between thousands, all kept. Loading `Intl` takes half as long as a start of Node. */
export function groupThousands(value: Numeric): string {
  const text = String(value);
  if (/[eEIN]/.test(text)) {
    if (!(value instanceof ExactNumber) && !Number.isFinite(value)) return text;
    const exponent = Number(/[eE]([+-]?\d+)$/.exec(text)?.[1] ?? 0);
    if (Math.abs(exponent) > maxDigits) return text;
  }
  return groupDigits(plainDecimal(value));
}

/** A number in plain digits, with `,` between thousands. */
export function groupDigits(plain: string): string {
  const [whole = '', fraction] = plain.split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.slice(sign.length);
  const first = digits.length % 3;
  const groups = first === 0 ? [] : [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  const commas = sign + groups.join(',');
  return fraction === undefined ? commas : `${commas}.${fraction}`;
}

/** Most times of the API. A month has at least 28 days. */
const utcTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** Days as they are; times to the minute, in UTC. Other text stays as it is. */
export function plainTime(text: string, type: 'date' | 'datetime'): string {
  if (type === 'date') return /^\d{4}-\d{2}-\d{2}/.test(text) ? text.slice(0, 10) : text;
  if (utcTime.test(text)) return `${text.slice(0, 10)} ${text.slice(11, 16)}`;
  const time = readInstant(text);
  return time === undefined ? text : minuteOfTime(time);
}

/** The word after a number: its unit, `%` of a percentage, and points of a change of one. */
export function unitWord<Row>({ unit, type, points }: Column<Row>, row: Row): string | undefined {
  if (points?.(row)) return 'pp';
  return (typeof unit === 'function' ? unit(row) : unit) ?? (type === 'percent' ? '%' : undefined);
}

function withUnit(number: string, unit: string | undefined): string {
  if (unit === undefined || unit === '') return number;
  return unit === '%' ? `${number}%` : `${number} ${unit}`;
}

/** A list of words is read more easily without its brackets and quotes. */
function displayObject(cell: Exclude<Cell, string | number | boolean | null | undefined>): string {
  if (Array.isArray(cell) && cell.every((item) => typeof item === 'string' || isNumeric(item))) return cell.join(', ');
  return stringifyJson(cell);
}

/** `auto`: by the typical amount, the median; `exact`: every digit is shown. */
export type Scale = 'auto' | 'k' | 'M' | 'none' | 'exact';

type Power = 0 | 3 | 6 | 9;

export interface NumberStyle {
  power: Power;
  /** Digits after the point; undefined: all that there are. */
  decimals: number | undefined;
}

const letters = { 0: '', 3: 'k', 6: 'M', 9: 'B' } as const;
/** Units that say nothing about a number. */
const plain: ReadonlySet<string> = new Set(['count', 'ratio', 'number']);

/** A code of ISO 4217, or a sign as the label of a metric. */
const currency = /^(?:[A-Z]{3}|[$€£¥])$/;
/** Other currencies have cents. `Intl` knows them too, and takes as long to load as Node takes to start. */
const withoutCents = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '));
const withMils = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));

/** The digits after the point of an amount of money; undefined for other units. */
export function minorUnit(unit: string | undefined): number | undefined {
  if (unit === undefined || !currency.test(unit)) return undefined;
  return withoutCents.has(unit) ? 0 : withMils.has(unit) ? 3 : 2;
}

/** Two values whose difference is shown. */
export interface Comparison {
  after: Numeric;
  before: Numeric;
}

/** Numbers that have the same digits. */
export interface Quantity {
  cells: Iterable<Cell>;
  /** The digits after the point of amounts of money; undefined for other numbers. */
  minor: number | undefined;
  /** The digits after the point of percentages. */
  digits?: number | undefined;
  comparisons?: readonly Comparison[] | undefined;
  /** Values whose change is shown in percent. */
  ratios?: readonly Comparison[] | undefined;
}

/**
 * Decimals of numbers in thousands or millions, of those that are not rounded, of all other ones, and of those that are
 * shown with every digit.
 */
const maxDecimals = { scaled: 2, unrounded: 3, plain: 8, exact: 6 };
/** Decimals that comparisons may add to numbers that are not money. */
const maxAddedDecimals = 2;

/**
 * The style of each quantity of a table: amounts of money have the scale of the typical amount, unless they would lose
 * their digits in it, and at most the digits of their currency. It is the largest scale, with the fewest decimals, in which
 * changes in percent can be seen and exact differences are those of the numbers as they are shown; `shownDifference` makes
 * it so where none is.
 */
export function numberStyles(quantities: ReadonlyMap<string, Quantity>, scale: Scale): Map<string, NumberStyle> {
  const facts = [...quantities].map(([key, quantity]) => ({ key, ...factsOf(quantity) }));
  const isExact = ({ sizes }: Facts) => scale === 'exact' || sizes.at(-1) === Number.POSITIVE_INFINITY;
  const isMoney = (each: Facts) => each.minor !== undefined && !isExact(each);
  const typical =
    median(
      facts
        .filter(isMoney)
        .flatMap(({ sizes }) => sizes)
        .sort((a, b) => a - b),
    ) ?? 1;
  const largest = new Map<Facts, Power>(facts.map((each) => [each, isMoney(each) ? powerOf(scale, typical, each) : 0]));
  const choicesIn = (each: Facts, power: Power) => {
    const most = largest.get(each) ?? 0;
    return stylesOf(each, power < most ? power : most, most > 0).filter(showsRatiosOf(each));
  };
  const powers = ([9, 6, 3, 0] as const).filter((power) => [...largest.values()].some((most) => most >= power));
  const shows = (power: Power) => facts.filter(isMoney).every((each) => choicesIn(each, power).length > 0);
  const suits = (power: Power) => facts.filter(isMoney).every((each) => choicesIn(each, power).some(isTrueOf(each)));
  const power = scale === 'auto' ? (powers.find(suits) ?? powers.find(shows) ?? 0) : (powers[0] ?? 0);
  return new Map(
    facts.map((each) => {
      const choices = choicesIn(each, power);
      const style = choices.find(isTrueOf(each)) ?? choices[0] ?? finestStyle(each, isMoney(each) ? power : 0);
      return [each.key, isExact(each) ? exactStyle(each.fraction) : style];
    }),
  );
}

/** The style of numbers that stand alone. */
export function numberStyle(quantity: Quantity, scale: Scale): NumberStyle {
  return numberStyles(new Map([['', quantity]]), scale).get('') ?? exactStyle(0);
}

function exactStyle(fraction: number): NumberStyle {
  return { power: 0, decimals: fraction > maxDecimals.exact ? undefined : fraction };
}

/** The fewest decimals that show changes in percent where the usual ones do not. */
function finestStyle(facts: Facts, power: Power): NumberStyle {
  const most = power + Math.min(facts.fraction, maxDecimals.plain);
  const all = Array.from({ length: most + 1 }, (_, decimals) => ({ power, decimals }));
  return all.find(showsRatiosOf(facts)) ?? { power, decimals: most };
}

interface Facts {
  minor: number | undefined;
  digits: number | undefined;
  comparisons: readonly (Comparison & { difference: Numeric })[];
  ratios: readonly Comparison[];
  /** The median of the differences that are not zero. */
  change: number | undefined;
  /** The most digits after the point. */
  fraction: number;
  /** Ascending, without zeros. */
  sizes: readonly number[];
}

function factsOf({ cells, minor, digits, comparisons = [], ratios = [] }: Quantity): Facts {
  const values = [...cells].filter(isNumeric);
  const all = [...values, ...comparisons.flatMap(({ after, before }) => [after, before])];
  const fraction = all.reduce((most: number, value) => Math.max(most, fractionOf(value)), 0);
  const compared = comparisons.map((each) => ({ ...each, difference: differenceOf(each) }));
  const change = median(sizesOf(compared.map(({ difference }) => difference)));
  return { minor, digits, comparisons: compared, ratios, change, fraction, sizes: sizesOf(values) };
}

/** The part of a change in percent, and the least number of percent, by which that of shown numbers may differ. */
const tolerance = { part: 0.1, least: 0.05 };

/** Whether the change of the values as they are shown is about the one that is shown in percent. */
const showsRatiosOf =
  ({ ratios }: Facts) =>
  (style: NumberStyle): boolean =>
    ratios.every(({ after, before }) => {
      const exactChange = percentOf(Number(after), Number(before));
      const shownChange = percentOf(Number(unitsIn(after, style)), Number(unitsIn(before, style)));
      return Math.abs(shownChange - exactChange) <= Math.max(tolerance.least, tolerance.part * Math.abs(exactChange));
    });

const percentOf = (after: number, before: number): number => ((after - before) / Math.abs(before)) * 100;

/** Whether the difference of the values as they are shown is the exact one. */
const isTrueOf =
  ({ comparisons }: Facts) =>
  (style: NumberStyle): boolean =>
    comparisons.every(
      ({ after, before, difference }) => unitsIn(after, style) - unitsIn(before, style) === unitsIn(difference, style),
    );

/** With few decimals first. @param isScaled a scale suits the amounts: without it they need no digits after the point */
function stylesOf(facts: Facts, power: Power, isScaled: boolean): NumberStyle[] {
  const { minor, digits, fraction, sizes } = facts;
  const [smallest = 1] = sizes;
  const typical = median(sizes) ?? 1;
  const change = facts.change ?? typical;
  const styles = (least: number, most: number) =>
    Array.from({ length: most - least + 1 }, (_, at) => ({ power, decimals: least + at }));
  if (power > 0) {
    const needed = Math.max(significant(smallest / 10 ** power), significant(change / 10 ** power), 0);
    return styles(Math.min(needed, maxDecimals.scaled), maxDecimals.scaled);
  }
  if (minor !== undefined) {
    // An amount below its minor unit keeps two digits.
    const cents = typical < 10 ** -minor ? significant(typical) - 1 : minor;
    const decimals = fraction === 0 || isScaled ? 0 : cents;
    return styles(decimals, decimals);
  }
  if (digits !== undefined) return styles(digits, digits);
  const rounded = Math.max(2, significant(typical), significant(change) - 2);
  const usual = fraction <= maxDecimals.unrounded ? fraction : rounded;
  const from = Math.min(fraction, usual, maxDecimals.plain);
  return styles(from, Math.min(fraction, from + maxAddedDecimals));
}

/** The difference of the values as the style shows them. */
export function shownDifference(comparison: Comparison, style: NumberStyle): Numeric {
  const { after, before } = comparison;
  const { power, decimals } = style;
  if (decimals === undefined) return differenceOf(comparison);
  return numeric(`${unitsIn(after, style) - unitsIn(before, style)}e${power - decimals}`);
}

/** The exact difference, without the decimal library: every command loads this file. */
function differenceOf({ after, before }: Comparison): Numeric {
  const decimals = Math.max(fractionOf(after), fractionOf(before));
  const units = unitsIn(after, { power: 0, decimals }) - unitsIn(before, { power: 0, decimals });
  const text = plainDecimal(numeric(`${units}e-${decimals}`));
  return numeric(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

/** Ascending, without zeros. */
function sizesOf(values: readonly Numeric[]): number[] {
  const sizes = values.map((value) => Math.abs(Number(value)));
  return sizes.filter((size) => size > 0).sort((a, b) => a - b);
}

const median = (sorted: readonly number[]): number | undefined => sorted[(sorted.length - 1) >> 1];

/** Decimals that show three significant digits. */
const significant = (size: number): number => 2 - Math.floor(Math.log10(size));

/** From the typical amount on; the least amount keeps three digits, in thousands one. */
const scales = [
  { power: 9, from: 1e9, least: 1e9 },
  { power: 6, from: 1e6, least: 1e6 },
  { power: 3, from: 1e4, least: 10 },
] as const;

/**
 * The power of the typical amount of the table, in which three quarters of these amounts keep three digits. So do their
 * differences, unless no smaller scale is left.
 */
function powerOf(scale: Scale, typical: number, { sizes, change = typical }: Facts): Power {
  if (scale === 'k') return 3;
  if (scale === 'M') return 6;
  if (scale !== 'auto') return 0;
  const [smallest = 0, small = 0] = [sizes[0], sizes[(sizes.length - 1) >> 2]];
  const fitting = scales.filter(
    ({ power, from, least }) => typical >= from && small >= 10 ** power && smallest >= least,
  );
  return (fitting.find(({ power }) => change >= 10 ** power) ?? fitting.at(-1))?.power ?? 0;
}

function fractionOf(value: Numeric): number {
  const text = String(value);
  const plain = /[eE]/.test(text) ? plainDecimal(value) : text;
  const point = plain.indexOf('.');
  return point < 0 ? 0 : plain.length - point - 1;
}

/** The value in units of the last digit that the style shows, rounded half up whatever its sign. */
function unitsIn(value: Numeric, { power, decimals = 0 }: NumberStyle): bigint {
  const text = plainDecimal(value);
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const digits = whole + fraction;
  const end = whole.length + decimals - power;
  const units = BigInt(digits.slice(0, Math.max(end, 0)).padEnd(end, '0')) + (digits.charAt(end) >= '5' ? 1n : 0n);
  return text.startsWith('-') ? -units : units;
}

export function formatNumber(value: Numeric, style: NumberStyle): string {
  const { decimals } = style;
  if (decimals === undefined || !Number.isFinite(Number(value))) return groupThousands(value);
  const units = unitsIn(value, style);
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
  return groupDigits(units < 0n ? `-${text}` : text);
}

/** All digits of the number, and at least the decimals of the style. */
export function formatExact(value: Numeric, style: NumberStyle): string {
  return fractionOf(value) < (style.decimals ?? 0) ? formatNumber(value, style) : groupThousands(value);
}

/** The digits after the point of an amount, without zeros at the end. */
export function digitsOfAmount(value: Numeric): number {
  const [, fraction = ''] = plainDecimal(value).split('.');
  return fraction.replace(/0+$/, '').length;
}

/**
 * The decimals with which numbers of one quantity are written beside each other: all that they have; of money none, or
 * at least the digits of its currency. Undefined: too many.
 */
export function commonDecimals(cells: Iterable<Cell>, minor?: number): number | undefined {
  const numbers = [...cells].filter(isNumeric);
  const digits = numbers.map(minor === undefined ? fractionOf : digitsOfAmount);
  const most = digits.reduce((a, b) => Math.max(a, b), 0);
  if (most > maxDecimals.exact) return undefined;
  return most === 0 ? 0 : Math.max(most, minor ?? 0);
}

/** A change with its sign, and an arrow where the terminal has one. */
export function formatChange(number: string, hasArrow: boolean): string {
  if (!/[1-9]/.test(number)) return number;
  const isUp = !number.startsWith('-');
  return `${hasArrow ? (isUp ? '▲ ' : '▼ ') : ''}${isUp ? '+' : ''}${number}`;
}

/** The unit in a heading: `USD M`, `EUR`, `%`, `months`. */
export function unitLabel(unit: string | undefined, { power }: NumberStyle): string {
  if (unit === undefined || plain.has(unit)) return letters[power];
  return power === 0 || minorUnit(unit) === undefined ? unit : `${unit} ${letters[power]}`;
}

const signs: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', CHF: 'Fr.', INR: '₹' };

/** Whether a name says the unit itself: `Amount (€)`, `ARR [USD]`, `Fee EUR`. */
export function endsInUnit(name: string, unit: string | undefined): boolean {
  const [last] = /[^\s()[\]]+(?=[)\]]?$)/.exec(name) ?? [];
  return unit !== undefined && (last === unit || (last !== undefined && last === signs[unit]));
}

/** The style of numbers of one quantity in a picture. */
export function pictureStyle(
  cells: Iterable<Cell>,
  unit: string | undefined,
  comparisons?: readonly Comparison[],
): NumberStyle {
  return numberStyle({ cells, minor: minorUnit(unit), comparisons }, 'auto');
}

/** A number of a picture, with the letter of its scale. */
export function pictureNumber(value: Numeric, style: NumberStyle, unit?: string): string {
  if (Math.abs(Number(value)) >= 1e15) return Number(value).toExponential(2).replace('e+', 'e');
  return `${formatNumber(value, style)}${letters[style.power]}${unit === '%' ? '%' : ''}`;
}

const day = 86_400_000;
/** Days within which an end is near. */
const near = 90;

/** A time as it can be typed, in UTC, an end that is near with its distance. Text that is not a time stays as it is. */
export function formatTime(text: string, style: 'day' | 'minute' | 'expiry', now: Date): string {
  const at = instantOf(text);
  if (at === undefined) return text;
  const minute = minuteOfTime(at);
  if (style === 'minute') return minute;
  const day = minute.slice(0, 10);
  const days = daysUntil(at, now);
  if (style === 'day' || Math.abs(days) > near) return day;
  return `${day} (${distance(days, at < now.getTime())})`;
}

/** Whole days to an end, negative after it; undefined for text that is not a time. */
export function daysLeft(text: string, now: Date): number | undefined {
  const at = instantOf(text);
  return at === undefined ? undefined : at < now.getTime() ? Math.min(daysUntil(at, now), -1) : daysUntil(at, now);
}

/** Days of the calendar. */
function daysUntil(at: number, now: Date): number {
  return Math.floor(at / day) - Math.floor(now.getTime() / day);
}

function distance(days: number, isOver: boolean): string {
  if (days === 0) return isOver ? 'earlier today' : 'today';
  const count = Math.abs(days) === 1 ? '1 day' : `${Math.abs(days)} days`;
  return days < 0 ? `${count} ago` : count;
}

function instantOf(text: string): number | undefined {
  return readDay(text) ?? readInstant(text);
}
