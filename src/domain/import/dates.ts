/** Dates as people write them, by a format such as `dd.mm.yyyy`. */
import { isDate } from '../../contract/validate.ts';

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
