/** Exchange rates of a file, and amounts of money in one currency. */

import { average, compare, product, quotient } from '../../core/decimal.ts';
import { type Failure, usage } from '../../core/errors.ts';
import { type Numeric, numeric } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { endMonth, type Period, parsePeriod, startMonth } from '../../core/periods.ts';

interface Quote {
  month: number;
  date: string;
  rate: Numeric;
}

/** `per USD`: units of a currency per USD. `in USD`: the price of one unit of a currency in USD. */
interface Quotation {
  form: 'per' | 'in';
  unit: string;
}

export interface Rates extends Quotation {
  quotes: ReadonlyMap<string, readonly Quote[]>;
  /** The file and its flag, for messages. */
  name: string;
}

interface CsvLine {
  line: number;
  cells: readonly string[];
}

/** The base of rates where the file does not tell: that of the European Central Bank. */
const base = 'EUR';
const currencyCode = /^[A-Z]{3}$/;
const plainNumber = /^\d{1,20}(?:\.\d{1,20})?$/;
const europeanDay = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
const quotationHeader = /^(per|in)[ _]([a-z]{3})$/i;

/**
 * Reads `date,currency,rate` or the history of the European Central Bank: a column `Date`, and one for each currency.
 * The column `rate` may be called `per USD` or `in USD`, which states what its numbers are.
 * @param to the currency that amounts are converted to
 * @throws Failure usage naming the line, or both readings of a file that contradicts itself
 */
export function readRates(lines: readonly CsvLine[], name: string, to: string): Rates {
  const header = (lines[0]?.cells ?? []).map((cell) => cell.trim());
  const words = header.map((word) => word.toLowerCase());
  const [date, currency] = [words.indexOf('date'), words.indexOf('currency')];
  const rate = words.findIndex((word) => word === 'rate' || quotationHeader.test(word));
  const wide = header.flatMap((word, at) => (currencyCode.test(word) ? [{ currency: word, at }] : []));
  const isLong = currency >= 0 && rate >= 0;
  if (date < 0 || (!isLong && wide.length === 0)) {
    throw usage(`${name} needs the columns date, currency and rate, or Date and a column for each currency`);
  }
  const rateColumns = isLong ? [rate] : wide.map(({ at }) => at);
  const hasCommas = usesCommas(lines.slice(1), date, rateColumns);
  const bases = words.indexOf('base');
  let hasOtherBase = false;
  const dated = new Map<string, Map<string, Quote>>();
  for (const { line, cells: raw } of lines.slice(1)) {
    const cells = raw.map((cell) => cell.trim());
    const text = isoDay(cells[date] ?? '');
    if (cells.every((cell) => cell === '')) continue;
    hasOtherBase ||= ![base, ''].includes(cells[bases] ?? '');
    const wrong = (says: string) => usage(`${name}, line ${line}: ${says}`);
    // A decimal comma without quotes would make the rate two cells. The history ends its lines with a comma.
    if (cells.slice(header.length).some((cell) => cell !== '')) {
      throw wrong(`the row has ${cells.length} cells, and the header has ${header.length}`);
    }
    const month = parsePeriod(text.slice(0, 7));
    if (!/^\d{4}-\d{2}(?:-\d{2})?$/.test(text) || month?.type !== 'month') {
      throw wrong(`date must be a day such as 2006-01-31 or 31.1.2006, or a month such as 2006-01, got "${text}"`);
    }
    const pairs = isLong
      ? [{ code: cells[currency] ?? '', cell: cells[rate] ?? '' }]
      : wide.map((column) => ({ code: column.currency, cell: cells[column.at] ?? '' }));
    for (const { code, cell } of pairs) {
      const value = hasCommas ? withPoint(cell) : cell;
      // The history has N/A where a currency had no rate.
      if (!isLong && (value === '' || value === 'N/A')) continue;
      if (!currencyCode.test(code)) throw wrong(`currency must be a code such as USD, got "${code}"`);
      if (!plainNumber.test(value) || Number(value) === 0) {
        throw wrong(
          `the rate of ${code} must be a number above 0 with at most 20 digits before and after the point, got "${cell}"`,
        );
      }
      const number = numeric(value);
      const series = dated.get(code) ?? new Map<string, Quote>();
      const other = series.get(text)?.rate;
      if (other !== undefined && compare(other, number) !== 0) {
        throw wrong(`${code} has two rates on ${text}: ${other} and ${value}`);
      }
      if (text.length > 7 && series.has(text.slice(0, 7))) {
        throw wrong(`${code} has a rate of the month ${text.slice(0, 7)} and one of the day ${text}`);
      }
      series.set(text, { month: month.index, date: text, rate: number });
      dated.set(code, series);
    }
  }
  const byDate = (series: ReadonlyMap<string, Quote>) =>
    [...series.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
  const quotes = new Map([...dated].map(([code, series]) => [code, byDate(series)]));
  const [, form, unit] = (isLong && quotationHeader.exec(header[rate] ?? '')) || [];
  // A file that lists the base itself has prices in the target.
  const quotation: Quotation =
    form && unit
      ? { form: form.toLowerCase() === 'in' ? 'in' : 'per', unit: unit.toUpperCase() }
      : quotes.has(base)
        ? { form: 'in', unit: to }
        : { form: 'per', unit: base };
  const rates: Rates = { quotes, name, ...quotation };
  if (form && unit) requireUnit(rates);
  else {
    if (hasOtherBase) {
      throw usage(
        `${name} has currencies in the column base, too`,
        'leave it out, and call the rates `in USD` or `per USD`',
      );
    }
    requireOneReading(rates, isLong);
  }
  requireCurrency(rates, to);
  return rates;
}

/** `2026-01-31` for `31.1.2026`; other texts as they are. */
function isoDay(text: string): string {
  const [, day = '', month = '', year] = europeanDay.exec(text) ?? [];
  return year === undefined ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Whether rates are written as `0,92`. A file of `1,234` alone does not say so, and its rates are refused. */
function usesCommas(lines: readonly CsvLine[], date: number, rates: readonly number[]): boolean {
  return lines.some(({ cells }) => {
    const isDecimal = rates.some((at) => /,\d{1,2}$|,\d{4,}$/.test(cells[at]?.trim() ?? ''));
    return isDecimal || europeanDay.test(cells[date]?.trim() ?? '');
  });
}

/** `1234.5` for `1.234,5`, and no number for one with a point in another place. */
function withPoint(text: string): string {
  return /^(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?$/.test(text) ? text.replaceAll('.', '').replace(',', '.') : `${text} `;
}

/** @throws Failure usage where the currency of `per USD` or `in USD` has another rate than 1 */
function requireUnit({ quotes, name, form, unit }: Rates): void {
  const other = quotes.get(unit)?.find(({ rate }) => compare(rate, 1) !== 0);
  if (other) throw usage(`${name}: ${unit} must be 1 in rates ${form} ${unit}, got ${other.rate} on ${other.date}`);
}

/** A unit of the weak ones has been worth less than one of the strong for decades: rates that say otherwise are inverted. */
const strong = ['EUR', 'USD', 'GBP', 'CHF'];
const weak = ['JPY', 'KRW', 'IDR', 'HUF', 'ISK', 'CLP', 'COP', 'VND', 'INR', 'THB', 'PHP', 'CZK', 'RUB', 'TWD'];

/** @throws Failure usage for rates without a stated meaning that contradict the usual one */
function requireOneReading(rates: Rates, isLong: boolean): void {
  const { quotes, form, unit, name } = rates;
  const codes = [...quotes.keys()];
  const isListed = (code: string) => code === unit || quotes.has(code);
  const last = (code: string): Numeric => quotes.get(code)?.at(-1)?.rate ?? 1;
  const isWorthMore = (a: string, b: string) => compare(last(a), last(b)) * (form === 'in' ? 1 : -1) > 0;
  const known = strong.filter(isListed).flatMap((high) => weak.filter(isListed).map((low) => ({ high, low })));
  const inverted = known.find(({ high, low }) => isWorthMore(low, high));
  const ones = codes.filter((code) => quotes.get(code)?.every(({ rate }) => compare(rate, 1) === 0));
  const counted = ones.find((code) => code !== unit) ?? unit;
  const sample = [inverted?.low, ...codes].find((code) => code !== undefined && code !== counted);
  const refuse = (says: string): Failure => {
    const column = isLong ? 'name the column rate' : 'write the columns date, currency and';
    if (sample === undefined) return usage(`${name} can be read in two ways: ${says}`, `${column} \`per ${unit}\``);
    const [price, quote] = [`${last(sample)} ${counted}`, `${last(sample)} ${sample}`];
    return usage(
      `${name} can be read in two ways: ${says}`,
      `${column} \`in ${counted}\` where 1 ${sample} is ${price}, or \`per ${counted}\` where 1 ${counted} is ${quote}`,
    );
  };
  const unlike = quotes.get(unit)?.find(({ rate }) => compare(rate, 1) !== 0);
  if (unlike) throw refuse(`${unit} is ${unlike.rate} on ${unlike.date}, and a rate would be ${meaning(rates)}`);
  if (counted !== unit) throw refuse(`${counted} is 1, and a rate would be ${meaning(rates)}`);
  if (inverted) throw refuse(`1 ${inverted.low} would be worth more than 1 ${inverted.high}`);
  // Nothing else shows whether a rate is a price or a number of units.
  if (ones.includes(unit) && codes.length > 1 && known.length === 0) {
    throw refuse(`${unit} is 1, and the others are prices in ${unit} or units per ${unit}`);
  }
}

/** @throws Failure usage for a currency of which no day has a rate */
function requireCurrency({ quotes, name, unit }: Rates, currency: string): void {
  if (currency === unit || quotes.has(currency)) return;
  const known = [...quotes.keys()].sort();
  const near = nearest(currency, known);
  const hint = near ? `did you mean ${near}?` : `it has rates of ${known.join(', ') || 'no currency'}`;
  throw usage(`${name} has no rates of ${currency}`, hint);
}

/** Flows take the average rate of a period, balances the rate at its end. */
export type RateKind = 'flow' | 'balance';

interface Conversion {
  from: string;
  to: string;
  kind: RateKind;
  period: Period;
}

/** A factor `over / under`, so that amounts are multiplied before they are divided. */
export interface Factor {
  over: Numeric;
  under: Numeric;
}

/** The factor from one currency to another in a period. `missing` names rates: `EUR`, `EUR and USD on one day`. */
export function factorOf(
  { quotes, form, unit }: Rates,
  { from, to, kind, period }: Conversion,
): Factor | { missing: string[] } {
  const within = (currency: string) =>
    (quotes.get(currency) ?? []).filter(({ month }) => month >= startMonth(period) && month <= endMonth(period));
  const missing = [from, to].filter((currency) => currency !== unit && within(currency).length === 0);
  if (missing.length > 0) return { missing };
  const rateOf = (currency: string): Numeric => {
    if (currency === unit) return 1;
    const rates = within(currency).map(({ rate }) => rate);
    return (kind === 'flow' ? average(rates) : rates.at(-1)) ?? 1;
  };
  // The factor is the price of the source by that of the target; `per` rates are inverse prices.
  const [over, under] = form === 'in' ? [from, to] : [to, from];
  if (kind === 'balance' || from === unit || to === unit) return { over: rateOf(over), under: rateOf(under) };
  const divisors = new Map(within(under).map(({ date, rate }) => [date, rate]));
  const crossed = within(over).flatMap(({ date, rate }) => {
    const divisor = divisors.get(date);
    return divisor === undefined ? [] : (quotient(rate, divisor) ?? []);
  });
  if (crossed.length === 0) return { missing: [`${from} and ${to} on one day`] };
  return { over: average(crossed) ?? 1, under: 1 };
}

export function convertValue(value: Numeric, { over, under }: Factor): Numeric {
  return quotient(product(value, over), under) ?? value;
}

export function meaning({ form, unit }: Quotation): string {
  return form === 'in' ? `the price of one unit of a currency in ${unit}` : `units of a currency per ${unit}`;
}
