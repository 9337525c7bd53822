/** Companies, and the credentials and memberships that give access to them. */
import { usage } from '../../core/errors.ts';
import { slugOf } from '../model/names.ts';
import { sql } from './kysely.ts';
import type { Db, Row } from './schema.ts';
import type { Store } from './store.ts';
import { runCompiled } from './tables.ts';

export type CompanyRow = Row<'companies'>;

/** A key or token, or a session, which has neither kind nor company nor scopes of its own. */
interface Credential extends Row<'sessions'>, Partial<Pick<Row<'tokens'>, 'kind' | 'company_id' | 'scopes'>> {
  /** The companies that its user is a member of. */
  companies: string[];
  /** The position that a standby must have reached before it serves the user (replica.ts). */
  position?: string;
  /** The state of the database in which the credential was read (engine.ts). */
  state: string;
}

export async function credentialByHash(
  { db, engine, replica }: Pick<Store, 'db' | 'engine' | 'replica'>,
  table: 'tokens' | 'sessions',
  hash: string,
): Promise<Credential | undefined> {
  const compile = () => {
    const position = replica === undefined ? sql`` : sql`, ${replica.positionOf(sql.ref('c.user_id'))} as position`;
    return sql`
      select c.*, (select string_agg(company_id, ',') from memberships m where m.user_id = c.user_id) as companies,
        ${sql.raw(engine.state)} as state${position} from ${sql.table(table)} c where c.token_hash = ${hash}`.compile(
      db,
    );
  };
  const { rows } = await runCompiled<Omit<Credential, 'companies'> & { companies: string | null }>(db, {
    name: `credential of ${table}`,
    compile,
    parameters: [hash],
  });
  const [credential] = rows;
  return credential && { ...credential, companies: credential.companies?.split(',') ?? [] };
}

export async function companiesIn(db: Db): Promise<NamedCompany[]> {
  const compile = () => sql`select id, name from companies order by name, id`.compile(db);
  return (await runCompiled<NamedCompany>(db, { name: 'companies', compile, parameters: [] })).rows;
}

export interface NamedCompany {
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
