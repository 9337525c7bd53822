/** The plan of `metrics series`: from its flags to requests, range, shape and chosen rows. */

import type { Context } from '../../cli/context.ts';
import { companyOfRows, namesCompany } from '../../cli/each-company.ts';
import { columnScope, hasRowFlags, type RowFlags, refuseRawQuery, type ScopeRules } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { firstQuery, fullQuery, type SeriesRequest } from '../../client/series.ts';
import { getMetricSeries } from '../../contract/metric-operations.ts';
import { planVersions, type Version, versions } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import { type PeriodType, parsePeriod } from '../../core/periods.ts';
import { checkCondition } from '../../domain/expression/check.ts';
import { sortOrder } from '../../domain/query/cells.ts';
import type { Fill, Order, SeriesShape } from '../../domain/series/plan.ts';
import { boundsUnit, isFiscal, lastUnit, type Range, writtenRange } from '../../domain/series/range.ts';
import type { Column } from '../../output/column.ts';
import { longColumns, wideColumns } from './columns.ts';
import { calcOf } from './computing.ts';
import type { SeriesFlags } from './flags.ts';
import { metricIds as idsOf, rangeOf, readableCatalogs, requireMetrics, versionsOf } from './read.ts';

/** The grains that are derived from months. */
type DerivedType = Exclude<PeriodType, 'month'>;

export interface SeriesPlan {
  request: SeriesRequest;
  range: Range;
  /** Companies as UUIDs; none: the credential's own. */
  companies: readonly string[];
  /** Rows name their company. */
  several: boolean;
  /** The grain of the rows where they are derived from months. */
  derive: DerivedType | undefined;
  /** The versions of the rows, in their order. */
  versions: readonly Version[];
  shape: SeriesShape;
  fill: Fill;
  /** Flags convert, compute or add up values. */
  isComputed: boolean;
  /** The rows to write; undefined: all of them. */
  selection: RowFlags | undefined;
  /** The rows are counted: a period of the range without data matters. */
  counted: boolean;
}

/** The context with the id of its one company, where flags ask which it is. */
export async function withCompany(ctx: Context, flags: SeriesFlags): Promise<Context> {
  if (ctx.settings.companies.value.length > 0 || !namesCompany(ctx, flags)) return ctx;
  const { companyId } = await companyOfRows(ctx);
  return ctx.forCompanies([companyId]);
}

/** The plan by the clock of the server, as far as it is known. @throws usage for flags that cannot be used together */
export function seriesPlan(ctx: Context, flags: SeriesFlags, isComputed: boolean): SeriesPlan {
  const { raw, limit } = ctx.settings;
  const { periodType = 'month', cursor } = flags;
  if (isComputed) {
    refuseRaw(ctx, 'it computes from several responses');
    if (cursor !== undefined) throw usage('computing needs the start of the series, and --cursor is in its middle');
  }
  // The parser takes only the words of the choices.
  const [shape, fill] = [(flags.shape ?? 'wide') as SeriesShape, (flags.fill ?? 'none') as Fill];
  if (cursor !== undefined && fill !== 'none') {
    throw usage('--fill needs the start of the series, and --cursor continues in its middle');
  }
  const ofRows = fill !== 'none' ? '--fill' : flags.agg !== undefined ? '--agg' : undefined;
  if (raw && ofRows) throw usage(`--raw prints one body as it was received, and ${ofRows} is for rows`);
  const companies = ctx.settings.companies.value;
  const several = companies.length > 1 || namesCompany(ctx, flags);
  const derive = derivedType(flags, raw);
  if (raw && companies.length > 1) throw usage('--raw sends one request, so it takes one --company');
  const metricIds = idsOf(flags.metrics);
  // Actuals exist by month only; undefined is the default of the API, which is actual.
  const usual: readonly Version[] | undefined = periodType === 'month' ? undefined : planVersions;
  const requested = flags.versions === undefined ? usual : versionsOf(flags.versions);
  if (periodType !== 'month' && requested?.includes('actual')) {
    throw usage(
      `--period-type must be month when versions contain actual, got ${periodType}`,
      `--derive ${periodType} derives ${periodType}s from the months`,
    );
  }
  // A cursor belongs to the order of its chain of pages.
  const order = (flags.order as Order | undefined) ?? (cursor === undefined && !raw ? 'asc' : undefined);
  if (flags.fyStart === undefined && isFiscal(flags.last)) requireOneFiscalYear(ctx);
  const range = rangeOf(ctx, flags, derive ?? periodType, { isDerived: derive !== undefined });
  return {
    request: {
      periodType,
      versions: requested,
      metricIds,
      order,
      ...writtenRange(range),
      cursor,
      companies: companies.length > 0 ? companies : undefined,
    },
    range,
    companies,
    several,
    derive,
    shape,
    fill,
    // A row of a period without data never changed.
    counted: flags.last !== undefined && !isFiscal(flags.last) && (cursor ?? flags.changedSince ?? limit) === undefined,
    selection: hasRowFlags(flags) ? flags : undefined,
    isComputed,
    versions: versions.filter((version) => (requested ?? ['actual']).includes(version)),
  };
}

/** @throws usage for companies whose fiscal years begin in different months */
function requireOneFiscalYear({ settings: { companies, fiscalYearStart } }: Context): void {
  // January is the default.
  if (new Set(companies.value.map((id) => fiscalYearStart[id] ?? 1)).size < 2) return;
  throw usage('the fiscal years of the companies begin in different months', 'add --fy-start, or read one company');
}

/** `--last 8q` and `--from 2025-Q1` without a grain mean quarters, whatever the versions. */
function derivedType(flags: SeriesFlags, raw: boolean) {
  const { derive, periodType, agg = [], cursor } = flags;
  if (derive !== undefined && periodType !== undefined && periodType !== 'month') {
    throw usage(`--derive ${derive} derives ${derive}s from months, and --period-type ${periodType} reads none`);
  }
  const { period, last, ...bounds } = flags;
  const ofBounds = raw || cursor !== undefined ? undefined : (parsePeriod(period ?? '')?.type ?? boundsUnit(bounds));
  const unit = periodType === undefined ? (lastUnit(last) ?? ofBounds) : undefined;
  // The parser takes only the words of the choices.
  const type = (derive ?? (unit === 'month' ? undefined : unit)) as DerivedType | undefined;
  if (agg.length > 0 && !type) {
    throw usage('--agg says how months become quarters or years', 'add --derive quarter or --derive year');
  }
  if (type && (cursor !== undefined || raw)) {
    const other = raw ? '--raw' : '--cursor';
    throw usage(
      `--derive makes ${type}s of many months, and ${other} reads one chain of pages as it is`,
      'choose the months with --from and --to',
    );
  }
  return type;
}

export const rawQuery = ({ request }: SeriesPlan) => fullQuery(request);

/** Refuses what the API would refuse, and unknown metrics. A count of periods needs the clock of the server. */
export async function prepareRead(ctx: Context, { companies, request }: SeriesPlan, isTimed: boolean): Promise<void> {
  const client = await ctx.client();
  await client.describe(getMetricSeries, { query: firstQuery(request) });
  const all = companies.length > 0 ? companies : [undefined];
  if (request.metricIds) await requireMetrics(ctx, request.metricIds, all);
  else if (isTimed) await readableCatalogs(ctx, all.slice(0, 1));
}

export const rules: ScopeRules = { periodKey: 'period', version: versions };

/** Checks conditions and order before anything is read. @throws usage for names that no row has */
export async function checkSelection(ctx: Context, plan: SeriesPlan, flags: SeriesFlags): Promise<void> {
  refuseRawQuery(ctx, flags);
  const { shape } = plan;
  if (flags.changedSince !== undefined && plan.isComputed) {
    throw usage('--changed-since needs rows that say when they changed, and computed rows do not', 'omit one of them');
  }
  const ids = plan.request.metricIds;
  // Without -m the catalog names the columns.
  if (shape === 'wide' && ids === undefined) return;
  const { computed = [] } = (await calcOf(ctx, flags)) ?? {};
  const wide = [...(ids ?? []), ...computed].map((id) => ({ id }));
  const options = { company: plan.several, currency: true, derived: plan.derive !== undefined, months: true };
  const columns: readonly Column<never>[] = shape === 'long' ? longColumns(options) : wideColumns(wide, options);
  const scope = columnScope(columns, ctx, rules);
  for (const text of flags.where ?? []) checkCondition(text, scope, '--where');
  if (flags.sort) sortOrder(flags.sort, scope, '--sort');
}
