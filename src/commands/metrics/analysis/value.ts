/** One value of one metric, of each company that was named. */

import type { Context } from '../../../cli/context.ts';
import { eachCompany } from '../../../cli/each-company.ts';
import { formatOf, refuseRaw } from '../../../cli/show.ts';
import { getLiveMetrics } from '../../../contract/metric-operations.ts';
import type { Version } from '../../../contract/metrics.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { type Numeric, plainDecimal } from '../../../core/json.ts';
import { needed } from '../../../core/needed.ts';
import { formatPeriod, parsePeriod, runningMonths, shortPeriod } from '../../../core/periods.ts';
import { linesOf } from '../../../domain/analysis/points.ts';
import { measures } from '../../../domain/series/shapes.ts';
import { shownUnit } from '../../../domain/series/units.ts';
import type { Column } from '../../../output/column.ts';
import { isJsonFormat } from '../../../output/formats/choose.ts';
import { amountColumn, companyColumns, metric, type OfCompany, unit } from '../columns.ts';
import { type Analysis, type AnalysisRequest, catalogOf, forUnits, readAnalysis, requireMetrics } from '../read.ts';
import { readerOf, warnOfUnits } from '../several.ts';
import { withTotal } from './computing.ts';
import { readLiveAnalysis } from './live.ts';

interface MetricValue {
  metricId: string;
  value: Numeric;
  unit?: string;
  periodKey?: string;
  version: Version;
  /** Of a value derived from months: `2/3`, how many of them had a value. */
  incomplete?: string;
  updatedAt?: string | null;
}

type ValueRow = MetricValue & OfCompany;

const columns: readonly Column<ValueRow>[] = [
  ...companyColumns,
  metric,
  {
    key: 'periodKey',
    heading: 'Period',
    get: (row) => row.periodKey,
    onScreen: ({ periodKey }) => (periodKey ? shortPeriod(periodKey) : undefined),
  },
  { key: 'version', heading: 'Version', get: (row) => row.version, hidden: true },
  { ...amountColumn<ValueRow>('value', 'Value', (row) => row.value), unitInRow: true },
  { ...unit, title: 'Unit', rank: 11, hidden: undefined },
  { key: 'months', heading: 'Months', get: (row) => row.incomplete, hidden: true },
];

interface ValueRequest extends AnalysisRequest {
  metricId: string;
  version: Version;
}

/** The stored value of a period, or the newest live actual: bare, or a row for each of several companies. */
export async function writeValue(ctx: Context, request: ValueRequest): Promise<void> {
  const read = (company?: string) =>
    request.period === undefined ? liveValue(ctx, request, company) : valueOfPeriod(ctx, request, company);
  if (ctx.settings.companies.value.length < 2) {
    const value = await read();
    return ctx.out.scalar(plainDecimal(value.value), value);
  }
  // A company without the value has no row: a warning says why.
  const { parts, verdict } = await eachCompany(ctx, read);
  await writeRows(
    ctx,
    parts.map(({ who, value }) => ({ ...who, ...value })),
  );
  verdict();
}

/** A value that is converted, computed or added up over companies. */
export async function writeComputedValue(ctx: Context, request: ValueRequest): Promise<void> {
  refuseRaw(ctx, 'it computes from several responses');
  const { metricId, version } = request;
  if (request.period === undefined) requireActual(version);
  const { read } = await readerOf(ctx, request, request.period === undefined ? readLiveAnalysis : readAnalysis);
  const { parts, verdict } = await eachCompany(ctx, async (company) => {
    const analysis = await read(ctx, request, { versions: [version], ...(company !== undefined && { company }) });
    const periodKey = analysis.items.at(-1)?.periodKey ?? keyOf(request.period ?? 'the live period');
    return { analysis, value: valueIn(ctx, analysis, { metricId, version, periodKey }) };
  });
  const rows: ValueRow[] = parts.map(({ who, value }) => ({ ...who, ...value.value }));
  const [only] = parts;
  if (only && !only.who && !request.total) {
    return ctx.out.scalar(plainDecimal(only.value.value.value), only.value.value);
  }
  if (request.total) {
    const analyses = parts.map(({ who, value }) => ({ who, value: value.analysis }));
    for (const { who, value } of withTotal(ctx, analyses).slice(parts.length)) {
      if (!value.metrics.some(({ id }) => id === metricId)) {
        throw usage(
          `--total cannot add ${metricId} of companies: it is neither an amount of money nor a count`,
          'omit --total',
        );
      }
      // Live values of several months have a total for each.
      for (const item of value.items) {
        const ofPeriod = { ...value, items: [item] };
        rows.push({ ...who, ...valueIn(ctx, ofPeriod, { metricId, version, periodKey: item.periodKey }) });
      }
    }
  }
  await writeRows(ctx, rows);
  verdict();
}

async function writeRows(ctx: Context, rows: readonly ValueRow[]): Promise<void> {
  warnOfUnits(
    ctx,
    rows.map(({ metricId, unit }) => ({ metric: metricId, unit })),
  );
  await ctx.out.rows(rows, columns, { id: (row) => row.companyId, empty: 'No values.' });
}

function requireActual(version: Version): void {
  if (version !== 'actual') throw usage(`a ${version} has no latest value`, 'add --period PERIOD');
}

/** The period as the API writes it. */
function keyOf(text: string): string {
  const period = parsePeriod(text);
  return period ? formatPeriod(period) : text;
}

/** @throws Failure `notFound` for a missing value or a null */
async function valueOfPeriod(
  ctx: Context,
  { metricId, version, period = '', agg }: ValueRequest,
  company: string | undefined,
): Promise<MetricValue> {
  const options = { versions: [version], ...(company !== undefined && { company }) };
  const analysis = await readAnalysis(ctx, { period, agg, metrics: [metricId] }, options);
  return valueIn(ctx, analysis, { metricId, version, periodKey: keyOf(period) });
}

/** The value of the only period of an analysis. @throws Failure `notFound` for a missing value or a null */
function valueIn(
  ctx: Context,
  { items, metrics }: Analysis,
  { metricId, version, periodKey }: { metricId: string; version: Version; periodKey: string },
): MetricValue {
  const [point] = linesOf(items, [metricId]).flatMap(({ points }) => points);
  if (point === undefined) throw new Failure('notFound', `${metricId} has no ${version} in ${periodKey}`);
  if (point.value === null) throw new Failure('notFound', `the ${version} of ${metricId} in ${periodKey} is null`);
  const { value, incomplete, updatedAt } = point;
  const unit = metrics.find(({ id }) => id === metricId)?.unit;
  if (incomplete === runningMonths) ctx.out.warn(`${periodKey} has not ended: ${metricId} is of part of it`);
  else if (incomplete) ctx.out.warn(`${metricId} of ${periodKey} is derived from ${incomplete} months`);
  return {
    metricId,
    value,
    periodKey,
    version,
    ...(unit !== undefined && { unit }),
    ...(incomplete !== undefined && { incomplete }),
    ...(updatedAt !== undefined && { updatedAt }),
  };
}

/** The newest live actual. @throws Failure `notFound` for a missing value */
async function liveValue(
  ctx: Context,
  { metricId, version }: ValueRequest,
  company: string | undefined,
): Promise<MetricValue> {
  requireActual(version);
  const client = await ctx.client();
  const query = company === undefined ? {} : { query: { companyId: company } };
  await client.describe(getLiveMetrics, query);
  await requireMetrics(ctx, [metricId], [company]);
  const live = await client.call(getLiveMetrics, query);
  const value = live.metrics && Object.hasOwn(live.metrics, metricId) ? live.metrics[metricId] : undefined;
  if (value === undefined) {
    if (live.source !== 'none') needed(live.metrics, 'metrics', 'the live values');
    throw new Failure('notFound', `${metricId} has no live value`);
  }
  const periodKey = live.periodKey ?? live.period ?? undefined;
  // A bare number shows no unit: only rows and JSON need the catalog.
  const needsUnit = company !== undefined || ctx.settings.jq !== undefined || isJsonFormat(formatOf(ctx));
  const unit = needsUnit
    ? await forUnits(ctx, 'the unit is', undefined, async () => {
        const catalog = await catalogOf(ctx, company);
        return shownUnit(measures({ ...catalog, currency: live.currency ?? catalog.currency }).get(metricId));
      })
    : undefined;
  return {
    metricId,
    value,
    ...(periodKey !== undefined && { periodKey }),
    version,
    ...(unit !== undefined && { unit }),
  };
}
