/** The columns of a wide series, fixed before its first row: the metrics asked for, else those of the catalog. */

import type { Context } from '../../../cli/context.ts';
import type { CompanyMetricSeriesResponse, MetricSeriesItem } from '../../../contract/metrics.ts';
import { Failure, isForgivable } from '../../../core/errors.ts';
import { showsUnits } from '../../../output/formats/choose.ts';
import type { MetricColumn } from '../columns.ts';
import { metricColumn, unitOf } from '../series-columns.ts';
import { forUnits, readCatalogs, type SeriesCatalogs } from './catalog.ts';
import type { CompanyFailures } from './failures.ts';
import { formatOf } from './format.ts';
import type { PlannedSeries } from './request.ts';
import { type Shape, wide } from './rows.ts';

export interface SeriesMetrics {
  /** In their order, each with what the catalog says of it. */
  columns: MetricColumn[];
  /** The metrics that have a column. */
  ids: ReadonlySet<string>;
  catalogs: SeriesCatalogs;
}

const noCatalogs: SeriesCatalogs = { of: () => undefined, measured: () => new Map(), all: () => [] };

/**
 * @param needed the rows or headers themselves are made with what the catalog says
 * @param headed units stand in the headers
 */
export async function seriesMetrics(
  ctx: Context,
  plan: PlannedSeries,
  { needed, headed }: { needed: boolean; headed: boolean },
  failures: CompanyFailures | undefined,
): Promise<SeriesMetrics> {
  const asked = plan.request.metricIds;
  const catalogs =
    asked === undefined
      ? await readCatalogs(ctx, plan, failures).catch((error) => {
          throw needed ? error : withoutCatalog(error);
        })
      : needed
        ? await readCatalogs(ctx, plan, failures)
        : await catalogsForEyes(ctx, plan, failures);
  const found = asked === undefined ? catalogColumns(catalogs) : asked.map((id) => columnOf(id, catalogs));
  const columns = headed ? found.map((column) => ({ ...column, headed })) : found;
  const mixed = columns.filter((column) => column.headed && typeof column.unit === 'function').map(({ id }) => id);
  if (mixed.length > 0) {
    ctx.out.note(
      `No unit in the header of ${mixed.join(', ')}: companies have different ones, which -o table and --shape long show.`,
    );
  }
  return { columns, ids: new Set(columns.map(({ id }) => id)), catalogs };
}

/** What asks for no catalog is a way out for those who may not read one. */
function withoutCatalog(error: unknown): unknown {
  if (!isForgivable(error)) return error;
  const way = 'the catalog names the columns: -m METRIC,… names them too, and --shape long needs none';
  return error.with({ hint: [error.hint, way].filter(Boolean).join('; ') });
}

/** Labels and units, where people will see them; a catalog that cannot be read costs these alone. */
async function catalogsForEyes(ctx: Context, plan: PlannedSeries, failures?: CompanyFailures): Promise<SeriesCatalogs> {
  if (ctx.settings.jq !== undefined || !showsUnits(formatOf(ctx))) return noCatalogs;
  return forUnits(ctx, 'units are', noCatalogs, () => readCatalogs(ctx, plan, failures));
}

/** The metrics of all companies' catalogs in their order, archived ones too: a series may hold their history. */
function catalogColumns(catalogs: SeriesCatalogs): MetricColumn[] {
  const ids = new Set(catalogs.all().flatMap(({ catalog }) => catalog.definitions.map(({ metricId }) => metricId)));
  return [...ids].map((id) => columnOf(id, catalogs));
}

/** With several companies a column may hold several units, one for each. */
function columnOf(id: string, catalogs: SeriesCatalogs): MetricColumn {
  const [first, ...rest] = catalogs.all().flatMap(({ measured }) => {
    const found = measured.get(id);
    return found ? [metricColumn(id, found)] : [];
  });
  if (!first) return { id };
  if (rest.every(({ unit }) => unit === first.unit)) return first;
  return { ...first, unit: (companyId) => unitOf(catalogs.measured(companyId).get(id)) };
}

/** The wide shape, ended by a failure at the first metric that has no column: it would be lost unseen. */
export function within(ids: ReadonlySet<string>): Shape<MetricSeriesItem> {
  const rowsOf = (page: CompanyMetricSeriesResponse): readonly MetricSeriesItem[] => {
    for (const item of page.items) {
      for (const id in item.metrics) if (!ids.has(id)) throw unexpected(id, item);
    }
    return page.items;
  };
  return { ...wide, rowsOf };
}

function unexpected(id: string, { periodKey, version }: MetricSeriesItem): Failure {
  return new Failure('rejected', `the ${version} row of ${periodKey} holds the metric "${id}", which has no column`, {
    code: 'unexpected_metric',
    hint: `columns are fixed before the first row: use --shape long, or name the metrics with -m …,${id}`,
  });
}
