/** Published snapshots: of each period the one that was sent last stands. */
import { type Selectable, sql } from './kysely.ts';
import type { Db, PublicationTable } from './schema.ts';

export type PublicationRow = Selectable<PublicationTable>;

export interface PublicationFilter {
  companyId: string;
  periodKey?: string;
  /** Months since year 0. */
  fromMonth?: number;
  toMonth?: number;
}

/** The place of a period in the order: by the last month that it covers, the shorter period first. */
export interface PublicationKey {
  last_month: number;
  first_month: number;
}

/** Newest period first. */
export async function publicationsAfter(
  db: Db,
  { companyId, periodKey, fromMonth, toMonth }: PublicationFilter,
  limit: number,
  after?: PublicationKey,
): Promise<PublicationRow[]> {
  let query = db
    .selectFrom('publications as p')
    .selectAll()
    .where('p.company_id', '=', companyId)
    .where(
      sql<boolean>`p.version_number = (select max(q.version_number) from publications q
        where q.company_id = p.company_id and q.period_key = p.period_key)`,
    );
  if (periodKey !== undefined) query = query.where('p.period_key', '=', periodKey);
  if (fromMonth !== undefined) query = query.where('p.first_month', '>=', fromMonth);
  if (toMonth !== undefined) query = query.where('p.last_month', '<=', toMonth);
  if (after) {
    query = query
      .where('p.last_month', '<=', after.last_month)
      .where((eb) => eb.or([eb('p.last_month', '<', after.last_month), eb('p.first_month', '<', after.first_month)]));
  }
  return query.orderBy('p.last_month', 'desc').orderBy('p.first_month', 'desc').limit(limit).execute();
}
