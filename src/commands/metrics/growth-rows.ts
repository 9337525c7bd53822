/** Growth rates and trailing averages of each metric and version. */

import { usage } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { formatPeriod, monthsIn, type PeriodType, partialWords } from '../../core/periods.ts';
import { cagr, changes, percent, trailingAverages } from '../../domain/analysis/growth.ts';
import { type MetricLine, type Point, whole } from '../../domain/analysis/points.ts';
import type { Column } from '../../output/column.ts';
import {
  amountColumn,
  changeColumn,
  type Directions,
  isGoodChange,
  type MetricRow,
  metric,
  months,
  period,
  rare,
  unit,
} from './columns.ts';
import { type Analysis, linesIn } from './read.ts';

/** The name of a rate or trailing average, and its number. */
export interface GrowthRow extends MetricRow {
  periodKey: string;
  version: string;
  value: Numeric | null;
  /** By name (`mom`, `yoy`, …), in percent. */
  rates: Record<string, Numeric | null>;
  /** By name (`average3`), in the metric's unit. */
  averages: Record<string, Numeric | null>;
  note: string;
  months?: string;
}

/** Rates as tables call them. */
const rateTitles: Readonly<Record<string, string>> = {
  mom: 'Δ m/m',
  qoq: 'Δ q/q',
  yoy: 'Δ y/y',
  cagr: 'CAGR',
};

/** @param coarse quarters or years, which are derived from months */
export function growthColumns(
  rates: readonly string[],
  averages: readonly string[],
  coarse: boolean,
  directions: Directions = new Map(),
): Column<GrowthRow>[] {
  return [
    metric,
    period,
    { key: 'version', series: 'name', heading: 'Version', get: (row) => row.version, usual: 'actual', ...rare },
    { ...amountColumn<GrowthRow>('value', 'Value', (row) => row.value), series: 'value' },
    ...rates.map((name) => ({
      ...changeColumn<GrowthRow>(
        name,
        name.toUpperCase(),
        (row) => row.rates[name],
        (row) => isGoodChange(directions, row.metricId, row.rates[name]),
      ),
      title: rateTitles[name] ?? name.toUpperCase(),
      path: ['rates', name],
    })),
    ...averages.map((name) => ({
      ...amountColumn<GrowthRow>(name, name.replace('average', 'Average of '), (row) => row.averages[name]),
      path: ['averages', name],
    })),
    { key: 'note', heading: 'Note', wraps: true, get: (row) => row.note },
    unit,
    ...(coarse ? [months] : []),
  ];
}

const rateNames = ['mom', 'qoq', 'yoy', 'cagr'] as const;
type RateName = (typeof rateNames)[number];

const monthsOf: Readonly<Record<Exclude<RateName, 'cagr'>, number>> = { mom: 1, qoq: 3, yoy: 12 };

/** The rates of `--rate`; default: those of the grain. @throws usage */
export function ratesOf(words: readonly string[] | undefined, type: PeriodType): RateName[] {
  if (words === undefined) {
    return (['mom', 'qoq', 'yoy'] as const).filter((name) => steps(name, type) === 1 || name === 'yoy');
  }
  const names = words.flatMap((part) => part.split(',').map((name) => name.trim().toLowerCase()));
  return [...new Set(names)].map((name) => {
    const rate = rateNames.find((known) => known === name);
    if (!rate) throw usage(`--rate must be ${rateNames.join(', ')}, got "${name}"`);
    if (rate !== 'cagr' && steps(rate, type) === undefined) {
      throw usage(`--rate ${name} needs a finer grain than ${type}`, 'omit it, or read months');
    }
    return rate;
  });
}

/** The sizes of `--average`. @throws usage */
export function sizesOf(words: readonly string[] | undefined): number[] {
  const texts = (words ?? []).flatMap((part) => part.split(',').map((size) => size.trim()));
  return [...new Set(texts)].map((text) => {
    if (/^[1-9]\d{0,2}$/.test(text) && Number(text) > 1) return Number(text);
    throw usage(`--average must be a number of periods from 2 to 999, got "${text}"`);
  });
}

/** How many periods before the range are needed to compute its first row. */
export function backOf(rates: readonly RateName[], sizes: readonly number[], type: PeriodType): number {
  return Math.max(
    0,
    ...rates.map((rate) => (rate === 'cagr' ? 0 : (steps(rate, type) ?? 0))),
    ...sizes.map((n) => n - 1),
  );
}

/** Periods of the grain that a rate looks back; undefined when the grain is too coarse. */
function steps(rate: Exclude<RateName, 'cagr'>, type: PeriodType): number | undefined {
  const count = monthsOf[rate] / monthsIn[type];
  return Number.isInteger(count) ? count : undefined;
}

export function* growthRows(
  { items, metrics, type, range }: Analysis,
  { rates, sizes, partial }: { rates: readonly RateName[]; sizes: readonly number[]; partial: boolean },
): Generator<GrowthRow> {
  const comparable = partial ? (points: readonly Point[]) => points : whole;
  const first = range.from?.index ?? Number.NEGATIVE_INFINITY;
  for (const line of linesIn({ items, metrics })) {
    const results = rates.map((rate) => ({ rate, ...ratesOfLine(line, { rate, type, first, comparable }) }));
    const averages = sizes.map((size) => ({
      size,
      values: new Map(trailingAverages(comparable(line.points), size).map((each) => [each.index, each.value])),
    }));
    const unit = metrics.find(({ id }) => id === line.metricId)?.unit;
    for (const [at, { index, value, incomplete }] of line.points.entries()) {
      if (index < first) continue;
      const notes = results.flatMap(({ rate, notes: ofRate }) => (ofRate[at] ? [`${rate}: ${ofRate[at]}`] : []));
      if (incomplete) notes.unshift(partialWords(incomplete));
      yield {
        metricId: line.metricId,
        periodKey: formatPeriod({ type, index }),
        version: line.version,
        value,
        rates: Object.fromEntries(results.map(({ rate, values }) => [rate, values[at] ?? null])),
        averages: Object.fromEntries(averages.map(({ size, values }) => [`average${size}`, values.get(index) ?? null])),
        note: notes.join('; '),
        ...(incomplete !== undefined && { months: incomplete }),
        ...(unit !== undefined && { unit }),
      };
    }
  }
}

interface RateOptions {
  rate: RateName;
  type: PeriodType;
  /** The position where the range begins. */
  first: number;
  /** The points that are compared. */
  comparable(points: readonly Point[]): readonly Point[];
}

function ratesOfLine(
  { points }: MetricLine,
  { rate, type, first, comparable }: RateOptions,
): { values: (Numeric | null)[]; notes: string[] } {
  if (rate !== 'cagr') {
    const byIndex = new Map(
      changes(comparable(points), steps(rate, type) ?? 1).map((change) => [change.index, change]),
    );
    const ofPoints = points.map(({ index }) => byIndex.get(index) ?? { ratio: null, note: 'incomplete period' });
    return { values: ofPoints.map(({ ratio }) => percent(ratio)), notes: ofPoints.map(({ note }) => note) };
  }
  const inRange = comparable(points).filter(({ index }) => index >= first);
  const perYear = 12 / monthsIn[type];
  const start = inRange.find(({ value }) => value !== null);
  const compared = new Set(inRange.map(({ index }) => index));
  const results = points.map(({ index, value, incomplete }) => {
    if (incomplete && !compared.has(index)) return { ratio: null, note: 'incomplete period' };
    if (value === null) return { ratio: null, note: 'the value is null' };
    // The points are in order: of those up to this one, it is the last with a value.
    const { ratio, years, note } = cagr(start && start.index <= index ? [start, { index, value }] : [], perYear);
    // An annual rate from a few months would be a guess.
    return years < 1 ? { ratio: null, note: 'less than a year' } : { ratio, note };
  });
  return { values: results.map(({ ratio }) => percent(ratio)), notes: results.map(({ note }) => note) };
}
