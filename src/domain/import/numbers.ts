/**
 * Numbers and dates as people write them. Numbers may have separators of a country, a currency, a percent sign, or
 * brackets if negative; dates have a format such as `dd.mm.yyyy`. A whole column shows which.
 */

import { isDate } from '../../contract/validate.ts';
import { product, quotient } from '../../core/decimal.ts';
import { shortened, usage } from '../../core/errors.ts';
import { isInRange, type Numeric, numeric, plainDecimal } from '../../core/json.ts';
import { canonicalText } from '../../core/same.ts';
import type { UnitCell } from '../../core/workbook.ts';
import { parseNumber, rangeIssue } from '../entries/values.ts';
import { cellText, type FlagNames, type SourceTable } from './table.ts';

/** The other mark, a blank or an apostrophe may separate groups. */
export type DecimalMark = '.' | ',';

interface ReadNumber {
  value: Numeric;
  /** The factor as written, such as `k`. */
  scale?: string | undefined;
  /** The currency sign or code as written. */
  currency?: string | undefined;
  isPercent: boolean;
}

/** Group marks that are never decimal marks. */
const gaps = String.raw` \u00a0\u202f\u2007\u2009'’`;

/** Country codes that people use as languages. */
const countries: Readonly<Record<string, string>> = { ch: 'de-CH', at: 'de-AT', us: 'en-US', gb: 'en-GB', jp: 'ja-JP' };

/** The locale of a name such as `de`, `fr-CH` or `ch`; undefined for one that is not known. */
export function localeOf(name: string): string | undefined {
  const tag = countries[name.toLowerCase()] ?? name.replace('_', '-');
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag)[0];
  } catch {
    return undefined;
  }
}

export function decimalMarkOf(locale: string): DecimalMark {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(0.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.';
}

const currencySign = String.raw`(?:(?:US|CA|AU|A|C|HK|NZ|S|R|MX)?\p{Sc}|[A-Za-z]{3}|Fr\.|SFr\.?|kr\.?|zł|Kč|Ft|lei)`;
/** ISO codes of a currency sign or code; undefined for other texts. */
function currenciesOf(text: string): readonly string[] | undefined {
  codesOfSigns ??= currencySigns();
  return codesOfSigns.get(text) ?? codesOfSigns.get(text.toUpperCase());
}

/** Codes that the signs $, £ and ¥ stand for by themselves. */
const typicalCodes = ['USD', 'GBP', 'JPY'];

/** Signs that are not those of English. */
const moreSigns = { US$: 'USD', C$: 'CAD', AU$: 'AUD', S$: 'SGD', '₿': 'BTC', 'Fr.': 'CHF', SFr: 'CHF', 'SFr.': 'CHF' };
let codesOfSigns: ReadonlyMap<string, readonly string[]> | undefined;

/** The codes of each sign and each code. */
function currencySigns(): ReadonlyMap<string, readonly string[]> {
  const signs = new Map<string, string[]>(Object.entries(moreSigns).map(([sign, code]) => [sign, [code]]));
  for (const code of new Set([...typicalCodes, ...Intl.supportedValuesOf('currency')])) {
    signs.set(code, [code]);
    for (const currencyDisplay of ['symbol', 'narrowSymbol'] as const) {
      const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay });
      const sign = format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? code;
      const codes = signs.get(sign);
      if (codes === undefined) signs.set(sign, [code]);
      else if (!codes.includes(code)) codes.push(code);
    }
  }
  signs.set('kr.', signs.get('kr') ?? []);
  return signs;
}

/** Factors after the digits, in English and German. */
const scales = new Map(Object.entries({ k: 1e3, tsd: 1e3, m: 1e6, mio: 1e6, mn: 1e6, mrd: 1e9, b: 1e9, bn: 1e9 }));
const scaleWord = '[kKMB](?!\\p{L})|(?:[Mm]io|mn|[Mm]rd|[Tt]sd|bn)(?!\\p{L})\\.?';

const around = new RegExp(
  String.raw`^(?<sign>[+\-−]?)\s*(?<before>${currencySign})?\s*(?<inner>[+\-−]?)\s*(?<digits>[\d.,${gaps}]*\d[.,]?)(?<exponent>[eE][+\-]?\d+)?\s*(?<scale>${scaleWord})?\s*(?<percent>%?)\s*(?<after>${currencySign})?\s*(?<end>[-−]?)$`,
  'u',
);

/** Undefined for a text that is not a number with this decimal mark. */
export function readNumber(text: string, mark: DecimalMark): ReadNumber | undefined {
  // The patterns have blanks in many places: long runs of them would take a time that is cubic.
  const trimmed = text.trim().replace(/\s{3,}/g, '  ');
  const bracketed = /^(\p{Sc}?)\s*\(\s*(.*?)\s*\)\s*(\S{0,4})$/u.exec(trimmed);
  const [, ahead = '', within = '', behind = ''] = bracketed ?? [];
  const plain = bracketed ? `${ahead}${within}${behind && ` ${behind}`}` : trimmed;
  const parts = around.exec(plain)?.groups;
  if (!parts) return undefined;
  const { sign, before, inner, digits = '', exponent = '', scale, percent, after, end } = parts;
  if (!isInRange(exponent)) return undefined;
  const signs = [sign, inner, end].filter((part) => part !== undefined && part !== '');
  if (signs.length > 1 || (bracketed && signs.length > 0) || (before && after)) return undefined;
  const currency = before || after || undefined;
  if (currency !== undefined && (percent || currenciesOf(currency) === undefined)) return undefined;
  const literal = literalOf(digits.trim(), mark);
  if (literal === undefined) return undefined;
  const isNegative = bracketed !== null || (signs[0] !== undefined && signs[0] !== '+');
  const isZero = /^[0.]+$/.test(literal);
  const plainValue = numeric(`${isNegative && !isZero ? '-' : ''}${literal}${exponent}`);
  const factor = scale === undefined ? undefined : scales.get(scale.toLowerCase().replace('.', ''));
  if (factor !== undefined && percent) return undefined;
  const value = factor === undefined ? plainValue : product(plainValue, factor);
  return { value, scale, currency, isPercent: percent === '%' };
}

/** Whole numbers without groups, or in groups of three digits, or of two after a comma: `12,34,567`. */
const grouped = new RegExp(
  String.raw`^(?:\d*|[1-9]\d{0,2}([.,${gaps}])(?:\d{3}\1)*\d{3}|[1-9]\d?,(?:\d{2},)*\d{3})$`,
  'u',
);

/** The digits with a point; undefined where the marks are not those of a number. */
function literalOf(digits: string, mark: DecimalMark): string | undefined {
  const [whole = '', fraction = '', more] = digits.split(mark);
  if (more !== undefined || !/^\d*$/.test(fraction) || !grouped.test(whole) || whole + fraction === '')
    return undefined;
  const joined = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '') || '0';
  return `${joined}${fraction && `.${fraction}`}`;
}

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

/** Formats that are tried on columns of dates. */
const orders = [
  ...['.', '/', '-', ' '].flatMap((mark) => [`dd${mark}mm${mark}yyyy`, `mm${mark}dd${mark}yyyy`]),
  ...['.', '/', ' '].map((mark) => `yyyy${mark}mm${mark}dd`),
  ...['yyyymmdd', 'dd mmm yyyy', 'mmm dd yyyy', 'yyyy mmm dd'],
];
const dateFormats: readonly DateFormat[] = orders.flatMap((text) => dateFormat(text) ?? []);

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

/** A cell, as messages name it. */
export interface CellRef {
  line: number;
  text: string;
}

/** How a column is read; a problem keeps the file from being imported. */
export interface Finding {
  is: 'note' | 'problem';
  line: number;
  says: string;
}

/** The file as messages about a column need it. */
export interface ColumnContext {
  header: string;
  unit: SourceTable['lineUnit'];
  /** Numbers of the file may have a decimal comma; otherwise a point alone is the decimal point. */
  mayHaveCommas: boolean;
  /** The file is an export of comem. */
  isExport: boolean;
  flags: FlagNames;
}

export function quoted(text: string): string {
  return JSON.stringify(shortened(text, 40));
}

export function placeIn({ unit }: ColumnContext, { line, text }: CellRef): string {
  return `${quoted(text)} on ${unit} ${line}`;
}

export function problem({ line }: CellRef, says: string): Finding {
  return { is: 'problem', line, says };
}

/** A note with the cell as its example. */
export function note({ header, unit }: ColumnContext, cell: CellRef, says: string, rest = ''): Finding {
  const example = `${unit} ${cell.line}, ${quoted(cell.text)}`;
  return { is: 'note', line: cell.line, says: `Column ${header}: ${says} (${example}${rest}.` };
}

export class NumberColumn {
  private readonly proof: { point?: CellRef; comma?: CellRef } = {};
  private doubt: { cell: CellRef; point: string; comma: string; isPlain: boolean } | undefined;
  private currencies: { codes: readonly string[]; cell: CellRef } | undefined;
  private clash: CellRef | undefined;
  private foreign: CellRef | undefined;
  private percent: CellRef | undefined;
  private bare: CellRef | undefined;
  private scaled: (CellRef & { value: Numeric }) | undefined;

  /**
   * @param fixedMark the decimal mark, if it is known
   * @param currency of the attribute
   * @param isShare 25 and 25% are 0.25
   */
  constructor(
    private readonly fixedMark: DecimalMark | undefined,
    private readonly currency: string | undefined,
    private readonly isShare = false,
  ) {}

  add(text: string, line: number): void {
    const cell = { line, text };
    if (this.fixedMark !== undefined) {
      const read = readNumber(text, this.fixedMark);
      if (read) this.addUnit(read, cell);
      return;
    }
    const [point, comma] = [readNumber(text, '.'), readNumber(text, ',')];
    if (point) this.addUnit(point, cell);
    else if (comma) this.addUnit(comma, cell);
    if (point && comma) {
      const [asPoint, other] = [canonicalText(point.value), canonicalText(comma.value)];
      if (asPoint === other) return;
      const isPlain = parseNumber(text) !== undefined;
      // A cell with a sign or a comma is the clearer example.
      if (this.doubt === undefined || (this.doubt.isPlain && !isPlain)) {
        this.doubt = { cell, point: asPoint, comma: other, isPlain };
      }
    } else if (point) this.proof.point ??= cell;
    else if (comma) this.proof.comma ??= cell;
  }

  /** Adds a number of a workbook, with the unit of its format. */
  addCell({ number, unit }: Partial<UnitCell> & { number: Numeric }, line: number): void {
    const isPercent = unit === '%';
    this.addUnit(
      { value: number, currency: isPercent ? undefined : unit, isPercent },
      { line, text: cellText(unit === undefined ? number : { number, unit }) },
    );
  }

  /** @throws usage for a text with another decimal mark */
  read(text: string): unknown {
    const { mark } = this;
    const plain = mark === '.' ? parseNumber(text) : undefined;
    const value = readNumber(text, mark)?.value ?? plain;
    if (value !== undefined) return this.share(value);
    const example = mark === '.' ? '1,234.5' : '1.234,5';
    throw usage(rangeIssue(text) ?? `${JSON.stringify(shortened(text))} is not a number such as ${example}`);
  }

  share(value: Numeric): Numeric {
    return this.isShare ? (quotient(value, 100) ?? value) : value;
  }

  /** Problems and notes of the column. */
  findings(context: ColumnContext): Finding[] {
    const at = (cell: CellRef) => placeIn(context, cell);
    const { decimal, map } = context.flags;
    const choice = `say which with ${decimal} . or ${decimal} ,`;
    const findings: Finding[] = [];
    const { point, comma } = this.proof;
    const { doubt, clash, foreign, percent, bare, scaled } = this;
    if (point && comma) {
      findings.push(problem(comma, `${at(point)} has a decimal point and ${at(comma)} a decimal comma; ${choice}`));
    } else if (comma) {
      findings.push(note(context, comma, 'numbers have a decimal comma', `); ${decimal} . reads them with a point`));
    } else if (!point && doubt && doubt.isPlain && !context.mayHaveCommas) {
      const readings = ` is ${doubt.point}); ${decimal} , reads ${doubt.comma}`;
      if (!context.isExport) findings.push(note(context, doubt.cell, 'a point is read as the decimal point', readings));
    } else if (!point && doubt) {
      const readings = `${doubt.point} with a decimal point and ${doubt.comma} with a decimal comma`;
      findings.push(problem(doubt.cell, `${quoted(doubt.cell.text)} is ${readings}; ${choice}`));
    }
    if (clash && this.currencies) {
      const cells = `${at(this.currencies.cell)}, ${at(clash)}`;
      const remedy = `split the column, or remove the sign with ${map} 'COLUMN=SLUG|strip(…)|number'`;
      findings.push(problem(clash, `mixes currencies: ${cells}; ${remedy}`));
    } else if (foreign && this.currency) {
      const says = `${quoted(foreign.text)} is not in ${this.currency}, the currency of the attribute`;
      findings.push(problem(foreign, says));
    }
    if (scaled) {
      findings.push(note(context, scaled, `k, M, Mio. and the like are factors`, ` is ${plainDecimal(scaled.value)})`));
    }
    if (this.isShare || !percent) return findings;
    const remedy = `); ${map} '${context.header}=SLUG|percent' divides by 100`;
    findings.push(
      bare
        ? problem(bare, `${at(percent)} has a percent sign and ${at(bare)} has none; write all in one way`)
        : note(context, percent, 'percents keep their number', remedy),
    );
    return findings;
  }

  /** The ISO code of all amounts; undefined without one, and for a sign of several currencies such as `kr`. */
  get currencyCode(): string | undefined {
    const [code, other] = this.clash ? [] : (this.currencies?.codes ?? []);
    return other === undefined || typicalCodes.includes(code ?? '') ? code : undefined;
  }

  /** The decimal mark that is known, or that cells prove. */
  get format(): DecimalMark | undefined {
    const { point, comma } = this.proof;
    return this.fixedMark ?? (point && comma ? undefined : (point && '.') || (comma && ','));
  }

  get mark(): DecimalMark {
    return this.fixedMark ?? (this.proof.comma && !this.proof.point ? ',' : '.');
  }

  private addUnit({ value, scale, currency, isPercent }: ReadNumber, cell: CellRef): void {
    if (scale !== undefined) this.scaled ??= { ...cell, value };
    if (isPercent) this.percent ??= cell;
    else if (Number(value) !== 0) this.bare ??= cell;
    if (currency === undefined) return;
    const codes = currenciesOf(currency) ?? [currency];
    if (this.currency !== undefined && !codes.includes(this.currency)) this.foreign ??= cell;
    const common = this.currencies ? this.currencies.codes.filter((code) => codes.includes(code)) : codes;
    if (common.length === 0) this.clash ??= cell;
    else this.currencies = { codes: common, cell: this.currencies?.cell ?? cell };
  }
}

export class DateColumn {
  private readonly known: readonly DateFormat[];
  private readonly months: ReadonlyMap<string, number>;
  private readonly isFixed: boolean;
  private alive: readonly DateFormat[];
  private first: CellRef | undefined;
  /** The last cell that ruled a format out. */
  private decisive: CellRef | undefined;
  private clash: CellRef | undefined;
  /** Cells by the formats that read them differently. */
  private readonly doubts = new Map<string, CellRef>();

  /**
   * @param fixedFormat the format, if it is known; else the order of a locale is that of the column
   * @param isStrict a text that is not a date is refused here, not by the rule of its attribute
   */
  constructor(
    fixedFormat: DateFormat | undefined,
    locale: string | undefined,
    private readonly isStrict = false,
  ) {
    this.months = monthNames(locale);
    this.isFixed = fixedFormat !== undefined;
    const order = locale === undefined ? undefined : orderOf(locale);
    const fits = (format: DateFormat) =>
      order === undefined || [order, 'ymd'].includes(orderIn(format)) || format.parts.includes('mmm');
    this.known = fixedFormat === undefined ? dateFormats.filter(fits) : [fixedFormat];
    this.alive = this.known;
  }

  add(text: string, line: number): void {
    if (this.isFixed || isPlainDate(text)) return;
    const cell = { line, text };
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
        problem(
          doubt,
          `${quoted(doubt.text)} is ${readings.join(' and ')}; say which with ${context.flags.dateFormat}`,
        ),
      ];
    }
    return [note(context, cell, `dates are read as ${format?.text}, the only format that fits`, ')')];
  }

  get format(): string | undefined {
    return this.isFixed || this.first ? this.alive[0]?.text : undefined;
  }

  /** The date as the API writes it. @throws usage if `isStrict` */
  read(text: string): string {
    if (isPlainDate(text)) return text.trim();
    const [format] = this.alive;
    const date = format && readDate(text, format, this.months);
    if (date === undefined && this.isStrict)
      throw usage(`${JSON.stringify(shortened(text))} is not a date of this column`);
    return date ?? text;
  }
}

function isPlainDate(text: string): boolean {
  return isDate(text.trim()) || text.trim().toLowerCase() === 'today';
}
