/** Metric definitions, points, and what a company wants to see of them. */
import type { Version } from '../../contract/metrics.ts';
import { numeric } from '../../core/json.ts';
import type { PeriodType } from '../../core/periods.ts';
import type { Db, Row } from './schema.ts';

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

export async function definitionsOf(db: Db, companyId: string): Promise<DefinitionRow[]> {
  return db
    .selectFrom('metric_definitions')
    .selectAll()
    .where('company_id', '=', companyId)
    .orderBy('position')
    .orderBy('metric_id')
    .execute();
}

/** Logical rows after `after`, in order of period (either way) and then version (actual, budget, forecast). */
export async function seriesKeys(
  db: Db,
  filter: SeriesFilter,
  order: 'asc' | 'desc',
  limit: number,
  after?: RowKey,
): Promise<RowKey[]> {
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
  return query.orderBy('period_key', order).orderBy('version').limit(limit).execute();
}

/** The points of all rows from the first key to the last. */
export async function pointsBetween(db: Db, filter: SeriesFilter, keys: readonly RowKey[]): Promise<PointRow[]> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return [];
  const [from, to] = [first.period_key, last.period_key].sort();
  return points(db, { ...filter, fromPeriod: from, toPeriod: to })
    .selectAll()
    .execute();
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
  const newest = await db
    .selectFrom('metric_points')
    .select('period_key')
    .where('company_id', '=', companyId)
    .where('period_type', '=', 'month')
    .where('version', '=', 'actual')
    .where('value', 'is not', null)
    .orderBy('period_key', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return [];
  return db
    .selectFrom('metric_points')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('period_type', '=', 'month')
    .where('version', '=', 'actual')
    .where('period_key', '=', newest.period_key)
    .where('value', 'is not', null)
    .orderBy('metric_id')
    .execute();
}

/**
 * The number of a stored literal, with every digit. One that a double cannot hold is an ExactNumber, which the types of
 * the contract call a number: it prints as one, and the server does not calculate with it.
 */
export function numberOf(literal: string): number {
  return numeric(literal) as number;
}

export type PreferencesRow = Row<'metric_preferences'>;

export function preferencesOf(db: Db, companyId: string): Promise<PreferencesRow | undefined> {
  return db.selectFrom('metric_preferences').selectAll().where('company_id', '=', companyId).executeTakeFirst();
}

export async function putPreferences(db: Db, row: PreferencesRow): Promise<void> {
  const { id: _, company_id: __, created_at: ___, ...change } = row;
  await db
    .insertInto('metric_preferences')
    .values(row)
    .onConflict((c) => c.column('company_id').doUpdateSet(change))
    .execute();
}
