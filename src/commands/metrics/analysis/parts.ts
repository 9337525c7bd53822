/** What an analysis is made of: what was asked for, how months add up, and its metrics. */

import type { Context } from '../../../cli/context.ts';
import type { MetricCatalogResponse, MetricDefinition, MetricSeriesItem, Version } from '../../../contract/metrics.ts';
import { Failure } from '../../../core/errors.ts';
import { formatPeriod, type PeriodType, periodAt } from '../../../core/periods.ts';
import type { Rows } from '../../../core/spool.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import type { Aggregation } from '../../../domain/series/plan.ts';
import type { Range, RangeWords } from '../../../domain/series/range.ts';
import { type Marked, markRunning } from '../../../domain/series/running.ts';
import { isMoney, measureOf, shownUnit } from '../../../domain/series/units.ts';
import { type AnalysisItems, keptItems } from './items.ts';

export type { CompanyPart } from '../../../cli/each-company.ts';

/** What is read and in which grain, as flags say it. */
export interface AnalysisRequest extends RangeWords {
  metrics?: string[] | undefined;
  periodType?: PeriodType;
  /** Amounts are converted into this currency, with the rates of the file. */
  in?: string | undefined;
  rates?: string | undefined;
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
  /** Quarters and years of plans are derived from months, too, as those of actuals are. */
  derived?: boolean;
  /** Default: the company of the settings. */
  company?: string;
}

export interface Metric {
  id: string;
  label?: string | undefined;
  /** What is shown beside its numbers: a currency, `%`, a word. */
  unit?: string | undefined;
  /** Its unit in one spelling, as computed metrics read it. */
  measure?: string | undefined;
  /** Computed so that the value of several companies is not the sum of theirs. */
  isRatio?: boolean;
  /** Of amounts of money. */
  currency?: string | undefined;
  aggregation?: string | null | undefined;
  direction?: string | null | undefined;
  /** The catalog's `valueSemantics`: flow, point_in_time, rate. */
  semantics?: string | null | undefined;
}

/** What is computed from: the rows may be kept anywhere. */
export interface Lined {
  type: PeriodType;
  /** The range asked for; open where the request does not say. */
  range: Range;
  /** The request names no periods. */
  anyRange: boolean;
  /** Oldest first, with the periods before the range. */
  items: Rows<AnalysisItem>;
  /** The metrics asked for, else those of the rows, in the order of the catalog. */
  metrics: Metric[];
  currency: string | undefined;
}

export interface Analysis extends Lined {
  items: AnalysisItems;
}

/** Whether the rows say of how many months they are: quarters, years, and months of which one has not ended. */
export function countsMonths({ type, items }: Analysis): boolean {
  return type !== 'month' || items.partial;
}

/** How hints write a choice of an aggregation. */
export const aggregationChoice = (id: string, how: Aggregation): string => `--agg ${id}=${how}`;

type Stored = Iterable<MetricSeriesItem> | AsyncIterable<MetricSeriesItem>;

/** What is read of a company. */
interface AnalysisRows {
  type: PeriodType;
  range: Range;
  asked: readonly string[] | undefined;
  catalog: MetricCatalogResponse;
  /** What the user chose, by metric. */
  chosen: ReadonlyMap<string, Aggregation>;
  /** In the grain of the analysis. */
  stored: Stored;
  /** Of which quarters or years are derived, where they are. */
  months: Stored | undefined;
}

/** The rows in their order, quarters and years of months among them, and what their metrics are. */
export async function analysisOf(
  ctx: Context,
  { period, from, to, last, ytd, fy }: AnalysisRequest,
  { type, range, asked, catalog, chosen, stored, months }: AnalysisRows,
): Promise<Analysis> {
  async function* derived(): AsyncGenerator<AnalysisItem> {
    if (type === 'month' || !months) return;
    const { derive } = await import('../../../domain/series/derive.ts');
    const kept = await keptItems(ctx, runningMarked(ctx, months));
    const how = await aggregationsFor(ctx, asked ?? [...kept.ids], asked, catalog.definitions, chosen);
    yield* derive(kept, type, how);
  }
  const items = await keptItems(ctx, partly(type === 'month' ? runningMarked(ctx, stored) : stored), derived());
  const metrics = metricsOf(items, asked, catalog.definitions, catalog.currency);
  const anyRange = !ytd && (period ?? from ?? to ?? last ?? fy) === undefined;
  return { type, range, anyRange, items, metrics, currency: catalog.currency };
}

/** How each metric is aggregated. A metric that was not asked for by name is left out where nothing says how. */
async function aggregationsFor(
  ctx: Context,
  ids: readonly string[],
  asked: readonly string[] | undefined,
  definitions: readonly MetricDefinition[],
  chosen: ReadonlyMap<string, Aggregation>,
): Promise<ReadonlyMap<string, Aggregation>> {
  const { aggregationOf } = await import('../../../domain/series/derive.ts');
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

/** What time it is comes with the first response. */
async function* runningMarked(ctx: Context, rows: Stored): AsyncGenerator<MetricSeriesItem & Marked> {
  let newest: string | undefined;
  for await (const row of rows) {
    newest ??= formatPeriod(periodAt(ctx.now(), 'month'));
    yield* markRunning([row], newest);
  }
}

/** Of a row of a month that has not ended each value is part of one. */
async function* partly(rows: Stored): AsyncGenerator<AnalysisItem> {
  for await (const item of rows) {
    const { months }: MetricSeriesItem & Marked = item;
    if (months === undefined) yield item;
    else yield { ...item, incomplete: Object.fromEntries(Object.keys(item.metrics).map((id) => [id, months])) };
  }
}

function metricsOf(
  items: AnalysisItems,
  asked: readonly string[] | undefined,
  definitions: readonly MetricDefinition[],
  currency: string,
): Metric[] {
  const byId = new Map(definitions.map((definition) => [definition.metricId, definition]));
  const present = new Set(items.ids);
  const known = definitions.flatMap(({ metricId }) => (present.delete(metricId) ? [metricId] : []));
  return (asked ?? [...known, ...present]).map((id): Metric => {
    const definition = byId.get(id);
    const words = definition && { ...definition, currency };
    const [unit, measure] = [shownUnit(words), words && measureOf(words)];
    const money = isMoney(measure, currency) ? { currency: measure } : {};
    const { label, aggregation, direction, valueSemantics: semantics } = definition ?? {};
    return { id, label, unit, measure, ...money, aggregation, direction, semantics };
  });
}
