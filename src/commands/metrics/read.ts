/** Catalogs and rows of metrics, read by flags; other nouns read them here, too. */

import type { Context } from '../../cli/context.ts';
import { longName } from '../../cli/define.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { refuseRaw } from '../../cli/show.ts';
import { firstQuery, readSeries, type SeriesRequest } from '../../client/series.ts';
import { getMetricCatalog, getMetricSeries } from '../../contract/metric-operations.ts';
import {
  type MetricCatalogResponse,
  type MetricDefinition,
  type MetricSeriesItem,
  type Version,
  versions,
} from '../../contract/metrics.ts';
import { limiter } from '../../core/concurrency.ts';
import { Failure, isSkippable, readWhole, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import {
  addPeriods,
  firstWithin,
  formatPeriod,
  lastWithin,
  type PeriodType,
  parsePeriod,
  periodAt,
  periodHolding,
} from '../../core/periods.ts';
import { byTime, indexOf, linesOf, type MetricLine } from '../../domain/analysis/points.ts';
import { type Compared, type Member, totalOf } from '../../domain/analysis/total.ts';
import type { Conflict } from '../../domain/series/join.ts';
import { type Aggregation, aggregations, parseAggregation } from '../../domain/series/plan.ts';
import {
  boundsUnit,
  isFiscal,
  lastUnit,
  type Range,
  type RangeWords,
  rangeOfMonths,
  seriesRange,
  writtenRange,
} from '../../domain/series/range.ts';
import { type Marked, markRunning, type SeriesItem } from '../../domain/series/shapes.ts';
import { isMoney, measureOf, shownUnit } from '../../domain/series/units.ts';
import type { Metric } from './columns.ts';

/** The flags of an analysis: metrics, range, grain and computations. */
export interface AnalysisRequest extends RangeWords {
  metrics?: string[] | undefined;
  periodType?: PeriodType;
  /** Amounts are converted into this currency, with the rates of the file. */
  in?: string | undefined;
  rates?: string | undefined;
  /** The period whose rate converts all others: constant currency. */
  rateAt?: string | undefined;
  /** Definitions of computed metrics, `@file` or `name = expression`. */
  calc?: string[] | undefined;
  /** Add the sum of the companies. */
  total?: boolean | undefined;
  /** Compare periods that are not complete. */
  partial?: boolean | undefined;
  /** One period, which is its own range and grain. */
  period?: string;
  agg?: string[] | undefined;
}

export interface AnalysisOptions {
  versions: readonly Version[];
  /** The count of newest periods where the request names no range; default: everything. */
  last?: string;
  /** Periods before the range that are read too, to compare with. */
  back?: number;
  /** Quarters and years of plans are derived from months, too, and bounds of the range may be months. */
  isDerived?: boolean;
  /** The rows of `metrics series`: without a request by name every metric of the catalog, also those without a value. */
  isSeries?: boolean;
  /** Default: the company of the settings. */
  company?: string;
  /** Amounts of companies are not shown in one column. */
  apart?: boolean;
}

/** The values of one company, and the facts of its metrics. */
export interface Analysis {
  type: PeriodType;
  /** The requested range; open where the request does not say. */
  range: Range;
  /** The request names no periods. */
  anyRange: boolean;
  /** Oldest first, with the periods before the range. */
  items: readonly SeriesItem[];
  /** The requested metrics, else those of the rows, in the order of the catalog. */
  metrics: Metric[];
  currency: string | undefined;
  /** The companies of a total. */
  members?: readonly Member[];
}

/** The analysis; a total with the companies that have all compared values, and notes of those that are left out. */
export function alignPeriods(analysis: Analysis, compared: Compared): Analysis {
  const { members, metrics } = analysis;
  return members ? { ...analysis, items: totalOf(members, metrics, compared) } : analysis;
}

/** The values by metric, in the order of the metrics, and version. */
export function linesIn({ items, metrics }: Pick<Analysis, 'items' | 'metrics'>): MetricLine[] {
  return linesOf(
    items,
    metrics.map(({ id }) => id),
  );
}

/** Whether some values are of part of their period. */
export function hasPartial({ items }: Pick<Analysis, 'items'>): boolean {
  return items.some(({ incomplete }) => Object.keys(incomplete ?? {}).length > 0);
}

/** Whether rows have a column for their months: quarters, years, and months of which one has not ended. */
export const countsMonths = (analysis: Analysis): boolean => analysis.type !== 'month' || hasPartial(analysis);

/** Warns once that rows gave a metric different values. */
export function conflictWarning(ctx: Context): (conflict: Conflict) => void {
  let warned = false;
  return ({ metricId, version, periodKey }) => {
    if (warned) return;
    warned = true;
    ctx.out.warn(
      `the API gave different values for one metric, such as the ${version} of ${metricId} in ${periodKey}; the one that was written later is kept`,
    );
  };
}

/** The ids of a flag in their order, each once; undefined without the flag. */
export function metricIds(words: readonly string[] | undefined, name = '--metrics'): string[] | undefined {
  if (words === undefined) return undefined;
  const ids = words.flatMap((part) => part.split(',').map((id) => id.trim()));
  if (ids.includes('')) throw usage(`${name} must not hold an empty id, got "${words.join(',')}"`);
  return [...new Set(ids)];
}

/** @throws usage for a word that is not a version */
export function versionsOf(words: string | undefined, byDefault: readonly Version[] = ['actual']): Version[] {
  if (words === undefined) return [...byDefault];
  return [...new Set(words.split(',').map((word) => word.trim()))].map((word) => {
    const version = versions.find((known) => known === word);
    if (version) return version;
    throw usage(`--versions must be ${versions.join(', ')}, got "${word}"`);
  });
}

/** The aggregations of `--agg`, by metric. @throws usage */
function chosenAggregations(words: readonly string[] = []): Map<string, Aggregation> {
  return new Map(
    words.map((text) => {
      const choice = parseAggregation(text);
      if (choice) return choice;
      throw usage(`--agg must be METRIC=${aggregations.join('|')}, got "${text}"`);
    }),
  );
}

/** The grain that a period, a flag, the unit of `--last` or the bounds name; else months. */
export function grainOf({ period, periodType, last, ...bounds }: AnalysisRequest): PeriodType {
  if (period === undefined) return periodType ?? lastUnit(last) ?? boundsUnit(bounds) ?? 'month';
  const parsed = parsePeriod(period);
  if (!parsed) throw usage(`--period must be a period such as 2006-01, 2006-Q1 or 2006, got "${period}"`);
  if (periodType !== undefined && periodType !== parsed.type) {
    throw usage(`--period ${period} is a ${parsed.type}, but --period-type says ${periodType}`, 'omit --period-type');
  }
  return parsed.type;
}

/** Refuses what the API would refuse, before the catalog is read. */
export async function describeAnalysis(ctx: Context, request: AnalysisRequest, options: AnalysisOptions) {
  refuseRaw(ctx, 'it computes from several responses');
  const type = grainOf(request);
  chosenAggregations(request.agg);
  const { from, to } = writtenRange(rangeOf(ctx, request, type, options));
  const fromMonths = type !== 'month' && (options.isDerived || options.versions.includes('actual'));
  const query = firstQuery({
    periodType: fromMonths ? 'month' : type,
    versions: options.versions,
    metricIds: metricIds(request.metrics),
    ...(!fromMonths && { from, to }),
  });
  const { company: companyId } = options;
  await (await ctx.client()).describe(getMetricSeries, {
    query: { ...query, ...(companyId !== undefined && { companyId }) },
  });
}

export type Read = typeof readAnalysis;

export interface AnalysisReader {
  /** The metrics to read; undefined: all. */
  metrics: string[] | undefined;
  read: Read;
  /** Called when every company is read. @throws Failure usage for rates that are missing */
  finish?(parts: readonly Pick<CompanyPart<unknown>, 'who'>[]): void;
}

/** The catalog and every row of the range; quarters and years of actuals are derived from months. */
export async function readAnalysis(ctx: Context, request: AnalysisRequest, options: AnalysisOptions) {
  await describeAnalysis(ctx, request, options);
  const { company, versions: requested, back = 0, isSeries = false } = options;
  const type = grainOf(request);
  const ids = metricIds(request.metrics);
  const readGrain = async (range: Range, grain: PeriodType, requested: readonly Version[]) => {
    if (requested.length === 0) return [];
    const first = range.from && periodHolding(range.from, type);
    const start = back > 0 && first ? addPeriods(first, -back) : range.from;
    const bounds = { from: start && firstWithin(start, grain), to: range.to && lastWithin(range.to, grain) };
    return readItems(ctx, {
      periodType: grain,
      versions: requested,
      order: 'asc',
      metricIds: ids,
      // `--limit` is of the rows that come out, not of those that they are computed from.
      pageSize: ctx.settings.pageSize,
      ...writtenRange(bounds),
      companies: company === undefined ? undefined : [company],
    });
  };
  const derived = type === 'month' ? [] : requested.filter((version) => options.isDerived || version === 'actual');
  const ofGrain = requested.filter((version) => !derived.includes(version));
  // Incomplete quarters are compared with the same months of their budget.
  const ofMonths = request.partial && type !== 'month' ? requested : derived;
  const readRange = (range: Range) =>
    Promise.all([readGrain(range, type, ofGrain), readGrain(range, 'month', ofMonths)]);
  // Values of months that are named need the catalog for their units only.
  const isOptional = isSeries && type === 'month' && ids !== undefined;
  const reading = isOptional ? readableCatalogs(ctx, [company]) : catalogOf(ctx, company).then((catalog) => [catalog]);
  // The end of the range follows the clock of the server, which comes with the catalog: mostly it is that of this machine.
  const expected = rangeOf(ctx, request, type, options);
  const begun = readRange(expected);
  begun.catch(() => {});
  const [catalog] = await reading.catch(async (error: unknown) => {
    // Where nothing answers, the failure names the request of the rows.
    await begun;
    throw error;
  });
  if (ids && catalog) refuseUnknown(ids, [catalog]);
  const range = rangeOf(ctx, request, type, options);
  const [stored, months] = await (JSON.stringify(range) === JSON.stringify(expected) ? begun : readRange(range));
  const inGrain = {
    from: range.from && periodHolding(range.from, type),
    to: range.to && periodHolding(range.to, type),
  };
  return analysisOf(ctx, request, {
    type,
    range: inGrain,
    ids,
    catalog,
    stored,
    months,
    isDerived: options.isDerived,
    isSeries,
    derived,
  });
}

export async function readItems(ctx: Context, request: SeriesRequest): Promise<MetricSeriesItem[]> {
  const rows = readSeries(await ctx.client(), request, { onConflict: conflictWarning(ctx) });
  const items: MetricSeriesItem[] = [];
  for await (const item of readWhole(rows)) items.push(item);
  return items;
}

/** The range of the request, in months where rows are derived from them. */
export function rangeOf(
  ctx: Context,
  request: AnalysisRequest,
  type: PeriodType,
  options: Pick<AnalysisOptions, 'company' | 'last' | 'isDerived'>,
): Range {
  const { from, last, ...words } = rangeWords(request);
  const configured = ctx.settings.fiscalYearStart[options.company ?? ctx.company() ?? ''];
  const fyStart = words.fyStart ?? (isFiscal(last) ? configured : undefined);
  const range = { ...words, from, last: from === undefined ? (last ?? options.last) : last, fyStart };
  if (options.isDerived) return rangeOfMonths(range, type, ctx.now(), longName);
  return seriesRange(range, type, periodAt(ctx.now(), type), longName);
}

/** The words of a range, of which `--period` is both bounds. @throws usage for a second range */
function rangeWords({ period, from, to, last, includeCurrent, fyStart }: AnalysisRequest): RangeWords {
  if (period === undefined) return { from, to, last, includeCurrent, fyStart };
  if ((from ?? to ?? last) !== undefined) {
    throw usage('--period is one period, and another flag says which range to read', 'give one of them');
  }
  return { from: period, to: period, includeCurrent, fyStart };
}

/** Whether the request names periods. */
export function hasRange({ period, from, to, last }: AnalysisRequest): boolean {
  return (period ?? from ?? to ?? last) !== undefined;
}

/** The rows of a company that an analysis is made of. */
interface AnalysisRows {
  type: PeriodType;
  range: Range;
  /** The metrics that are requested by name. */
  ids: readonly string[] | undefined;
  /** Undefined: it cannot be read, and only units need it. */
  catalog: MetricCatalogResponse | undefined;
  /** Rows in the grain of the analysis. */
  stored: readonly MetricSeriesItem[];
  /** The months from which quarters or years are derived. */
  months?: readonly MetricSeriesItem[];
  /** All versions are derived: also a metric that was not named is refused if its months cannot be added up. */
  isDerived?: boolean | undefined;
  isSeries?: boolean;
  /** The versions whose rows are derived from months; the months of others are only compared. */
  derived?: readonly Version[];
}

/** The note of a metric that was requested by name. */
export const withoutValue = 'no value in the range';

type Definitions = Pick<MetricCatalogResponse, 'definitions'> & Partial<Pick<MetricCatalogResponse, 'currency'>>;

/** The rows in their order, quarters and years of months among them, and the facts of their metrics. */
export async function analysisOf(
  ctx: Context,
  request: AnalysisRequest,
  { type, range, ids, stored, months = [], isDerived = false, isSeries = false, ...rows }: AnalysisRows,
): Promise<Analysis> {
  const catalog: Definitions = rows.catalog ?? { definitions: [] };
  const current = formatPeriod(periodAt(ctx.now(), 'month'));
  const items: SeriesItem[] = type === 'month' ? markRunning(stored, current).map(partly) : [...stored];
  if (type !== 'month' && (months.length > 0 || isDerived)) {
    const { aggregationOf, derive, withMonths } = await import('../../domain/series/derive.ts');
    const marked = markRunning(months, current).toSorted(byTime);
    const named = ids ?? [...new Set(marked.flatMap(({ metrics }) => Object.keys(metrics)))];
    const aggregation = aggregationOf(named, catalog.definitions, chosenAggregations(request.agg), {
      choice: (id, aggregation) => `--agg ${id}=${aggregation}`,
      ...(!(ids || isDerived) && {
        leaveOut: (others) =>
          ctx.out.warn(
            `left out, since the catalog does not say how their months add up: ${others.join(', ')} (see --agg)`,
          ),
      }),
    });
    const { derived = versions } = rows;
    const ofVersions = marked.filter(({ version }) => derived.includes(version));
    items.push(...derive(ofVersions, type, aggregation));
    if (request.partial) items.splice(0, items.length, ...withMonths(items, marked, type, aggregation));
  }
  items.sort(byTime);
  const valued = items.filter((item) => range.from === undefined || indexOf(item) >= range.from.index);
  const present = ids ?? idsOf(items, catalog);
  const all =
    isSeries && !ids ? [...new Set([...catalog.definitions.map(({ metricId }) => metricId), ...present])] : present;
  const metrics = metricsOf(all, catalog).map((metric) =>
    valued.some((item) => Object.hasOwn(item.metrics, metric.id)) ? metric : { ...metric, note: withoutValue },
  );
  return { type, range, anyRange: !hasRange(request), items, metrics, currency: catalog.currency };
}

/** The metrics of rows: first those of the catalog in its order. */
function idsOf(items: readonly MetricSeriesItem[], { definitions }: Definitions): string[] {
  const present = new Set(items.flatMap(({ metrics }) => Object.keys(metrics)));
  return [...definitions.flatMap(({ metricId }) => (present.delete(metricId) ? [metricId] : [])), ...present];
}

/** Marks each value of a month that has not ended as incomplete. */
function partly(item: MetricSeriesItem & Marked): SeriesItem {
  const { months } = item;
  if (months === undefined) return item;
  return { ...item, incomplete: Object.fromEntries(Object.keys(item.metrics).map((id) => [id, months])) };
}

export function metricsOf(ids: readonly string[], { definitions, currency }: Definitions): Metric[] {
  const byId = new Map<string, MetricDefinition>(definitions.map((definition) => [definition.metricId, definition]));
  return ids.map((id): Metric => {
    const definition = byId.get(id);
    if (!definition) return { id };
    const { label, aggregation, direction } = definition;
    const measure = measureOf({ ...definition, currency });
    return {
      id,
      // Databases write null for what they do not have.
      label: label ?? undefined,
      unit: shownUnit({ ...definition, currency }),
      word: definition.unit ?? null,
      measure,
      ...(isMoney(measure, currency) && { currency: measure }),
      aggregation,
      direction,
    };
  });
}

const catalogs = new WeakMap<Context, Map<string | undefined, Promise<MetricCatalogResponse>>>();

/** The catalog of a company, read once in a command. @param companyId default: the company of the credential */
export function catalogOf(ctx: Context, companyId: string | undefined): Promise<MetricCatalogResponse> {
  const ofCommand = catalogs.get(ctx) ?? new Map<string | undefined, Promise<MetricCatalogResponse>>();
  catalogs.set(ctx, ofCommand);
  const cached = ofCommand.get(companyId);
  if (cached) return cached;
  const query = companyId === undefined ? {} : { query: { companyId } };
  const reading = ctx.client().then(async (client) => {
    const catalog = await client.call(getMetricCatalog, query);
    ctx.out.named(catalog.definitions.flatMap(({ metricId, label }) => (label ? [[metricId, label] as const] : [])));
    return catalog;
  });
  ofCommand.set(companyId, reading);
  return reading;
}

/** The catalogs that can be read; a failure is the same when one is read again. */
export async function readableCatalogs(ctx: Context, companies: readonly (string | undefined)[]) {
  const slot = limiter(8);
  const read = async (companyId: string | undefined): Promise<MetricCatalogResponse[]> => {
    try {
      return [await catalogOf(ctx, companyId)];
    } catch (error) {
      if (isSkippable(error)) return [];
      throw error;
    }
  };
  return (await Promise.all(companies.map((companyId) => slot(() => read(companyId))))).flat();
}

/** Metrics that no company has are a mistake, unless a catalog cannot be read. @throws Failure `notFound` */
export async function requireMetrics(
  ctx: Context,
  ids: readonly string[],
  companies: readonly (string | undefined)[] = [],
): Promise<void> {
  const all = companies.length > 0 ? companies : [undefined];
  const readable = await readableCatalogs(ctx, all);
  if (readable.length === all.length) refuseUnknown(ids, readable);
}

/** @throws Failure `notFound`, naming the nearest metrics */
export function refuseUnknown(ids: readonly string[], from: readonly Pick<MetricCatalogResponse, 'definitions'>[]) {
  const definitions = from.flatMap(({ definitions }) => definitions);
  const known = [...new Set(definitions.map(({ metricId }) => metricId))];
  const unknown = [...new Set(ids)].filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  const labels = new Map(definitions.map(({ metricId, label }) => [label ?? metricId, metricId]));
  const near = unknown.flatMap((id) => nearest(id, known) ?? labels.get(nearest(id, [...labels.keys()]) ?? '') ?? []);
  throw new Failure('notFound', `the catalog has no metric ${unknown.map((id) => `"${id}"`).join(', ')}`, {
    code: 'unknown_metric',
    hint: near.length > 0 ? `did you mean ${near.join(', ')}?` : 'run `comem metrics catalog` to list the metrics',
  });
}
