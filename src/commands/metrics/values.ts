/** Values of metrics, one a row: those of `metrics get` and `metrics live`. */

import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { chosenRows, hasRowFlags, type RowFlags, refuseRawQuery, showChosen } from '../../cli/query.ts';
import { refuseRaw, showRaw } from '../../cli/show.ts';
import { getLiveMetrics } from '../../contract/metric-operations.ts';
import type { CompanyMetrics, MetricCatalogResponse, MetricSeriesItem, Version } from '../../contract/metrics.ts';
import { Failure, requireField, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric, plainDecimal } from '../../core/json.ts';
import { addPeriods, formatPeriod, parsePeriod, runningMonths } from '../../core/periods.ts';
import { byTime, indexOf } from '../../domain/analysis/points.ts';
import type { SeriesItem } from '../../domain/series/shapes.ts';
import type { Column } from '../../output/column.ts';
import { nameOf, openAnalysisQuery, readAnalyses, withCompanies } from './analyses.ts';
import { amountColumn, type MetricRow, metric, noteColumn, type OfCompany, period, unit } from './columns.ts';
import {
  type Analysis,
  type AnalysisRequest,
  analysisOf,
  catalogOf,
  hasRange,
  metricIds,
  type Read,
  readAnalysis,
  readableCatalogs,
  readItems,
  refuseUnknown,
  withoutValue,
} from './read.ts';

interface ValueRow extends MetricRow, OfCompany {
  /** Null for a total of what does not add up. */
  value: Numeric | null;
  periodKey: string;
  version: Version;
  /** `2/3` for a value derived from months: those with a value. */
  incomplete?: string;
  updatedAt?: string | null;
  /** The companies that a total leaves out. */
  note?: string;
}

const value: Column<ValueRow> = {
  ...amountColumn<ValueRow>('value', 'Value', (row) => row.value),
  rank: 11,
  unitInRow: true,
};
const note: Column<ValueRow> = { ...noteColumn, rank: 12 };

const getColumns: readonly Column<ValueRow>[] = [
  metric,
  period,
  { key: 'version', heading: 'Version', get: (row) => row.version, hidden: true },
  value,
  { ...unit, title: 'Unit', rank: 11, hidden: undefined },
  { key: 'months', heading: 'Months', get: (row) => row.incomplete, hidden: true },
];

const liveColumns: readonly Column<ValueRow>[] = [
  { ...metric, key: 'metric', aliases: ['metricId'] },
  value,
  { ...unit, title: 'Unit', rank: 11, hidden: undefined },
  period,
];

interface ValuesRequest extends AnalysisRequest, RowFlags {
  /** `metrics live`: the objects of the API in JSON. */
  isLive: boolean;
  version: Version;
  /** Values are converted, computed or added up. */
  computes: boolean;
}

/** An analysis of the live period, with the answer that it was read from. */
interface LiveAnalysis extends Analysis {
  live?: CompanyMetrics;
}

/** The values of a range, or the newest live actuals: one bare number, or a row each. @throws notFound */
export async function showValues(ctx: Context, request: ValuesRequest): Promise<void> {
  const { isLive, version, computes, total = false } = request;
  const isRange = hasRange(request);
  const several = ctx.settings.companies.value.length > 1;
  if (!isRange && version !== 'actual') throw usage(`a ${version} has no latest value`, 'add --period PERIOD');
  if (computes) refuseRaw(ctx, 'it computes from several responses');
  else if (isLive && !isRange) {
    if (several) refuseRaw(ctx, 'it reads several companies');
    refuseRawQuery(ctx, request);
    if (await showRaw(ctx, getLiveMetrics, {})) return;
  }
  const known = [...(isLive ? [liveColumns[0] as Column<ValueRow>] : []), ...getColumns, note];
  const question = await openAnalysisQuery(ctx, request, known);
  const base = isRange ? readAnalysis : liveReader(computes);
  const analyses = await readAnalyses(ctx, request, { versions: [version] }, base);
  const { parts, verdict } = analyses;
  const ids = metricIds(request.metrics);
  const { rows, failures } = valueRows(parts, request, ids);
  const [only] = rows;
  const isOne = !isRange || request.period !== undefined;
  const isBare = !isLive && !several && ids?.length === 1 && rows.length === 1 && isOne;
  if (!isLive && !total) {
    if (rows.length === 0 && failures[0]) throw failures[0];
    for (const { message } of failures) ctx.out.warn(message);
  }
  if (!isLive) for (const row of rows) warnOfMonths(ctx, row);
  if (isBare && only && only.value !== null && !hasRowFlags(request) && ctx.settings.fields === undefined) {
    const { stdoutIsTTY, stderrIsTTY } = ctx.runtime.terminal;
    const inUnit = only.unit === undefined ? '' : `, in ${only.unit}`;
    if (stdoutIsTTY && stderrIsTTY) ctx.out.note(`${only.metricId} of ${only.periodKey}${inUnit}:`);
    return ctx.out.scalar(plainDecimal(only.value), only);
  }
  const chosen = await chosenRows(question, rows);
  const columns = [...(isLive ? liveColumns : getColumns), ...(total ? [note] : [])];
  const isObject = isLive && !several && !isRange;
  const objects = () => {
    const whole = parts.map(({ who, value }: { who?: OfCompany | undefined; value: LiveAnalysis }) => ({
      ...who,
      ...(value.live as CompanyMetrics),
    }));
    if (computes || isRange) return objectsOf(chosen, parts);
    return question.isLocal || ids !== undefined ? whole.map((object) => selectMetrics(object, chosen)) : whole;
  };
  await showChosen(
    ctx,
    { question, flags: request, pages: [chosen] },
    withCompanies({ parts, mixed: false }, columns),
    {
      ...(isLive && { whole: () => (isObject ? (objects()[0] ?? {}) : objects()) }),
      id: ({ metricId, companyId }) => (isLive || !several ? metricId : (companyId ?? metricId)),
      name: nameOf,
      empty: hasRowFlags(request) ? 'No such values.' : isLive ? 'No actuals yet.' : 'No values.',
    },
  );
  verdict();
}

/** The values of each company in the order of its metrics, and why some that were named have none. */
function valueRows(
  parts: readonly CompanyPart<Analysis>[],
  request: ValuesRequest,
  ids: readonly string[] | undefined,
): { rows: ValueRow[]; failures: Failure[] } {
  const { version } = request;
  const failures: Failure[] = [];
  const rows = parts.flatMap(({ who, value: analysis }) => {
    const { items, metrics, range, members } = analysis;
    const inRange = items.filter(
      (item) => item.version === version && (range.from === undefined || indexOf(item) >= range.from.index),
    );
    return (ids ?? metrics.map(({ id }) => id)).flatMap((metricId) => {
      const metric = metrics.find(({ id }) => id === metricId);
      const candidates = members && !hasRange(request) ? mostCommon(inRange, members, metricId) : inRange;
      const valued = candidates.flatMap((item): ValueRow[] => {
        const { periodKey, updatedAt } = item;
        const value = valueIn(item, metricId) ?? null;
        const note = members && item.notes?.[metricId];
        if (value === null && note === undefined) return [];
        const incomplete = item.incomplete?.[metricId];
        return [
          {
            ...who,
            metricId,
            value,
            periodKey,
            version,
            ...(updatedAt !== undefined && { updatedAt }),
            ...(metric?.unit !== undefined && { unit: metric.unit }),
            ...(incomplete !== undefined && { incomplete }),
            ...(note !== undefined && { note }),
          },
        ];
      });
      if (valued.length === 0 && ids) {
        const { id = metricId, note } = metric ?? {};
        const isStored = note === undefined || note === withoutValue;
        failures.push(missingValue(candidates.at(-1), { id, isStored }, request, who?.company));
      }
      return valued;
    });
  });
  return { rows, failures };
}

function valueIn({ metrics }: SeriesItem, id: string): Numeric | null | undefined {
  return Object.hasOwn(metrics, id) ? metrics[id] : undefined;
}

/** The row of the period in which most companies have a value, the newest of several. */
function mostCommon(items: readonly SeriesItem[], members: NonNullable<Analysis['members']>, id: string) {
  const countOf = ({ periodKey }: SeriesItem) =>
    members.filter((member) =>
      member.items.some((item) => item.periodKey === periodKey && isNumeric(valueIn(item, id))),
    ).length;
  return items.toSorted((a, b) => countOf(a) - countOf(b) || byTime(a, b)).slice(-1);
}

function missingValue(
  item: SeriesItem | undefined,
  { id: metricId, isStored }: { id: string; isStored: boolean },
  request: ValuesRequest,
  company: string | undefined,
): Failure {
  const { version, period } = request;
  const id = company === undefined ? metricId : `${company}: ${metricId}`;
  if (!hasRange(request)) {
    // A warning says why a computed metric has none.
    const hint = `run \`comem metrics series -m ${metricId}\` for its history, or name another company with -c`;
    return new Failure('notFound', `${id} has no live value`, isStored ? { hint } : {});
  }
  if (period === undefined) return new Failure('notFound', `${id} has no ${version} in the range`);
  const parsed = parsePeriod(period);
  const key = item?.periodKey ?? (parsed ? formatPeriod(parsed) : period);
  const isNull = item !== undefined && valueIn(item, metricId) === null;
  const says = isNull ? `the ${version} of ${id} in ${key} is null` : `${id} has no ${version} in ${key}`;
  return new Failure('notFound', says);
}

function warnOfMonths(ctx: Context, { metricId, periodKey, incomplete }: ValueRow): void {
  if (incomplete === runningMonths) ctx.out.warn(`${periodKey} has not ended: ${metricId} covers part of it`);
  else if (incomplete) ctx.out.warn(`${metricId} of ${periodKey} is derived from ${incomplete} months`);
}

/** Rows in the form of the API's live object: one for each company and period. */
function objectsOf(rows: readonly ValueRow[], parts: readonly CompanyPart<Analysis>[]): object[] {
  const currencies = new Map(parts.map(({ who, value }) => [who?.company, value.currency]));
  const groups = new Map<string, ValueRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.company, row.periodKey]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((group) => {
    const [{ company, companyId, periodKey, updatedAt }] = group as [ValueRow, ...ValueRow[]];
    const notes = group.flatMap(({ metricId, note }) => (note === undefined ? [] : [`${metricId} ${note}`]));
    const currency = currencies.get(company);
    return {
      ...(company !== undefined && { company }),
      ...(companyId !== undefined && { companyId }),
      metrics: Object.fromEntries(group.map(({ metricId, value }) => [metricId, value])),
      ...(currency !== undefined && { currency }),
      periodKey,
      period: periodKey,
      ...(updatedAt && { asOf: updatedAt }),
      ...(notes.length > 0 && { note: notes.join('; ') }),
    };
  });
}

/** The API's object with the metrics that are chosen, in their order. */
function selectMetrics(object: CompanyMetrics & OfCompany, chosen: readonly ValueRow[]): object {
  const rows = chosen.filter(({ company }) => company === object.company);
  return { ...object, metrics: Object.fromEntries(rows.map(({ metricId, value }) => [metricId, value])) };
}

/** Reads the live values as `readAnalysis` reads a series. @param computes values are computed with the catalog */
const liveReader =
  (computes: boolean): Read =>
  async (ctx, request, { company, back = 0 }): Promise<LiveAnalysis> => {
    const client = await ctx.client();
    const query = company === undefined ? {} : { query: { companyId: company } };
    await client.describe(getLiveMetrics, query);
    const ids = metricIds(request.metrics);
    // Only units are missing if the catalog cannot be read.
    const [stored] = computes ? [await catalogOf(ctx, company)] : await readableCatalogs(ctx, [company]);
    if (ids && stored) refuseUnknown(ids, [stored]);
    const live = await client.call(getLiveMetrics, query);
    if (ids && live.source !== 'none') requireField(live.metrics, 'metrics', 'the live values');
    const { source = null, asOf: updatedAt = null } = live;
    const metrics = live.metrics ?? {};
    const periodKey = live.periodKey ?? live.period ?? '';
    const period = parsePeriod(periodKey);
    const isMonth = period?.type === 'month';
    if (computes && !isMonth && Object.keys(metrics).length > 0) {
      const says = `the live metrics are of "${periodKey}", which is not a month, so nothing can be computed with them`;
      throw new Failure('rejected', says, { hint: 'read the series with --period or --last' });
    }
    const history =
      back === 0 || !isMonth
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
    const item: MetricSeriesItem = { periodKey, periodType: 'month', version: 'actual', source, updatedAt, metrics };
    const analysis = await analysisOf(ctx, request, {
      type: 'month',
      ids,
      catalog: { definitions: [], ...stored, currency: live.currency ?? stored?.currency } as MetricCatalogResponse,
      range: isMonth ? { from: period, to: period } : {},
      stored: [...history, item],
    });
    return { ...analysis, live };
  };
