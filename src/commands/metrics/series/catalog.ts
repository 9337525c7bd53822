/** What the catalogs of the companies say about a series: the columns of its wide rows, labels and units. */

import type { Context } from '../../../cli/context.ts';
import { formatOf, hasColumns } from '../../../cli/show.ts';
import type { SeriesPage } from '../../../client/series-pages.ts';
import type { MetricCatalogResponse, MetricSeriesItem } from '../../../contract/metrics.ts';
import { continued, limiter } from '../../../core/concurrency.ts';
import { Failure, isSkippable } from '../../../core/errors.ts';
import { type Measured, measures } from '../../../domain/series/shapes.ts';
import { shownUnit } from '../../../domain/series/units.ts';
import { showsUnits } from '../../../output/formats/choose.ts';
import { severalCurrencies } from '../columns.ts';
import { catalogOf, forUnits, readableCatalogs } from '../read.ts';
import type { MetricColumn, Names } from '../series-columns.ts';
import type { SeriesPlan } from './plan.ts';

interface Catalogs {
  of(companyId: string | undefined): MetricCatalogResponse | undefined;
  measured(companyId: string | undefined): ReadonlyMap<string, Measured>;
  /** In the order of the companies. */
  all(): { measured: ReadonlyMap<string, Measured> }[];
}

export interface SeriesMetrics {
  /** In their order, with label and unit. */
  columns: MetricColumn[];
  /** The metrics that have a column. */
  ids: ReadonlySet<string>;
  catalogs: Catalogs;
}

/** By company, its currency; undefined where all have the same. */
export type Currencies = ReadonlyMap<string, string>;

const noCatalogs: Catalogs = { of: () => undefined, measured: () => new Map(), all: () => [] };

const noMetrics: SeriesMetrics = { columns: [], ids: new Set(), catalogs: noCatalogs };

/** What is known of a series before its first row. */
interface SeriesFacts {
  /** Where companies have several. */
  currencies: Currencies | undefined;
  /** What rows call their company; undefined: they name none. */
  names: Names | undefined;
  columns: SeriesColumns;
}

/** @param onFailure called for one of several companies whose catalog cannot be read; default: the failure is thrown */
export async function seriesFacts(
  ctx: Context,
  plan: SeriesPlan,
  onFailure?: (companyId: string, error: unknown) => void,
): Promise<SeriesFacts> {
  const { companies, several, stored } = plan;
  const { shape, transpose, checkpoint } = plan.options;
  const fixed = shape === 'wide' && !transpose && hasColumns(ctx);
  const [currencies, names] = several
    ? await Promise.all([
        mixedCurrencies(ctx, companies),
        import('../../../cli/company-names.ts').then(({ companyNames }) => companyNames(ctx, companies)),
      ])
    : [];
  // Long rows say themselves what their values are.
  const known = shape === 'long' && stored ? noMetrics : await seriesMetrics(ctx, plan, onFailure);
  // A resumed export has the columns of its first run.
  const columns = fixed ? fixedColumns(known, checkpoint !== undefined) : openColumns(known);
  return { currencies, names, columns };
}

/**
 * The currencies of several companies where they differ, which is said once: amounts of one column are not comparable
 * then. A catalog that cannot be read is left to the series.
 */
async function mixedCurrencies(ctx: Context, companies: readonly string[]): Promise<Currencies | undefined> {
  if (companies.length < 2) return undefined;
  await readableCatalogs(ctx, companies);
  const found = new Map<string, string>();
  for (const companyId of companies) {
    const catalog = await catalogOf(ctx, companyId).catch(() => undefined);
    if (catalog) found.set(companyId, catalog.currency);
  }
  const all = [...new Set(found.values())];
  if (all.length < 2) return undefined;
  ctx.out.warn(severalCurrencies(all));
  return found;
}

/**
 * The metrics of a series, fixed before its first row: those asked for, else those of the catalogs.
 * @param onFailure called for one of several companies whose catalog cannot be read; default: the failure is thrown
 */
async function seriesMetrics(
  ctx: Context,
  plan: SeriesPlan,
  onFailure?: (companyId: string, error: unknown) => void,
): Promise<SeriesMetrics> {
  const { shape, headerUnits: headed } = plan.options;
  // Rows or headers are computed from the catalog.
  const needed = !plan.stored || shape !== 'wide' || headed;
  const asked = plan.request.metricIds;
  const catalogs =
    asked === undefined
      ? await readCatalogs(ctx, plan, onFailure).catch((error) => {
          throw needed ? error : withoutCatalog(error);
        })
      : needed
        ? await readCatalogs(ctx, plan, onFailure)
        : await catalogsForDisplay(ctx, plan, onFailure);
  const ids = asked ?? catalogs.all().flatMap(({ measured }) => [...measured.keys()]);
  const columns = [...new Set(ids)].map((id) => ({ ...columnOf(id, catalogs), ...(headed && { headed }) }));
  const mixed = columns.filter((column) => column.headed && typeof column.unit === 'function').map(({ id }) => id);
  if (mixed.length > 0) {
    ctx.out.note(
      `No unit in the header of ${mixed.join(', ')}: it differs by company. -o table and --shape long show it.`,
    );
  }
  return { columns, ids: new Set(ids), catalogs };
}

const mostRequests = 8;

/** A hint for users who may not read a catalog. */
function withoutCatalog(error: unknown): unknown {
  if (!isSkippable(error)) return error;
  const way = 'the catalog names the columns: name them with -m METRIC,…, or use --shape long';
  return error.with({ hint: [error.hint, way].filter(Boolean).join('; ') });
}

/** Labels and units, where they are shown. */
async function catalogsForDisplay(
  ctx: Context,
  plan: SeriesPlan,
  onFailure?: (companyId: string, error: unknown) => void,
): Promise<Catalogs> {
  if (ctx.settings.jq !== undefined || !showsUnits(formatOf(ctx))) return noCatalogs;
  return forUnits(ctx, 'units are', noCatalogs, () => readCatalogs(ctx, plan, onFailure));
}

async function readCatalogs(
  ctx: Context,
  { companies }: SeriesPlan,
  onFailure?: (companyId: string, error: unknown) => void,
): Promise<Catalogs> {
  const found = new Map<string | undefined, MetricCatalogResponse>();
  const slot = limiter(mostRequests);
  const asked = companies.length > 0 ? companies : [undefined];
  const read = async (companyId: string | undefined) => {
    try {
      found.set(companyId, await catalogOf(ctx, companyId));
    } catch (error) {
      if (companyId === undefined || onFailure === undefined) throw error;
      onFailure(companyId, error);
    }
  };
  await Promise.all(asked.map((companyId) => slot(() => read(companyId))));
  const measured = new Map([...found].map(([companyId, catalog]) => [companyId, measures(catalog)]));
  const none: ReadonlyMap<string, Measured> = new Map();
  const measuredOf = (companyId: string | undefined) => measured.get(companyId) ?? none;
  return {
    of: (companyId) => found.get(companyId),
    measured: measuredOf,
    // In the order of the companies, whichever response came first.
    all: () =>
      asked.flatMap((companyId) => {
        const catalog = found.get(companyId);
        return catalog ? [{ measured: measuredOf(companyId) }] : [];
      }),
  };
}

/** With several companies a column may have several units, one for each. */
export function columnOf(id: string, catalogs: Pick<Catalogs, 'all' | 'measured'>): MetricColumn {
  const [first, ...rest] = catalogs.all().flatMap(({ measured }) => measured.get(id) ?? []);
  if (!first) return { id };
  const unit = shownUnit(first);
  if (rest.every((other) => shownUnit(other) === unit)) return { id, label: first.label, unit };
  return {
    ...{ id, label: first.label, unit: (companyId) => shownUnit(catalogs.measured(companyId).get(id)) },
    inCurrency: [first, ...rest].every((each) => each.currency != null && shownUnit(each) === each.currency),
  };
}

/** The columns of metrics. Some are fixed before the first row, while a metric that they lack may turn up in any row. */
export interface SeriesColumns {
  /** Metrics of the first pages that no column has get one; later ones end the read: their values would be lost. */
  inspect?(rows: readonly MetricSeriesItem[]): void;
  /** The pages, and the metrics with a column: where it decides, the first page is read here. */
  settle<Row>(
    pages: AsyncIterable<SeriesPage<Row>>,
  ): Promise<{ metrics: SeriesMetrics; pages: AsyncIterable<SeriesPage<Row>> }>;
}

const openColumns = (metrics: SeriesMetrics): SeriesColumns => ({ settle: async (pages) => ({ metrics, pages }) });

/** @param known the metrics asked for, else those of the catalog. @param settled no column may be added */
function fixedColumns(known: SeriesMetrics, settled: boolean): SeriesColumns {
  const ids = new Set(known.ids);
  let closed = settled;
  return {
    inspect(rows) {
      for (const { metrics, periodKey, version } of rows) {
        for (const id in metrics) {
          if (ids.has(id)) continue;
          if (closed) throw unexpected(id, `the ${version} row of ${periodKey}`);
          ids.add(id);
        }
      }
    },
    async settle(pages) {
      if (settled) return { metrics: known, pages };
      const iterator = pages[Symbol.asyncIterator]();
      const first = await iterator.next();
      closed = true;
      const added = [...ids].filter((id) => !known.ids.has(id)).map((id) => ({ id }));
      return { metrics: { ...known, columns: [...known.columns, ...added], ids }, pages: continued(first, iterator) };
    },
  };
}

function unexpected(id: string, row: string): Failure {
  return new Failure('rejected', `${row} holds the metric "${id}", which has no column`, {
    code: 'unexpected_metric',
    hint: `columns are fixed before the first row: use --shape long or -o json`,
  });
}
