/** Columns that are fixed before the first row, while a metric that they lack may turn up in any row. */

import type { SeriesPage } from '../../../client/series.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { Failure } from '../../../core/errors.ts';
import type { SeriesMetrics } from './catalog.ts';

export interface FixedColumns {
  /** Metrics of the first pages that no column has get one; later ones end the read: their values would be lost. */
  inspect(rows: readonly MetricSeriesItem[]): void;
  /** The pages, and the metrics with a column: the first page is read here. */
  settle<Row>(
    pages: AsyncIterable<SeriesPage<Row>>,
  ): Promise<{ metrics: SeriesMetrics; pages: AsyncIterable<SeriesPage<Row>> }>;
}

/** @param known the metrics asked for, else those of the catalog. @param settled no column may be added */
export function fixedColumns(known: SeriesMetrics, settled: boolean): FixedColumns {
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
      return { metrics: { ...known, columns: [...known.columns, ...added], ids }, pages: from(first, iterator) };
    },
  };
}

async function* from<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function unexpected(id: string, row: string): Failure {
  return new Failure('rejected', `${row} holds the metric "${id}", which has no column`, {
    code: 'unexpected_metric',
    hint: `columns are fixed before the first row: use --shape long or -o json`,
  });
}
