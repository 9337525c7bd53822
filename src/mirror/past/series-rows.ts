/** The points of a company at one moment, row by row: each page begins where the one before it ended. */
import type { Version } from '../../contract/metrics.ts';
import type { PointRow, RowKey, SeriesFilter } from '../../server/store/metrics.ts';
import type { State } from './state.ts';

export class SeriesRows {
  private rows: AsyncGenerator<PointRow[]> | undefined;
  /** Rows that were read and may be asked for again. */
  private held: PointRow[][] = [];
  /** The row before those; undefined: the first is held. */
  private behind: RowKey | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly state: State,
    private readonly filter: SeriesFilter,
    private readonly order: 'asc' | 'desc',
  ) {}

  /** One page after the other: several requests are under way at once. */
  page(limit: number, after: RowKey | undefined): Promise<{ rows: PointRow[][]; isAll: boolean }> {
    const next = this.last.then(() => this.read(limit, after));
    this.last = next.catch(() => {});
    return next;
  }

  private async read(limit: number, after: RowKey | undefined): Promise<{ rows: PointRow[][]; isAll: boolean }> {
    if (this.rows === undefined || !this.isBehind(after)) await this.begin(after);
    while (after && this.held[0] && !this.isLater(keyOf(this.held[0]), after)) this.held.shift();
    this.behind = after;
    // One row more than the page shows whether there is a next one.
    while (this.held.length <= limit) {
      const next = await this.rows?.next();
      if (next === undefined || next.done) break;
      if (after === undefined || this.isLater(keyOf(next.value), after)) this.held.push(next.value);
    }
    return { rows: this.held.slice(0, limit), isAll: this.held.length <= limit };
  }

  /** Whether everything after the row is still to come. */
  private isBehind(after: RowKey | undefined): boolean {
    if (this.behind === undefined) return true;
    return after !== undefined && !this.isLater(this.behind, after);
  }

  private async begin(after: RowKey | undefined): Promise<void> {
    await this.rows?.return(undefined);
    const { fromPeriod, toPeriod } = this.filter;
    const from = this.order === 'asc' ? (after?.period_key ?? fromPeriod) : fromPeriod;
    const to = this.order === 'desc' ? (after?.period_key ?? toPeriod) : toPeriod;
    this.rows = this.rowsBetween(from, to);
    this.held = [];
    this.behind = after;
  }

  private async *rowsBetween(from: string | undefined, to: string | undefined): AsyncGenerator<PointRow[]> {
    const { companyId, metricIds, periodType, versions } = this.filter;
    const points = this.state.history.points(companyId, {
      ...{ at: this.state.sync.number, periodType, versions, from, to, order: this.order },
      ...(metricIds.length > 0 && { metricIds }),
    });
    let row: PointRow[] = [];
    for await (const { value: point } of points) {
      const [first] = row;
      if (first && (first.period_key !== point.periodKey || first.version !== point.version)) {
        yield row.sort(byMetric);
        row = [];
      }
      row.push({
        ...{ company_id: companyId, metric_id: point.metricId, period_type: periodType, period_key: point.periodKey },
        ...{ version: point.version as Version, value: point.value, source: point.source ?? null },
        updated_at: point.updatedAt ?? '',
      });
    }
    if (row.length > 0) yield row.sort(byMetric);
  }

  private isLater(a: RowKey, b: RowKey): boolean {
    if (a.period_key === b.period_key) return a.version > b.version;
    return this.order === 'asc' ? a.period_key > b.period_key : a.period_key < b.period_key;
  }
}

function keyOf([first]: readonly PointRow[]): RowKey {
  return first ?? { period_key: '', version: 'actual' };
}

function byMetric(a: PointRow, b: PointRow): number {
  return a.metric_id < b.metric_id ? -1 : a.metric_id > b.metric_id ? 1 : 0;
}
