/** One value of one metric. */

import type { Context } from '../../../cli/context.ts';
import { formatOf } from '../../../cli/show.ts';
import { getLiveMetrics } from '../../../contract/metric-operations.ts';
import type { Version } from '../../../contract/metrics.ts';
import { Failure, usage } from '../../../core/errors.ts';
import type { Numeric } from '../../../core/json.ts';
import { formatPeriod, parsePeriod, runningMonths } from '../../../core/periods.ts';
import { type AnalysisItem, linesOf } from '../../../domain/analysis/points.ts';
import { measures } from '../../../domain/series/shapes.ts';
import { shownUnit } from '../../../domain/series/units.ts';
import { isJsonFormat } from '../../../output/formats/choose.ts';
import { type Analysis, type AnalysisRequest, catalogOf, readAnalysis, requireMetrics } from '../read.ts';
import { forUnits } from '../series/catalog.ts';

export interface OneValue {
  metricId: string;
  value: Numeric;
  unit?: string;
  periodKey?: string;
  version: Version;
  /** Of a value derived from months: `2/3`, how many of them had a value. */
  incomplete?: string;
  updatedAt?: string | null;
}

/** The value of a period. @throws Failure `notFound` for a missing value or a null */
export async function valueOfPeriod(
  ctx: Context,
  metricId: string,
  version: Version,
  request: AnalysisRequest & { period: string },
  company?: string,
): Promise<OneValue> {
  const options = { versions: [version], ...(company !== undefined && { company }) };
  const analysis = await readAnalysis(ctx, { ...request, metrics: [metricId] }, options);
  const period = parsePeriod(request.period);
  const periodKey = period ? formatPeriod(period) : request.period;
  return valueIn(ctx, analysis, metricId, version, periodKey);
}

/** The value of the only period of an analysis. @throws Failure `notFound` for a missing value or a null */
export function valueIn(
  ctx: Context,
  analysis: Pick<Analysis, 'metrics'> & { items: Iterable<AnalysisItem> },
  metricId: string,
  version: Version,
  periodKey: string,
): OneValue {
  const [point] = linesOf(analysis.items, [metricId]).flatMap(({ points }) => points);
  if (point === undefined) throw new Failure('notFound', `${metricId} has no ${version} in ${periodKey}`);
  if (point.value === null) throw new Failure('notFound', `the ${version} of ${metricId} in ${periodKey} is null`);
  const { value, incomplete, updatedAt } = point;
  const unit = analysis.metrics.find(({ id }) => id === metricId)?.unit;
  if (incomplete === runningMonths) ctx.out.warn(`${periodKey} has not ended: ${metricId} is of part of it`);
  else if (incomplete) ctx.out.warn(`${metricId} of ${periodKey} is derived from ${incomplete} months`);
  return {
    ...{ metricId, value, periodKey, version },
    ...(unit !== undefined && { unit }),
    ...(incomplete !== undefined && { incomplete }),
    ...(updatedAt !== undefined && { updatedAt }),
  };
}

/** The newest live actual. @throws Failure `notFound` for a missing value */
export async function liveValue(ctx: Context, metricId: string, version: Version, company?: string): Promise<OneValue> {
  if (version !== 'actual') throw usage(`a ${version} has no latest value`, 'add --period PERIOD');
  const client = await ctx.client();
  const query = company === undefined ? {} : { query: { companyId: company } };
  await client.describe(getLiveMetrics, query);
  await requireMetrics(ctx, [metricId], [company]);
  const live = await client.call(getLiveMetrics, query);
  const value = live.metrics && Object.hasOwn(live.metrics, metricId) ? live.metrics[metricId] : undefined;
  if (value === undefined) throw new Failure('notFound', `${metricId} has no live value`);
  const periodKey = live.periodKey ?? live.period ?? undefined;
  const unit = await unitInJson(ctx, metricId, live.currency, company);
  const found = { metricId, value, ...(periodKey !== undefined && { periodKey }), version };
  return unit === undefined ? found : { ...found, unit };
}

/** The live response has no units, and a bare number shows none: only JSON needs the catalog. */
async function unitInJson(
  ctx: Context,
  metricId: string,
  currency: string | undefined,
  company: string | undefined,
): Promise<string | undefined> {
  const shown = company !== undefined || ctx.settings.jq !== undefined || isJsonFormat(formatOf(ctx));
  if (!shown) return undefined;
  return forUnits(ctx, 'the unit is', undefined, async () => {
    const catalog = await catalogOf(ctx, company);
    return shownUnit(measures({ ...catalog, currency: currency ?? catalog.currency }).get(metricId));
  });
}
