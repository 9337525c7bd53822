/** From the flags of `metrics series` to what is asked of the API. */

import type { Context } from '../../../cli/context.ts';
import type { FlagValues } from '../../../cli/define.ts';
import { fieldsOf } from '../../../cli/operation-flags.ts';
import { operations } from '../../../contract/index.ts';
import { type Version, versions as versionOrder } from '../../../contract/metrics.ts';
import type { Input } from '../../../contract/operation.ts';
import { splitList } from '../../../contract/rules.ts';
import { usage } from '../../../core/errors.ts';
import {
  firstWithin,
  formatPeriod,
  lastWithin,
  type PeriodType,
  parsePeriod,
  periodAt,
} from '../../../core/periods.ts';
import { type Order, planSeries, type SeriesRequest, type Window } from '../../../domain/series/plan.ts';
import { lastUnit, type Range, type RangeWords, seriesRange } from '../../../domain/series/range.ts';
import { metricIds } from '../read.ts';
import type { After } from './checkpoint.ts';
import { type seriesFlags, seriesQuery } from './flags.ts';

const op = operations.getMetricSeries;
export type SeriesInput = Input<typeof op>;

type SeriesFlags = FlagValues<typeof seriesFlags>;

/** The grains that are made of months. */
export type DerivedType = Exclude<PeriodType, 'month'>;

export interface PlannedSeries {
  request: SeriesRequest;
  windows: Window[];
  /** Companies as uuids; none where the credential's own is meant. */
  companies: readonly string[];
  /** Rows name their company: there are several, or there might have been. */
  several: boolean;
  /** What is to be made of the months that the plan reads. */
  derive: DerivedType | undefined;
  versions: readonly Version[];
  /** Rows up to this period of this company were written before, and are not read again. */
  after?: After | undefined;
  /** The query of one request of the plan. */
  input(window: Window, chunk: readonly string[] | undefined): SeriesInput;
}

/**
 * The plan of the flags. With `--cursor` or `--raw` it is the one request that the flags spell out, whatever its size:
 * the contract's own rules refuse what the API does not take.
 * @param listed the companies of a file, in the place of the settings' own
 * @param monthly the versions of months when no flag names them; default: the API's own, which is actual
 */
export function seriesRequest(
  ctx: Context,
  flags: SeriesFlags,
  { listed, monthly }: { listed?: readonly string[]; monthly?: readonly Version[] } = {},
): PlannedSeries {
  const { versions: given, order, cursor } = fieldsOf(seriesQuery, flags);
  const periodType = flags.periodType ?? 'month';
  // Actuals exist by month only (docs/api.md, "Series rules" 1).
  const versions = given ?? (periodType === 'month' ? monthly?.join(',') : 'budget,forecast');
  if (periodType !== 'month' && splitList(versions ?? '').includes('actual')) {
    throw usage(
      `--period-type must be month when versions contain actual, got ${periodType}`,
      `--derive ${periodType} makes ${periodType}s of the months`,
    );
  }
  const derive = derivedType(flags);
  const asOne = cursor !== undefined || ctx.settings.raw;
  if (derive && asOne) {
    throw usage(
      `--derive makes ${derive}s of many months, and ${ctx.settings.raw ? '--raw' : '--cursor'} reads one chain of pages as it is`,
      '--from and --to say which months',
    );
  }
  const ids = metricIds(flags.metrics);
  const range = derive ? monthsOf(flags, derive, ctx) : rangeIn(flags, periodType, ctx);
  const companies = listed ?? ctx.settings.companies.value;
  const request: SeriesRequest = {
    periodType,
    ...range,
    metricIds: ids,
    order: (order as Order | undefined) ?? 'desc',
  };
  return {
    request,
    companies,
    several: companies.length > 1 || listed !== undefined,
    derive,
    versions: versionOrder.filter((version) => splitList(versions ?? 'actual').includes(version)),
    windows: asOne ? [{ ...range, chunks: [ids] }] : planSeries(request),
    input: ({ from, to }, chunk) => ({
      query: {
        periodType,
        versions,
        metricIds: chunk?.join(','),
        fromPeriod: from && formatPeriod(from),
        toPeriod: to && formatPeriod(to),
        order,
      },
    }),
  };
}

/** What of the plan is still to be read of one company: all, or what follows the period that was written last. */
export function planFor(plan: PlannedSeries, companyId: string | undefined): PlannedSeries {
  const { after, request } = plan;
  // Rows name their company where there are several.
  const its = after && (!plan.several || after.companyId === companyId);
  const done = its ? parsePeriod(after.periodKey) : undefined;
  if (!done) return plan;
  const type = request.periodType;
  const step = request.order === 'asc' ? 1 : -1;
  const edge = request.order === 'asc' ? lastWithin(done, type) : firstWithin(done, type);
  const next = edge && { type, index: edge.index + step };
  const rest = request.order === 'asc' ? { ...request, from: next } : { ...request, to: next };
  const over = rest.from && rest.to && rest.from.index > rest.to.index;
  return { ...plan, request: rest, windows: over ? [] : planSeries(rest) };
}

/** `--last 8q` without a grain and versions can only mean actuals, stored by month (docs/api.md, "Series rules" 1). */
function derivedType(flags: SeriesFlags): DerivedType | undefined {
  const { periodType } = flags;
  const derive = flags.derive as DerivedType | undefined;
  if (derive && periodType !== undefined && periodType !== 'month') {
    throw usage(`--derive ${derive} makes ${derive}s of months, and --period-type ${periodType} reads none`);
  }
  if (derive || periodType !== undefined || flags.versions !== undefined) return derive;
  const unit = lastUnit(flags.last);
  return unit === 'month' ? undefined : unit;
}

function rangeIn(words: RangeWords, type: PeriodType, ctx: Context): Range {
  return seriesRange(words, type, periodAt(ctx.runtime.now(), type));
}

/** The months of the quarters or years that are counted; bounds may be months themselves. */
function monthsOf(words: RangeWords, derive: DerivedType, ctx: Context): Range {
  const counted = words.last !== undefined || words.ytd || words.fy !== undefined || words.fyStart !== undefined;
  const { from, to } = rangeIn(words, counted ? derive : 'month', ctx);
  return { from: from && firstWithin(from, 'month'), to: to && lastWithin(to, 'month') };
}
