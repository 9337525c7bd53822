/** The rows of `metrics series`: stored ones as they stream by, all others as an analysis that is held. */

import type { Context } from '../../cli/context.ts';
import { type CompanyFailures, companyFailures, companyNames } from '../../cli/each-company.ts';
import { columnScope, openQuery, showChosen } from '../../cli/query.ts';
import { hasColumns } from '../../cli/show.ts';
import { observationPages, type SeriesPage, type SeriesRequest, seriesPages } from '../../client/series.ts';
import type { MetricObservation, MetricSeriesItem } from '../../contract/metrics.ts';
import { Failure, isSkippable, listSome } from '../../core/errors.ts';
import { mergeRows } from '../../core/json.ts';
import { formatPeriod, periodAt, periodHolding, periodRange, periodSpans } from '../../core/periods.ts';
import { fillRows } from '../../domain/series/fill.ts';
import {
  type Marked,
  markRunning,
  observations,
  type SeriesItem,
  type ValueUnit,
  withNote,
} from '../../domain/series/shapes.ts';
import { moneyUnit } from '../../domain/series/units.ts';
import type { Column } from '../../output/column.ts';
import { Batches } from '../../output/write/rows.ts';
import { nameOf, readAnalyses, warnOfCurrencies } from './analyses.ts';
import {
  type CompanyFields,
  longColumns,
  type Metric,
  type MetricsOfCompany,
  metricColumns,
  type SeriesColumns,
  wideColumns,
} from './columns.ts';
import type { SeriesFlags } from './flags.ts';
import { type Analysis, catalogOf, conflictWarning, metricsOf, readableCatalogs } from './read.ts';
import { prepareRead, rules, type SeriesPlan, seriesPlan } from './series-plan.ts';

/** Whether a period without data is a row too. */
export function hasEveryPeriod(ctx: Context, { counted, shape }: SeriesPlan): boolean {
  return counted && shape !== 'long' && hasColumns(ctx);
}

/** Writes the rows, or those that flags choose. */
async function writeRows<Row extends { periodKey?: string }>(
  ctx: Context,
  { selection, companies, request, shape }: SeriesPlan,
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly Column<Row>[],
): Promise<void> {
  if (!selection) return ctx.out.rows(new Batches(batches), columns);
  const { metricIds, from, to, periodType, versions } = request;
  const chosen = [companies, metricIds, from, to, periodType, versions, shape, selection.where];
  const scope = columnScope(columns, ctx, rules);
  const question = await openQuery(ctx, { scope, flags: selection, command: ['metrics series', ...chosen] });
  await showChosen(ctx, { question, flags: selection, pages: batches }, columns, {
    name: nameOf,
    empty: 'No such rows.',
  });
}

/** Writes rows that are derived, filled, counted or, with `isComputed`, converted, computed or added up. */
export async function writeHeldSeries(
  ctx: Context,
  flags: SeriesFlags,
  { derive, versions, isComputed }: SeriesPlan,
): Promise<void> {
  const { derive: _derive, periodType, versions: _versions, shape: _shape, ...rest } = flags;
  const grain = derive ?? periodType;
  const request = { ...rest, ...(grain !== undefined && { periodType: grain }) };
  const { parts, mixed, verdict } = await readAnalyses(ctx, request, {
    versions,
    isDerived: derive !== undefined,
    isSeries: true,
  });
  // The range follows the clock of the server, which is known now.
  const plan = seriesPlan(ctx, flags, isComputed);
  const { shape } = plan;
  const missing = hasEveryPeriod(ctx, plan) ? undefined : missingPeriods(ctx, plan);
  const held = parts.map(({ who, value }) => {
    const rows = heldRows(ctx, plan, value);
    missing?.add(who?.companyId, rows);
    const currency = mixed && value.currency !== undefined ? { currency: value.currency } : {};
    return { rows, metrics: value.metrics, fields: { ...who }, currency };
  });
  const companies = parts.map(({ who, value }) => ({ companyId: who?.companyId, metrics: value.metrics }));
  const known = new Set(companies.flatMap(({ metrics }) => metrics.map(({ id }) => id)));
  const ids = new Set([...(plan.request.metricIds ?? []).filter((id) => known.has(id)), ...known]);
  const choices: SeriesColumns = {
    company: plan.several,
    derived: derive !== undefined,
    currency: mixed,
    months: derive === undefined && held.some(({ rows }) => rows.some(({ months }) => months !== undefined)),
    notes: held.some(({ rows }) => rows.some(({ notes }) => notes)) || parts.some(({ value }) => value.members),
  };
  const isStored = !isComputed && derive === undefined;
  const computed = <Row>(column: Column<Row>) => ({
    ...column,
    computed: !isStored,
    // Tables round what was converted, computed or derived.
    ...(!isStored && column.type === 'number' && { digits: 2 }),
  });
  if (shape === 'long') {
    const rows = held.map(({ rows, metrics, fields }) => {
      const units = unitsOf(metrics);
      return rows.flatMap((row) => Array.from(observations(row, ids, units), (each) => mergeRows(fields, each)));
    });
    await writeRows(ctx, plan, batchesOf(rows), longColumns(choices).map(computed));
  } else {
    const rows = held.map(({ rows, fields, currency }) =>
      rows.map((row) => mergeRows(fields, withNote(row), currency)),
    );
    const columns = wideColumns(metricColumns(ids, companies), choices);
    await writeRows(ctx, plan, batchesOf(rows), columns.map(computed));
  }
  missing?.note();
  verdict();
}

/** Signals are heard between batches. */
const batchSize = 32;

async function* batchesOf<Row>(parts: readonly (readonly Row[])[]): AsyncGenerator<readonly Row[]> {
  const rows = parts.flat();
  for (let at = 0; at < rows.length; at += batchSize) yield rows.slice(at, at + batchSize);
}

/** The rows of one company in the order of the plan, filled, with the companies that a total leaves out. */
function heldRows(ctx: Context, plan: SeriesPlan, analysis: Analysis): SeriesItem[] {
  const { type, range, metrics, items } = analysis;
  const ids = metrics.map(({ id }) => id);
  const known = new Set(ids);
  const everyPeriod = hasEveryPeriod(ctx, plan);
  const rows = items.flatMap(({ incomplete, monthly: _, notes: reasons, ...item }): SeriesItem[] => {
    // Metrics that were only read to compute others are left out.
    const values = Object.entries(item.metrics).filter(([id]) => known.has(id));
    const notes = ids.flatMap((id) => (reasons?.[id] === undefined ? [] : [[id, reasons[id]] as const]));
    if (values.length === 0 && !(everyPeriod && notes.length > 0)) return [];
    return [
      {
        ...item,
        metrics: Object.fromEntries(values),
        ...(type !== 'month' && incomplete && { incomplete }),
        ...(notes.length > 0 && { notes: Object.fromEntries(notes) }),
      },
    ];
  });
  const fill = plan.fill === 'none' && everyPeriod ? 'rows' : plan.fill;
  const isEmpty = rows.length === 0 && fill === 'rows' && ctx.settings.failEmpty;
  const { versions, derive, request } = plan;
  const rules = { ids, versions, ...range, newest: periodAt(ctx.now(), type), derived: derive !== undefined };
  const filled = fill === 'none' || isEmpty ? rows : fillRows(rows, { fill, ...rules });
  if (request.order === 'asc') return filled;
  // Within a period the order of the versions stays.
  return filled.toSorted((a, b) => (a.periodKey === b.periodKey ? 0 : a.periodKey < b.periodKey ? 1 : -1));
}

/** The units of single values, as the API writes them. */
function unitsOf(metrics: readonly Metric[]): Map<string, ValueUnit> {
  return new Map(
    metrics.map(({ id, word, unit = null, currency = null }) => {
      const computed = currency === null ? unit : moneyUnit;
      return [id, { unit: word === undefined ? computed : word, currency }];
    }),
  );
}

/** Writes stored rows as they stream by. When one of several companies fails, the rows of the others are written first. */
export async function writeStoredSeries(ctx: Context, flags: SeriesFlags, planned: SeriesPlan): Promise<void> {
  await prepareRead(ctx, planned, flags.last !== undefined);
  const plan = seriesPlan(ctx, flags, false);
  const failures = plan.companies.length > 1 ? companyFailures(ctx, plan.companies) : undefined;
  const ended = await writeStored(ctx, plan, failures).catch((error: unknown) => ({ error }));
  const failure = failures?.verdict() ?? ended?.error;
  if (failure !== undefined) throw failure;
}

async function writeStored(ctx: Context, plan: SeriesPlan, failures: CompanyFailures | undefined): Promise<void> {
  const { several, companies, request, selection, shape } = plan;
  const names = several ? await companyNames(ctx, companies) : undefined;
  const { known, currencies } = await readMetrics(ctx, plan, failures);
  const client = await ctx.client();
  const query: SeriesRequest = {
    ...request,
    pageSize: ctx.settings.pageSize,
    // `--limit` is of the rows that are chosen.
    limit: selection ? undefined : ctx.settings.limit,
    // A company whose catalog could not be read is left out.
    ...(failures && { companies: companies.filter((companyId) => !failures.has(companyId)) }),
  };
  const reading = { onFailure: failures?.add, onConflict: conflictWarning(ctx) };
  const named = new Set(request.metricIds ?? known.flatMap(({ metrics }) => metrics.map(({ id }) => id)));
  const choices = { company: several, currency: currencies !== undefined };
  const isWide = shape === 'wide';
  const write = async <Row extends PeriodRow>(
    pages: AsyncIterable<SeriesPage<Row>>,
    columnsOf: (ids: ReadonlySet<string>, months: boolean) => readonly Column<Row & CompanyFields>[],
  ) => {
    const first = await readFirstPage(ctx, plan, pages);
    const ids = isWide && hasColumns(ctx) ? new Set([...named, ...first.ids]) : undefined;
    async function* batches(): AsyncGenerator<readonly (Row & CompanyFields)[]> {
      for await (const { companyId, rows } of checkedPages(ctx, plan, first, ids)) {
        const currency = isWide && companyId !== undefined ? currencies?.get(companyId) : undefined;
        const fields = names && companyId !== undefined && { company: names.get(companyId) ?? companyId, companyId };
        yield fields ? rows.map((row) => mergeRows(fields, row, currency === undefined ? {} : { currency })) : rows;
      }
      // Nothing is written if no company could be read.
      const verdict = failures?.verdict();
      if (verdict && verdict.kind !== 'partial') throw verdict;
    }
    await writeRows(ctx, plan, batches(), columnsOf(ids ?? named, first.months));
  };
  if (!isWide) {
    return write<MetricObservation>(observationPages(client, query, reading), (_, months) =>
      longColumns({ ...choices, months }),
    );
  }
  await write<MetricSeriesItem>(seriesPages(client, query, reading), (ids, months) =>
    wideColumns(metricColumns(ids, known), { ...choices, months }),
  );
}

/** The metrics of catalogs, which name columns, units and the currencies of companies. Named ones do without. */
async function readMetrics(
  ctx: Context,
  { companies, request: { metricIds }, shape }: SeriesPlan,
  failures: CompanyFailures | undefined,
) {
  if (shape === 'long' && companies.length < 2) return { known: [], currencies: undefined };
  const all = companies.length > 0 ? companies : [undefined];
  await readableCatalogs(ctx, all);
  const known: (MetricsOfCompany & { value: { metrics: Metric[]; currency: string } })[] = [];
  for (const companyId of all) {
    try {
      const catalog = await catalogOf(ctx, companyId);
      const metrics = metricsOf(metricIds ?? catalog.definitions.map(({ metricId }) => metricId), catalog);
      known.push({ companyId, metrics, value: { metrics, currency: catalog.currency } });
    } catch (error) {
      const isNamed = shape === 'long' || metricIds !== undefined;
      if (isNamed && isSkippable(error)) continue;
      if (companyId === undefined || !failures) throw error;
      failures.add(companyId, error);
    }
  }
  const isMixed = known.length > 1 && warnOfCurrencies(ctx, known);
  const currencies = known.map(({ companyId = '', value }) => [companyId, value.currency] as const);
  return { known, currencies: isMixed ? new Map(currencies) : undefined };
}

/** An observation, or the values of a period. */
interface PeriodRow {
  periodKey: string;
  version: string;
  metricId?: string;
  metrics?: object;
}

interface FirstPage<Row> {
  ids: string[];
  /** Whether rows have a column for the months of a period that has not ended. */
  months: boolean;
  pages: AsyncIterable<SeriesPage<Row & Marked>>;
}

/** The pages, and the metrics and months of the first: columns are fixed before the first row. */
async function readFirstPage<Row extends PeriodRow>(
  ctx: Context,
  { request: { periodType }, range: { to }, versions }: SeriesPlan,
  read: AsyncIterable<SeriesPage<Row>>,
): Promise<FirstPage<Row>> {
  const mayRun = periodType === 'month' && versions.includes('actual');
  const pages = (mayRun ? markedPages(ctx, read) : read)[Symbol.asyncIterator]();
  const months = mayRun && to !== undefined && to.index >= periodAt(ctx.now(), 'month').index;
  if (!hasColumns(ctx)) return { ids: [], months, pages: continuedPages([], pages) };
  // The newest period of a response comes alone, since the next response may hold more of it.
  const isOpen = mayRun && to === undefined && ctx.settings.limit === undefined;
  const first = [await pages.next(), ...(isOpen ? [await pages.next()] : [])];
  const rows = first.flatMap((page): readonly (Row & Marked)[] => (page.done ? [] : page.value.rows));
  return {
    ids: rows.flatMap(({ metrics }) => Object.keys(metrics ?? {})),
    months: months || (mayRun && to === undefined && rows.some(isRunning)),
    pages: continuedPages(first, pages),
  };
}

async function* continuedPages<Page>(
  first: readonly IteratorResult<Page>[],
  iterator: AsyncIterator<Page>,
): AsyncGenerator<Page> {
  try {
    for (const page of first) if (!page.done) yield page.value;
    for (let page = await iterator.next(); !page.done; page = await iterator.next()) yield page.value;
  } finally {
    await iterator.return?.();
  }
}

const isRunning = (row: Marked) => row.months !== undefined;

async function* markedPages<Row extends PeriodRow>(
  ctx: Context,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row & Marked>> {
  // The time comes with the first response.
  for await (const { companyId, rows } of pages) {
    yield { companyId, rows: markRunning(rows, formatPeriod(periodAt(ctx.now(), 'month'))) };
  }
}

/** The pages, with notes of missing and running periods. @throws rejected for a metric without a column in `ids` */
async function* checkedPages<Row extends PeriodRow>(
  ctx: Context,
  plan: SeriesPlan,
  { pages, months: isMarked }: FirstPage<Row>,
  ids: ReadonlySet<string> | undefined,
): AsyncGenerator<SeriesPage<Row & Marked>> {
  const missing = missingPeriods(ctx, plan);
  let isNoted = isMarked || !hasColumns(ctx);
  for await (const page of pages) {
    if (ids) for (const row of page.rows) requireColumns(row, ids);
    const running = isNoted ? undefined : page.rows.find(isRunning);
    if (running) ctx.out.note(`${running.periodKey} has not ended: its actuals are of part of it.`);
    isNoted ||= running !== undefined;
    missing?.add(page.companyId, page.rows);
    yield page;
  }
  missing?.note();
}

function requireColumns({ metrics = {}, periodKey, version }: PeriodRow, ids: ReadonlySet<string>): void {
  const other = Object.keys(metrics).find((id) => !ids.has(id));
  if (other === undefined) return;
  const says = `the ${version} row of ${periodKey} holds the metric "${other}", which has no column`;
  throw new Failure('rejected', says, {
    code: 'unexpected_metric',
    hint: 'columns are fixed before the first row: use --shape long or -o json',
  });
}

const maxNames = 12;

/** Notes the periods without data, by company; undefined where they do not count. */
function missingPeriods(ctx: Context, { derive, counted, several, range: { from, to } }: SeriesPlan) {
  if (!counted || !from || !to) return undefined;
  const type = derive ?? from.type;
  const [first, last] = [periodHolding(from, type), periodHolding(to, type)];
  const keys = first && last ? [...periodRange(first, last)].map(formatPeriod) : [];
  const missing = new Map<string | undefined, Set<string>>();
  return {
    add(companyId: string | undefined, rows: readonly PeriodRow[]) {
      const ofCompany = missing.get(companyId) ?? new Set(keys);
      missing.set(companyId, ofCompany);
      for (const { periodKey } of rows) ofCompany.delete(periodKey);
    },
    note() {
      for (const [companyId, periods] of missing) {
        const whose = several && companyId !== undefined ? ` of ${ctx.companyName(companyId) ?? companyId}` : '';
        if (periods.size > 0) {
          ctx.out.note(`No data${whose} in ${listSome(periodSpans([...periods]), maxNames)}.`);
        }
      }
    },
  };
}
