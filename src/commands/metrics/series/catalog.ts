/** What the catalogs of the companies say about a series: the columns of its wide rows, labels and units. */

import type { Context } from '../../../cli/context.ts';
import type { MetricCatalogResponse } from '../../../contract/metrics.ts';
import { limiter } from '../../../core/concurrency.ts';
import { isForgivable } from '../../../core/errors.ts';
import type { Format } from '../../../core/output-formats.ts';
import { type Measured, measures, shownUnit } from '../../../domain/series/shapes.ts';
import { chooseFormat, showsUnits } from '../../../output/formats/choose.ts';
import { catalogOf, readableCatalogs } from '../read.ts';
import type { MetricColumn } from '../series-columns.ts';
import type { SeriesPlan } from './plan.ts';

interface Catalogs {
  of(companyId: string | undefined): MetricCatalogResponse | undefined;
  measured(companyId: string | undefined): ReadonlyMap<string, Measured>;
  /** In the order of the companies. */
  all(): { catalog: MetricCatalogResponse; measured: ReadonlyMap<string, Measured> }[];
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

/**
 * The currencies of several companies where they differ, which is said once: amounts of one column are not comparable
 * then. A catalog that cannot be read is left to the series.
 */
export async function mixedCurrencies(
  ctx: Context,
  { companies, several }: SeriesPlan,
): Promise<Currencies | undefined> {
  if (!several || companies.length < 2) return undefined;
  await readableCatalogs(ctx, companies);
  const found = new Map<string, string>();
  for (const companyId of companies) {
    const catalog = await catalogOf(ctx, companyId).catch(() => undefined);
    if (catalog) found.set(companyId, catalog.currency);
  }
  const all = [...new Set(found.values())];
  if (all.length < 2) return undefined;
  ctx.out.warn(`amounts are in several currencies (${all.join(', ')}): the column currency says which`);
  return found;
}

const noCatalogs: Catalogs = { of: () => undefined, measured: () => new Map(), all: () => [] };

const mostRequests = 8;

/** The format that rows will take. @throws usage for one that they cannot take */
export function formatOf({ settings: { out, output }, runtime }: Context): Format {
  return chooseFormat(output.value, runtime.terminal.stdoutIsTTY, out !== undefined && out !== '-');
}

/** Reads what only units need: without the catalog they are missing, and a warning says so. */
export async function forUnits<T>(ctx: Context, what: string, none: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isForgivable(error)) throw error;
    ctx.out.warn(`${what} missing, since the catalog could not be read: ${error.message}`);
    return none;
  }
}

/**
 * The metrics of a series, fixed before its first row: those asked for, else those of the catalogs.
 * @param needed rows or headers are computed from the catalog
 * @param headed units are in the headers
 * @param onFailure called for one of several companies whose catalog cannot be read; default: the failure is thrown
 */
export async function seriesMetrics(
  ctx: Context,
  plan: SeriesPlan,
  { needed, headed }: { needed: boolean; headed: boolean },
  onFailure?: (companyId: string, error: unknown) => void,
): Promise<SeriesMetrics> {
  const asked = plan.request.metricIds;
  const catalogs =
    asked === undefined
      ? await readCatalogs(ctx, plan, onFailure).catch((error) => {
          throw needed ? error : withoutCatalog(error);
        })
      : needed
        ? await readCatalogs(ctx, plan, onFailure)
        : await catalogsForDisplay(ctx, plan, onFailure);
  const ids = asked ?? catalogs.all().flatMap(({ catalog }) => catalog.definitions.map(({ metricId }) => metricId));
  const columns = [...new Set(ids)].map((id) => ({ ...columnOf(id, catalogs), ...(headed && { headed }) }));
  const mixed = columns.filter((column) => column.headed && typeof column.unit === 'function').map(({ id }) => id);
  if (mixed.length > 0) {
    ctx.out.note(
      `No unit in the header of ${mixed.join(', ')}: it differs by company. -o table and --shape long show it.`,
    );
  }
  return { columns, ids: new Set(ids), catalogs };
}

/** A hint for users who may not read a catalog. */
function withoutCatalog(error: unknown): unknown {
  if (!isForgivable(error)) return error;
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
        return catalog ? [{ catalog, measured: measuredOf(companyId) }] : [];
      }),
  };
}

/** With several companies a column may have several units, one for each. */
function columnOf(id: string, catalogs: Catalogs): MetricColumn {
  const [first, ...rest] = catalogs.all().flatMap(({ measured }) => measured.get(id) ?? []);
  if (!first) return { id };
  const unit = shownUnit(first);
  if (rest.every((other) => shownUnit(other) === unit)) return { id, label: first.label, unit };
  return { id, label: first.label, unit: (companyId) => shownUnit(catalogs.measured(companyId).get(id)) };
}
