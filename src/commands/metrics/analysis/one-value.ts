/** One value of one metric, and what is said when there is none. */

import type { Context } from '../../../cli/context.ts';
import { operations } from '../../../contract/index.ts';
import type { Version } from '../../../contract/metrics.ts';
import { Failure, usage } from '../../../core/errors.ts';
import type { Numeric } from '../../../core/json.ts';
import { nearest } from '../../../core/nearest.ts';
import { formatPeriod, parsePeriod } from '../../../core/periods.ts';
import { linesOf } from '../../../domain/analysis/points.ts';
import { measures } from '../../../domain/series/shapes.ts';
import { isJsonFormat } from '../../../output/formats/choose.ts';
import { forUnits } from '../series/catalog.ts';
import { formatOf } from '../series/format.ts';
import { unitOf } from '../series-columns.ts';
import type { AnalysisFlags } from './flags.ts';
import { readAnalysis } from './read.ts';

export interface OneValue {
  metricId: string;
  value: Numeric;
  unit?: string;
  periodKey?: string;
  version: Version;
  /** Of a value made of months: how many there were of how many. */
  incomplete?: string;
  updatedAt?: string | null;
}

/** The value of a period. @throws Failure `notFound` where there is none, or a null */
export async function valueOfPeriod(
  ctx: Context,
  metricId: string,
  version: Version,
  flags: AnalysisFlags & { period: string },
): Promise<OneValue> {
  const analysis = await readAnalysis(ctx, { ...flags, metrics: [metricId] }, { versions: [version] });
  const [point] = linesOf(analysis.items, [metricId]).flatMap(({ points }) => points);
  const period = parsePeriod(flags.period);
  const periodKey = period ? formatPeriod(period) : flags.period;
  if (point === undefined) throw await absent(ctx, metricId, `has no ${version} in ${periodKey}`);
  if (point.value === null) throw new Failure('notFound', `the ${version} of ${metricId} in ${periodKey} is null`);
  const { value, incomplete, updatedAt } = point;
  const unit = analysis.metrics[0]?.unit;
  if (incomplete) ctx.out.warn(`${metricId} of ${periodKey} is made of ${incomplete} months`);
  return {
    ...{ metricId, value, periodKey, version },
    ...(unit !== undefined && { unit }),
    ...(incomplete !== undefined && { incomplete }),
    ...(updatedAt !== undefined && { updatedAt }),
  };
}

/** The newest live actual. @throws Failure `notFound` where there is none */
export async function liveValue(ctx: Context, metricId: string, version: Version): Promise<OneValue> {
  if (version !== 'actual') throw usage(`a ${version} has no latest value`, 'name the period with --period');
  const client = await ctx.client();
  const live = await client.call(operations.getLiveMetrics);
  const value = live.metrics && Object.hasOwn(live.metrics, metricId) ? live.metrics[metricId] : undefined;
  if (value === undefined) throw await absent(ctx, metricId, 'has no live value');
  const periodKey = live.periodKey ?? live.period ?? undefined;
  const unit = await unitInJson(ctx, metricId, live.currency);
  const found = { metricId, value, ...(periodKey !== undefined && { periodKey }), version };
  return unit === undefined ? found : { ...found, unit };
}

/** The live answer has no units, and a bare number shows none: the catalog is asked for JSON alone. */
async function unitInJson(ctx: Context, metricId: string, currency: string | undefined): Promise<string | undefined> {
  if (ctx.settings.jq === undefined && !isJsonFormat(formatOf(ctx))) return undefined;
  return forUnits(ctx, 'the unit is', undefined, async () => {
    const catalog = await (await ctx.client()).call(operations.getMetricCatalog);
    return unitOf(measures({ ...catalog, currency: currency ?? catalog.currency }).get(metricId));
  });
}

/** A metric that the catalog does not know is another mistake than one without a value. */
async function absent(ctx: Context, metricId: string, says: string): Promise<Failure> {
  const client = await ctx.client();
  const { definitions } = await client.call(operations.getMetricCatalog);
  const ids = definitions.map((definition) => definition.metricId);
  if (ids.includes(metricId)) return new Failure('notFound', `${metricId} ${says}`);
  const guess = nearest(metricId, ids);
  return new Failure('notFound', `${metricId} ${says}, and the catalog does not know it`, {
    hint: guess === undefined ? '`comem metrics catalog` lists the metrics' : `did you mean ${guess}?`,
  });
}
