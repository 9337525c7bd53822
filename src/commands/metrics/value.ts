/** One value of one metric, of each company that was named. */

import type { Context } from '../../cli/context.ts';
import { eachCompany } from '../../cli/each-company.ts';
import { refuseRaw } from '../../cli/show.ts';
import type { Version } from '../../contract/metrics.ts';
import { Failure, usage } from '../../core/errors.ts';
import { type Numeric, plainDecimal } from '../../core/json.ts';
import { formatPeriod, parsePeriod, runningMonths, shortPeriod } from '../../core/periods.ts';
import { linesOf } from '../../domain/analysis/points.ts';
import type { Column } from '../../output/column.ts';
import { readerOf, warnOfUnits } from './analyses.ts';
import { amountColumn, companyColumns, metric, type OfCompany, unit } from './columns.ts';
import { withTotal } from './computing.ts';
import { liveReader } from './live-values.ts';
import { type Analysis, type AnalysisRequest, readAnalysis } from './read.ts';

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

/**
 * The value of a period, or the newest live actual: bare, or a row for each of several companies.
 * @param computes values are converted, computed or added up
 */
export async function writeValue(ctx: Context, request: ValueRequest, computes: boolean): Promise<void> {
  if (computes) refuseRaw(ctx, 'it computes from several responses');
  const { metricId, version, period } = request;
  if (period === undefined && version !== 'actual') {
    throw usage(`a ${version} has no latest value`, 'add --period PERIOD');
  }
  const { read } = await readerOf(ctx, request, period === undefined ? liveReader(computes) : readAnalysis);
  // A company without the value has no row: a warning says why.
  const { parts, verdict } = await eachCompany(ctx, async (company) => {
    const analysis = await read(ctx, request, { versions: [version], ...(company !== undefined && { company }) });
    return { analysis, value: valueIn(ctx, analysis, request) };
  });
  const [only] = parts;
  if (only && !only.who && !request.total)
    return ctx.out.scalar(plainDecimal(only.value.value.value), only.value.value);
  const rows: ValueRow[] = parts.map(({ who, value }) => ({ ...who, ...value.value }));
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
      for (const item of value.items) rows.push({ ...who, ...valueIn(ctx, { ...value, items: [item] }, request) });
    }
  }
  warnOfUnits(ctx, rows);
  await ctx.out.rows(rows, columns, { id: (row) => row.companyId, empty: 'No values.' });
  verdict();
}

/** The value of the newest period of an analysis. @throws Failure `notFound` for a missing value or a null */
function valueIn(ctx: Context, { items, metrics }: Analysis, { metricId, version, period }: ValueRequest): MetricValue {
  const [point] = linesOf(items.slice(-1), [metricId]).flatMap(({ points }) => points);
  if (point === undefined && period === undefined) throw new Failure('notFound', `${metricId} has no live value`);
  const parsed = parsePeriod(period ?? '');
  const periodKey = items.at(-1)?.periodKey ?? (parsed ? formatPeriod(parsed) : '');
  if (point === undefined) throw new Failure('notFound', `${metricId} has no ${version} in ${periodKey}`);
  if (point.value === null) throw new Failure('notFound', `the ${version} of ${metricId} in ${periodKey} is null`);
  const { value, incomplete, updatedAt } = point;
  const unit = metrics.find(({ id }) => id === metricId)?.unit;
  if (incomplete === runningMonths) ctx.out.warn(`${periodKey} has not ended: ${metricId} is of part of it`);
  else if (incomplete) ctx.out.warn(`${metricId} of ${periodKey} is derived from ${incomplete} months`);
  return {
    metricId,
    value,
    ...(periodKey !== '' && { periodKey }),
    version,
    ...(unit !== undefined && { unit }),
    ...(incomplete !== undefined && { incomplete }),
    ...(updatedAt !== undefined && { updatedAt }),
  };
}
