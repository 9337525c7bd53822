/** Companies, and the credentials and memberships that give access to them. */
import { usage } from '../../core/errors.ts';
import { slugOf } from '../model/names.ts';
import type { Db, Row } from './schema.ts';

export type CompanyRow = Row<'companies'>;

export function tokenByHash(db: Db, hash: string): Promise<Row<'tokens'> | undefined> {
  return db.selectFrom('tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst();
}

export function sessionByHash(db: Db, hash: string): Promise<Row<'sessions'> | undefined> {
  return db.selectFrom('sessions').selectAll().where('token_hash', '=', hash).executeTakeFirst();
}

export async function companiesOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('memberships').select('company_id').where('user_id', '=', userId).execute();
  return rows.map((row) => row.company_id);
}

export function companyById(db: Db, id: string): Promise<CompanyRow | undefined> {
  return db.selectFrom('companies').selectAll().where('id', '=', id).executeTakeFirst();
}

export function companiesIn(db: Db): Promise<NamedCompany[]> {
  return db.selectFrom('companies').select(['id', 'name']).orderBy('name').orderBy('id').execute();
}

interface NamedCompany {
  id: string;
  name: string;
}

/** The company of an id, name or slug, or the only one. @throws usage with all that there are */
export function chosenCompany(all: readonly NamedCompany[], text: string | undefined): NamedCompany {
  const exact = all.filter(({ id, name }) => text === undefined || id === text.toLowerCase() || name === text);
  const matches = exact.length > 0 ? exact : all.filter(({ name }) => slugOf(name, '') === text?.toLowerCase());
  const [match] = matches;
  if (match && matches.length === 1) return match;
  const choice = `choose one of ${all.map(({ id, name }) => `${name} (${id})`).join(', ')}`;
  if (text === undefined) throw usage(`--company is needed: the database holds ${all.length} companies`, choice);
  const why = match ? `is the name of ${matches.length} companies` : 'is not in the database';
  throw usage(`--company ${text} ${why}`, `${choice}; \`comem init --company NAME\` makes a database for a new one`);
}
