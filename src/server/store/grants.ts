import type { Selectable, Updateable } from './kysely.ts';
import type { Db, GrantTable } from './schema.ts';

export type GrantRow = Selectable<GrantTable>;

/** The grants that the company gave, in the order in which it gave them. */
export function grantsOf(db: Db, companyId: string): Promise<GrantRow[]> {
  return db
    .selectFrom('grants')
    .selectAll()
    .where('company_id', '=', companyId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function grantById(db: Db, id: string, companyId: string): Promise<GrantRow | undefined> {
  return db
    .selectFrom('grants')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .executeTakeFirst();
}

export async function insertGrant(db: Db, row: GrantRow): Promise<void> {
  await db.insertInto('grants').values(row).execute();
}

/** Revokes an active grant; false when another caller was first. */
export async function revokeGrant(db: Db, id: string, change: Updateable<GrantTable>): Promise<boolean> {
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
