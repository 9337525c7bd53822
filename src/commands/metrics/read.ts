/** What metrics commands read from flags and from the API; other nouns use it too. */

import type { Context } from '../../cli/context.ts';
import { longName } from '../../cli/define.ts';
import { pageOptions } from '../../cli/operation-flags.ts';
import { refuseRaw } from '../../cli/show.ts';
import { firstQuery, readSeries, type SeriesRequest } from '../../client/series.ts';
import { getMetricCatalog, getMetricSeries } from '../../contract/metric-operations.ts';
import { type MetricCatalogResponse, type Version, versions } from '../../contract/metrics.ts';
import { limiter } from '../../core/concurrency.ts';
import { Failure, isSkippable, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import {
  addPeriods,
  firstWithin,
  formatPeriod,
  lastWithin,
  type PeriodType,
  parsePeriod,
  periodAt,
} from '../../core/periods.ts';
import type { Conflict } from '../../domain/series/join.ts';
import { type Aggregation, aggregations, parseAggregation } from '../../domain/series/plan.ts';
import { lastUnit, type Range, seriesRange } from '../../domain/series/range.ts';
import type { Analysis, AnalysisOptions, AnalysisRequest } from './analysis/parts.ts';

export type { Analysis, AnalysisRequest, Metric } from './analysis/parts.ts';

/** Says once that rows gave a metric different values. */
export function conflictWarning(ctx: Context): (conflict: Conflict) => void {
  let said = false;
  return ({ metricId, version, periodKey }) => {
    if (said) return;
    said = true;
    ctx.out.warn(
      `the API gave different values for one metric, such as the ${version} of ${metricId} in ${periodKey}; the one that was written later is kept`,
    );
  };
}

/** The ids in the order given, each once; undefined when the flag was not given. */
export function metricIds(given: readonly string[] | undefined, name = '--metrics'): string[] | undefined {
  if (given === undefined) return undefined;
  const ids = given.flatMap((part) => part.split(',').map((id) => id.trim()));
  if (ids.includes('')) throw usage(`${name} must not hold an empty id, got "${given.join(',')}"`);
  return [...new Set(ids)];
}

/** @throws usage for a word that is not a version */
export function versionsOf(given: string | undefined, byDefault: readonly Version[] = ['actual']): Version[] {
  if (given === undefined) return [...byDefault];
  return [...new Set(given.split(',').map((word) => word.trim()))].map((word) => {
    const found = versions.find((known) => known === word);
    if (found) return found;
    throw usage(`--versions must be ${versions.join(', ')}, got "${word}"`);
  });
}

/** The aggregations of `--agg`, by metric. @throws usage */
export function chosenAggregations(given: readonly string[] = []): Map<string, Aggregation> {
  return new Map(
    given.map((text) => {
      const found = parseAggregation(text);
      if (found) return found;
      throw usage(`--agg must be METRIC=${aggregations.join('|')}, got "${text}"`);
    }),
  );
}

/** The grain that a period, a flag or the unit of `--last` names; else months. */
export function grainOf({ period, periodType: asked, last: newest }: AnalysisRequest): PeriodType {
  if (period === undefined) return asked ?? lastUnit(newest) ?? 'month';
  const found = parsePeriod(period);
  if (!found) throw usage(`--period must be a period such as 2006-01, 2006-Q1 or 2006, got "${period}"`);
  if (asked !== undefined && asked !== found.type) {
    throw usage(`--period ${period} is a ${found.type}, but --period-type says ${asked}`, 'omit --period-type');
  }
  return found.type;
}

/** What is wrong with a request is said before anything is sent; the end of its range follows the server's clock. */
export async function describeAnalysis(
  ctx: Context,
  request: AnalysisRequest,
  options: AnalysisOptions,
): Promise<void> {
  refuseRaw(ctx, 'it computes from several responses');
  const type = grainOf(request);
  chosenAggregations(request.agg);
  await describeFirst(ctx, rangeOf(ctx, request, type, options), type, metricIds(request.metrics), options);
}

/** The catalog and every row of the range; quarters and years of actuals are derived from months. */
export async function readAnalysis(
  ctx: Context,
  request: AnalysisRequest,
  options: AnalysisOptions,
): Promise<Analysis> {
  await describeAnalysis(ctx, request, options);
  const type = grainOf(request);
  const chosen = chosenAggregations(request.agg);
  const asked = metricIds(request.metrics);
  const catalog = await catalogOf(ctx, options.company);
  if (asked) refuseUnknown(asked, [catalog]);
  const range = rangeOf(ctx, request, type, options);
  const reading: Range = { from: range.from && addPeriods(range.from, -(options.back ?? 0)), to: range.to };
  const client = await ctx.client();
  const { pageSize } = pageOptions(ctx, getMetricSeries);
  const onConflict = conflictWarning(ctx);
  const read = (grain: PeriodType, versions: readonly Version[]) => {
    const first = reading.from && firstWithin(reading.from, grain);
    const end = reading.to && lastWithin(reading.to, grain);
    // `--limit` is of the rows that come out, not of those that they are computed from.
    return readSeries(
      client,
      {
        ...{ periodType: grain, versions, order: 'asc', metricIds: asked, pageSize },
        ...{ from: first && formatPeriod(first), to: end && formatPeriod(end) },
        companies: options.company === undefined ? undefined : [options.company],
      },
      { onConflict },
    );
  };
  const derived = type === 'month' ? [] : options.versions.filter((one) => options.derived || one === 'actual');
  const wanted = options.versions.filter((version) => !derived.includes(version));
  const stored = wanted.length > 0 ? read(type, wanted) : [];
  const months = derived.length > 0 ? read('month', derived) : undefined;
  const { analysisOf } = await import('./analysis/parts.ts');
  return analysisOf(ctx, request, { type, range, asked, catalog, chosen, stored, months });
}

/** What the API would refuse is refused before the catalog is read. */
async function describeFirst(
  ctx: Context,
  { from, to }: Range,
  type: PeriodType,
  metrics: readonly string[] | undefined,
  { versions: wanted, company }: AnalysisOptions,
): Promise<void> {
  const client = await ctx.client();
  const fromMonths = type !== 'month' && wanted.includes('actual');
  const request: SeriesRequest = {
    ...{ periodType: fromMonths ? 'month' : type, versions: wanted, metricIds: metrics },
    ...(!fromMonths && { from: from && formatPeriod(from), to: to && formatPeriod(to) }),
  };
  const query = firstQuery(request);
  await client.describe(getMetricSeries, {
    query: company === undefined ? query : { ...query, companyId: company },
  });
}

function rangeOf(ctx: Context, request: AnalysisRequest, type: PeriodType, options: AnalysisOptions): Range {
  const { period, from, to, last, includeCurrent, ytd, fy } = request;
  const newest = periodAt(ctx.now(), type);
  const fiscal = ytd || fy !== undefined;
  const kept = ctx.settings.fiscalYearStart[options.company ?? ctx.company() ?? ''];
  const fyStart = request.fyStart ?? (fiscal ? kept : undefined);
  if (period !== undefined) {
    if ((from ?? to ?? last) !== undefined || fiscal) {
      throw usage('--period is one period, and another flag says which range to read', 'give one of them');
    }
    return seriesRange({ from: period, to: period, includeCurrent, fyStart }, type, newest, longName);
  }
  const count = from === undefined && !fiscal ? (last ?? options.last) : last;
  return seriesRange({ from, to, last: count, includeCurrent, ytd, fy, fyStart }, type, newest, longName);
}

const mostRequests = 8;

const catalogs = new WeakMap<Context, Map<string | undefined, Promise<MetricCatalogResponse>>>();

/** The catalog of a company, read once in a command. @param companyId default: the company of the credential */
export function catalogOf(ctx: Context, companyId: string | undefined): Promise<MetricCatalogResponse> {
  const own = catalogs.get(ctx) ?? new Map<string | undefined, Promise<MetricCatalogResponse>>();
  catalogs.set(ctx, own);
  const before = own.get(companyId);
  if (before) return before;
  const query = companyId === undefined ? {} : { query: { companyId } };
  const found = ctx.client().then(async (client) => {
    const catalog = await client.call(getMetricCatalog, query);
    nameMetrics(ctx, catalog);
    return catalog;
  });
  own.set(companyId, found);
  return found;
}

/** People read labels. Another server may answer with something else. */
function nameMetrics(ctx: Context, { definitions }: MetricCatalogResponse): void {
  if (!Array.isArray(definitions)) return;
  ctx.out.named(definitions.flatMap(({ metricId, label }) => (metricId && label ? [[metricId, label] as const] : [])));
}

/** The catalogs that can be read; a failure is the same the next time one is asked for. */
export async function readableCatalogs(
  ctx: Context,
  companies: readonly (string | undefined)[],
): Promise<MetricCatalogResponse[]> {
  const slot = limiter(mostRequests);
  const found = await Promise.all(
    companies.map((companyId) =>
      slot(async () => {
        try {
          const catalog = await catalogOf(ctx, companyId);
          // Another server may answer with something else; what it does not list cannot be held against anything.
          return Array.isArray(catalog?.definitions) ? [catalog] : [];
        } catch (error) {
          if (isSkippable(error)) return [];
          throw error;
        }
      }),
    ),
  );
  return found.flat();
}

/** Metrics that no company has are a mistake, unless a catalog cannot be read. @throws Failure `notFound` */
export async function requireMetrics(
  ctx: Context,
  ids: readonly string[],
  companies: readonly (string | undefined)[] = [undefined],
): Promise<void> {
  const found = await readableCatalogs(ctx, companies);
  if (found.length < companies.length) return;
  refuseUnknown(ids, found);
}

/** @throws Failure `notFound`, naming the nearest metrics */
export function refuseUnknown(
  ids: readonly string[],
  from: readonly Pick<MetricCatalogResponse, 'definitions'>[],
): void {
  const known = [...new Set(from.flatMap(({ definitions }) => definitions.map(({ metricId }) => metricId)))];
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  const near = unknown.flatMap((id) => nearest(id, known) ?? []);
  throw new Failure('notFound', `the catalog has no metric ${unknown.map((id) => `"${id}"`).join(', ')}`, {
    code: 'unknown_metric',
    hint: near.length > 0 ? `did you mean ${near.join(', ')}?` : 'run `comem metrics catalog` to list the metrics',
  });
}
