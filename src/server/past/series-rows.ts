/** The points of a company at one moment, in columns: a million of them take some fifty mebibytes. */
import type { Version } from '../../contract/metrics.ts';
import type { PeriodType } from '../../core/periods.ts';
import type { PointRow, RowKey, SeriesFilter } from '../store/metrics.ts';
import type { State } from './state.ts';

/** The points of one period and version, by metric id. */
interface SeriesRow extends RowKey {
  metrics: string[];
  values: (string | null)[];
  sources: (string | null)[];
  updated: string[];
}

export class SeriesRows {
  private constructor(
    private readonly companyId: string,
    /** By grain, in order of period and version. */
    private readonly rows: ReadonlyMap<string, readonly SeriesRow[]>,
  ) {}

  /** @param metricIds empty: all */
  static async read(state: State, companyId: string, metricIds: readonly string[]): Promise<SeriesRows> {
    const rows = new Map<string, Map<string, SeriesRow>>();
    const texts = new Map<string, string>();
    /** Texts that repeat are kept once. */
    const once = (text: string): string => {
      const known = texts.get(text);
      if (known === undefined) texts.set(text, text);
      return known ?? text;
    };
    const of = {
      at: state.sync.number,
      ...(metricIds.length > 0 ? { metricIds } : {}),
    };
    for await (const { value: point } of state.history.points(companyId, of)) {
      const grain = rows.get(point.periodType) ?? new Map<string, SeriesRow>();
      rows.set(point.periodType, grain);
      const key = `${point.periodKey} ${point.version}`;
      const row = grain.get(key) ?? {
        period_key: point.periodKey,
        version: point.version as Version,
        metrics: [],
        values: [],
        sources: [],
        updated: [],
      };
      grain.set(key, row);
      row.metrics.push(once(point.metricId));
      row.values.push(point.value);
      row.sources.push(point.source == null ? null : once(point.source));
      row.updated.push(once(point.updatedAt ?? ''));
    }
    return new SeriesRows(
      companyId,
      new Map([...rows].map(([grain, found]) => [grain, [...found.values()].sort(byPeriod)])),
    );
  }

  /** The rows of the filter after a key, in the order of the API. */
  page(
    { periodType, versions, fromPeriod, toPeriod }: SeriesFilter,
    order: 'asc' | 'desc',
    limit: number,
    after: RowKey | undefined,
  ): { rows: PointRow[][]; isAll: boolean } {
    const inRange = (this.rows.get(periodType) ?? []).filter(
      ({ period_key, version }) =>
        versions.includes(version) &&
        (fromPeriod === undefined || period_key >= fromPeriod) &&
        (toPeriod === undefined || period_key <= toPeriod),
    );
    const sorted =
      order === 'asc' ? inRange : inRange.sort((a, b) => byText(b.period_key, a.period_key) || byVersion(a, b));
    const beyond = (row: RowKey) => {
      if (after === undefined) return true;
      const periods =
        order === 'asc' ? byText(row.period_key, after.period_key) : byText(after.period_key, row.period_key);
      return periods > 0 || (periods === 0 && byVersion(row, after) > 0);
    };
    const rest = sorted.filter(beyond);
    return {
      rows: rest.slice(0, limit).map((row) => this.points(row, periodType)),
      isAll: rest.length <= limit,
    };
  }

  private points(row: SeriesRow, periodType: PeriodType): PointRow[] {
    const points = row.metrics.map(
      (metric_id, at): PointRow => ({
        company_id: this.companyId,
        metric_id,
        period_type: periodType,
        period_key: row.period_key,
        version: row.version,
        value: row.values[at] ?? null,
        source: row.sources[at] ?? null,
        updated_at: row.updated[at] ?? '',
      }),
    );
    return points.sort((a, b) => byText(a.metric_id, b.metric_id));
  }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byVersion(a: RowKey, b: RowKey): number {
  return byText(a.version, b.version);
}

function byPeriod(a: SeriesRow, b: SeriesRow): number {
  return byText(a.period_key, b.period_key) || byVersion(a, b);
}
