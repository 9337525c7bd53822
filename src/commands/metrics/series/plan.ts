/** From the flags of `metrics series` to what is read and how rows are written. */

import { columnScope, type ScopeRules } from '../../../cli/column-scope.ts';
import type { Context } from '../../../cli/context.ts';
import { longName } from '../../../cli/define.ts';
import { hasRowFlags, openQuery, type RowFlags, refuseRawQuery, showChosen } from '../../../cli/query.ts';
import { formatOf, hasColumns } from '../../../cli/show.ts';
import { firstQuery, fullQuery, type SeriesRequest } from '../../../client/series.ts';
import { getMetricSeries } from '../../../contract/metric-operations.ts';
import { type Version, versions } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import type { Format } from '../../../core/output-formats.ts';
import type { Period, PeriodType } from '../../../core/periods.ts';
import { checkCondition } from '../../../domain/expression/check.ts';
import type { Column as Named, Scope } from '../../../domain/expression/typed.ts';
import { sortOrder } from '../../../domain/query/cells.ts';
import type { Aggregation, Fill, Order, SeriesScope, SeriesShape } from '../../../domain/series/plan.ts';
import { lastUnit, type Range, readRange, writtenRange } from '../../../domain/series/range.ts';
import type { Column } from '../../../output/column.ts';
import { alone, Batches } from '../../../output/write/rows.ts';
import { calcOf } from '../analysis/computing.ts';
import { pivotPeriod } from '../columns.ts';
import { computes, type SeriesFlags } from '../flags.ts';
import { chosenAggregations, metricIds, readableCatalogs, requireMetrics, versionsOf } from '../read.ts';
import { longColumns, transposedColumns, versionsColumns, wideColumns } from '../series-columns.ts';
import { nameOf } from '../several.ts';

/** The grains that are derived from months. */
type DerivedType = Exclude<PeriodType, 'month'>;

export interface SeriesPlan {
  request: SeriesRequest;
  /** With the range of all companies. */
  scope: SeriesScope;
  /** The ranges of companies whose fiscal years differ. */
  ranges: ReadonlyMap<string, Range> | undefined;
  /** Companies as UUIDs; none: the credential's own. */
  companies: readonly string[];
  /** Rows name their company: there are several, or a file that may name several. */
  several: boolean;
  /** The grain of the rows where they are derived from months. */
  derive: DerivedType | undefined;
  /** The versions of the rows, in their order. */
  versions: readonly Version[];
  options: SeriesOptions;
  /** The plan at another time, where the range depends on what time it is. */
  byClock: ((now: Date) => SeriesPlan) | undefined;
  /** Which rows are written; undefined: all of them. */
  selection: RowFlags | undefined;
  /** Every period of the range is wanted, whether it has data or not. */
  counted: boolean;
  /** Nothing is derived, filled or transposed. */
  stored: boolean;
}

/** What becomes of the rows. */
interface SeriesOptions {
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
  const { raw, limit } = ctx.settings;
  const { periodType = 'month', cursor } = given;
  const how = optionsOf(given, raw);
  const byDefault = versionsOfGrain(periodType, how.shape);
  const listed = given.companies === undefined ? undefined : await listedCompanies(ctx, given.companies);
  const companies = listed ?? ctx.settings.companies.value;
  const starts = fiscalStarts(ctx, given, companies);
  const [only] = starts.keys();
  const flags = only === undefined || starts.size > 1 ? given : { ...given, fyStart: only };
  const several = companies.length > 1 || listed !== undefined;
  const derive = derivedType(flags, raw);
  if (raw && several) throw usage('--raw sends one request, so it takes one --company');
  const options = { ...how, aggregations: chosenAggregations(flags.agg) };
  const ids = metricIds(flags.metrics);
  const wanted = flags.versions === undefined ? byDefault : versionsOf(flags.versions);
  if (periodType !== 'month' && wanted?.includes('actual')) {
    throw usage(
      `--period-type must be month when versions contain actual, got ${periodType}`,
      `--derive ${periodType} derives ${periodType}s from the months`,
    );
  }
  const timed = flags.last !== undefined || flags.ytd === true || options.fill !== 'none';
  const planAt = (now: Date): SeriesPlan => {
    const rangeOf = (words: SeriesFlags) => readRange(words, { periodType, derive }, now, longName);
    const ranges = starts.size > 1 ? rangesOf(starts, (fyStart) => rangeOf({ ...given, fyStart })) : undefined;
    const range = ranges ? spanOf([...ranges.values()]) : rangeOf(flags);
    // The parser takes only the words of the choices.
    const order = (flags.order as Order | undefined) ?? (isRead(ctx, cursor) ? 'asc' : undefined);
    const request: SeriesRequest = {
      periodType,
      versions: wanted,
      metricIds: ids,
      order,
      ...writtenRange(range),
      cursor,
      companies: companies.length > 0 ? companies : undefined,
      bounds: ranges && new Map([...ranges].map(([id, own]) => [id, writtenRange(own)])),
    };
    return {
      request,
      companies,
      several,
      derive,
      options,
      ranges,
      scope: { periodType, ...range, metricIds: ids, order: order ?? 'desc' },
      // A row of a period without data never changed.
      counted: flags.last !== undefined && (cursor ?? flags.changedSince ?? limit) === undefined,
      selection: hasRowFlags(flags) ? flags : undefined,
      stored: !derive && options.fill === 'none' && !options.transpose,
      byClock: timed ? planAt : undefined,
      versions: versions.filter((version) => (wanted ?? ['actual']).includes(version)),
    };
  };
  return planAt(ctx.now());
}

/** On a terminal the newest rows are the last: time has one direction. Under `--limit` they are the first everywhere. */
function isRead(ctx: Context, cursor: string | undefined): boolean {
  const { limit, raw, out, jq } = ctx.settings;
  const isCut = limit !== undefined || cursor !== undefined || raw;
  return (
    ctx.runtime.terminal.stdoutIsTTY && out === undefined && jq === undefined && !isCut && formatOf(ctx) === 'table'
  );
}

/** The companies by the month in which their fiscal years begin, where it matters; January is the default. */
function fiscalStarts({ settings }: Context, flags: SeriesFlags, companies: readonly string[]): Map<number, string[]> {
  const starts = new Map<number, string[]>();
  if (flags.fyStart !== undefined || (flags.fy === undefined && !flags.ytd)) return starts;
  for (const id of companies) {
    const start = settings.fiscalYearStart[id] ?? 1;
    starts.set(start, [...(starts.get(start) ?? []), id]);
  }
  return starts;
}

function rangesOf(starts: ReadonlyMap<number, string[]>, rangeOf: (start: number) => Range): Map<string, Range> {
  return new Map(
    [...starts].flatMap(([start, ids]) => {
      const range = rangeOf(start);
      return ids.map((id): [string, Range] => [id, range]);
    }),
  );
}

/** From the first period of any to the last of any; each has both. */
function spanOf(ranges: readonly Range[]): Range {
  const earlier = (a: Period | undefined, b: Period | undefined) => (a && b && b.index < a.index ? b : (a ?? b));
  const later = (a: Period | undefined, b: Period | undefined) => (a && b && b.index > a.index ? b : (a ?? b));
  return ranges.reduce((all, own) => ({ from: earlier(all.from, own.from), to: later(all.to, own.to) }));
}

function optionsOf(flags: SeriesFlags, raw: boolean): Omit<SeriesOptions, 'aggregations'> {
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
  return { shape, transpose, fill, checkpoint, headerUnits, dates };
}

/** `--last 8q` without a grain means quarters, whatever the versions. */
function derivedType({ derive, periodType, last, agg = [], cursor }: SeriesFlags, raw: boolean) {
  if (derive !== undefined && periodType !== undefined && periodType !== 'month') {
    throw usage(`--derive ${derive} derives ${derive}s from months, and --period-type ${periodType} reads none`);
  }
  const unit = periodType === undefined ? lastUnit(last) : undefined;
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

/** Undefined: the default of the API, which is actual. Actuals exist by month only. */
function versionsOfGrain(periodType: PeriodType, shape: SeriesShape): readonly Version[] | undefined {
  if (periodType !== 'month') return ['budget', 'forecast'];
  return shape === 'versions' ? versions : undefined;
}

/** The query of the one request of `--raw`. */
export const rawQuery = ({ request }: SeriesPlan) => fullQuery(request);

/**
 * Refuses what the format and the API would refuse, then metrics that no catalog has.
 * @returns the plan by the clock of the server, which comes with the first response
 */
export async function settle(ctx: Context, plan: SeriesPlan): Promise<SeriesPlan> {
  checkFormat(ctx, plan);
  const { companies, request, byClock } = plan;
  const client = await ctx.client();
  await client.describe(getMetricSeries, { query: firstQuery(request) });
  const asked = companies.length > 0 ? companies : [undefined];
  if (request.metricIds) await requireMetrics(ctx, request.metricIds, asked);
  else if (byClock) await readableCatalogs(ctx, asked.slice(0, 1));
  return byClock?.(ctx.now()) ?? plan;
}

/** Formats that rows can be appended to. */
const appendable: readonly Format[] = ['csv', 'tsv', 'ndjson', 'json', 'yaml', 'md'];

/** @throws usage for options that the format cannot follow */
export function checkFormat(ctx: Context, { options, request }: SeriesPlan): void {
  const { headerUnits, dates, checkpoint, transpose } = options;
  const { jq } = ctx.settings;
  if (!headerUnits && !dates && checkpoint === undefined) return;
  const format = formatOf(ctx);
  if ((headerUnits || dates) && !hasColumns(ctx)) {
    const [flag, other] = [headerUnits ? '--header-units' : '--dates', jq === undefined ? `-o ${format}` : '--jq'];
    throw usage(`${flag} changes columns, and ${other} has none`, 'use -o csv, tsv, table, md, xlsx or parquet');
  }
  if (checkpoint === undefined) return;
  const refuse = (why: string, hint: string) => {
    throw usage(`--checkpoint resumes an interrupted export, and ${why}`, hint);
  };
  if (jq !== undefined) refuse('--jq needs the complete result', 'export with -o json, then run jq on it');
  if (!appendable.includes(format)) refuse(`-o ${format} cannot be appended to`, `use -o ${appendable.join(', ')}`);
  if (transpose) refuse('--transpose needs the whole series before its first row', 'omit one of them');
  if (request.cursor !== undefined) refuse('--cursor sets another place to continue', 'omit one of them');
}

/**
 * The companies of `--companies FILE`, after those of `-c`, each once. A line is an id or an
 * alias, with a comment after a comma, a tab or `#`.
 */
async function listedCompanies(ctx: Context, file: string): Promise<string[]> {
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

const rules: ScopeRules = { periodKey: 'period', version: versions };

/** Before anything is read. @throws usage for flags that do not go together, and for names that no row has */
export async function checkAsked(ctx: Context, plan: SeriesPlan, flags: SeriesFlags): Promise<void> {
  refuseRawQuery(ctx, flags);
  const { shape, transpose, checkpoint } = plan.options;
  if (checkpoint !== undefined) {
    throw usage('--checkpoint resumes a complete export, and these flags choose rows of it', 'omit one of them');
  }
  if (flags.changedSince !== undefined && (transpose || (await computes(ctx, flags)))) {
    const why = transpose ? 'rows of --transpose' : 'computed rows';
    throw usage(`--changed-since needs rows that say when they changed, and ${why} do not`, 'omit one of them');
  }
  const ids = plan.request.metricIds;
  // Without -m the catalog names the columns.
  if (shape === 'wide' && !transpose && ids === undefined) return;
  const { shown = [] } = (await calcOf(ctx, flags)) ?? {};
  const options = {
    company: plan.several,
    currency: true,
    derived: plan.derive !== undefined,
    months: true,
    dates: true,
  };
  const scope = (() => {
    if (transpose) return scopeOf(ctx, transposedColumns([], options), true);
    if (shape === 'long') return scopeOf(ctx, longColumns(options));
    if (shape === 'versions') return scopeOf(ctx, versionsColumns(plan.versions, options));
    return scopeOf(
      ctx,
      wideColumns(
        [...(ids ?? []), ...shown].map((id) => ({ id })),
        options,
      ),
    );
  })() as Scope<unknown>;
  for (const text of flags.where ?? []) checkCondition(text, scope, '--where');
  if (flags.sort) sortOrder(flags.sort, scope);
}

function scopeOf<Row>(ctx: Context, columns: readonly Column<Row>[], periods = false): Scope<Row> {
  return columnScope(
    columns,
    ctx.now,
    rules,
    periods ? (pivotPeriod as (name: string) => Named<Row> | undefined) : undefined,
  );
}

/** Writes the rows that are chosen. */
export async function writeChosen<Row extends { periodKey?: string }>(
  ctx: Context,
  { selection: flags = {}, companies, request, options: { shape } }: SeriesPlan,
  { rows, columns }: { rows: AsyncIterable<Row>; columns: readonly Column<Row>[] },
): Promise<void> {
  const { metricIds, from, to, periodType, versions: wanted } = request;
  const chosen = [companies, metricIds, from, to, periodType, wanted, shape, flags.where];
  const question = await openQuery(ctx, {
    scope: scopeOf(ctx, columns),
    flags,
    command: ['metrics series', ...chosen],
  });
  const pages = rows instanceof Batches ? (rows as Batches<Row>).batches : alone(rows);
  await showChosen(ctx, { question, flags, pages }, columns, { name: nameOf, empty: 'No such rows.' });
}
