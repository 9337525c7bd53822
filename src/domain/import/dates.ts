/** Dates as people write them, in a format such as `dd.mm.yyyy` that a whole column shows. */
import { isDate } from '../../contract/validate.ts';
import { shorten, usage } from '../../core/errors.ts';
import { type CellRef, type ColumnContext, type Finding, note, placeIn, problem, quote } from './findings.ts';

/** Parts of a date and the text between them, in order. */
export interface DateFormat {
  text: string;
  parts: readonly (Part | string)[];
}

type Part = 'd' | 'dd' | 'm' | 'mm' | 'mmm' | 'yy' | 'yyyy';
const parts: readonly string[] = ['yyyy', 'yy', 'mmm', 'mm', 'dd', 'd', 'm'];

/** Reads a format; undefined unless day, month and year occur once each. */
export function dateFormat(text: string): DateFormat | undefined {
  const lower = text.trim().toLowerCase().replace(/mmmm+/g, 'mmm');
  const fields = [...lower.matchAll(/y+|m+|d+|[^ymd]+/g)].map(([part]) => part);
  const named = fields.filter((part) => /[ymd]/.test(part));
  const letters = named
    .map((part) => part.charAt(0))
    .sort()
    .join('');
  if (letters !== 'dmy' || named.some((part) => !parts.includes(part))) return undefined;
  if (fields.some((part) => /[\p{L}\p{N}]/u.test(part) && !named.includes(part))) return undefined;
  return { text: lower, parts: fields };
}

const orders = [
  ...['.', '/', '-', ' '].flatMap((mark) => [`dd${mark}mm${mark}yyyy`, `mm${mark}dd${mark}yyyy`]),
  ...['.', '/', ' '].map((mark) => `yyyy${mark}mm${mark}dd`),
  ...['yyyymmdd', 'dd mmm yyyy', 'mmm dd yyyy', 'yyyy mmm dd'],
];
const dateFormats: readonly DateFormat[] = orders.flatMap((text) => dateFormat(text) ?? []);
/** Years of two digits leave the order of the parts open: the caller or the language must say it. */
const shortFormats: readonly DateFormat[] = ['.', '/', '-'].flatMap((mark) =>
  [`dd${mark}mm${mark}yy`, `mm${mark}dd${mark}yy`, `yy${mark}mm${mark}dd`].flatMap((text) => dateFormat(text) ?? []),
);

/** Folded month names in English and in the locale; ambiguous names are left out. */
export function monthNames(locale?: string): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const twice = new Set<string>();
  for (const tag of ['en', ...(locale === undefined ? [] : [locale])]) {
    for (const style of ['long', 'short'] as const) {
      // Beside a day, some languages write months in another case.
      for (const day of [undefined, 'numeric'] as const) {
        const format = new Intl.DateTimeFormat(tag, { month: style, day, timeZone: 'UTC' });
        for (let month = 1; month <= 12; month += 1) {
          const parts = format.formatToParts(new Date(Date.UTC(2023, month - 1, 1)));
          const name = foldMonth(parts.find(({ type }) => type === 'month')?.value ?? '');
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
  const fields = { y: 0, m: 0, d: 0 };
  const hasName = all.includes('mmm');
  for (const [index, part] of all.entries()) {
    const pattern = patternOf(part, /^[ymd]/.test(all[index + 1] ?? ''), hasName);
    const [match, value = ''] = pattern.exec(rest) ?? [];
    if (match === undefined) return undefined;
    rest = rest.slice(match.length);
    if (part === 'mmm') fields.m = months.get(foldMonth(value)) ?? 0;
    else if (part === 'yy') fields.y = Number(value) + (Number(value) < 70 ? 2000 : 1900);
    else if (/^[ymd]/.test(part)) fields[part.charAt(0) as 'y' | 'm' | 'd'] = Number(value);
  }
  if (rest !== '') return undefined;
  const two = (number: number) => String(number).padStart(2, '0');
  const date = `${String(fields.y).padStart(4, '0')}-${two(fields.m)}-${two(fields.d)}`;
  return fields.y > 0 && isDate(date) ? date : undefined;
}

/** Whether one of the formats that are tried on columns reads the text. */
export function isDateIn(text: string, months: ReadonlyMap<string, number>): boolean {
  return dateFormats.some((format) => readDate(text, format, months) !== undefined);
}

/** The likely format of a date with a year of two digits, in the order of the language; undefined for another text. */
export function shortFormat(text: string, order?: string): DateFormat | undefined {
  if (!/^\s*\d{1,2}([./-])\d{1,2}\1\d{1,2}\s*$/.test(text)) return undefined;
  const isDate = (format: DateFormat) => readDate(text, format, new Map()) !== undefined;
  return shortFormats.find((format) => isDate(format) && (order === undefined || order === orderIn(format)));
}

/** Days and months may have one digit, unless another part follows directly. */
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
function orderOf(locale: string): string {
  const formatter = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric', year: 'numeric' });
  return formatter
    .formatToParts(new Date(0))
    .flatMap(({ type }) => (/^(day|month|year)$/.test(type) ? type.charAt(0) : []))
    .join('');
}

function orderIn({ parts: all }: DateFormat): string {
  return all
    .filter((part) => /^[ymd]/.test(part))
    .map((part) => part.charAt(0))
    .join('');
}

export class DateColumn {
  private known: readonly DateFormat[];
  /** The order of day and month, where the language says it. */
  private readonly order: string | undefined;
  private shortYear: CellRef | undefined;
  private readonly months: ReadonlyMap<string, number>;
  private readonly isFixed: boolean;
  private alive: readonly DateFormat[];
  private first: CellRef | undefined;
  /** The last cell that ruled a format out. */
  private decisive: CellRef | undefined;
  private clash: CellRef | undefined;
  /** Cells by the formats that read them differently. */
  private readonly doubts = new Map<string, CellRef>();

  constructor(fixedFormat: DateFormat | undefined, locale: string | undefined) {
    this.months = monthNames(locale);
    this.isFixed = fixedFormat !== undefined;
    const order = locale === undefined ? undefined : orderOf(locale);
    this.order = order;
    const fits = (format: DateFormat) =>
      order === undefined || [order, 'ymd'].includes(orderIn(format)) || format.parts.includes('mmm');
    this.known = fixedFormat === undefined ? dateFormats.filter(fits) : [fixedFormat];
    this.alive = this.known;
  }

  add(text: string, line: number): void {
    if (this.isFixed || isPlainDate(text)) return;
    const cell = { line, text };
    const short = this.first === undefined ? shortFormat(text, this.order) : undefined;
    if (short) {
      this.alive = this.known = [short];
      this.shortYear = cell;
    }
    const read = this.alive.map((format) => ({ format, date: readDate(text, format, this.months) }));
    const fitting = read.filter(({ date }) => date !== undefined);
    if (fitting.length === 0) {
      // A cell that no format reads is an error of its row.
      if (this.known.some((format) => readDate(text, format, this.months) !== undefined)) this.clash ??= cell;
      return;
    }
    this.first ??= cell;
    if (fitting.length < this.alive.length) {
      this.alive = fitting.map(({ format }) => format);
      this.decisive = cell;
    }
    for (const [at, format] of fitting.entries()) {
      for (const other of fitting.slice(at + 1)) {
        const pair = `${format.format.text} ${other.format.text}`;
        if (format.date !== other.date && !this.doubts.has(pair)) this.doubts.set(pair, cell);
      }
    }
  }

  findings(context: ColumnContext): Finding[] {
    const { first, alive, clash, decisive } = this;
    if (this.isFixed || first === undefined) return [];
    const cell = decisive ?? first;
    if (this.shortYear && this.order === undefined) {
      const says = `${quote(this.shortYear.text)} has a year of two digits; say how to read it`;
      return [problem(this.shortYear, `${says}, such as ${context.flags.dateFormat} ${alive[0]?.text}`)];
    }
    if (clash) {
      const cells = `${placeIn(context, cell)} and ${placeIn(context, clash)}`;
      return [problem(clash, `no one format reads both ${cells}; write all dates in one way`)];
    }
    const [format, ...others] = alive;
    for (const other of others) {
      const doubt = this.doubts.get(`${format?.text} ${other.text}`);
      if (doubt === undefined || format === undefined) continue;
      const readings = [format, other].map((each) => `${readDate(doubt.text, each, this.months)} as ${each.text}`);
      return [
        problem(doubt, `${quote(doubt.text)} is ${readings.join(' and ')}; say which with ${context.flags.dateFormat}`),
      ];
    }
    return [note(context, cell, `dates are read as ${format?.text}, the only format that fits`, ')')];
  }

  get format(): string | undefined {
    return this.isFixed || this.first ? this.alive[0]?.text : undefined;
  }

  /** The date as the API writes it. @throws usage for another text */
  read(text: string): string {
    if (isPlainDate(text)) return text.trim();
    const [format] = this.alive;
    const date = format && readDate(text, format, this.months);
    if (date !== undefined) return date;
    throw usage(`${JSON.stringify(shorten(text))} is not a date that exists, as ${this.format ?? 'yyyy-mm-dd'}`);
  }
}

function isPlainDate(text: string): boolean {
  return isDate(text.trim()) || text.trim().toLowerCase() === 'today';
}
