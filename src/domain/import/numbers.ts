/**
 * Numbers as people write them: with separators of a country, a currency, a percent sign, or in brackets if negative;
 * and dates by a format such as `dd.mm.yyyy`.
 */

import { isDate } from '../../contract/validate.ts';
import { isInRange, type Numeric, numeric } from '../../core/json.ts';

/** What separates the fraction, and what may separate groups of digits, beside blanks and apostrophes. */
export interface NumberStyle {
  decimal: string;
  groups: readonly string[];
  /** Groups of two above the thousands: `12,34,567`. */
  isIndian?: boolean;
}

export interface ReadNumber {
  value: Numeric;
  /** A sign or code as it was written. */
  currency?: string | undefined;
  isPercent: boolean;
}

export const pointStyle: NumberStyle = { decimal: '.', groups: [','] };
export const commaStyle: NumberStyle = { decimal: ',', groups: ['.'] };

/** Separators of groups that are never a decimal separator. */
const gaps = String.raw` \u00a0\u202f\u2007\u2009'’`;

/** Country codes that people take for a language. */
const countries: Readonly<Record<string, string>> = { ch: 'de-CH', at: 'de-AT', us: 'en-US', gb: 'en-GB', jp: 'ja-JP' };

/** The locale of a name such as `de`, `fr-CH` or `ch`; undefined for one that is not known. */
export function localeOf(name: string): string | undefined {
  const wanted = countries[name.toLowerCase()] ?? name.replace('_', '-');
  try {
    return Intl.NumberFormat.supportedLocalesOf(wanted)[0];
  } catch {
    return undefined;
  }
}

export function styleOf(locale: string): NumberStyle {
  const format = (options: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(locale, { numberingSystem: 'latn', ...options }).formatToParts(12345678.5);
  const parts = format({});
  const separators = [parts, format({ style: 'currency', currency: 'EUR' })].flatMap((all) =>
    all.filter(({ type }) => type === 'group').map(({ value }) => value),
  );
  const decimal = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  const isIndian = parts.find(({ type }) => type === 'integer')?.value === '1' && parts.length > 7;
  return { decimal, groups: [...new Set(separators)].filter((one) => one !== decimal), isIndian };
}

const currencySign = String.raw`(?:(?:US|CA|AU|A|C|HK|NZ|S|R|MX)?\p{Sc}|[A-Za-z]{3}|Fr\.|SFr\.?|kr\.?|zł|Kč|Ft|lei)`;
let currencyCodes: ReadonlySet<string> | undefined;

/** ISO codes that a sign may stand for; undefined for a text that is not a currency. */
export function currenciesOf(text: string): readonly string[] | undefined {
  currencyCodes ??= new Set(Intl.supportedValuesOf('currency'));
  const code = text.toUpperCase();
  return signs[text] ?? (currencyCodes.has(code) ? [code] : undefined);
}

const dollars = ['USD', 'CAD', 'AUD', 'NZD', 'HKD', 'SGD', 'MXN', 'TWD', 'BRL', 'CLP', 'COP', 'ARS'];
const crowns = ['SEK', 'NOK', 'DKK', 'ISK'];
const signs: Readonly<Record<string, readonly string[]>> = {
  $: dollars,
  US$: ['USD'],
  CA$: ['CAD'],
  C$: ['CAD'],
  AU$: ['AUD'],
  A$: ['AUD'],
  HK$: ['HKD'],
  NZ$: ['NZD'],
  S$: ['SGD'],
  R$: ['BRL'],
  MX$: ['MXN'],
  '€': ['EUR'],
  '£': ['GBP', 'EGP', 'GIP', 'FKP', 'SHP'],
  '¥': ['JPY', 'CNY'],
  '₹': ['INR'],
  '₩': ['KRW'],
  '₽': ['RUB'],
  '₺': ['TRY'],
  '₴': ['UAH'],
  '₪': ['ILS'],
  '฿': ['THB'],
  '₫': ['VND'],
  '₱': ['PHP'],
  '₦': ['NGN'],
  '₿': ['BTC'],
  'Fr.': ['CHF'],
  SFr: ['CHF'],
  'SFr.': ['CHF'],
  kr: crowns,
  'kr.': crowns,
  zł: ['PLN'],
  Kč: ['CZK'],
  Ft: ['HUF'],
  lei: ['RON'],
};

const around = new RegExp(
  String.raw`^(?<sign>[+\-−]?)\s*(?<before>${currencySign})?\s*(?<inner>[+\-−]?)\s*(?<digits>[\d.,${gaps}]*\d[.,]?)(?<exponent>[eE][+\-]?\d+)?\s*(?<percent>%?)\s*(?<after>${currencySign})?\s*(?<end>[-−]?)$`,
  'u',
);

/** Undefined for a text that is not a number in this style. */
export function readNumber(text: string, style: NumberStyle): ReadNumber | undefined {
  const trimmed = text.trim();
  const bracketed = /^(\p{Sc}?)\s*\(\s*(.*?)\s*\)\s*(\S{0,4})$/u.exec(trimmed);
  const [, ahead = '', within = '', behind = ''] = bracketed ?? [];
  const plain = bracketed ? `${ahead}${within}${behind && ` ${behind}`}` : trimmed;
  const parts = around.exec(plain)?.groups;
  if (!parts) return undefined;
  const { sign, before, inner, digits = '', exponent = '', percent, after, end } = parts;
  if (!isInRange(exponent)) return undefined;
  const signs = [sign, inner, end].filter((one) => one !== undefined && one !== '');
  if (signs.length > 1 || (bracketed && signs.length > 0) || (before && after)) return undefined;
  const currency = before || after || undefined;
  if (currency !== undefined && (percent || currenciesOf(currency) === undefined)) return undefined;
  const literal = literalOf(digits.trim(), style);
  if (literal === undefined) return undefined;
  const isNegative = bracketed !== null || (signs[0] !== undefined && signs[0] !== '+');
  const isZero = /^[0.]+$/.test(literal);
  const value = numeric(`${isNegative && !isZero ? '-' : ''}${literal}${exponent}`);
  return { value, currency, isPercent: percent === '%' };
}

/** The digits with a point, or undefined where the separators are not those of the style. */
function literalOf(digits: string, { decimal, groups, isIndian = false }: NumberStyle): string | undefined {
  const [whole = '', fraction, more] = digits.split(decimal);
  if (more !== undefined || (fraction !== undefined && !/^\d*$/.test(fraction))) return undefined;
  if (whole === '' && (fraction ?? '') === '') return undefined;
  const joined = ungrouped(whole, groups, isIndian);
  if (joined === undefined) return undefined;
  return `${joined.replace(/^0+(?=\d)/, '') || '0'}${fraction ? `.${fraction}` : ''}`;
}

const gap = new RegExp(`[${gaps}]`, 'u');

/** Digits in groups of three with one separator, of which the first group does not begin with a zero. */
function ungrouped(whole: string, groups: readonly string[], isIndian: boolean): string | undefined {
  if (/^\d*$/.test(whole)) return whole;
  const separator = /\D/.exec(whole)?.[0] ?? '';
  if (!groups.includes(separator) && !gap.test(separator)) return undefined;
  const [first = '', ...rest] = whole.split(separator);
  const last = rest.pop() ?? '';
  const size = isIndian ? /^\d{2}$/ : /^\d{3}$/;
  const isSound =
    /^[1-9]\d{0,2}$/.test(first) &&
    /^\d{3}$/.test(last) &&
    (rest.every((group) => size.test(group)) || (isIndian && rest.every((group) => /^\d{3}$/.test(group))));
  return isSound ? `${first}${rest.join('')}${last}` : undefined;
}

/** The parts in their order and what is between them. */
export interface DateFormat {
  text: string;
  parts: readonly (Part | string)[];
}

type Part = 'd' | 'dd' | 'm' | 'mm' | 'mmm' | 'yy' | 'yyyy';
const parts: readonly string[] = ['yyyy', 'yy', 'mmm', 'mm', 'dd', 'd', 'm'];

/** Undefined for a text that does not name day, month and year, each once. */
export function dateFormat(text: string): DateFormat | undefined {
  const lower = text.trim().toLowerCase().replace(/mmmm+/g, 'mmm');
  const found = [...lower.matchAll(/y+|m+|d+|[^ymd]+/g)].map(([part]) => part);
  const named = found.filter((part) => /[ymd]/.test(part));
  const letters = named
    .map((part) => part.charAt(0))
    .sort()
    .join('');
  if (letters !== 'dmy' || named.some((part) => !parts.includes(part))) return undefined;
  if (found.some((part) => /[\p{L}\p{N}]/u.test(part) && !named.includes(part))) return undefined;
  return { text: lower, parts: found };
}

/** Orders that a column of dates may be in, and the separators of each. */
const orders = [
  ...['.', '/', '-', ' '].flatMap((mark) => [`dd${mark}mm${mark}yyyy`, `mm${mark}dd${mark}yyyy`]),
  ...['.', '/', ' '].map((mark) => `yyyy${mark}mm${mark}dd`),
  ...['yyyymmdd', 'dd mmm yyyy', 'mmm dd yyyy', 'yyyy mmm dd'],
];
export const dateFormats: readonly DateFormat[] = orders.flatMap((text) => dateFormat(text) ?? []);

/** The names of months in English and in a locale, folded; a name of two months is of none. */
export function monthNames(locale?: string): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const twice = new Set<string>();
  for (const one of ['en', ...(locale === undefined ? [] : [locale])]) {
    for (const style of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(one, { month: style, timeZone: 'UTC' });
      const withDay = new Intl.DateTimeFormat(one, { month: style, day: 'numeric', timeZone: 'UTC' });
      for (let month = 1; month <= 12; month += 1) {
        const date = new Date(Date.UTC(2023, month - 1, 1));
        const inDate = withDay.formatToParts(date).find(({ type }) => type === 'month')?.value ?? '';
        for (const name of [format.format(date), inDate].map(foldMonth)) {
          if (name === '' || /^\d+$/.test(name)) continue;
          if ((names.get(name) ?? month) !== month) twice.add(name);
          names.set(name, month);
        }
      }
    }
  }
  names.set('sept', 9);
  for (const name of twice) names.delete(name);
  return names;
}

function foldMonth(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\.$/, '');
}

/** `2024-01-31`, or undefined for a text that is not a date in this format. Years of two digits are 1970 to 2069. */
export function readDate(
  text: string,
  { parts: all }: DateFormat,
  months: ReadonlyMap<string, number>,
): string | undefined {
  let rest = text.trim();
  const found = { y: 0, m: 0, d: 0 };
  const hasName = all.includes('mmm');
  for (const [index, part] of all.entries()) {
    const pattern = patternOf(part, /^[ymd]/.test(all[index + 1] ?? ''), hasName);
    const [match, value = ''] = pattern.exec(rest) ?? [];
    if (match === undefined) return undefined;
    rest = rest.slice(match.length);
    if (part === 'mmm') found.m = months.get(foldMonth(value)) ?? 0;
    else if (part === 'yy') found.y = Number(value) + (Number(value) < 70 ? 2000 : 1900);
    else if (/^[ymd]/.test(part)) found[part.charAt(0) as 'y' | 'm' | 'd'] = Number(value);
  }
  if (rest !== '') return undefined;
  const two = (number: number) => String(number).padStart(2, '0');
  const date = `${String(found.y).padStart(4, '0')}-${two(found.m)}-${two(found.d)}`;
  return found.y > 0 && isDate(date) ? date : undefined;
}

/** One digit may be left out of a day and a month, unless another part follows at once. */
function patternOf(part: string, isFollowed: boolean, hasName: boolean): RegExp {
  if (part === 'yyyy') return isFollowed ? /^(\d{4})/ : /^(\d{4})(?!\d)/;
  if (part === 'yy') return /^(\d{2})(?!\d)/;
  if (part === 'mmm') return /^(\p{L}+\.?)/u;
  if (/^[md]/.test(part)) return isFollowed ? /^(\d{2})/ : /^(\d{1,2})(?!\d)/;
  if (part.trim() === '') return hasName ? /^[\s.,/-]+/ : /^\s+/;
  const mark = part.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(`^\\s*${mark}\\s*`);
}

/** The order of day and month of a locale: `dmy`, `mdy` or `ymd`. */
export function orderOf(locale: string): string {
  const shown = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric', year: 'numeric' });
  return shown
    .formatToParts(new Date(0))
    .flatMap(({ type }) => (/^(day|month|year)$/.test(type) ? type.charAt(0) : []))
    .join('');
}

export function orderIn({ parts: all }: DateFormat): string {
  return all
    .filter((part) => /^[ymd]/.test(part))
    .map((part) => part.charAt(0))
    .join('');
}
