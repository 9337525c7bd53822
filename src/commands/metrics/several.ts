/** One analysis of each company that was named: read at once, told apart by name and currency. */

import type { Context } from '../../cli/context.ts';
import { type CompanyPart, eachCompany, type Several } from '../../cli/each-company.ts';
import type { Column } from '../../output/column.ts';
import type { Analysis, AnalysisOptions, AnalysisRequest } from './analysis/parts.ts';
import { companyColumns, currencyColumn, type Directions, type OfCompany, severalCurrencies } from './columns.ts';
import { catalogOf, describeAnalysis, grainOf, metricIds, readAnalysis, requireMetrics } from './read.ts';

/** The analysis of each company; its currency is said where they differ. */
export async function readAnalyses(
  ctx: Context,
  request: AnalysisRequest,
  options: AnalysisOptions,
  base: Read = readAnalysis,
): Promise<SeveralAnalyses> {
  const companies = ctx.settings.companies.value;
  const computes = await computations(ctx, request, base);
  const asked = computes.calc ? undefined : metricIds(request.metrics);
  if (companies.length > 1 && !computes.calc) {
    await describeAnalysis(ctx, request, options);
    // A metric needs to be in the catalog of one of them.
    if (asked) await requireMetrics(ctx, asked, companies);
  }
  const several = await eachCompany(ctx, async (company) => {
    if (company === undefined) return computes.read(ctx, request, options);
    const { definitions } = await catalogOf(ctx, company);
    const own = asked?.filter((id) => definitions.some(({ metricId }) => metricId === id));
    if (own?.length === 0) return undefined;
    return computes.read(ctx, { ...request, ...(own && { metrics: own }) }, { ...options, company });
  });
  const parts = several.parts.flatMap(({ who, value }) => (value ? [{ who, value }] : []));
  const mixed = mixedCurrencies(ctx, parts);
  if (!request.total) return { ...several, parts, mixed };
  const { withTotal } = await import('./analysis/total.ts');
  return { ...several, parts: await withTotal(ctx, parts), mixed };
}

export type Read = typeof readAnalysis;

/** How one company is read: with its amounts converted and computed metrics, where they are asked for. */
export async function computations(
  ctx: Context,
  request: AnalysisRequest,
  base: Read = readAnalysis,
): Promise<{ calc: boolean; read: Read }> {
  const converts = request.in !== undefined || request.rates !== undefined;
  const calculates = request.calc !== undefined || ctx.settings.definitions !== undefined;
  if (!converts && !calculates) return { calc: false, read: base };
  const { exchanged, exchangeOf, sayMeaning } = await import('./analysis/exchange.ts');
  const { calcOf, computed, needsOf } = await import('./analysis/computed.ts');
  const [exchange, calc] = [await exchangeOf(ctx, request), await calcOf(ctx, request)];
  let said = false;
  const read: Read = async (of, own, options) => {
    const known = calc && new Set((await catalogOf(of, options.company)).definitions.map(({ metricId }) => metricId));
    const needs = calc && known && needsOf(calc, known, grainOf(own));
    const { metrics: _, ...rest } = own;
    const wanted = needs ? { ...rest, ...(needs.metrics && { metrics: needs.metrics }) } : own;
    const found = await base(of, wanted, { ...options, back: (options.back ?? 0) + (needs?.back ?? 0) });
    if (exchange && !said && found.currency !== exchange.to) {
      said = true;
      sayMeaning(of, exchange, [found]);
    }
    const amounts = exchange ? await exchanged(of, found, exchange) : found;
    if (!calc || !needs) return amounts;
    const { ordered } = needs;
    return computed(of, amounts, { calc, ordered, partial: own.partial === true, back: options.back ?? 0 });
  };
  return { calc: calc !== undefined, read };
}

export interface SeveralAnalyses extends Several<Analysis> {
  /** Companies have several currencies. */
  mixed: boolean;
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

/** Says that values of one metric have several units. */
export function warnOfUnits(ctx: Context, rows: readonly { metric: string; unit?: string | undefined }[]): void {
  const units = new Map<string, Set<string>>();
  for (const { metric, unit } of rows)
    if (unit !== undefined) units.set(metric, (units.get(metric) ?? new Set()).add(unit));
  const mixed = [...units.values()].filter(({ size }) => size > 1).flatMap((found) => [...found]);
  if (mixed.length > 0)
    ctx.out.warn(
      `values of one metric are in several units (${[...new Set(mixed)].join(', ')}): the column unit says which`,
    );
}

/** The rows of every company, each with the name of its company; computed again each time they are read. */
export function rowsOfAll<Row extends object>(
  { parts, mixed }: SeveralAnalyses,
  of: (analysis: Analysis) => Iterable<Row>,
  atOnce = pageLength,
): Iterable<readonly (OfCompany & Row)[]> {
  function* rows(): Generator<OfCompany & Row> {
    for (const { who, value } of parts) {
      const currencies = new Map(value.metrics.map(({ id, currency }) => [id, currency]));
      for (const row of of(value)) {
        // Rows of several metrics have the currency of their company.
        const own = 'metricId' in row ? currencies.get(String(row.metricId)) : value.currency;
        const currency = mixed ? own : undefined;
        yield { ...who, ...row, ...(currency !== undefined && { currency }) };
      }
    }
  }
  return { [Symbol.iterator]: () => inPages(rows(), atOnce) };
}

/** Rows that are printed at once. */
const pageLength = 512;

function* inPages<Row>(rows: Iterable<Row>, atOnce: number): Generator<readonly Row[]> {
  let page: Row[] = [];
  for (const row of rows) {
    if (page.push(row) < atOnce) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The columns of a result, after those that tell companies apart. */
export function withCompanies<Row>(
  { parts, mixed }: SeveralAnalyses,
  columns: readonly Column<Row>[],
): Column<Row & OfCompany>[] {
  if (parts[0]?.who === undefined) return [...columns];
  if (!mixed) return [...companyColumns, ...columns];
  // Said once: on a terminal beside the metric, where a column has the unit.
  const hidden = columns.some(({ tellsUnit }) => tellsUnit) ? 'screen' : undefined;
  return [...companyColumns, ...columns, { ...currencyColumn, hidden }];
}
