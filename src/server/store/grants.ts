/** Grants, and the published snapshots that they open. */
import { sql } from './kysely.ts';
import type { Db, Row } from './schema.ts';

export type GrantRow = Row<'grants'>;

/** Revokes an active grant; false when another caller was first. */
export async function revokeGrant(db: Db, id: string, change: Partial<GrantRow>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The grants of one company that name the user or one of the companies as recipient and are not revoked. */
export function grantsTo(db: Db, companyId: string, userId: string, companies: readonly string[]): Promise<GrantRow[]> {
  return db
    .selectFrom('grants')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('status', '=', 'active')
    .where((eb) =>
      eb.or([
        eb('recipient_user_id', '=', userId),
        ...(companies.length > 0 ? [eb('recipient_company_id', 'in', companies)] : []),
      ]),
    )
    .execute();
}

export type PublicationRow = Row<'publications'>;

export interface PublicationFilter {
  companyId: string;
  periodKey?: string | undefined;
  /** Months since year 0. */
  fromMonth?: number | undefined;
  toMonth?: number | undefined;
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
