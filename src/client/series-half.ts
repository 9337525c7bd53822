/** The two forms in which a response has the rows of a series. */
import type { CompanyMetricSeriesResponse, MetricObservation, MetricSeriesItem } from '../contract/metrics.ts';
import { itemsOf, type Join, joinItems, joinObservations, observationsOf } from '../domain/series/merge.ts';
import type { Keyed } from '../domain/series/plan.ts';

/** Rows are in a response twice: by period and version, and by value. One half is read, the other where it is empty. */
export interface Half<Row extends Keyed> {
  rowsOf(page: Partial<CompanyMetricSeriesResponse>): readonly Row[];
  keyOf(row: Row): string;
  join: Join<Row>;
  /** Whether its rows are the rows of the API's `limit`. */
  limited: boolean;
  read: 'items' | 'observations';
  /** Left unread. */
  without: 'items' | 'observations';
}

export const items: Half<MetricSeriesItem> = {
  rowsOf: (page) => (page.items?.length ? page.items : itemsOf(page.observations ?? [])),
  keyOf: (row) => row.version,
  join: joinItems,
  limited: true,
  read: 'items',
  without: 'observations',
};

export const observations: Half<MetricObservation> = {
  rowsOf: (page) => (page.observations?.length ? page.observations : observationsOf(page.items ?? [])),
  keyOf: (row) => `${row.version} ${row.metricId}`,
  join: joinObservations,
  limited: false,
  read: 'observations',
  without: 'items',
};
