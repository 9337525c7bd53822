/** Numbers as people write them: with marks of a country, a currency, a percent sign, or brackets if negative. */
import { product, quotient } from '../../core/decimal.ts';
import { shorten, usage } from '../../core/errors.ts';
import { isInRange, type Numeric, numeric, plainDecimal } from '../../core/json.ts';
import { canonicalText } from '../../core/same.ts';
import type { UnitCell } from '../../core/workbook.ts';
import { parseNumber, rangeIssue } from '../entries/values.ts';
import { type CellRef, type ColumnContext, type Finding, note, placeIn, problem, quote } from './findings.ts';
import { cellText } from './table.ts';

/** The other mark, a blank or an apostrophe may separate groups. */
export type DecimalMark = '.' | ',';

interface ReadNumber {
  value: Numeric;
  scale?: string | undefined;
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

export class NumberColumn {
  private readonly proof: { point?: CellRef; comma?: CellRef } = {};
  private doubt: { cell: CellRef; point: string; comma: string; isPlain: boolean } | undefined;
  private currencies: { codes: readonly string[]; cell: CellRef } | undefined;
  private clash: CellRef | undefined;
  private foreign: CellRef | undefined;
  private percent: CellRef | undefined;
  private bare: CellRef | undefined;
  private scaled: (CellRef & { value: Numeric }) | undefined;

  /** @param isShare 25 and 25% are 0.25 */
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
    throw usage(rangeIssue(text) ?? `${JSON.stringify(shorten(text))} is not a number such as ${example}`);
  }

  share(value: Numeric): Numeric {
    return this.isShare ? (quotient(value, 100) ?? value) : value;
  }

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
      findings.push(note(context, comma, 'numbers have a decimal comma', ')'));
    } else if (!point && doubt && doubt.isPlain && !context.mayHaveCommas) {
      const readings = ` is ${doubt.point}); ${decimal} , reads ${doubt.comma}`;
      if (!context.isExport) findings.push(note(context, doubt.cell, 'a point is read as the decimal point', readings));
    } else if (!point && doubt) {
      const readings = `${doubt.point} with a decimal point and ${doubt.comma} with a decimal comma`;
      findings.push(problem(doubt.cell, `${quote(doubt.cell.text)} is ${readings}; ${choice}`));
    }
    if (clash && this.currencies) {
      const cells = `${at(this.currencies.cell)}, ${at(clash)}`;
      const remedy = `split the column, or remove the sign with ${map} '${context.header}=strip(…)|number'`;
      findings.push(problem(clash, `mixes currencies: ${cells}; ${remedy}`));
    } else if (foreign && this.currency) {
      const says = `${quote(foreign.text)} is not in ${this.currency}, the currency of the attribute`;
      findings.push(problem(foreign, says));
    }
    if (scaled) {
      findings.push(note(context, scaled, `k, M, Mio. and the like are factors`, ` is ${plainDecimal(scaled.value)})`));
    }
    if (this.isShare || !percent) return findings;
    const remedy = `); ${map} '${context.header}=percent()' divides by 100`;
    findings.push(
      bare
        ? problem(bare, `${at(percent)} has a percent sign and ${at(bare)} has none; write all in one way`)
        : note(context, percent, 'the percent sign is ignored', remedy),
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
