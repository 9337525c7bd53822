/** Units of metrics, in all words that the API has for them. */

import type { PublishedPeriod } from '../../contract/metrics.ts';

/** `unit` and `unitLabel` of a definition, and the currency of its amounts. */
export interface UnitWords {
  unit?: string | null | undefined;
  unitLabel?: string | null | undefined;
  currency?: string | null | undefined;
}

/** The catalog's unit of amounts of money in the company's currency. */
export const moneyUnit = 'currency';

/** Shares of a whole, with the number that stands for all of it. */
export const wholes: Readonly<Record<string, number>> = {
  percent: 100,
  permille: 1000,
  bps: 10_000,
};

/** Whether values are shares of a whole, such as percentages. */
export const isShare = (measure: string | undefined): boolean =>
  measure !== undefined && Object.hasOwn(wholes, measure);

const spellings: Readonly<Record<string, readonly string[]>> = {
  [moneyUnit]: ['money', 'monetary', 'amount'],
  percent: ['%', 'percentage', 'percents', 'pct', 'per cent', 'percentage point', 'percentage points', 'pp'],
  permille: ['‰', 'per mille', 'per mil'],
  bps: ['bp', 'basis point', 'basis points'],
  ratio: ['x', '×', 'multiple', 'factor', 'fraction'],
  count: ['counts', 'integer', '#'],
  number: ['numeric', 'decimal', 'float'],
  years: ['year', 'yr', 'yrs'],
  quarters: ['quarter'],
  months: ['month', 'mo', 'mos'],
  weeks: ['week', 'wk', 'wks'],
  days: ['day'],
  hours: ['hour', 'hr', 'hrs', 'h'],
  minutes: ['minute', 'min', 'mins'],
  seconds: ['second', 'sec', 'secs'],
};

const byWord: ReadonlyMap<string, string> = new Map(
  Object.entries(spellings).flatMap(([unit, words]) => [unit, ...words].map((word) => [word, unit] as const)),
);

/** Currencies of a sign; a company's own one is meant where it has that sign. */
const signs: Readonly<Record<string, readonly string[]>> = {
  $: ['USD', 'AUD', 'CAD', 'HKD', 'MXN', 'NZD', 'SGD', 'TWD'],
  '€': ['EUR'],
  '£': ['GBP', 'EGP'],
  '¥': ['JPY', 'CNY'],
};

let codes: ReadonlySet<string> | undefined;

function isCode(text: string): boolean {
  codes ??= new Set(Intl.supportedValuesOf('currency'));
  return codes.has(text);
}

/** Whether values of the unit are amounts of money. @param currency the currency of the company, which no list needs to have */
export function isMoney(unit: string | undefined, currency?: string | null): unit is string {
  return unit !== undefined && (unit === currency || isCode(unit));
}

/**
 * The unit in one spelling: a currency code, `percent`, `ratio`, `count`, `months`, or a word of the company's own.
 * The label decides where `unit` is silent, and where it alone names a currency or a percentage.
 */
export function measureOf({ unit, unitLabel, currency }: UnitWords): string | undefined {
  const scaled = [unit, unitLabel].find((word) => word && isScaledMoney(word, currency));
  if (scaled) return scaled.trim();
  const [coded, labelled] = [spellUnit(unit, currency), spellUnit(unitLabel, currency)];
  if (coded === undefined || coded === 'number') return labelled ?? coded;
  const isOwn = byWord.get(foldCase(unit ?? '')) === moneyUnit;
  if (Object.hasOwn(wholes, coded) || (isMoney(coded, currency) && !isOwn)) return coded;
  return labelled !== undefined && (Object.hasOwn(wholes, labelled) || isMoney(labelled, currency)) ? labelled : coded;
}

const scales = '(?:k|t|tsd|m|mm|mn|mio|mil|b|bn|bln|thousands?|millions?|billions?)';
const scaledAmount = new RegExp(`^(?:${scales}[\\s.]*(\\S+)|(\\S+?)\\s*(?:in )?${scales})$`, 'i');

/** `kUSD`, `€m`: amounts in thousands or millions are no amounts of the currency, and do not add up with them. */
function isScaledMoney(word: string, currency: string | null | undefined): boolean {
  const text = word.normalize('NFC').trim();
  if (byWord.has(foldCase(text)) || isMoney(text.toUpperCase(), currency)) return false;
  const [, after, before] = scaledAmount.exec(text) ?? [];
  const money = after ?? before ?? '';
  return Object.hasOwn(signs, money) || isMoney(money.toUpperCase(), currency);
}

function spellUnit(word: string | null | undefined, currency: string | null | undefined): string | undefined {
  const text = word?.normalize('NFC').trim() ?? '';
  if (text === '') return undefined;
  const unit = byWord.get(foldCase(text));
  if (unit === moneyUnit) return currency ?? unit;
  if (unit !== undefined) return unit;
  if (Object.hasOwn(signs, text)) {
    const currencies = signs[text] ?? [];
    return currencies.find((code) => code === currency) ?? currencies[0];
  }
  const code = text.toUpperCase();
  return isMoney(code, currency) ? code : text;
}

function foldCase(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
}

/** Units that say nothing beside a number. */
const bare: ReadonlySet<string> = new Set([moneyUnit, 'ratio', 'count', 'number']);

/** The unit beside a number: its label, else the currency, `%`, or the word of the catalog. */
export function shownUnit(words: UnitWords | undefined): string | undefined {
  if (words === undefined) return undefined;
  if (words.unitLabel) return words.unitLabel;
  const unit = measureOf(words);
  if (unit === undefined || bare.has(unit)) return undefined;
  return unit === 'percent' ? '%' : unit;
}

export function publishedUnit({ units, unitLabels, currency }: PublishedPeriod, id: string): string | undefined {
  return shownUnit({ unit: units?.[id], unitLabel: unitLabels?.[id], currency });
}
