/** The pipeline of the metrics commands: each company is read, its rows are computed, chosen and shown in one table. */

import type { Context } from '../../cli/context.ts';
import { eachCompany, namesCompany, type Several } from '../../cli/each-company.ts';
import {
  columnScope,
  hasRowFlags,
  openQuery,
  type RowFlags,
  type RowQuery,
  type ScopeRules,
  showChosen,
} from '../../cli/query.ts';
import { formatOf } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { getMetricSeries } from '../../contract/metric-operations.ts';
import { versions } from '../../contract/metrics.ts';
import { withoutCompanies } from '../../domain/analysis/total.ts';
import { evaluate } from '../../domain/expression/evaluate.ts';
import type { Column as Named } from '../../domain/expression/typed.ts';
import type { Column } from '../../output/column.ts';
import { companyColumns, currencyColumn, type MetricsById, type OfCompany, severalCurrencies } from './columns.ts';
import {
  type Analysis,
  type AnalysisOptions,
  type AnalysisReader,
  type AnalysisRequest,
  catalogOf,
  describeAnalysis,
  grainOf,
  metricIds,
  type Read,
  readAnalysis,
  requireMetrics,
  withoutValue,
} from './read.ts';

export interface Analyses extends Several<Analysis> {
  /** Companies have several currencies. */
  mixed: boolean;
  /** The companies whose catalogs have none of the metrics. */
  absent: readonly string[];
}

/** The types of columns in conditions. */
const rules: ScopeRules = {
  periodKey: 'period',
  from: 'period',
  to: 'period',
  version: versions,
  against: versions,
  verdict: ['good', 'bad', 'even', 'unknown'],
  kind: ['missing', 'null', 'stale', 'repeated', 'none'],
};

type TableFlags = RowFlags & { total?: boolean | undefined };

interface AnalysisTable<Row> {
  options: AnalysisOptions;
  /** All columns that rows may have: the names of conditions, checked before anything is read. */
  known: readonly Column<Row>[];
  /** Columns that are known when the rows are read. */
  more?: (name: string) => Named<Row & OfCompany> | undefined;
  rowsOf(analysis: Analysis): Iterable<Row>;
  columnsOf(analyses: Analyses): readonly Column<Row>[];
  /** Why a row says nothing; on a terminal the rows of a company or metric that all say the same are one line. */
  reasonOf?(row: Row): string | undefined;
  /** The note for no rows. */
  empty: string;
}

/** Reads an analysis of each company and shows the rows that flags choose. */
export async function showAnalyses<Row extends { metricId: string; note?: string | undefined }>(
  ctx: Context,
  flags: AnalysisRequest & TableFlags,
  { options, known, more, rowsOf, columnsOf, reasonOf, empty }: AnalysisTable<Row>,
): Promise<{ question: RowQuery<Row & OfCompany>; rows: readonly (Row & OfCompany)[]; verdict(): void }> {
  const question = await openAnalysisQuery(ctx, flags, known, more);
  const analyses = await readAnalyses(ctx, flags, options);
  const rows = companyRows(analyses, rowsOf);
  warnOfEmpty(ctx, analyses, rows);
  const folded = new Map(reasonOf && isScreen(ctx, flags) ? foldedRows(rows, reasonOf) : []);
  const pages = [rows.filter((row) => !folded.has(row))];
  const columns = columnsOf(analyses).map((column) => (isComputed(flags) ? { ...column, computed: true } : column));
  await showChosen(ctx, { question, flags, pages }, withCompanies(analyses, columns), {
    id: ({ metricId }) => metricId,
    name: nameOf,
    headings: true,
    empty: hasRowFlags(flags) ? 'No such rows.' : empty,
  });
  warnOfUntested(ctx, question, rows);
  const names = [...new Map([...folded.values()].map((each) => [each.company, each])).values()];
  if (names.length > 0) ctx.out.note(`Shown ${withoutCompanies(names)}: -o csv has all rows.`);
  return { question, rows, verdict: analyses.verdict };
}

/** Warns of rows that are left out because a condition tests what they do not have: no row is no good news then. */
function warnOfUntested<Row extends { note?: string | undefined }>(
  ctx: Context,
  { conditions }: RowQuery<Row & OfCompany>,
  rows: readonly (Row & OfCompany)[],
): void {
  const untested = rows.filter((row) => {
    // An unknown verdict is neither good nor bad.
    const tested = 'verdict' in row && row.verdict === 'unknown' ? { ...row, verdict: undefined } : row;
    const answers = conditions.map(({ root }) => evaluate(root, row) === true || evaluate(root, tested));
    return answers.includes(null) && !answers.includes(false);
  });
  if (untested.length === 0) return;
  const counts = new Map<string, number>();
  for (const { note } of untested) counts.set(note || 'no value', (counts.get(note || 'no value') ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) => `${reason} (${count})`);
  ctx.out.warn(
    `--where could not test ${untested.length} of ${amount(rows.length, 'row', 'rows')}: ${reasons.join(', ')}`,
  );
}

/** Whether a person reads a table of all rows. */
function isScreen(ctx: Context, flags: RowFlags): boolean {
  const { stdoutIsTTY } = ctx.runtime.terminal;
  return stdoutIsTTY && formatOf(ctx) === 'table' && ctx.settings.fields === undefined && !hasRowFlags(flags);
}

/** The rows, beside others, of companies and else of metrics that all say the same: by row the name and the reason. */
function foldedRows<Row extends OfCompany & { metricId: string }>(
  rows: readonly Row[],
  reasonOf: (row: Row) => string | undefined,
): Map<Row, { company: string; reason: string }> {
  const namesOf = ({ company, metricId }: Row) =>
    company === undefined ? [metricId] : [company, `${company} ${metricId}`];
  const reasons = new Map<string, (string | undefined)[]>();
  for (const row of rows) {
    for (const name of namesOf(row)) {
      const ofName = reasons.get(name) ?? [];
      ofName.push(reasonOf(row));
      reasons.set(name, ofName);
    }
  }
  const isSame = (name: string) => {
    const ofName = reasons.get(name) ?? [];
    return ofName.length > 1 && new Set(ofName).size === 1;
  };
  const folded = rows.flatMap((row) => {
    const [name, reason] = [namesOf(row).find(isSame), reasonOf(row)];
    return name === undefined || reason === undefined ? [] : [[row, { company: name, reason }] as const];
  });
  return new Map(folded.length < rows.length ? folded : []);
}

/** Whether values are converted, derived, computed or added up: they are not those of the API. */
const isComputed = (flags: AnalysisRequest): boolean =>
  grainOf(flags) !== 'month' || flags.total === true || (flags.in ?? flags.calc) !== undefined;

/** Checks conditions and order, before anything is read. */
export function openAnalysisQuery<Row>(
  ctx: Context,
  flags: TableFlags,
  columns: readonly Column<Row & OfCompany>[],
  more?: (name: string) => Named<Row & OfCompany> | undefined,
): Promise<RowQuery<Row & OfCompany>> {
  const several = ctx.settings.companies.value.length > 1 || flags.total === true || namesCompany(ctx, flags);
  const known = several ? [...companyColumns, ...columns, currencyColumn] : columns;
  return openQuery(ctx, { scope: columnScope(known, ctx, rules, more), flags, command: [] });
}

/** The name of a row in messages: its company, metric, period and version, as far as it has them. */
export function nameOf(row: OfCompany & { metricId?: string; periodKey?: string; version?: string }): string {
  return [row.company, row.metricId, row.periodKey, row.version].filter(Boolean).join(' ');
}

/** Reads the analysis of each company, converted and computed as flags say, and their total. */
export async function readAnalyses(
  ctx: Context,
  request: AnalysisRequest & RowFlags,
  options: AnalysisOptions,
  base: Read = readAnalysis,
): Promise<Analyses> {
  const companies = ctx.settings.companies.value;
  const { metrics: ids, read, finish } = await readerOf(ctx, request, base);
  const reads = { ...request, metrics: ids };
  if (companies.length > 1) {
    if (base === readAnalysis) await describeAnalysis(ctx, reads, options);
    // A metric needs to be in the catalog of one of them.
    if (ids) await requireMetrics(ctx, ids, companies);
  }
  const several = await eachCompany(ctx, request, async (company) => {
    if (company === undefined) return read(ctx, reads, options);
    if (!ids) return read(ctx, reads, { ...options, company });
    const { definitions } = await catalogOf(ctx, company);
    const metrics = ids.filter((id) => definitions.some(({ metricId }) => metricId === id));
    return metrics.length === 0 ? undefined : read(ctx, { ...request, metrics }, { ...options, company });
  });
  finish?.(several.parts);
  const parts = several.parts.flatMap(({ who, value }) => (value ? [{ who, value }] : []));
  const absent = several.parts.flatMap(({ who, value }) => (value || !who ? [] : [who.company]));
  const mixed = !options.apart && warnOfCurrencies(ctx, parts);
  const isEmpty = parts.every(({ value }) => value.metrics.every(({ note }) => note === withoutValue));
  const isOfActuals = base === readAnalysis && options.versions.includes('actual');
  if (isEmpty && isOfActuals && companies.length < 2) await noteNewest(ctx, ids);
  if (!request.total) return { ...several, parts, mixed, absent };
  const { withTotal } = await import('./computing.ts');
  return { ...several, parts: withTotal(ctx, parts, absent), mixed, absent };
}

/** Names the newest period with actuals, for a range that has none. */
async function noteNewest(ctx: Context, ids: readonly string[] | undefined): Promise<void> {
  const client = await ctx.client();
  const request = { periodType: 'month', order: 'desc', limit: 1 } as const;
  const query = { ...request, companyId: ctx.company(), metricIds: ids?.join(',') };
  const { items = [] } = await client.call(getMetricSeries, { query });
  const period = items[0]?.periodKey;
  const others = `This company has no actuals${ids ? ` of ${ids.join(', ')}` : ''}: name another one with -c.`;
  ctx.out.note(period === undefined ? others : `The newest values are of ${period}.`);
}

/** The reader of one company: with its amounts converted and computed metrics, where flags ask for them. */
async function readerOf(ctx: Context, request: AnalysisRequest, base: Read): Promise<AnalysisReader> {
  const { in: currency, rates, rateAt, calc, metrics } = request;
  if ((currency ?? rates ?? rateAt ?? calc ?? ctx.settings.definitions) === undefined) {
    return { metrics: metricIds(metrics), read: base };
  }
  return (await import('./computing.ts')).computingReader(ctx, request, base);
}

/** Whether companies have several currencies, which is said once where rows compare amounts. */
export function warnOfCurrencies(
  ctx: Context,
  parts: readonly { value: Pick<Analysis, 'metrics' | 'currency'> }[],
): boolean {
  const withAmounts = parts.filter(({ value }) => value.metrics.some(({ currency }) => currency !== undefined));
  const currencies = [...new Set(withAmounts.flatMap(({ value }) => value.currency ?? []))];
  if (currencies.length < 2) return false;
  ctx.out.warn(severalCurrencies(currencies));
  return true;
}

/** Warns of metrics that were requested by name and have no row. */
function warnOfEmpty(ctx: Context, { parts }: Analyses, rows: readonly (OfCompany & { metricId: string })[]): void {
  for (const { who, value } of parts) {
    const present = new Set(rows.flatMap(({ company, metricId }) => (company === who?.company ? [metricId] : [])));
    const ids = value.metrics.filter(({ id, note }) => note === withoutValue && !present.has(id)).map(({ id }) => id);
    if (ids.length === 0) continue;
    const company = who === undefined ? '' : `${who.company}: `;
    ctx.out.warn(`${company}${ids.join(', ')} ${ids.length === 1 ? 'has' : 'have'} ${withoutValue}`);
  }
}

/** The facts of each metric by its id. */
export function factsOf({ parts }: Pick<Analyses, 'parts'>): MetricsById {
  return new Map(parts.flatMap(({ value }) => value.metrics.map((metric) => [metric.id, metric] as const)));
}

/** The rows of every company, each with the name of its company. */
export function companyRows<Row extends object>(
  { parts, mixed }: Analyses,
  rowsOf: (analysis: Analysis) => Iterable<Row>,
): (OfCompany & Row)[] {
  return parts.flatMap(({ who, value }) => {
    const currencies = new Map(value.metrics.map(({ id, currency }) => [id, currency]));
    return Array.from(rowsOf(value), (row): OfCompany & Row => {
      // Rows of several metrics have the currency of their company.
      const currency = 'metricId' in row ? currencies.get(String(row.metricId)) : value.currency;
      return { ...who, ...row, ...(mixed && currency !== undefined && { currency }) };
    });
  });
}

/** The columns of a result, after those that tell companies apart. */
export function withCompanies<Row>(
  { parts, mixed }: Pick<Analyses, 'parts' | 'mixed'>,
  columns: readonly Column<Row>[],
): Column<Row & OfCompany>[] {
  if (parts[0]?.who === undefined) return [...columns];
  if (!mixed) return [...companyColumns, ...columns];
  // On a terminal the unit beside the metric says it.
  const hidden = columns.some(({ tellsUnit }) => tellsUnit) ? 'screen' : undefined;
  return [...companyColumns, ...columns, { ...currencyColumn, hidden }];
}
