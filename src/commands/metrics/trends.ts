/** Metrics over time: the rows of `metrics growth` and of `metrics table`. */

import { compare, difference, product, quotient, sum } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import {
  formatPeriod,
  markedPeriod,
  monthNames,
  monthsIn,
  type Period,
  type PeriodType,
  parsePeriod,
  partialWords,
  periodSpans,
} from '../../core/periods.ts';
import { cagr, changeOf, changes, numberChange, percent } from '../../domain/analysis/difference.ts';
import { indexOf, likeValues, linesOf, type MetricLine, type Point, whole } from '../../domain/analysis/points.ts';
import { sparkline } from '../../domain/analysis/sparkline.ts';
import { comparedSums, withoutCompanies } from '../../domain/analysis/total.ts';
import type { Column as Named } from '../../domain/expression/typed.ts';
import { isShare } from '../../domain/series/units.ts';
import type { Column } from '../../output/column.ts';
import {
  amountColumn,
  changeColumn,
  isGoodChange,
  type MetricRow,
  type MetricsById,
  metric,
  months,
  noteColumn,
  period,
  rare,
  unit,
} from './columns.ts';
import { type Analysis, alignPeriods, linesIn } from './read.ts';

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
const rateTitles: Readonly<Record<string, string>> = { mom: 'Δ m/m', qoq: 'Δ q/q', yoy: 'Δ y/y', cagr: 'CAGR' };

interface GrowthLook {
  /** Quarters or years, which are derived from months. */
  coarse: boolean;
  metrics?: MetricsById;
  /** The first period of the rows; default: that of the data. */
  from?: Period | undefined;
}

export function growthColumns(
  rates: readonly RateName[],
  { coarse, metrics = new Map(), from }: GrowthLook,
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
        compared: (row) => [row.value, baseOf(row, name, metrics.get(row.metricId)?.measure)],
        areShown: (row) => isBaseShown(row, name, from),
      }),
      title: rateTitles[name] ?? name.toUpperCase(),
      path: ['rates', name],
    })),
    { ...noteColumn, saidOnce: true },
    unit,
    ...(coarse ? [months] : []),
  ];
}

/** The value before, which rows do not have: by the points of a percentage, or by the growth. */
function baseOf({ value, rates }: GrowthRow, name: string, measure: string | undefined): Numeric | null {
  const rate = rates[name];
  if (!isNumeric(value) || !isNumeric(rate) || name === 'cagr') return null;
  if (isShare(measure)) return difference(value, rate);
  const factor = sum([1, product(rate, compare(value, 0) < 0 ? -0.01 : 0.01)]);
  // A value that changed its sign has changed by more than digits could hide.
  return compare(factor, 0) > 0 ? quotient(value, factor) : null;
}

/** Whether the value before is that of another row. */
function isBaseShown({ periodKey }: GrowthRow, name: RateName, from: Period | undefined): boolean {
  const period = parsePeriod(periodKey);
  if (!from || !period || name === 'cagr') return true;
  return period.index - (steps(name, period.type) ?? 0) >= from.index;
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
  const { items, metrics, type, range } = analysis;
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
    for (const { index, value, incomplete, note: without } of points) {
      if (index < first) continue;
      const periodKey = formatPeriod({ type, index });
      const results = rates.map((name) => ({ name, ...rateAt(ofLine, name, index) }));
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
        rates: Object.fromEntries(results.map((result) => [result.name, result.change])),
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
  periods: ReadonlySet<number>;
  /** The values that may be compared, by position. */
  values: ReadonlyMap<number, Numeric | null>;
  /** The first position of the range with a value. */
  start: number | undefined;
  type: PeriodType;
  /** The unit of the metric in one spelling. */
  measure: string | undefined;
}

interface Rate {
  change: Numeric | null;
  note: string;
  /** The compared months of incomplete periods. */
  months?: readonly number[] | undefined;
}

function rateAt(line: LineOptions, rate: RateName, index: number): Rate {
  const { compareAt, periods, values, start, type, measure } = line;
  const value = values.get(index);
  if (value === undefined) return { change: null, note: 'incomplete period' };
  if (value === null) return { change: null, note: 'the value is null' };
  if (rate === 'cagr' && isShare(measure)) return { change: null, note: 'a percentage has no compound rate' };
  const back = rate === 'cagr' ? index - (start ?? index) : (steps(rate, type) ?? 1);
  const { points, without, ...compared } = compareAt(
    back > 0 && periods.has(index - back) ? [index, index - back] : [index],
  );
  const { note, ...result } = rate === 'cagr' ? annualRate(points, type) : lastChange(points, index, back, measure);
  const notes = [note, without.length > 0 && withoutCompanies(without)];
  return { months: compared.months, ...result, note: notes.filter(Boolean).join(', ') };
}

function lastChange(points: readonly Point[], index: number, back: number, measure: string | undefined): Rate {
  const last = changes(points, back).find((candidate) => candidate.index === index);
  if (!last) return { change: null, note: 'no complete base period' };
  const change = changeOf(last, measure);
  return { change, note: change === null ? last.note : '', ...(last.months && { months: last.months }) };
}

/** Names the months of incomplete periods that are compared; empty for complete periods. */
function comparedMonths(period: Period, months: readonly number[] | undefined): string {
  return months === undefined ? '' : `compares ${monthNames(period, months)} with the same months before`;
}

/** An annual rate from a few months would be a guess. */
function annualRate(points: readonly Point[], type: PeriodType): Rate {
  const { ratio, years, note } = cagr(points, 12 / monthsIn[type]);
  return years < 1 ? { change: null, note: 'less than a year' } : { change: percent(ratio), note };
}

interface PivotRow extends MetricRow {
  label?: string;
  version: string;
  /** The newest change between two consecutive periods, in percent. */
  change: Numeric | null;
  trend: string;
  /** Values by period; a period without a row is absent. */
  values: Record<string, Numeric | null>;
  /** `2/3` by period, where only some months have data. */
  months?: Record<string, string>;
  /** The companies that a total leaves out. */
  note?: string;
}

interface PivotLook {
  /** Several versions are shown. */
  versions: boolean;
  order: string | undefined;
  grain: PeriodType;
  metrics: MetricsById;
  /** Rows of a total name the companies that it leaves out. */
  notes: boolean;
}

/** The name of a period's value in conditions. */
export function pivotPeriod(name: string): Named<PivotRow> | undefined {
  if (!parsePeriod(name)) return undefined;
  return { type: 'number', get: ({ values }) => (Object.hasOwn(values, name) ? values[name] : undefined) };
}

const changeTitles: Readonly<Record<PeriodType, string>> = { month: 'Δ m/m', quarter: 'Δ q/q', year: 'Δ y/y' };

export function pivotColumns(
  { periods, partial }: { periods: readonly string[]; partial: ReadonlyMap<string, string> },
  { versions, order, grain, metrics, notes }: PivotLook,
): Column<PivotRow>[] {
  const oldestFirst = order !== 'desc';
  const newest = periods.reduce((a, b) => (a > b ? a : b), '');
  const inTime = periods.toSorted();
  // One period has neither a trend nor a change.
  const isOne = periods.length === 1;
  return [
    metric,
    { key: 'label', heading: 'Label', get: (row) => row.label, ...rare },
    { ...unit, hidden: false },
    { key: 'version', heading: 'Version', get: (row) => row.version, hidden: !versions, rank: 2 },
    { key: 'trend', heading: 'Trend', rank: 4, whole: true, hidden: isOne, get: (row) => row.trend },
    {
      ...changeColumn<PivotRow>('change', 'Change', (row) => row.change, {
        metrics,
        isGood: (row) => isGoodChange(metrics, row.metricId, row.change),
        compared: (row) => comparedValues(row, metrics.get(row.metricId)?.measure),
        areShown: () => true,
      }),
      title: changeTitles[grain],
      hidden: isOne,
      rank: 5,
    },
    ...(notes ? [{ ...noteColumn, rank: 80 }] : []),
    ...periods.map(
      (period): Column<PivotRow> => ({
        ...amountColumn<PivotRow>(period, markedPeriod(period, partial.get(period)), (row) =>
          Object.hasOwn(row.values, period) ? row.values[period] : undefined,
        ),
        path: ['values', period],
        unitInRow: true,
        // Time runs from left to right, and a narrow table keeps the newest.
        rank: 20 + (oldestFirst ? inTime.indexOf(period) : periods.length - inTime.indexOf(period)),
        spare: oldestFirst && period !== newest,
        required: period === newest,
      }),
    ),
    ...(partial.size > 0
      ? [{ key: 'months', heading: 'Months', type: 'json' as const, get: (row: PivotRow) => row.months, ...rare }]
      : []),
  ];
}

/** The newest two values of which the change is. */
function comparedValues(
  { values, change }: PivotRow,
  measure: string | undefined,
): readonly [Numeric | null, Numeric | null] {
  const inTime = Object.keys(values).sort();
  const pairs = inTime.map((period, at) => [values[period] ?? null, values[inTime[at - 1] ?? ''] ?? null] as const);
  const isCompared = ([after, before]: (typeof pairs)[number]) => {
    const { percent } = numberChange(before, after, measure);
    return isNumeric(change) && percent !== null && compare(percent, change) === 0;
  };
  return pairs.findLast(isCompared) ?? [null, null];
}

/** The periods from the start of the range to the newest with a value; those without any are included. */
function indexesOf({ items, metrics, range }: Analysis): number[] {
  const ids = metrics.map(({ id }) => id);
  const valued = items.filter((item) => ids.some((id) => Object.hasOwn(item.metrics, id))).map(indexOf);
  if (valued.length === 0) return [];
  const newest = valued.reduce((a, b) => Math.max(a, b));
  const oldest = range.from?.index ?? valued.reduce((a, b) => Math.min(a, b));
  return Array.from({ length: Math.max(newest - oldest + 1, 0) }, (_, step) => oldest + step);
}

export function periodsOf(analysis: Analysis): string[] {
  return indexesOf(analysis).map((index) => formatPeriod({ type: analysis.type, index }));
}

/** Periods of which only some months have data, with `2/3`. */
export function partialPeriods(analysis: Analysis): (readonly [period: string, months: string])[] {
  return linesIn(analysis).flatMap(({ points }) =>
    points.flatMap(({ index, incomplete }) =>
      incomplete ? [[formatPeriod({ type: analysis.type, index }), incomplete] as const] : [],
    ),
  );
}

export function pivotRows(stored: Analysis, { ascii, partial }: { ascii: boolean; partial: boolean }): PivotRow[] {
  const analysis = alignPeriods(stored, 'periods');
  const key = (index: number) => formatPeriod({ type: analysis.type, index });
  const byId = new Map(analysis.metrics.map((metric) => [metric.id, metric]));
  const indexes = indexesOf(analysis);
  const lines = linesIn(analysis);
  const present = new Set(lines.map(({ metricId }) => metricId));
  const computed = analysis.metrics.filter(({ id, note }) => note !== undefined && !present.has(id));
  const empty = computed.map(({ id }): MetricLine => ({ metricId: id, version: 'actual', points: [] }));
  return [...lines, ...empty].map(({ metricId, version, points }) => {
    const { label, unit, measure } = byId.get(metricId) ?? {};
    const { change, months } = newestChange(partial ? points : whole(points), measure, analysis.type);
    const without = points.find((point) => point.note)?.note ?? byId.get(metricId)?.note;
    const reasons = without === undefined ? blankReasons(analysis, metricId, version) : [];
    const note = [without, months, ...reasons].filter(Boolean).join('; ') || undefined;
    const byIndex = new Map(points.map(({ index, value }) => [index, value]));
    const incomplete = new Map(points.flatMap((point) => (point.incomplete ? [[point.index, point.incomplete]] : [])));
    return {
      metricId,
      ...(label !== undefined && { label }),
      ...(unit !== undefined && { unit }),
      version,
      change,
      trend: sparkline(
        indexes.map((index) => byIndex.get(index)),
        { ascii, partial: new Set(indexes.flatMap((index, at) => (incomplete.has(index) ? [at] : []))) },
      ),
      ...(note !== undefined && { note }),
      values: Object.fromEntries(points.map(({ index, value }) => [key(index), value])),
      ...(incomplete.size > 0 && {
        months: Object.fromEntries([...incomplete].map(([index, months]) => [key(index), months])),
      }),
    };
  });
}

/** `2024-Q3: burn is of 2/3 months`: why periods of a computed metric are blank. */
function blankReasons({ items, range }: Analysis, metricId: string, version: string): string[] {
  const periods = new Map<string, string[]>();
  for (const item of items) {
    const reason = item.notes?.[metricId];
    const isBefore = range.from !== undefined && indexOf(item) < range.from.index;
    if (reason === undefined || item.version !== version || isBefore) continue;
    periods.set(reason, [...(periods.get(reason) ?? []), item.periodKey]);
  }
  return [...periods].map(([reason, keys]) => `${periodSpans(keys).join(', ')}: ${reason}`);
}

/** The change of the newest value against the period before it, and the months of both where they are incomplete. */
function newestChange(points: readonly Point[], measure: string | undefined, type: PeriodType) {
  const newest = points.findLast(({ value }) => value !== null);
  const two = points.filter(({ index }) => newest && (index === newest.index || index === newest.index - 1));
  const change = changes(two, 1).findLast(({ value }) => value !== null);
  if (!change) return { change: null };
  const period = { type, index: change.index };
  return { change: changeOf(change, measure), months: comparedMonths(period, change.months) };
}
