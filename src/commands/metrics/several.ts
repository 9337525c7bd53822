/** One analysis of each company that was named: read at once, computed, chosen and shown in one table. */

import { columnScope, type ScopeRules } from '../../cli/column-scope.ts';
import type { Context } from '../../cli/context.ts';
import { type CompanyPart, eachCompany, type Several } from '../../cli/each-company.ts';
import { hasRowFlags, openQuery, type RowFlags, type RowQuery, showChosen } from '../../cli/query.ts';
import { versions } from '../../contract/metrics.ts';
import type { Column as Named } from '../../domain/expression/typed.ts';
import type { Column } from '../../output/column.ts';
import { companyColumns, currencyColumn, type Directions, type OfCompany, severalCurrencies } from './columns.ts';
import {
  type Analysis,
  type AnalysisOptions,
  type AnalysisRequest,
  catalogOf,
  describeAnalysis,
  grainOf,
  metricIds,
  readAnalysis,
  requireMetrics,
} from './read.ts';

export interface SeveralAnalyses extends Several<Analysis> {
  /** Companies have several currencies. */
  mixed: boolean;
}

export type Read = typeof readAnalysis;

/** What conditions know of columns of periods, versions and findings. */
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

interface Report<Row> {
  options: AnalysisOptions;
  /** All columns that rows may have: the names of conditions, checked before anything is read. */
  known: readonly Column<Row>[];
  /** Columns that are known when the rows are read. */
  more?: (name: string) => Named<Row & OfCompany> | undefined;
  rowsOf(analysis: Analysis): Iterable<Row>;
  columnsOf(analyses: SeveralAnalyses): readonly Column<Row>[];
  /** The note for no rows. */
  empty: string;
}

/** Reads an analysis of each company and shows the rows that flags choose. */
export async function showAnalyses<Row extends { metricId: string }>(
  ctx: Context,
  flags: AnalysisRequest & TableFlags,
  { options, known, more, rowsOf, columnsOf, empty }: Report<Row>,
): Promise<{ question: RowQuery<Row & OfCompany>; pages: readonly (Row & OfCompany)[][]; verdict(): void }> {
  const question = await askAnalysis(ctx, flags, known, more);
  const analyses = await readAnalyses(ctx, flags, options);
  const pages = [rowsOfAll(analyses, rowsOf)];
  await showAnalysis(ctx, { question, flags, pages, empty }, withCompanies(analyses, columnsOf(analyses)));
  return { question, pages, verdict: analyses.verdict };
}

/** Checks conditions and order, before anything is read. */
export function askAnalysis<Row>(
  ctx: Context,
  flags: TableFlags,
  columns: readonly Column<Row & OfCompany>[],
  more?: (name: string) => Named<Row & OfCompany> | undefined,
): Promise<RowQuery<Row & OfCompany>> {
  const several = ctx.settings.companies.value.length > 1 || flags.total === true;
  const known = several ? [...companyColumns, ...columns, currencyColumn] : columns;
  return openQuery(ctx, { scope: columnScope(known, ctx.now, rules, more), flags, command: [] });
}

interface Showing<Row> {
  question: RowQuery<Row>;
  flags: RowFlags;
  pages: readonly (readonly Row[])[];
  empty: string;
}

export async function showAnalysis<Row extends OfCompany & { metricId: string }>(
  ctx: Context,
  { question, flags, pages, empty }: Showing<Row>,
  columns: readonly Column<Row>[],
): Promise<void> {
  await showChosen(ctx, { question, flags, pages }, columns, {
    id: ({ metricId }) => metricId,
    name: nameOf,
    empty: hasRowFlags(flags) ? 'No such rows.' : empty,
  });
}

/** The name of a row in messages: its company, metric, period and version, as far as it has them. */
export function nameOf(row: OfCompany & { metricId?: string; periodKey?: string; version?: string }): string {
  return [row.company, row.metricId, row.periodKey, row.version].filter(Boolean).join(' ');
}

/** The analysis of each company; its currency is said where they differ. */
export async function readAnalyses(
  ctx: Context,
  request: AnalysisRequest,
  options: AnalysisOptions,
  base: Read = readAnalysis,
): Promise<SeveralAnalyses> {
  const companies = ctx.settings.companies.value;
  const { calculates, read } = await readerOf(ctx, request, base);
  const ids = calculates ? undefined : metricIds(request.metrics);
  if (companies.length > 1 && !calculates) {
    await describeAnalysis(ctx, request, options);
    // A metric needs to be in the catalog of one of them.
    if (ids) await requireMetrics(ctx, ids, companies);
  }
  const several = await eachCompany(ctx, async (company) => {
    if (company === undefined) return read(ctx, request, options);
    const { definitions } = await catalogOf(ctx, company);
    const metrics = ids?.filter((id) => definitions.some(({ metricId }) => metricId === id));
    if (metrics?.length === 0) return undefined;
    return read(ctx, { ...request, ...(metrics && { metrics }) }, { ...options, company });
  });
  const parts = several.parts.flatMap(({ who, value }) => (value ? [{ who, value }] : []));
  const mixed = mixedCurrencies(ctx, parts);
  if (!request.total) return { ...several, parts, mixed };
  const { withTotal } = await import('./analysis/computing.ts');
  return { ...several, parts: withTotal(ctx, parts), mixed };
}

/** The reader of one company: with its amounts converted and computed metrics, where flags ask for them. */
export async function readerOf(
  ctx: Context,
  request: AnalysisRequest,
  base: Read = readAnalysis,
): Promise<{ calculates: boolean; read: Read }> {
  const converts = request.in !== undefined || request.rates !== undefined;
  if (!converts && request.calc === undefined && ctx.settings.definitions === undefined) {
    return { calculates: false, read: base };
  }
  const { calcOf, computed, exchanged, exchangeOf, needsOf, noteRates } = await import('./analysis/computing.ts');
  const [exchange, calc] = [await exchangeOf(ctx, request), await calcOf(ctx, request)];
  let noted = false;
  const read: Read = async (of, words, options) => {
    const known = calc && new Set((await catalogOf(of, options.company)).definitions.map(({ metricId }) => metricId));
    const needs = calc && known && needsOf(calc, known, grainOf(words));
    const { metrics: _, ...rest } = words;
    const wanted = needs ? { ...rest, ...(needs.metrics && { metrics: needs.metrics }) } : words;
    const stored = await base(of, wanted, { ...options, back: (options.back ?? 0) + (needs?.back ?? 0) });
    if (exchange && !noted && stored.currency !== exchange.to) {
      noted = true;
      noteRates(of, exchange, stored);
    }
    const analysis = exchange ? exchanged(stored, exchange) : stored;
    if (!calc || !needs) return analysis;
    const { ordered } = needs;
    return computed(analysis, { calc, ordered, partial: words.partial === true, back: options.back ?? 0 });
  };
  return { calculates: calc !== undefined, read };
}

function mixedCurrencies(ctx: Context, parts: readonly CompanyPart<Analysis>[]): boolean {
  const used = parts.filter(({ value }) => value.metrics.some(({ currency }) => currency !== undefined));
  const all = [...new Set(used.flatMap(({ value }) => value.currency ?? []))];
  if (all.length < 2) return false;
  ctx.out.warn(severalCurrencies(all));
  return true;
}

/** By metric, whether more is better. */
export function directionsOf({ parts }: SeveralAnalyses): Directions {
  return new Map(parts.flatMap(({ value }) => value.metrics.map(({ id, direction }) => [id, direction] as const)));
}

/** Warns that values of one metric have several units. */
export function warnOfUnits(ctx: Context, rows: readonly { metric: string; unit?: string | undefined }[]): void {
  const units = new Map<string, Set<string>>();
  for (const { metric, unit } of rows)
    if (unit !== undefined) units.set(metric, (units.get(metric) ?? new Set()).add(unit));
  const mixed = [...units.values()].filter(({ size }) => size > 1).flatMap((ofMetric) => [...ofMetric]);
  if (mixed.length > 0)
    ctx.out.warn(
      `values of one metric are in several units (${[...new Set(mixed)].join(', ')}): the column unit says which`,
    );
}

/** The rows of every company, each with the name of its company. */
export function rowsOfAll<Row extends object>(
  { parts, mixed }: SeveralAnalyses,
  rowsOf: (analysis: Analysis) => Iterable<Row>,
): (OfCompany & Row)[] {
  return parts.flatMap(({ who, value }) => {
    const currencies = new Map(value.metrics.map(({ id, currency }) => [id, currency]));
    return Array.from(rowsOf(value), (row): OfCompany & Row => {
      // Rows of several metrics have the currency of their company.
      const ofRow = 'metricId' in row ? currencies.get(String(row.metricId)) : value.currency;
      const currency = mixed ? ofRow : undefined;
      return { ...who, ...row, ...(currency !== undefined && { currency }) };
    });
  });
}

/** The columns of a result, after those that tell companies apart. */
export function withCompanies<Row>(
  { parts, mixed }: Pick<SeveralAnalyses, 'parts' | 'mixed'>,
  columns: readonly Column<Row>[],
): Column<Row & OfCompany>[] {
  if (parts[0]?.who === undefined) return [...columns];
  if (!mixed) return [...companyColumns, ...columns];
  // Said once: on a terminal beside the metric, where a column has the unit.
  const hidden = columns.some(({ tellsUnit }) => tellsUnit) ? 'screen' : undefined;
  return [...companyColumns, ...columns, { ...currencyColumn, hidden }];
}
