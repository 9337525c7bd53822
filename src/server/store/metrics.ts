/** Metric definitions, points, and what a company wants to see of them. */
import type { Version } from '../../contract/metrics.ts';
import { numeric } from '../../core/json.ts';
import type { PeriodType } from '../../core/periods.ts';
import { sql } from './kysely.ts';
import type { Db, Row } from './schema.ts';
import type { Store } from './store.ts';
import { arrayText, objectText } from './tables.ts';

export type DefinitionRow = Row<'metric_definitions'>;
export type PointRow = Row<'metric_points'>;

/** The key of one logical row of the series. */
export interface RowKey {
  period_key: string;
  version: Version;
}

export interface SeriesFilter {
  companyId: string;
  periodType: PeriodType;
  versions: readonly Version[];
  /** Empty: all. */
  metricIds: readonly string[];
  fromPeriod?: string | undefined;
  toPeriod?: string | undefined;
}

interface SeriesRange {
  order: 'asc' | 'desc';
  /** Logical rows. */
  limit: number;
  after?: RowKey | undefined;
}

interface Series {
  currency: string;
  definitions: DefinitionRow[];
  /** The points of the logical rows, in their order and then by metric. */
  points: PointRow[];
}

/** A company with its definitions and one page of its series, in one statement; undefined for an unknown company. */
export async function readSeries(
  { db, engine }: Store,
  filter: SeriesFilter,
  range: SeriesRange,
): Promise<Series | undefined> {
  const { companyId, periodType, metricIds } = filter;
  const definitions = arrayText(sql`
    select ${objectText(engine, 'metric_definitions', 'd')} as json from metric_definitions d
    where d.company_id = ${companyId} order by d.position, d.metric_id`);
  const ofMetrics = metricIds.length === 0 ? sql`` : sql`and p.metric_id in (${sql.join(metricIds)})`;
  // A cross join: SQLite begins with the keys, and not with all points of the company.
  const points = arrayText(sql`
    select ${objectText(engine, 'metric_points', 'p')} as json
    from ${seriesKeys(db, filter, range)} k cross join metric_points p
    where p.company_id = ${companyId} and p.period_type = ${periodType}
      and p.period_key = k.period_key and p.version = k.version ${ofMetrics}
    order by p.period_key ${sql.raw(range.order)}, p.version, p.metric_id`);
  const { rows } = await sql<{ currency: string; definitions: string; points: string }>`
    select c.currency, ${definitions} as definitions, ${points} as points
    from companies c where c.id = ${companyId}`.execute(db);
  const [series] = rows;
  return (
    series && {
      currency: series.currency,
      definitions: JSON.parse(series.definitions) as DefinitionRow[],
      points: JSON.parse(series.points) as PointRow[],
    }
  );
}

/** Keys of the logical rows after `after`, in order of period (either way) and then version (actual, budget, forecast). */
function seriesKeys(db: Db, filter: SeriesFilter, { order, limit, after }: SeriesRange) {
  let query = points(db, filter).select(['period_key', 'version']).distinct();
  if (after) {
    // The first condition says nothing new, but it is the one that an index can start from.
    const beyond = order === 'asc' ? '>' : '<';
    query = query
      .where('period_key', order === 'asc' ? '>=' : '<=', after.period_key)
      .where((eb) =>
        eb.or([
          eb('period_key', beyond, after.period_key),
          eb.and([eb('period_key', '=', after.period_key), eb('version', '>', after.version)]),
        ]),
      );
  }
  return query.orderBy('period_key', order).orderBy('version').limit(sql.lit(limit));
}

function points(db: Db, { companyId, periodType, versions, metricIds, fromPeriod, toPeriod }: SeriesFilter) {
  let query = db
    .selectFrom('metric_points')
    .where('company_id', '=', companyId)
    .where('period_type', '=', periodType)
    .where('version', 'in', versions);
  if (metricIds.length > 0) query = query.where('metric_id', 'in', metricIds);
  if (fromPeriod !== undefined) query = query.where('period_key', '>=', fromPeriod);
  if (toPeriod !== undefined) query = query.where('period_key', '<=', toPeriod);
  return query;
}

/** The actuals of the newest month that has any value. */
export async function newestActuals(db: Db, companyId: string): Promise<PointRow[]> {
  const actuals = sql`company_id = ${companyId} and period_type = 'month' and version = 'actual' and value is not null`;
  const { rows } = await sql<PointRow>`
    select * from metric_points where ${actuals} and period_key =
      (select period_key from metric_points where ${actuals} order by period_key desc limit 1)
    order by metric_id`.execute(db);
  return rows;
}

/**
 * The number of a stored literal, with every digit. One that a double cannot hold is an ExactNumber, which the types of
 * the contract call a number: it prints as one, and the server does not calculate with it.
 */
export function numberOf(literal: string): number {
  return numeric(literal) as number;
}

export type PreferencesRow = Row<'metric_preferences'>;

export async function putPreferences(db: Db, row: PreferencesRow): Promise<void> {
  const { id: _, company_id: __, created_at: ___, ...change } = row;
  await db
    .insertInto('metric_preferences')
    .values(row)
    .onConflict((c) => c.column('company_id').doUpdateSet(change))
    .execute();
}
