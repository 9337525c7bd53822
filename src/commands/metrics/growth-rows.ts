/** Growth rates of each metric and version. */

import { usage } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { formatPeriod, monthNames, monthsIn, type Period, type PeriodType, partialWords } from '../../core/periods.ts';
import { type Change, cagr, changeOf, changes, percent } from '../../domain/analysis/difference.ts';
import { likeValues, linesOf, type MetricLine, type Point, whole } from '../../domain/analysis/points.ts';
import { comparedSums, withoutCompanies } from '../../domain/analysis/total.ts';
import { isShare } from '../../domain/series/units.ts';
import type { Column } from '../../output/column.ts';
import {
  amountColumn,
  changeColumn,
  isGoodChange,
  type MetricFacts,
  type MetricRow,
  metric,
  months,
  noteColumn,
  period,
  rare,
  unit,
} from './columns.ts';
import { type Analysis, aligned, linesIn } from './read.ts';

interface GrowthRow extends MetricRow {
  periodKey: string;
  version: string;
  value: Numeric | null;
  /** Growth in percent, by name (`mom`, `yoy`, …). */
  rates: Record<string, Numeric | null>;
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
  coarse: boolean,
  metrics: MetricFacts = new Map(),
): Column<GrowthRow>[] {
  return [
    metric,
    period,
    { key: 'version', series: 'name', heading: 'Version', get: (row) => row.version, usual: 'actual', ...rare },
    { ...amountColumn<GrowthRow>('value', 'Value', (row) => row.value), series: 'value' },
    ...rates.map((name) => ({
      ...changeColumn<GrowthRow>(name, name.toUpperCase(), (row) => row.rates[name], {
        metrics,
        isGood: (row) => isGoodChange(metrics, row.metricId, row.rates[name]),
      }),
      title: rateTitles[name] ?? name.toUpperCase(),
      path: ['rates', name],
    })),
    { ...noteColumn, saidOnce: true },
    unit,
    ...(coarse ? [months] : []),
  ];
}

const rateNames = ['mom', 'qoq', 'yoy', 'cagr'] as const;
type RateName = (typeof rateNames)[number];

const monthsOf: Readonly<Record<Exclude<RateName, 'cagr'>, number>> = { mom: 1, qoq: 3, yoy: 12 };

/** The rates of `--type`; default: those of the grain. @throws usage */
export function ratesOf(words: readonly string[] | undefined, type: PeriodType): RateName[] {
  if (words === undefined) {
    return (['mom', 'qoq', 'yoy'] as const).filter((name) => steps(name, type) === 1 || name === 'yoy');
  }
  const names = words.flatMap((part) => part.split(',').map((name) => name.trim().toLowerCase()));
  return [...new Set(names)].map((name) => {
    const rate = rateNames.find((known) => known === name);
    if (!rate) throw usage(`--type must be ${rateNames.join(', ')}, got "${name}"`);
    if (rate !== 'cagr' && steps(rate, type) === undefined) {
      throw usage(`--type ${name} needs a finer grain than ${type}`, 'omit it, or read months');
    }
    return rate;
  });
}

/** The number of periods before the range that its first row needs. */
export function backOf(rates: readonly RateName[], type: PeriodType): number {
  return Math.max(0, ...rates.map((rate) => (rate === 'cagr' ? 0 : (steps(rate, type) ?? 0))));
}

/** Periods of the grain that a rate looks back; undefined when the grain is too coarse. */
function steps(rate: Exclude<RateName, 'cagr'>, type: PeriodType): number | undefined {
  const count = monthsOf[rate] / monthsIn[type];
  return Number.isInteger(count) ? count : undefined;
}

interface GrowthOptions {
  rates: readonly RateName[];
  partial: boolean;
}

/** The values that are compared at some positions; of a total, those of the companies that have them all. */
type CompareAt = (indexes: readonly number[]) => {
  points: Point[];
  without: { company: string; reason: string }[];
  months?: readonly number[] | undefined;
};

export function* growthRows(analysis: Analysis, { rates, partial }: GrowthOptions): Generator<GrowthRow> {
  const { items, metrics, type, range, leftOut } = aligned(analysis, 'nothing');
  const first = range.from?.index ?? Number.NEGATIVE_INFINITY;
  const comparable = partial ? (points: readonly Point[]) => points : whole;
  for (const line of linesIn({ items, metrics })) {
    const { metricId, version, points } = line;
    const { unit, measure } = metrics.find(({ id }) => id === metricId) ?? {};
    const compared = comparable(points);
    const ofLine: LineOptions = {
      compareAt: comparer(analysis, line, comparable),
      periods: new Set(points.map((point) => point.index)),
      values: new Map(compared.map((point) => [point.index, point.value])),
      start: compared.find((point) => point.index >= first && point.value !== null)?.index,
      type,
      measure,
    };
    for (const { index, value, incomplete } of points) {
      if (index < first) continue;
      const periodKey = formatPeriod({ type, index });
      const results = rates.map((name) => ({ name, ...rateAt(ofLine, name, index) }));
      const without = leftOut.get(`${metricId} ${periodKey} ${version}`);
      const months = results.find((result) => result.months)?.months;
      // A metric that does not add up has no rates, either.
      const ofRates = results.map(({ name, note }) =>
        note === '' || (value === null && without) ? '' : `${name}: ${note}`,
      );
      const notes = [
        incomplete && partialWords(incomplete),
        comparedMonths({ type, index }, months),
        without,
        ...ofRates,
      ];
      yield {
        metricId,
        periodKey,
        version,
        value,
        rates: Object.fromEntries(results.map((result) => [result.name, result.value])),
        note: notes.filter(Boolean).join('; '),
        ...(incomplete !== undefined && { months: incomplete }),
        ...(unit !== undefined && { unit }),
      };
    }
  }
}

function comparer(
  { members, type }: Analysis,
  { metricId, version, points }: MetricLine,
  comparable: (points: readonly Point[]) => readonly Point[],
): CompareAt {
  const byIndex = new Map(comparable(points).map((point) => [point.index, point]));
  if (!members) return (indexes) => ({ points: indexes.flatMap((index) => byIndex.get(index) ?? []), without: [] });
  const lines = members.map(({ company, items }) => {
    const line = linesOf(items, [metricId]).find((candidate) => candidate.version === version);
    return { company, points: new Map(comparable(line?.points ?? []).map((point) => [point.index, point])) };
  });
  return (indexes) => {
    const compared = lines.map(({ company, points }) => {
      const present = indexes.flatMap((index) => points.get(index) ?? []);
      const { values, months } = likeValues(present);
      const byPosition = new Map(present.map(({ index }, at) => [index, values[at]]));
      return { company, months, valueAt: (index: number) => byPosition.get(index) };
    });
    const { sums, lacking } = comparedSums(compared, indexes);
    const newest = indexes.reduce((a, b) => Math.max(a, b));
    return {
      months: compared.find(({ months }) => months)?.months,
      points: [...sums].flatMap(([index, value]) => (value === null ? [] : [{ index, value }])),
      // A company without the value of the row is named once for the row.
      without: lacking
        .filter(({ missing }) => !missing.includes(newest))
        .map(({ company, missing }) => ({
          company,
          reason: `no value in ${formatPeriod({ type, index: missing[0] ?? newest })}`,
        })),
    };
  };
}

interface LineOptions {
  compareAt: CompareAt;
  /** The positions of all points. */
  periods: ReadonlySet<number>;
  /** The values that may be compared, by position. */
  values: ReadonlyMap<number, Numeric | null>;
  /** The first position of the range with a value. */
  start: number | undefined;
  type: PeriodType;
  /** The unit of the metric in one spelling. */
  measure: string | undefined;
}

interface Result {
  value: Numeric | null;
  note: string;
  /** The compared months of incomplete periods. */
  months?: readonly number[] | undefined;
}

function rateAt(line: LineOptions, rate: RateName, index: number): Result {
  const { compareAt, periods, values, start, type, measure } = line;
  const value = values.get(index);
  if (value === undefined) return { value: null, note: 'incomplete period' };
  if (value === null) return { value: null, note: 'the value is null' };
  if (rate === 'cagr' && isShare(measure)) return { value: null, note: 'a percentage has no compound rate' };
  const back = rate === 'cagr' ? index - (start ?? index) : (steps(rate, type) ?? 1);
  const { points, without, ...compared } = compareAt(
    back > 0 && periods.has(index - back) ? [index, index - back] : [index],
  );
  const {
    change,
    note,
    months = compared.months,
  } = rate === 'cagr' ? annualRate(points, type) : lastChange(points, index, back, measure);
  return {
    value: change,
    months,
    note: [note, without.length > 0 && withoutCompanies(without)].filter(Boolean).join(', '),
  };
}

interface RateOfPoints {
  change: Numeric | null;
  note: string;
  months?: readonly number[] | undefined;
}

function lastChange(points: readonly Point[], index: number, back: number, measure: string | undefined): RateOfPoints {
  const last: Change | undefined = changes(points, back).find((candidate) => candidate.index === index);
  if (!last) return { change: null, note: 'no complete base period' };
  const change = changeOf(last, measure);
  return { change, note: change === null ? last.note : '', months: last.months };
}

/** Names the months of incomplete periods that are compared; empty for complete periods. */
export function comparedMonths(period: Period, months: readonly number[] | undefined): string {
  return months === undefined ? '' : `compares ${monthNames(period, months)} with the same months before`;
}

/** An annual rate from a few months would be a guess. */
function annualRate(points: readonly Point[], type: PeriodType): RateOfPoints {
  const { ratio, years, note } = cagr(points, 12 / monthsIn[type]);
  return years < 1 ? { change: null, note: 'less than a year' } : { change: percent(ratio), note };
}
