/** From the flags of `metrics series` to what is read and how rows are written. */

import type { Context } from '../../../cli/context.ts';
import { longName } from '../../../cli/define.ts';
import { firstQuery, fullQuery, type SeriesRequest } from '../../../client/series-request.ts';
import { getMetricSeries } from '../../../contract/metric-operations.ts';
import { type Version, versions } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import type { Format } from '../../../core/output-formats.ts';
import {
  firstWithin,
  formatPeriod,
  lastWithin,
  type Period,
  type PeriodType,
  periodAt,
} from '../../../core/periods.ts';
import type { Order, SeriesScope } from '../../../domain/series/plan.ts';
import { lastUnit, type Range, seriesRange } from '../../../domain/series/range.ts';
import type { Aggregation, Fill, SeriesShape } from '../../../domain/series/shapes.ts';
import { chooseFormat, isJsonFormat } from '../../../output/formats/choose.ts';
import { chosenAggregations } from '../analysis/parts.ts';
import type { SeriesFlags } from '../flags.ts';
import { metricIds, readableCatalogs, requireMetrics, versionsOf } from '../read.ts';

/** The grains that are derived from months. */
type DerivedType = Exclude<PeriodType, 'month'>;

export interface SeriesPlan {
  request: SeriesRequest;
  scope: SeriesScope;
  /** The query of the first request; under `--raw` of the only one. */
  query: ReturnType<typeof firstQuery>;
  /** Companies as UUIDs; none: the credential's own. */
  companies: readonly string[];
  /** Rows name their company: there are several, or a file that may name several. */
  several: boolean;
  /** The grain of the rows where they are derived from months. */
  derive: DerivedType | undefined;
  /** The versions of the rows, in their order. */
  versions: readonly Version[];
  options: SeriesOptions;
  /** The range depends on what time it is. */
  timed: boolean;
  /** Every period of the range is wanted, whether it has data or not. */
  counted: boolean;
}

/** What becomes of the rows. */
export interface SeriesOptions {
  shape: SeriesShape;
  transpose: boolean;
  fill: Fill;
  /** What the user chose, by metric. */
  aggregations: ReadonlyMap<string, Aggregation>;
  /** The file that keeps the progress of the export. */
  checkpoint: string | undefined;
  /** Units are in the headers of metrics. */
  headerUnits: boolean;
  /** Rows have the first day of their period. */
  dates: boolean;
}

/** @throws usage for flags that do not go together */
export async function seriesPlan(ctx: Context, given: SeriesFlags): Promise<SeriesPlan> {
  const options = optionsOf(given, ctx.settings.raw);
  const listed = await listedCompanies(ctx, given.companies);
  const companies = listed ?? ctx.settings.companies.value;
  const flags = withFiscalYears(ctx, given, companies);
  const several = companies.length > 1 || listed !== undefined;
  const periodType = flags.periodType ?? 'month';
  const ids = metricIds(flags.metrics);
  const wanted = wantedVersions(flags, periodType, options.shape);
  const derive = derivedType(flags);
  if (options.aggregations.size > 0 && !derive) {
    throw usage('--agg says how months become quarters or years', 'add --derive quarter or --derive year');
  }
  const { cursor } = flags;
  if (derive && (cursor !== undefined || ctx.settings.raw)) {
    const other = ctx.settings.raw ? '--raw' : '--cursor';
    throw usage(
      `--derive makes ${derive}s of many months, and ${other} reads one chain of pages as it is`,
      'choose the months with --from and --to',
    );
  }
  if (ctx.settings.raw && several) throw usage('--raw sends one request, so it takes one --company');
  const newest = (type: PeriodType) => periodAt(ctx.now(), type);
  const range = derive ? monthsOf(flags, derive, newest) : seriesRange(flags, periodType, newest(periodType), longName);
  const order = flags.order as Order | undefined;
  const request: SeriesRequest = {
    ...{ periodType, versions: wanted, metricIds: ids, order },
    ...{ from: range.from && formatPeriod(range.from), to: range.to && formatPeriod(range.to) },
    ...{ cursor, companies: companies.length > 0 ? companies : undefined },
  };
  return {
    ...{
      request,
      query: ctx.settings.raw ? fullQuery(request) : firstQuery(request),
      companies,
      several,
      derive,
      options,
    },
    scope: { periodType, ...range, metricIds: ids, order: order ?? 'desc' },
    counted: flags.last !== undefined && cursor === undefined,
    timed: flags.last !== undefined || flags.ytd === true || options.fill !== 'none',
    versions: versions.filter((version) => (wanted ?? ['actual']).includes(version)),
  };
}

/** Fiscal years begin where those of the companies do. @throws usage when they differ */
function withFiscalYears({ settings }: Context, flags: SeriesFlags, companies: readonly string[]): SeriesFlags {
  if (flags.fyStart !== undefined || (flags.fy === undefined && !flags.ytd)) return flags;
  const starts = [...new Set(companies.map((id) => settings.fiscalYearStart[id] ?? 1))];
  if (starts.length > 1) {
    throw usage(
      `fiscal years of the companies begin in different months (${starts.join(', ')})`,
      'give --fy-start MONTH, or read the companies one by one',
    );
  }
  return starts[0] === undefined || starts[0] === 1 ? flags : { ...flags, fyStart: starts[0] };
}

function optionsOf(flags: SeriesFlags, raw: boolean): SeriesOptions {
  const { transpose = false, agg = [], cursor, checkpoint, headerUnits = false, dates = false } = flags;
  // The parser takes only the words of the choices.
  const [shape, fill] = [(flags.shape ?? 'wide') as SeriesShape, (flags.fill ?? 'none') as Fill];
  if (transpose && shape !== 'wide') {
    throw usage(`--transpose cannot go with --shape ${shape}`, 'give one of them');
  }
  if (headerUnits && (transpose || shape !== 'wide')) {
    const other = transpose ? '--transpose' : `--shape ${shape}`;
    throw usage(`--header-units is for columns of metrics, and ${other} has the unit in its own column`);
  }
  if (dates && transpose) throw usage('--dates is for rows of periods, and --transpose has periods as columns');
  if (cursor !== undefined && fill !== 'none') {
    throw usage('--fill needs the start of the series, and --cursor continues in its middle');
  }
  const ofRows = { transpose, fill: fill !== 'none', agg: agg.length > 0, checkpoint, headerUnits, dates };
  const wrong = Object.entries(ofRows).find(([, given]) => given !== undefined && given !== false)?.[0];
  if (raw && wrong) throw usage(`--raw prints one body as it was received, and ${longName(wrong)} is for rows`);
  return { shape, transpose, fill, aggregations: chosenAggregations(agg), checkpoint, headerUnits, dates };
}

/** Undefined: the default of the API, which is actual. Actuals exist by month only. */
function wantedVersions(flags: SeriesFlags, periodType: PeriodType, shape: SeriesShape): Version[] | undefined {
  if (flags.versions === undefined) {
    if (periodType !== 'month') return ['budget', 'forecast'];
    return shape === 'versions' ? [...versions] : undefined;
  }
  const wanted = versionsOf(flags.versions);
  if (periodType === 'month' || !wanted.includes('actual')) return wanted;
  throw usage(
    `--period-type must be month when versions contain actual, got ${periodType}`,
    `--derive ${periodType} derives ${periodType}s from the months`,
  );
}

/** `--last 8q` without a grain means quarters, whatever the versions. */
function derivedType({ derive, periodType, last }: SeriesFlags): DerivedType | undefined {
  const type = derive as DerivedType | undefined;
  if (type && periodType !== undefined && periodType !== 'month') {
    throw usage(`--derive ${type} derives ${type}s from months, and --period-type ${periodType} reads none`);
  }
  if (type || periodType !== undefined) return type;
  const unit = lastUnit(last);
  return unit === 'month' ? undefined : unit;
}

/** The months of the quarters or years that are counted; bounds may be months themselves. */
function monthsOf(flags: SeriesFlags, derive: DerivedType, newest: (type: PeriodType) => Period): Range {
  const counted = flags.last !== undefined || flags.ytd || flags.fy !== undefined || flags.fyStart !== undefined;
  const type = counted ? derive : 'month';
  const { from, to } = seriesRange(flags, type, newest(type), longName);
  return { from: from && firstWithin(from, 'month'), to: to && lastWithin(to, 'month') };
}

/**
 * The companies of `--companies FILE`, after those of `-c`, each once; undefined without a file. A line is an id or an
 * alias, with a comment after a comma, a tab or `#`.
 */
async function listedCompanies(ctx: Context, file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined) return undefined;
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`);
  const { value, origin } = ctx.settings.companies;
  const lines = text.split(/\r?\n/).flatMap((line, index) => {
    const word = line.replace(/[,\t#].*/s, '').trim();
    return word === '' ? [] : [{ word, number: index + 1 }];
  });
  const headed = lines[0] !== undefined && /^company(_?id)?$/i.test(lines[0].word);
  const found = lines
    .slice(headed ? 1 : 0)
    .map(({ word, number }) => ctx.companyOf(word, `--companies ${file}, line ${number}`));
  if (found.length === 0) throw usage(`--companies ${file} names no company`, 'write one id or alias on each line');
  return [...new Set([...(origin === 'flag' ? value : []), ...found])];
}

/** Refuses what the API would refuse, then metrics that no catalog has. What time it is comes with the first response. */
export async function settle(ctx: Context, { query, companies, request, timed }: SeriesPlan): Promise<void> {
  const client = await ctx.client();
  await client.describe(getMetricSeries, { query });
  const asked = companies.length > 0 ? companies : [undefined];
  if (request.metricIds) await requireMetrics(ctx, request.metricIds, asked);
  else if (timed) await readableCatalogs(ctx, asked.slice(0, 1));
}

/** @throws usage for options that the format cannot follow */
export function checkFormat(ctx: Context, { options: { headerUnits, dates } }: SeriesPlan): void {
  if (headerUnits || dates) refuseJson(ctx, headerUnits ? '--header-units' : '--dates');
}

/** Options that change columns are refused for formats without columns. */
function refuseJson(ctx: Context, flag: string): void {
  const { jq } = ctx.settings;
  const format = formatOf(ctx);
  if (jq === undefined && !isJsonFormat(format)) return;
  const other = jq === undefined ? `-o ${format}` : '--jq';
  throw usage(`${flag} changes columns, and ${other} has none`, 'use -o csv, tsv, table, md, xlsx or parquet');
}

/** The format that rows will take. @throws usage for one that they cannot take */
export function formatOf({ settings: { out, output }, runtime }: Context): Format {
  return chooseFormat(output.value, runtime.terminal.stdoutIsTTY, out !== undefined && out !== '-');
}
