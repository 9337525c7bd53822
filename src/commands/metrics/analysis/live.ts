/** The latest live actuals of each company: as rows, as the objects of the API, and as an analysis of their period. */

import type { Context } from '../../../cli/context.ts';
import { eachCompany } from '../../../cli/each-company.ts';
import {
  chosenRows,
  hasRowFlags,
  openRowQuery,
  type RowFlags,
  refuseRawQuery,
  showChosen,
} from '../../../cli/query.ts';
import { refuseRaw, showRaw } from '../../../cli/show.ts';
import { getLiveMetrics } from '../../../contract/metric-operations.ts';
import type { CompanyMetrics, MetricSeriesItem } from '../../../contract/metrics.ts';
import { Failure } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import { addPeriods, formatPeriod, parsePeriod, shortPeriod } from '../../../core/periods.ts';
import { measureOf } from '../../../domain/series/units.ts';
import type { Column } from '../../../output/column.ts';
import { companyColumns, type OfCompany } from '../columns.ts';
import {
  type Analysis,
  type AnalysisRequest,
  analysisOf,
  catalogOf,
  forUnits,
  metricIds,
  readItems,
  refuseUnknown,
} from '../read.ts';
import { type Read, readAnalyses, warnOfUnits } from '../several.ts';

interface LiveValue {
  metric: string;
  value: Numeric;
  unit: string | undefined;
}

type LiveRow = LiveValue & OfCompany & { periodKey?: string | null | undefined };

const inUnit = {
  rank: 11,
  unit: (row: LiveRow) => row.unit,
  group: (row: LiveRow) => row.metric,
};

const columns: readonly Column<LiveRow>[] = [
  { key: 'metric', heading: 'Metric', get: (row) => row.metric, names: (row) => row.metric },
  { key: 'value', heading: 'Value', type: 'number', get: (row) => row.value, unitInRow: true, ...inUnit },
  { key: 'unit', heading: 'Unit', get: (row) => row.unit, tellsUnit: true, ...inUnit },
];

const columnsOfCompanies: readonly Column<LiveRow>[] = [
  ...companyColumns,
  {
    key: 'periodKey',
    heading: 'Period',
    get: (row) => row.periodKey,
    onScreen: ({ periodKey }) => (periodKey ? shortPeriod(periodKey) : undefined),
  },
  ...columns,
];

/** The answer of the API for a company, or what was computed in its form. */
type LiveObject = CompanyMetrics & { company?: string };

interface LiveReport {
  rows: readonly LiveRow[];
  objects: readonly LiveObject[];
  verdict?(): void;
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
  const { rows, objects, verdict } = await (computes ? computedReport(ctx, flags) : storedReport(ctx));
  const chosen = await chosenRows(question, rows);
  const shown = question.isLocal ? objects.map((object) => narrowed(object, chosen)) : objects;
  await showChosen(ctx, { question, flags, pages: [chosen] }, all, {
    whole: () => (several ? shown : (shown[0] ?? {})),
    id: ({ metric }) => metric,
    name: ({ company, metric }) => (company === undefined ? metric : `${company} ${metric}`),
    empty: hasRowFlags(flags) ? 'No such values.' : 'No actuals yet.',
  });
  verdict?.();
}

/** The object with the metrics that are chosen, in their order. */
function narrowed(object: LiveObject, chosen: readonly LiveRow[]): LiveObject {
  const period = object.periodKey ?? object.period;
  const rows = chosen.filter(({ company, periodKey = period }) => company === object.company && periodKey === period);
  return { ...object, metrics: Object.fromEntries(rows.map(({ metric, value }) => [metric, value])) };
}

async function storedReport(ctx: Context): Promise<LiveReport> {
  const { parts, verdict } = await eachCompany(ctx, (companyId) => readLive(ctx, companyId));
  const rows = parts.flatMap(({ who, value: { live, values } }) =>
    values.map((value): LiveRow => (who ? { ...who, periodKey: live.periodKey ?? live.period, ...value } : value)),
  );
  const [only] = parts;
  const period = only && !only.who && (only.value.live.periodKey ?? only.value.live.period);
  if (rows.length > 0 && period && ctx.runtime.terminal.stderrIsTTY) ctx.out.note(`Actuals of ${shortPeriod(period)}.`);
  if (parts.some(({ who }) => who)) warnOfUnits(ctx, rows);
  return { rows, objects: parts.map(({ who, value: { live } }) => ({ ...who, ...live })), verdict };
}

/** The live values of a company, with the units that its catalog gives them. */
async function readLive(
  ctx: Context,
  companyId: string | undefined,
): Promise<{ live: CompanyMetrics; values: LiveValue[] }> {
  const client = await ctx.client();
  const live = await client.call(getLiveMetrics, companyId === undefined ? {} : { query: { companyId } });
  const metrics = Object.entries(live.metrics ?? {});
  if (metrics.length === 0) return { live, values: [] };
  const units = await forUnits(ctx, 'units are', new Map<string, string | undefined>(), async () => {
    const { definitions, currency } = await catalogOf(ctx, companyId);
    return new Map(
      definitions.map(({ metricId, unit, unitLabel }) => [
        metricId,
        measureOf({ unit, unitLabel, currency: live.currency ?? currency }),
      ]),
    );
  });
  return { live, values: metrics.map(([metric, value]) => ({ metric, value, unit: units.get(metric) })) };
}

async function computedReport(ctx: Context, request: AnalysisRequest): Promise<LiveReport> {
  const { parts, verdict } = await readAnalyses(ctx, request, { versions: ['actual'] }, readLiveAnalysis);
  const ofPeriods = parts.flatMap(({ who, value }) => value.items.map((item) => ({ who, value, item })));
  return {
    rows: ofPeriods.flatMap(({ who, value: { metrics }, item: { periodKey, metrics: values } }) =>
      metrics.flatMap(({ id, unit }): LiveRow[] => {
        const value = Object.hasOwn(values, id) ? values[id] : undefined;
        return isNumeric(value) ? [{ ...who, periodKey, metric: id, value, unit }] : [];
      }),
    ),
    objects: ofPeriods.map(({ who, value, item: { periodKey, metrics: values, updatedAt } }) => ({
      ...who,
      metrics: Object.fromEntries(value.metrics.flatMap(({ id }) => (id in values ? [[id, values[id]]] : []))),
      ...(value.currency !== undefined && { currency: value.currency }),
      periodKey,
      period: periodKey,
      ...(updatedAt && { asOf: updatedAt }),
    })) as LiveObject[],
    verdict,
  };
}

/** Reads as `readAnalysis` does. Periods before the live one, which computed metrics look at, are those of the series. */
export const readLiveAnalysis: Read = async (ctx, request, { company, back = 0 }): Promise<Analysis> => {
  const client = await ctx.client();
  const query = company === undefined ? {} : { query: { companyId: company } };
  await client.describe(getLiveMetrics, query);
  const catalog = await catalogOf(ctx, company);
  const ids = metricIds(request.metrics);
  if (ids) refuseUnknown(ids, [catalog]);
  const live = await client.call(getLiveMetrics, query);
  const known = { type: 'month', ids, catalog: { ...catalog, currency: live.currency ?? catalog.currency } } as const;
  if (Object.keys(live.metrics ?? {}).length === 0) {
    return analysisOf(ctx, request, { ...known, range: { from: undefined, to: undefined }, stored: [] });
  }
  const periodKey = live.periodKey ?? live.period ?? '';
  const period = parsePeriod(periodKey);
  if (period?.type !== 'month') throw withoutMonth(periodKey);
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
  const item: MetricSeriesItem = {
    periodKey,
    periodType: 'month',
    version: 'actual',
    source: live.source ?? null,
    updatedAt: live.asOf ?? null,
    metrics: live.metrics ?? {},
  };
  return analysisOf(ctx, request, { ...known, range: { from: period, to: period }, stored: [...history, item] });
};

function withoutMonth(periodKey: string): Failure {
  const problem = periodKey === '' ? 'have no period' : `are of "${periodKey}", which is not a month`;
  return new Failure('rejected', `the live metrics ${problem}, so nothing can be computed with them`, {
    hint: 'read the series with --period or --last',
  });
}
