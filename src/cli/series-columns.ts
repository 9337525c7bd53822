/** The columns of a wide series, fixed before its first row: the metrics asked for, else those of the catalog. */
import { operations } from '../contract/index.ts';
import type { CompanyMetricSeriesResponse, MetricSeriesItem } from '../contract/metrics.ts';
import { Failure } from '../errors.ts';
import type { Column } from '../output/column.ts';
import { type MetricColumn, type OfCompany, shownUnit, wideColumns } from '../output/metric-columns.ts';
import type { Context } from './context.ts';
import { type Shape, wide } from './series-rows.ts';

type WideRow = OfCompany<MetricSeriesItem>;

export interface SeriesColumns {
  list: Column<WideRow>[];
  /** The metrics that have a column. */
  ids: ReadonlySet<string>;
}

export async function seriesColumns(ctx: Context, asked: readonly string[] | undefined): Promise<SeriesColumns> {
  const companies = ctx.settings.companies.value;
  const metrics = asked?.map((id): MetricColumn => ({ id })) ?? (await catalogMetrics(ctx, companies));
  return {
    list: wideColumns(metrics, { company: companies.length > 1 }),
    ids: new Set(metrics.map(({ id }) => id)),
  };
}

/** The metrics of all companies' catalogs in their order, archived ones too: a series may hold their history. */
async function catalogMetrics(ctx: Context, companies: readonly string[]): Promise<MetricColumn[]> {
  const client = await ctx.client();
  const queries = companies.length > 1 ? companies.map((companyId) => ({ companyId })) : [{}];
  const found = new Map<string, MetricColumn>();
  for (const query of queries) {
    const { definitions, currency } = await client.call(operations.getMetricCatalog, { query });
    for (const { metricId, label, unit, unitLabel } of definitions) {
      // With several companies a column holds several currencies, and so shows none.
      const money = companies.length > 1 ? undefined : currency;
      const shown = shownUnit(unit, unitLabel, money);
      if (!found.has(metricId)) found.set(metricId, { id: metricId, label, unit: shown });
    }
  }
  return [...found.values()];
}

/** The wide shape, ended by a failure at the first metric that has no column: it would be lost unseen. */
export function within({ ids }: SeriesColumns): Shape<MetricSeriesItem> {
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
