/** Companies, and the credentials and memberships that give access to them. */
import { compiledQuery } from './fixed.ts';
import type { Selectable } from './kysely.ts';
import type { CompanyTable, Db, SessionTable, TokenTable } from './schema.ts';

type TokenRow = Selectable<TokenTable>;
type SessionRow = Selectable<SessionTable>;
export type CompanyRow = Selectable<CompanyTable>;

const tokens = compiledQuery(['hash'], (db, value: { hash: string }) =>
  db.selectFrom('tokens').selectAll().where('token_hash', '=', value.hash),
);
const sessions = compiledQuery(['hash'], (db, value: { hash: string }) =>
  db.selectFrom('sessions').selectAll().where('token_hash', '=', value.hash),
);
const memberships = compiledQuery(['userId'], (db, value: { userId: string }) =>
  db.selectFrom('memberships').select('company_id').where('user_id', '=', value.userId),
);

export async function tokenByHash(db: Db, hash: string): Promise<TokenRow | undefined> {
  return (await tokens(db, { hash }))[0];
}

export async function sessionByHash(db: Db, hash: string): Promise<SessionRow | undefined> {
  return (await sessions(db, { hash }))[0];
}

export async function companiesOf(db: Db, userId: string): Promise<string[]> {
  return (await memberships(db, { userId })).map((row) => row.company_id);
}

export function companyById(db: Db, id: string): Promise<CompanyRow | undefined> {
  return db.selectFrom('companies').selectAll().where('id', '=', id).executeTakeFirst();
}

export function companiesIn(db: Db): Promise<{ id: string; name: string }[]> {
  return db.selectFrom('companies').select(['id', 'name']).orderBy('name').orderBy('id').execute();
}
