/** The points of the series, and definitions for metrics that have none. */
import { knownMetrics } from '../../contract/metrics.ts';
import { type Row, upsert } from '../store/upsert.ts';
import { type Loading, stamp } from './loading.ts';
import { type PointPeriod, pointPeriod } from './point-period.ts';
import type { SeedPoints } from './seed.ts';
import type { SeenPoints } from './seen-points.ts';

export const isKnown = (metric: string) => (knownMetrics as readonly string[]).includes(metric);

interface PointsContext {
  /** The metrics in the order of the file. */
  order: readonly string[];
  /** Metrics that have a definition, as earlier parts of the file have shown. */
  defined: Set<string>;
  /** The database had no points before the file. */
  isNew: boolean;
  /** The number of the first group in the file. */
  first?: number;
  /** Finds what earlier parts of the file have had. */
  seen?: SeenPoints;
}

export async function loadPoints(
  loading: Loading,
  points: readonly SeedPoints[],
  { order, defined, isNew, first = 0, seen }: PointsContext = { order: [], defined: new Set(), isNew: false },
): Promise<void> {
  const places: string[] = [];
  const rows = points.flatMap((group, index): Row[] => {
    const path = `points.${first + index}`;
    const company = loading.references.company(`${path}.company`, group.company);
    const version = group.version ?? 'actual';
    const period = periodAt(loading, `${path}.period`, group.period);
    if (version === 'actual' && period.type !== 'month') {
      throw loading.fail(`${path}.period`, `is a ${period.type}, and actuals exist only by month`);
    }
    return Object.entries(group.metrics).map(([metric, value]) => {
      if (metric === '' || metric.includes(',')) {
        throw loading.fail(`${path}.metrics.${metric}`, 'is not a metric id: an id is not empty and has no comma');
      }
      if (seen?.add({ company, period: period.key, version, metric }) === false) {
        throw loading.fail(`${path}.metrics.${metric}`, 'is repeated');
      }
      places.push(`${path}.metrics.${metric}`);
      return {
        company_id: company,
        metric_id: metric,
        period_type: period.type,
        period_key: period.key,
        version,
        value: value === null ? null : String(value),
        source: group.source,
        updated_at: stamp(group.updated_at),
      };
    });
  });
  await defineUnknown(loading, rows, order, defined);
  const result = await upsert(loading.db, {
    table: 'metric_points',
    key: ['company_id', 'period_type', 'period_key', 'version', 'metric_id'],
    isNew,
    narrow: ['period_type', 'period_key', 'metric_id'],
    rows,
    fresh: () => ({ updated_at: loading.now }),
    changed: () => ({ updated_at: loading.now }),
    refuse: (index, says) => loading.fail(places[index] ?? 'points', says),
  });
  loading.count('points', result);
}

/**
 * A metric with points but without a definition gets one, in the order of the file. Its aggregation and direction stay
 * unknown.
 */
async function defineUnknown(
  loading: Loading,
  points: readonly Row[],
  order: readonly string[],
  seen: Set<string>,
): Promise<void> {
  const wanted = new Map<string, Row>();
  for (const { company_id, metric_id } of points) {
    if (isKnown(String(metric_id))) continue;
    const key = JSON.stringify([company_id, metric_id]);
    if (!seen.has(key)) wanted.set(key, { company_id, metric_id });
  }
  if (wanted.size === 0) return;
  for (const key of wanted.keys()) seen.add(key);
  const companies = [...new Set([...wanted.values()].map((row) => String(row.company_id)))];
  const defined = await loading.db
    .selectFrom('metric_definitions')
    .select(['company_id', 'metric_id', 'position'])
    .where('company_id', 'in', companies)
    .execute();
  for (const { company_id, metric_id } of defined) wanted.delete(JSON.stringify([company_id, metric_id]));
  const places = new Map(order.map((metric, index) => [metric, index]));
  const placeOf = ({ metric_id }: Row) => places.get(String(metric_id)) ?? order.length;
  const next = Math.max(-1, ...defined.map(({ position }) => position)) + 1;
  const result = await upsert(loading.db, {
    table: 'metric_definitions',
    key: ['company_id', 'metric_id'],
    rows: [...wanted.values()]
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map((row, index) => ({ ...row, position: next + index })),
    fresh: ({ metric_id }) => ({ label: labelOf(String(metric_id)), custom: 1, archived: 0 }),
    refuse: (_, says) => loading.fail('points', says),
  });
  loading.count('catalog', result);
}

/** `trade_transportation` → `Trade transportation`; an id that is not snake case is its own label. */
function labelOf(metric: string): string {
  if (!/^[a-z0-9]+(_[a-z0-9]+)*$/.test(metric)) return metric;
  const words = metric.replaceAll('_', ' ');
  return words[0]?.toUpperCase() + words.slice(1);
}

export function periodAt(loading: Loading, path: string, text: string | number): PointPeriod {
  const period = pointPeriod(String(text));
  if (!period)
    throw loading.fail(path, `must be a month, quarter or year such as 2006-01, 2006-Q1 or 2006, got ${text}`);
  return period;
}
