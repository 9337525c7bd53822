/** What the analysis commands read: the catalog, and every row of the range, quarters and years of actuals made of months. */

import type { Context } from '../../../cli/context.ts';
import { refuseRaw } from '../../../cli/show.ts';
import { operations } from '../../../contract/index.ts';
import { type MetricDefinition, type Version, versions } from '../../../contract/metrics.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { addPeriods, firstWithin, formatPeriod, lastWithin, type PeriodType, periodAt } from '../../../core/periods.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { type Aggregation, aggregationOf, derive, parseAggregation } from '../../../domain/series/derive.ts';
import { type Range, seriesRange } from '../../../domain/series/range.ts';
import { shownUnit } from '../columns.ts';
import { metricIds } from '../read.ts';
import { seriesRequest } from '../series/request.ts';
import { seriesRows, wide } from '../series/rows.ts';
import { type AnalysisFlags, grainOf } from './flags.ts';

export interface AnalysisWish {
  versions: readonly Version[];
  /** What `--last` is when no flag names the range; undefined: everything there is. */
  last?: string;
  /** Periods before the range that are read too, to compare with. */
  back?: number;
  /** Another company than the settings' own. */
  company?: string;
}

export interface Metric {
  id: string;
  label?: string;
  /** What stands beside its numbers: a currency, `%`, a word. */
  unit?: string;
  direction?: string | null;
}

export interface Analysis {
  type: PeriodType;
  /** The range asked for; open where no flag says. */
  range: Range;
  /** No flag says which periods are meant. */
  anyRange: boolean;
  /** Oldest first, `back` periods before the range included. */
  items: AnalysisItem[];
  /** The metrics asked for, else those of the rows, in the order of the catalog. */
  metrics: Metric[];
  currency: string | undefined;
}

export async function readAnalysis(ctx: Context, flags: AnalysisFlags, wish: AnalysisWish): Promise<Analysis> {
  refuseRaw(ctx, 'it computes from several answers');
  const type = grainOf(flags);
  const range = rangeOf(ctx, flags, type, wish.last);
  const chosen = new Map((flags.agg ?? []).map(parseAggregation));
  const acting = wish.company === undefined ? ctx : asCompany(ctx, wish.company);
  const asked = metricIds(flags.metrics);
  const query = wish.company === undefined ? {} : { query: { companyId: wish.company } };
  const reading: Range = { from: range.from && addPeriods(range.from, -(wish.back ?? 0)), to: range.to };
  const read = (grain: PeriodType, versions: readonly Version[]) => rowsOf(acting, asked, grain, versions, reading);

  const fromMonths: boolean = type !== 'month' && wish.versions.includes('actual');
  const stored = wish.versions.filter((version) => !fromMonths || version !== 'actual');
  // The first request says what is wrong with the flags, so it goes before the catalog.
  const items: AnalysisItem[] = stored.length > 0 ? await read(type, stored) : [];
  const months = fromMonths ? await read('month', ['actual']) : [];
  const catalog = await (await ctx.client()).call(operations.getMetricCatalog, query);
  if (type !== 'month' && fromMonths) {
    const aggregations = aggregationsOf(ctx, idsOf(months, asked), asked, catalog.definitions, chosen);
    for await (const row of derive(months, type, aggregations)) items.push(row);
  }
  items.sort(inOrder);
  const metrics = metricsOf(items, asked, catalog.definitions, catalog.currency);
  const { period, from, to, last, ytd, fy } = flags;
  const anyRange = !ytd && (period ?? from ?? to ?? last ?? fy) === undefined;
  return { type, range, anyRange, items, metrics, currency: catalog.currency };
}

function rangeOf(ctx: Context, flags: AnalysisFlags, type: PeriodType, byDefault: string | undefined): Range {
  const { period, from, to, last, ytd, fy, fyStart } = flags;
  const newest = periodAt(ctx.runtime.now(), type);
  const fiscal = ytd || fy !== undefined;
  if (period !== undefined) {
    if ((from ?? to ?? last) !== undefined || fiscal) {
      throw usage('--period is one period, and another flag says which range to read', 'give one of them');
    }
    return seriesRange({ from: period, to: period, fyStart }, type, newest);
  }
  const count = from === undefined && !fiscal ? (last ?? byDefault) : last;
  return seriesRange({ from, to, last: count, ytd, fy, fyStart }, type, newest);
}

async function rowsOf(
  ctx: Context,
  metrics: string[] | undefined,
  type: PeriodType,
  versions: readonly Version[],
  range: Range,
): Promise<AnalysisItem[]> {
  const first = range.from && firstWithin(range.from, type);
  const end = range.to && lastWithin(range.to, type);
  const plan = seriesRequest(ctx, {
    metrics,
    periodType: type,
    versions: versions.join(','),
    order: 'asc',
    from: first && formatPeriod(first),
    to: end && formatPeriod(end),
  });
  const items: AnalysisItem[] = [];
  // `--limit` is of the rows that come out, not of those that they are made from.
  for await (const row of seriesRows(ctx, plan, { ...wide, limited: false }, undefined)) items.push(row);
  return items;
}

/** How each metric is aggregated; one that nobody asked for by name and nobody can aggregate is left out, not refused. */
function aggregationsOf(
  ctx: Context,
  ids: readonly string[],
  asked: readonly string[] | undefined,
  definitions: readonly MetricDefinition[],
  chosen: ReadonlyMap<string, Aggregation>,
): ReadonlyMap<string, Aggregation> {
  if (asked) return aggregationOf(ids, definitions, chosen);
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
    const unit = shownUnit(definition?.unit, definition?.unitLabel, currency);
    return { id, label: definition?.label, unit, direction: definition?.direction };
  });
}

/** By period, within it in the order of the versions. */
function inOrder(a: AnalysisItem, b: AnalysisItem): number {
  if (a.periodKey !== b.periodKey) return a.periodKey < b.periodKey ? -1 : 1;
  return versions.indexOf(a.version) - versions.indexOf(b.version);
}

/** The context of the same call for another company. */
export function asCompany(ctx: Context, company: string): Context {
  const { settings } = ctx;
  const value = { ...settings, companies: { ...settings.companies, value: [company] } };
  return Object.create(ctx, { settings: { value } }) as Context;
}
