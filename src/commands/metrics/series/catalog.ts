/** Columns, labels, units and currencies of a series, from the catalogs of its companies. */

import type { Context } from '../../../cli/context.ts';
import { formatOf } from '../../../cli/show.ts';
import type { MetricCatalogResponse } from '../../../contract/metrics.ts';
import { limiter } from '../../../core/concurrency.ts';
import { isSkippable } from '../../../core/errors.ts';
import { type Measured, measures } from '../../../domain/series/shapes.ts';
import { shownUnit } from '../../../domain/series/units.ts';
import { showsUnits } from '../../../output/formats/choose.ts';
import { severalCurrencies } from '../columns.ts';
import { catalogOf, type ForUnits, forUnits, readableCatalogs } from '../read.ts';
import type { MetricColumn } from './columns.ts';
import type { SeriesPlan } from './plan.ts';

export type Measures = ReadonlyMap<string, Measured>;

export interface SeriesMetrics extends Pick<ForUnits<unknown>, 'failure'> {
  /** In their order, with label and unit. */
  columns: MetricColumn[];
  /** The metrics that have a column. */
  ids: ReadonlySet<string>;
  catalogOf(companyId: string | undefined): MetricCatalogResponse | undefined;
  measuresOf(companyId: string | undefined): Measures;
}

/** The currencies of companies; undefined where all have the same. */
export type Currencies = ReadonlyMap<string, string>;

/** Called for one of several companies whose catalog cannot be read; without it the failure is thrown. */
type OnFailure = ((companyId: string, error: unknown) => void) | undefined;

const noMeasures: Measures = new Map();

/** The currencies of companies where they differ: amounts of one column are not comparable then, which a warning says. */
export async function mixedCurrencies(ctx: Context, companies: readonly string[]): Promise<Currencies | undefined> {
  if (companies.length < 2) return undefined;
  await readableCatalogs(ctx, companies);
  const currencies = new Map<string, string>();
  for (const companyId of companies) {
    const catalog = await catalogOf(ctx, companyId).catch(() => undefined);
    if (catalog) currencies.set(companyId, catalog.currency);
  }
  const codes = [...new Set(currencies.values())];
  if (codes.length < 2) return undefined;
  ctx.out.warn(severalCurrencies(codes));
  return currencies;
}

/** The metrics that are requested, else those of the catalogs. */
export async function seriesMetrics(ctx: Context, plan: SeriesPlan, onFailure: OnFailure): Promise<SeriesMetrics> {
  const { shape } = plan.options;
  const { metricIds } = plan.request;
  // Rows of single values hold their unit, unless they are computed from the catalog.
  const isLong = shape === 'long' && plan.stored;
  const { value: catalogs, failure }: ForUnits<Catalogs> = isLong
    ? { value: new Map() }
    : await readCatalogs(ctx, plan, onFailure);
  const measured = new Map([...catalogs].map(([companyId, catalog]) => [companyId, measures(catalog)]));
  const ids = new Set(metricIds ?? [...measured.values()].flatMap((metrics) => [...metrics.keys()]));
  return {
    columns: [...ids].map((id) => metricColumn(id, measured)),
    ids,
    catalogOf: (companyId) => catalogs.get(companyId),
    measuresOf: (companyId) => measured.get(companyId) ?? noMeasures,
    ...(failure && { failure }),
  };
}

type Catalogs = Map<string | undefined, MetricCatalogResponse>;

async function readCatalogs(ctx: Context, plan: SeriesPlan, onFailure: OnFailure): Promise<ForUnits<Catalogs>> {
  // Derived rows and other shapes are computed from the catalog.
  const isNeeded = !plan.stored || plan.options.shape !== 'wide';
  const read = () => catalogsByCompany(ctx, plan, onFailure);
  if (isNeeded) return { value: await read() };
  if (plan.request.metricIds === undefined) {
    const value = await read().catch((error) => {
      throw withoutCatalog(error);
    });
    return { value };
  }
  if (ctx.settings.jq !== undefined || !showsUnits(formatOf(ctx))) return { value: new Map() };
  return forUnits(new Map(), read);
}

/** A hint for users who may not read a catalog. */
function withoutCatalog(error: unknown): unknown {
  if (!isSkippable(error)) return error;
  const hint = 'the catalog names the columns: name them with -m METRIC,…, or use --shape long';
  return error.with({ hint: [error.hint, hint].filter(Boolean).join('; ') });
}

const mostRequests = 8;

/** In the order of the companies, whichever response came first. */
async function catalogsByCompany(ctx: Context, { companies }: SeriesPlan, onFailure: OnFailure): Promise<Catalogs> {
  const slot = limiter(mostRequests);
  const read = async (companyId: string | undefined): Promise<[string | undefined, MetricCatalogResponse][]> => {
    try {
      return [[companyId, await catalogOf(ctx, companyId)]];
    } catch (error) {
      if (companyId === undefined || onFailure === undefined) throw error;
      onFailure(companyId, error);
      return [];
    }
  };
  const all = companies.length > 0 ? companies : [undefined];
  return new Map((await Promise.all(all.map((companyId) => slot(() => read(companyId))))).flat());
}

/** With several companies a column may have several units, one for each. */
export function metricColumn(id: string, measured: ReadonlyMap<string | undefined, Measures>): MetricColumn {
  const [first, ...rest] = [...measured.values()].flatMap((metrics) => metrics.get(id) ?? []);
  if (!first) return { id };
  const unit = shownUnit(first);
  if (rest.every((other) => shownUnit(other) === unit)) return { id, label: first.label, unit };
  return {
    id,
    label: first.label,
    unit: (companyId) => shownUnit(measured.get(companyId)?.get(id)),
    inCurrency: [first, ...rest].every(
      (measure) => measure.currency != null && shownUnit(measure) === measure.currency,
    ),
  };
}
