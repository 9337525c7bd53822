/** One value of each metric and company that is named. */

import type { Context } from '../../cli/context.ts';
import { type CompanyPart, eachCompany } from '../../cli/each-company.ts';
import { refuseRaw } from '../../cli/show.ts';
import type { Version } from '../../contract/metrics.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric, plainDecimal } from '../../core/json.ts';
import { formatPeriod, parsePeriod, runningMonths } from '../../core/periods.ts';
import { type AnalysisItem, byTime, linesOf } from '../../domain/analysis/points.ts';
import type { Column } from '../../output/column.ts';
import { readerOf, warnOfUnits } from './analyses.ts';
import { amountColumn, companyColumns, metric, type OfCompany, unit } from './columns.ts';
import { withTotal } from './computing.ts';
import { liveReader } from './live-values.ts';
import { type Analysis, type AnalysisRequest, aligned, metricIds, readAnalysis } from './read.ts';

interface MetricValue {
  metricId: string;
  value: Numeric;
  unit?: string;
  periodKey?: string;
  version: Version;
  /** `2/3` for a value derived from months: those with a value. */
  incomplete?: string;
  updatedAt?: string | null;
  /** The companies that a total leaves out. */
  note?: string;
}

type ValueRow = MetricValue & OfCompany;

const columns: readonly Column<ValueRow>[] = [
  metric,
  {
    key: 'periodKey',
    heading: 'Period',
    get: (row) => row.periodKey,
  },
  { key: 'version', heading: 'Version', get: (row) => row.version, hidden: true },
  { ...amountColumn<ValueRow>('value', 'Value', (row) => row.value), unitInRow: true },
  { ...unit, title: 'Unit', rank: 11, hidden: undefined },
  { key: 'months', heading: 'Months', get: (row) => row.incomplete, hidden: true },
];

const note: Column<ValueRow> = { key: 'note', heading: 'Note', rank: 12, wraps: true, get: (row) => row.note };

interface ValueRequest extends AnalysisRequest {
  metrics: string[];
  version: Version;
}

/**
 * The value of a period, or the newest live actual: bare, or a row for each of several companies and metrics.
 * @param computes values are converted, computed or added up
 */
export async function writeValues(ctx: Context, request: ValueRequest, computes: boolean): Promise<void> {
  if (computes) refuseRaw(ctx, 'it computes from several responses');
  const { version, period, total = false } = request;
  if (period === undefined && version !== 'actual') {
    throw usage(`a ${version} has no latest value`, 'add --period PERIOD');
  }
  const ids = metricIds(request.metrics, 'METRIC') ?? [];
  const { metrics, read, finish } = await readerOf(
    ctx,
    request,
    period === undefined ? liveReader(computes) : readAnalysis,
  );
  // A company without a value has no row: a warning says why.
  const { parts, verdict } = await eachCompany(ctx, async (company) => {
    const options = { versions: [version], ...(company !== undefined && { company }) };
    const analysis = await read(ctx, { ...request, metrics }, options);
    return { analysis, values: valuesIn(ctx, analysis, ids, request) };
  });
  finish?.();
  const [only] = parts;
  const [value, ...others] = only?.value.values ?? [];
  if (only && !only.who && !total && value && others.length === 0 && ids.length === 1) {
    return ctx.out.scalar(plainDecimal(value.value), value);
  }
  const rows: ValueRow[] = parts.flatMap(({ who, value: { values } }) => values.map((row) => ({ ...who, ...row })));
  if (total) {
    const analyses = withTotal(parts.map(({ who, value }) => ({ who, value: value.analysis })));
    for (const id of ids) rows.push(totalValue(ctx, analyses.at(-1) as CompanyPart<Analysis>, id, request));
  }
  warnOfUnits(ctx, rows);
  const several = only?.who !== undefined;
  const visible = [...(several ? companyColumns : []), ...columns, ...(total ? [note] : [])];
  await ctx.out.rows(rows, visible, { id: (row) => row.companyId ?? row.metricId, empty: 'No values.' });
  verdict();
}

/** The values of the newest period. Of several metrics those without a value are named in a warning. @throws Failure `notFound` */
function valuesIn(ctx: Context, analysis: Analysis, ids: readonly string[], request: ValueRequest): MetricValue[] {
  const failures: Failure[] = [];
  const values = ids.flatMap((id) => {
    try {
      return [valueIn(ctx, analysis, id, request)];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
      return [];
    }
  });
  const [first] = failures;
  // The total names the companies without a value.
  if (request.total) return values;
  if (first && values.length === 0) throw first;
  for (const { message } of failures) ctx.out.warn(message);
  return values;
}

/** The sum of the companies; live values are of the period that most of them have. */
function totalValue(ctx: Context, { who, value }: CompanyPart<Analysis>, id: string, request: ValueRequest): ValueRow {
  if (!value.metrics.some((metric) => metric.id === id)) {
    throw usage(`--total cannot add ${id} of companies: it is neither an amount of money nor a count`, 'omit --total');
  }
  const countOf = ({ periodKey }: AnalysisItem) =>
    (value.members ?? []).filter(({ items }) =>
      items.some((item) => item.periodKey === periodKey && isNumeric(item.metrics[id])),
    ).length;
  const items = value.items.toSorted((a, b) => countOf(a) - countOf(b) || byTime(a, b)).slice(-1);
  const { leftOut } = aligned(value, 'nothing');
  const without = leftOut.get(`${id} ${items[0]?.periodKey} ${request.version}`);
  const row = valueIn(ctx, { ...value, items }, id, request);
  return { ...who, ...row, ...(without !== undefined && { note: without }) };
}

/** @throws Failure `notFound` for a missing value or a null */
function valueIn(
  ctx: Context,
  { items, metrics }: Analysis,
  metricId: string,
  { version, period }: ValueRequest,
): MetricValue {
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
