/** Companies, and the credentials and memberships that give access to them. */
import type { Selectable } from './kysely.ts';
import type { CompanyTable, Db, SessionTable, TokenTable } from './schema.ts';

type TokenRow = Selectable<TokenTable>;
type SessionRow = Selectable<SessionTable>;
export type CompanyRow = Selectable<CompanyTable>;

export function tokenByHash(db: Db, hash: string): Promise<TokenRow | undefined> {
  return db.selectFrom('tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst();
}

export function sessionByHash(db: Db, hash: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('token_hash', '=', hash).executeTakeFirst();
}

export async function companiesOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('memberships').select('company_id').where('user_id', '=', userId).execute();
  return rows.map((row) => row.company_id);
}

export function companyById(db: Db, id: string): Promise<CompanyRow | undefined> {
  return db.selectFrom('companies').selectAll().where('id', '=', id).executeTakeFirst();
}

export function companiesIn(db: Db): Promise<{ id: string; name: string }[]> {
  return db.selectFrom('companies').select(['id', 'name']).orderBy('name').orderBy('id').execute();
}
