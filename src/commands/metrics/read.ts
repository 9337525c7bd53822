/** What metrics commands read from flags and from the API; other nouns use it too. */

import type { Context } from '../../cli/context.ts';
import { flag, longName } from '../../cli/define.ts';
import { pageOptions } from '../../cli/operation-flags.ts';
import { refuseRaw } from '../../cli/show.ts';
import { readSeries } from '../../client/series.ts';
import { firstQuery, type SeriesRequest } from '../../client/series-request.ts';
import { getMetricSeries } from '../../contract/metric-operations.ts';
import { type MetricDefinition, type Version, versions } from '../../contract/metrics.ts';
import { Failure, usage } from '../../core/errors.ts';
import {
  addPeriods,
  firstWithin,
  formatPeriod,
  lastWithin,
  type PeriodType,
  parsePeriod,
  periodAt,
} from '../../core/periods.ts';
import type { AnalysisItem } from '../../domain/analysis/points.ts';
import type { Conflict } from '../../domain/series/merge.ts';
import { lastUnit, type Range, type RangeWords, seriesRange } from '../../domain/series/range.ts';
import { type Aggregation, aggregations, parseAggregation, shownUnit } from '../../domain/series/shapes.ts';
import { catalogOf, refuseUnknown } from './known.ts';

/** Metric ids: `-m mrr,arr -m runway`. */
export const metricsFlag = (summary: string, field?: string) =>
  flag.list('ID[,ID]', summary, { short: 'm', ...(field !== undefined && { field }) });

export const aggregationFlag = flag.list('METRIC=HOW', 'how to derive a metric, if the catalog does not say');

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

/** How hints write a choice of an aggregation. */
export const aggregationChoice = (id: string, how: Aggregation): string => `--agg ${id}=${how}`;

/** @throws usage for a word that is not a version */
export function versionsOf(given: string | undefined, byDefault: readonly Version[] = ['actual']): Version[] {
  if (given === undefined) return [...byDefault];
  return [...new Set(given.split(',').map((word) => word.trim()))].map((word) => {
    const found = versions.find((known) => known === word);
    if (found) return found;
    throw usage(`--versions must be ${versions.join(', ')}, got "${word}"`);
  });
}

/** What is read and in which grain, as flags say it. */
export interface AnalysisRequest extends RangeWords {
  metrics?: string[] | undefined;
  periodType?: PeriodType;
  /** One period, which is its own range and grain. */
  period?: string;
  agg?: string[] | undefined;
}

interface AnalysisOptions {
  versions: readonly Version[];
  /** The count of newest periods where the request names no range; default: everything. */
  last?: string;
  /** Periods before the range that are read too, to compare with. */
  back?: number;
  /** Default: the company of the settings. */
  company?: string;
}

export interface Metric {
  id: string;
  label?: string | undefined;
  /** What is shown beside its numbers: a currency, `%`, a word. */
  unit?: string | undefined;
  direction?: string | null | undefined;
}

export interface Analysis {
  type: PeriodType;
  /** The range asked for; open where the request does not say. */
  range: Range;
  /** The request names no periods. */
  anyRange: boolean;
  /** Oldest first, with the periods before the range. */
  items: AnalysisItem[];
  /** The metrics asked for, else those of the rows, in the order of the catalog. */
  metrics: Metric[];
  currency: string | undefined;
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

/** The catalog and every row of the range; quarters and years of actuals are derived from months. */
export async function readAnalysis(
  ctx: Context,
  request: AnalysisRequest,
  options: AnalysisOptions,
): Promise<Analysis> {
  refuseRaw(ctx, 'it computes from several responses');
  const type = grainOf(request);
  // What is wrong with the range is said before anything is sent; its end follows the clock of the server.
  const first = rangeOf(ctx, request, type, options.last);
  const chosen = chosenAggregations(request.agg);
  const asked = metricIds(request.metrics);
  await describeFirst(ctx, first, type, asked, options);
  const catalog = await catalogOf(ctx, options.company);
  if (asked) refuseUnknown(asked, [catalog]);
  const range = rangeOf(ctx, request, type, options.last);
  const reading: Range = { from: range.from && addPeriods(range.from, -(options.back ?? 0)), to: range.to };
  const client = await ctx.client();
  const { pageSize } = pageOptions(ctx, getMetricSeries);
  const onConflict = conflictWarning(ctx);
  const read = async (grain: PeriodType, wanted: readonly Version[]) => {
    const first = reading.from && firstWithin(reading.from, grain);
    const end = reading.to && lastWithin(reading.to, grain);
    const items: AnalysisItem[] = [];
    // `--limit` is of the rows that come out, not of those that they are computed from.
    const rows = readSeries(
      client,
      {
        ...{ periodType: grain, versions: wanted, order: 'asc', metricIds: asked, pageSize },
        ...{ from: first && formatPeriod(first), to: end && formatPeriod(end) },
        companies: options.company === undefined ? undefined : [options.company],
      },
      { onConflict },
    );
    for await (const item of rows) items.push(item);
    return items;
  };
  const fromMonths = type !== 'month' && options.versions.includes('actual');
  const stored = options.versions.filter((version) => !fromMonths || version !== 'actual');
  const items: AnalysisItem[] = stored.length > 0 ? await read(type, stored) : [];
  const months = fromMonths ? await read('month', ['actual']) : [];
  if (type !== 'month' && fromMonths) {
    const { derive } = await import('../../domain/series/derive.ts');
    const how = await aggregationsFor(ctx, idsOf(months, asked), asked, catalog.definitions, chosen);
    for await (const row of derive(months, type, how)) items.push(row);
  }
  items.sort(inOrder);
  const metrics = metricsOf(items, asked, catalog.definitions, catalog.currency);
  const { period, from, to, last, ytd, fy } = request;
  const anyRange = !ytd && (period ?? from ?? to ?? last ?? fy) === undefined;
  return { type, range, anyRange, items, metrics, currency: catalog.currency };
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

function rangeOf(ctx: Context, request: AnalysisRequest, type: PeriodType, byDefault: string | undefined): Range {
  const { period, from, to, last, includeCurrent, ytd, fy, fyStart } = request;
  const newest = periodAt(ctx.now(), type);
  const fiscal = ytd || fy !== undefined;
  if (period !== undefined) {
    if ((from ?? to ?? last) !== undefined || fiscal) {
      throw usage('--period is one period, and another flag says which range to read', 'give one of them');
    }
    return seriesRange({ from: period, to: period, includeCurrent, fyStart }, type, newest, longName);
  }
  const count = from === undefined && !fiscal ? (last ?? byDefault) : last;
  return seriesRange({ from, to, last: count, includeCurrent, ytd, fy, fyStart }, type, newest, longName);
}

/** How each metric is aggregated. A metric that was not asked for by name is left out where nothing says how. */
async function aggregationsFor(
  ctx: Context,
  ids: readonly string[],
  asked: readonly string[] | undefined,
  definitions: readonly MetricDefinition[],
  chosen: ReadonlyMap<string, Aggregation>,
): Promise<ReadonlyMap<string, Aggregation>> {
  const { aggregationOf } = await import('../../domain/series/derive.ts');
  if (asked) return aggregationOf(ids, definitions, chosen, aggregationChoice);
  const settled = new Map<string, Aggregation>();
  const unsettled: string[] = [];
  for (const id of ids) {
    try {
      for (const [found, how] of aggregationOf([id], definitions, chosen)) settled.set(found, how);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      unsettled.push(id);
    }
  }
  if (unsettled.length > 0) {
    ctx.out.warn(
      `left out, since the catalog does not say how their months add up: ${unsettled.join(', ')} (see --agg)`,
    );
  }
  return settled;
}

function idsOf(items: readonly AnalysisItem[], asked: readonly string[] | undefined): string[] {
  return [...(asked ?? new Set(items.flatMap(({ metrics }) => Object.keys(metrics))))];
}

function metricsOf(
  items: readonly AnalysisItem[],
  asked: readonly string[] | undefined,
  definitions: readonly MetricDefinition[],
  currency: string,
): Metric[] {
  const byId = new Map(definitions.map((definition) => [definition.metricId, definition]));
  const present = new Set(idsOf(items, undefined));
  const known = definitions.flatMap(({ metricId }) => (present.delete(metricId) ? [metricId] : []));
  return (asked ?? [...known, ...present]).map((id): Metric => {
    const definition = byId.get(id);
    const unit = shownUnit(definition && { ...definition, currency });
    return { id, label: definition?.label, unit, direction: definition?.direction };
  });
}

/** By period, within it in the order of the versions. */
function inOrder(a: AnalysisItem, b: AnalysisItem): number {
  if (a.periodKey !== b.periodKey) return a.periodKey < b.periodKey ? -1 : 1;
  return versions.indexOf(a.version) - versions.indexOf(b.version);
}
