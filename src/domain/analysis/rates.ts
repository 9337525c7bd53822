/** Exchange rates of a file, and amounts of money in one currency. */

import { average, product, quotient } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { type Numeric, numeric } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { endMonth, type Period, parsePeriod, startMonth } from '../../core/periods.ts';

/** A rate of one day or month: so many of the currency for one of the base. */
interface Quote {
  /** Months since year 0. */
  month: number;
  date: string;
  rate: Numeric;
}

export interface Rates {
  /** By currency, in the order of the dates. */
  quotes: ReadonlyMap<string, readonly Quote[]>;
  /** How messages call the file and where it was named. */
  name: string;
}

/** What rates are of where the file does not say: those of the European Central Bank. */
const base = 'EUR';
const currencyCode = /^[A-Z]{3}$/;
const plainNumber = /^\d+(?:\.\d+)?$/;

/**
 * Reads `date,currency,rate` or the history of the European Central Bank: a column `Date`, and one for each currency.
 * @throws Failure usage naming the line
 */
export function readRates(rows: readonly (readonly string[])[], name: string): Rates {
  const [header = [], ...lines] = rows.map((row) => row.map((cell) => cell.trim()));
  const words = header.map((word) => word.toLowerCase());
  const [date, currency, rate] = ['date', 'currency', 'rate'].map((word) => words.indexOf(word)) as [
    number,
    number,
    number,
  ];
  const wide = header.flatMap((word, at) => (currencyCode.test(word) ? [{ currency: word, at }] : []));
  const isLong = currency >= 0 && rate >= 0;
  if (date < 0 || (!isLong && wide.length === 0)) {
    throw usage(`${name} needs the columns date, currency and rate, or Date and a column for each currency`);
  }
  const quotes = new Map<string, Quote[]>();
  const dated = new Map<string, string>();
  lines.forEach((cells, index) => {
    const text = cells[date] ?? '';
    if (cells.every((cell) => cell === '')) return;
    const wrong = (says: string) => usage(`${name}, line ${index + 2}: ${says}`);
    // A decimal comma without quotes would make the rate two cells. The history ends its lines with a comma.
    if (cells.slice(header.length).some((cell) => cell !== '')) {
      throw wrong(`the row has ${cells.length} cells, and the header has ${header.length}`);
    }
    const month = parsePeriod(text.slice(0, 7));
    if (!/^\d{4}-\d{2}(?:-\d{2})?$/.test(text) || month?.type !== 'month') {
      throw wrong(`date must be a day such as 2006-01-31 or a month such as 2006-01, got "${text}"`);
    }
    const held = isLong
      ? [{ code: cells[currency] ?? '', value: cells[rate] ?? '' }]
      : wide.map((one) => ({ code: one.currency, value: cells[one.at] ?? '' }));
    for (const { code, value } of held) {
      // The history has N/A where a currency had no rate.
      if (!isLong && (value === '' || value === 'N/A')) continue;
      if (!currencyCode.test(code)) throw wrong(`currency must be a code such as USD, got "${code}"`);
      if (!plainNumber.test(value) || Number(value) === 0)
        throw wrong(`the rate of ${code} must be a number above 0, got "${value}"`);
      const own = quotes.get(code) ?? [];
      const other = dated.get(`${code} ${text}`);
      if (other !== undefined && Number(other) !== Number(value)) {
        throw wrong(`${code} has two rates on ${text}: ${other} and ${value}`);
      }
      dated.set(`${code} ${text}`, value);
      own.push({ month: month.index, date: text, rate: numeric(value) });
      quotes.set(code, own);
    }
  });
  for (const own of quotes.values()) own.sort((a, b) => (a.date < b.date ? -1 : 1));
  return { quotes, name };
}

/** @throws Failure usage for a currency of which no day has a rate */
export function requireCurrency({ quotes, name }: Rates, currency: string): void {
  if (quotes.has(base) || currency === base || quotes.has(currency)) return;
  const known = [...quotes.keys()].sort();
  const near = nearest(currency, known);
  const hint = near ? `did you mean ${near}?` : `it has rates of ${known.join(', ') || 'no currency'}`;
  throw usage(`${name} has no rates of ${currency}`, hint);
}

/** Flows take the average rate of a period, balances the rate at its end. */
export type Kind = 'flow' | 'balance';

/** A factor `over / under`, so that amounts are multiplied before they are divided. */
interface Factor {
  over: Numeric;
  under: Numeric;
}

/**
 * What turns amounts of one currency into another, for a period.
 * @throws Failure usage naming the currency and the period of a missing rate
 */
export function factorOf(
  { quotes, name }: Rates,
  from: string,
  to: string,
  kind: Kind,
  period: Period,
  key: string,
): Factor {
  const within = (currency: string) =>
    (quotes.get(currency) ?? []).filter(({ month }) => month >= startMonth(period) && month <= endMonth(period));
  const need = (currency: string): readonly Quote[] => {
    const found = within(currency);
    if (found.length > 0) return found;
    throw usage(`${name} has no rate of ${currency} in ${key}`, 'add it to the file, or choose another range');
  };
  const one = (currency: string): Numeric => {
    const found = need(currency).map(({ rate }) => rate);
    return (kind === 'flow' ? average(found) : found.at(-1)) ?? 1;
  };
  // Rates of a base are crossed. A file that lists the base itself has prices in the target.
  if (!quotes.has(base)) {
    if (from === base) return { over: one(to), under: 1 };
    if (to === base) return { over: 1, under: one(from) };
    if (kind === 'balance') return { over: one(to), under: one(from) };
    const targets = new Map(need(to).map(({ date, rate }) => [date, rate]));
    const crossed = need(from).flatMap(({ date, rate }) => quotient(targets.get(date) ?? 0, rate) ?? []);
    const days = crossed.filter((rate) => Number(rate) !== 0);
    if (days.length === 0) throw usage(`${name} has no day with both ${from} and ${to} in ${key}`);
    return { over: average(days) ?? 1, under: 1 };
  }
  return { over: one(from), under: 1 };
}

export function converted(value: Numeric, { over, under }: Factor): Numeric {
  return quotient(product(value, over), under) ?? value;
}

/** What the rates of a file mean, for a note. */
export function meaning({ quotes }: Rates, to: string): string {
  return quotes.has(base) ? `so many ${to} for one of the currency` : `so many of the currency for one ${base}`;
}
