/** The latest live actuals of each company: as rows, as the objects of the API, and as an analysis of their period. */

import type { Context } from '../../cli/context.ts';
import { chosenRows, hasRowFlags, openRowQuery, type RowFlags, refuseRawQuery, showChosen } from '../../cli/query.ts';
import { refuseRaw, showRaw } from '../../cli/show.ts';
import { getLiveMetrics } from '../../contract/metric-operations.ts';
import type { CompanyMetrics, MetricCatalogResponse, MetricSeriesItem } from '../../contract/metrics.ts';
import { Failure, needed } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { addPeriods, formatPeriod, parsePeriod } from '../../core/periods.ts';
import type { AnalysisItem } from '../../domain/analysis/points.ts';
import type { Column } from '../../output/column.ts';
import { readAnalyses, warnOfUnits } from './analyses.ts';
import { companyColumns, type OfCompany } from './columns.ts';
import {
  type Analysis,
  type AnalysisRequest,
  analysisOf,
  catalogOf,
  forUnits,
  metricIds,
  type Read,
  readItems,
  refuseUnknown,
} from './read.ts';

interface LiveRow extends OfCompany {
  metricId: string;
  value: Numeric;
  unit: string | undefined;
  periodKey: string;
}

const inUnit = {
  rank: 11,
  unit: (row: LiveRow) => row.unit,
  group: (row: LiveRow) => row.metricId,
};

const columns: readonly Column<LiveRow>[] = [
  { key: 'metric', heading: 'Metric', aliases: ['metricId'], get: (row) => row.metricId, names: (row) => row.metricId },
  { key: 'value', heading: 'Value', type: 'number', get: (row) => row.value, unitInRow: true, ...inUnit },
  { key: 'unit', heading: 'Unit', get: (row) => row.unit, tellsUnit: true, ...inUnit },
];

const columnsOfCompanies: readonly Column<LiveRow>[] = [
  ...companyColumns,
  {
    key: 'periodKey',
    heading: 'Period',
    get: (row) => row.periodKey,
  },
  ...columns,
];

/** The answer of the API for a company, or what was computed in its form. */
type LiveObject = CompanyMetrics & { company?: string };

/** An analysis of the live period, with the answer that it was read from. */
interface LiveAnalysis extends Analysis {
  live?: CompanyMetrics;
}

/** @param computes values are converted, computed or added up */
export async function showLive(ctx: Context, flags: AnalysisRequest & RowFlags, computes: boolean): Promise<void> {
  const several = ctx.settings.companies.value.length > 1;
  if (computes) refuseRaw(ctx, 'it computes from several responses');
  else if (several) refuseRaw(ctx, 'it reads several companies');
  refuseRawQuery(ctx, flags);
  if (await showRaw(ctx, getLiveMetrics, {})) return;
  const all = several ? columnsOfCompanies : columns;
  const question = await openRowQuery(ctx, all, { flags, command: ['metrics live'] });
  const { parts, verdict } = await readAnalyses(ctx, flags, { versions: ['actual'] }, liveReader(computes));
  const choice = { computes, isNamed: flags.metrics !== undefined };
  const periods = parts.flatMap(({ who, value }) => value.items.map((item) => ({ who, analysis: value, item })));
  const rows = periods.flatMap(({ who, analysis, item }) =>
    liveRows(analysis, item, choice).map((row): LiveRow => ({ ...who, ...row })),
  );
  if (computes) for (const { value } of parts) (await import('./computing.ts')).warnOfLacking(ctx, value);
  const [first] = periods;
  if (!several && !computes && first?.item.periodKey && ctx.runtime.terminal.stderrIsTTY) {
    ctx.out.note(`Actuals of ${first.item.periodKey}.`);
  }
  if (several && !computes) warnOfUnits(ctx, rows);
  const chosen = await chosenRows(question, rows);
  const objects = computes
    ? periods.map(({ who, analysis, item }) => ({ ...who, ...computedObject(analysis, item) }))
    : parts.map(({ who, value: { live } }: { who?: OfCompany | undefined; value: LiveAnalysis }) => ({
        ...who,
        ...(live as CompanyMetrics),
      }));
  const whole = question.isLocal || choice.isNamed ? objects.map((object) => narrowed(object, chosen)) : objects;
  await showChosen(ctx, { question, flags, pages: [chosen] }, all, {
    whole: () => (several ? whole : (whole[0] ?? {})),
    id: ({ metricId }) => metricId,
    name: ({ company, metricId }) => (company === undefined ? metricId : `${company} ${metricId}`),
    empty: hasRowFlags(flags) ? 'No such values.' : 'No actuals yet.',
  });
  verdict();
}

interface LiveChoice {
  /** Values are converted, computed or added up. */
  computes: boolean;
  /** Metrics are named with `-m`. */
  isNamed: boolean;
}

/** In the order of the answer, of `-m`, or of the metrics that were computed. */
function liveRows({ metrics }: Analysis, item: AnalysisItem, { computes, isNamed }: LiveChoice): LiveRow[] {
  const byId = new Map(metrics.map((metric) => [metric.id, metric]));
  const ids = computes || isNamed ? [...byId.keys()] : Object.keys(item.metrics);
  return ids.flatMap((metricId) => {
    const value = Object.hasOwn(item.metrics, metricId) ? item.metrics[metricId] : undefined;
    const { unit, measure } = byId.get(metricId) ?? {};
    if (!isNumeric(value)) return [];
    return [{ metricId, value, unit: computes ? unit : measure, periodKey: item.periodKey }];
  });
}

function computedObject({ metrics, currency }: Analysis, item: AnalysisItem): CompanyMetrics {
  const { periodKey, metrics: values, updatedAt } = item;
  return {
    metrics: Object.fromEntries(metrics.flatMap(({ id }) => (id in values ? [[id, values[id]]] : []))),
    ...(currency !== undefined && { currency }),
    periodKey,
    period: periodKey,
    ...(updatedAt && { asOf: updatedAt }),
  } as CompanyMetrics;
}

/** The object with the metrics that are chosen, in their order. */
function narrowed(object: LiveObject, chosen: readonly LiveRow[]): LiveObject {
  const period = object.periodKey ?? object.period ?? '';
  const rows = chosen.filter(({ company, periodKey }) => company === object.company && periodKey === period);
  return { ...object, metrics: Object.fromEntries(rows.map(({ metricId, value }) => [metricId, value])) };
}

/**
 * Reads as `readAnalysis` does. Periods before the live one, which computed metrics look at, are those of the series.
 * @param computes values are computed from the catalog; without it only units would be missing
 */
export const liveReader =
  (computes: boolean): Read =>
  async (ctx, request, { company, back = 0 }): Promise<LiveAnalysis> => {
    const client = await ctx.client();
    const query = company === undefined ? {} : { query: { companyId: company } };
    await client.describe(getLiveMetrics, query);
    const ids = metricIds(request.metrics);
    const read = () => catalogOf(ctx, company);
    const none: MetricCatalogResponse | undefined = undefined;
    const stored = computes ? await read() : await forUnits(ctx, 'units are', none, read);
    if (ids && stored) refuseUnknown(ids, [stored]);
    const live = await client.call(getLiveMetrics, query);
    if (ids && live.source !== 'none') needed(live.metrics, 'metrics', 'the live values');
    const catalog = {
      definitions: [],
      ...stored,
      currency: live.currency ?? stored?.currency,
    } as MetricCatalogResponse;
    const known = { type: 'month', ids, catalog } as const;
    const values = live.metrics ?? {};
    if (Object.keys(values).length === 0) {
      const empty = await analysisOf(ctx, request, { ...known, range: { from: undefined, to: undefined }, stored: [] });
      return { ...empty, live };
    }
    const periodKey = live.periodKey ?? live.period ?? '';
    const item: MetricSeriesItem = {
      periodKey,
      periodType: 'month',
      version: 'actual',
      source: live.source ?? null,
      updatedAt: live.asOf ?? null,
      metrics: values,
    };
    const period = parsePeriod(periodKey);
    if (period?.type !== 'month') {
      if (computes) throw withoutMonth(periodKey);
      return { ...(await analysisOf(ctx, request, { ...known, range: {}, stored: [] })), items: [item], live };
    }
    const history =
      back === 0
        ? []
        : await readItems(ctx, {
            periodType: 'month',
            versions: ['actual'],
            order: 'asc',
            metricIds: ids,
            from: formatPeriod(addPeriods(period, -back)),
            to: formatPeriod(addPeriods(period, -1)),
            companies: company === undefined ? undefined : [company],
          });
    const range = { from: period, to: period };
    return { ...(await analysisOf(ctx, request, { ...known, range, stored: [...history, item] })), live };
  };

function withoutMonth(periodKey: string): Failure {
  const problem = periodKey === '' ? 'have no period' : `are of "${periodKey}", which is not a month`;
  return new Failure('rejected', `the live metrics ${problem}, so nothing can be computed with them`, {
    hint: 'read the series with --period or --last',
  });
}
