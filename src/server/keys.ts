/** Creates, lists and revokes keys and sessions of a database. */
import { randomUUID } from 'node:crypto';
import { scopes as knownScopes } from '../contract/metrics.ts';
import { Failure, usage } from '../core/errors.ts';
import { stableId } from './model/names.ts';
import { hashToken, hintOf, newApiKey, newSessionToken, sessionCookie } from './model/secrets.ts';
import { sql } from './store/kysely.ts';
import { chosenCompany, companiesIn } from './store/people.ts';
import type { Db, Row } from './store/schema.ts';
import type { Store } from './store/store.ts';
import { findRow, insertRows } from './store/tables.ts';

export const keyKinds = ['api_key', 'oauth', 'session'] as const;
export const keyStates = ['active', 'revoked', 'expired'] as const;

export interface Key {
  id: string;
  kind: (typeof keyKinds)[number];
  name: string;
  hint: string;
  company: string;
  companyId: string;
  user: string;
  scopes: string[];
  status: (typeof keyStates)[number];
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
}

interface NewKey {
  session: boolean;
  /** Id or name; default: the only company. */
  company?: string | undefined;
  /** Email; default: the only user of the company, else a new operator. */
  user?: string | undefined;
  name?: string | undefined;
  scopes?: readonly string[] | undefined;
  expiresAt?: string | undefined;
  now: Date;
  /** The folder of the database, for messages. */
  dataDir?: string | undefined;
}

const quote = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word}'`);

/** The owner of keys in a database without users. */
const operatorEmail = 'operator@localhost';

/** Creates an API key or a session. The secret is only in this result: the database stores its hash. */
export async function createKey(store: Store, newKey: NewKey): Promise<Key & { secret: string }> {
  const companies = await companiesIn(store.db);
  const folder = newKey.dataDir === undefined ? '' : ` --dir ${quote(newKey.dataDir)}`;
  if (companies.length === 0) {
    throw usage(
      'the database has no company',
      `make one with \`comem init --company ${quote(newKey.company ?? 'NAME')}${folder}\``,
    );
  }
  if (newKey.session && (newKey.name ?? newKey.scopes) !== undefined)
    throw usage('a session has no name and no scopes: --name and --scope are for keys', 'leave them out');
  const company = chosenCompany(companies, newKey.company);
  const { session, name = 'key', now } = newKey;
  const secret = session ? newSessionToken() : newApiKey();
  const id = randomUUID();
  await store.write(async (db) => {
    const created_at = now.toISOString();
    const user_id = await userOf(db, company.id, newKey.user, created_at);
    const shared = { id, token_hash: hashToken(secret), hint: hintOf(secret), user_id, created_at, revoked_at: null };
    if (session) {
      // A session must expire.
      const expires_at = newKey.expiresAt ?? new Date(now.getTime() + 365 * 86_400_000).toISOString();
      return insertRows(db, 'sessions', [{ ...shared, expires_at }]);
    }
    const scopes = JSON.stringify(newKey.scopes ?? Object.values(knownScopes));
    const token = { kind: 'api_key', name, company_id: company.id, scopes, expires_at: newKey.expiresAt };
    return insertRows(db, 'tokens', [{ ...shared, ...token }]);
  });
  const [key] = await requireKeys(store, [id], now);
  return { ...(key as Key), secret: session ? `${sessionCookie}=${secret}` : secret };
}

/** All keys, tokens and sessions, oldest first. */
export async function listKeys(store: Store, now: Date): Promise<Key[]> {
  const { rows } = await sql<Row<'tokens'> & Pick<Key, 'kind' | 'company' | 'user'>>`
    select t.id as id, t.kind, t.name, t.hint, c.name as company, t.company_id, u.email as "user", t.scopes,
      t.created_at as created_at, t.expires_at, t.revoked_at
    from tokens t join users u on u.id = t.user_id join companies c on c.id = t.company_id
    union all
    select s.id, 'session', '', s.hint, '', '', u.email, '[]', s.created_at, s.expires_at, s.revoked_at
    from sessions s join users u on u.id = s.user_id
    order by created_at, id`.execute(store.db);
  const at = now.toISOString();
  return rows.map(({ company_id, scopes, created_at, expires_at, revoked_at, ...row }) => ({
    ...row,
    companyId: company_id,
    scopes: JSON.parse(scopes) as string[],
    status: revoked_at !== null ? 'revoked' : expires_at !== null && expires_at <= at ? 'expired' : 'active',
    createdAt: created_at,
    ...(expires_at !== null && { expiresAt: expires_at }),
    ...(revoked_at !== null && { revokedAt: revoked_at }),
  }));
}

/** The keys with these ids. @throws notFound when one is unknown */
export async function requireKeys(store: Store, ids: readonly string[], now: Date): Promise<Key[]> {
  const all = new Map((await listKeys(store, now)).map((key) => [key.id, key]));
  return ids.map((id) => {
    const key = all.get(id.toLowerCase());
    if (key) return key;
    throw new Failure('notFound', `unknown key or session ${id}`, { hint: 'run `comem server keys list` to see them' });
  });
}

/** Revokes a key or session by its id. @returns false when it was revoked already */
export async function revokeKey(store: Store, id: string, now: Date): Promise<boolean> {
  return store.write(async (db) => {
    for (const table of ['tokens', 'sessions'] as const) {
      const update = db.updateTable(table).set({ revoked_at: now.toISOString() });
      const { numUpdatedRows } = await update.where('id', '=', id).where('revoked_at', 'is', null).executeTakeFirst();
      if (numUpdatedRows > 0n) return true;
    }
    return false;
  });
}

async function userOf(db: Db, companyId: string, email: string | undefined, createdAt: string): Promise<string> {
  const members = await db
    .selectFrom('users')
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .select(['id', 'email'])
    .where('company_id', '=', companyId)
    .orderBy('email')
    .execute();
  const owner = members.find((member) => member.email === email);
  if (owner) return owner.id;
  const choice = members.map((member) => member.email).join(', ');
  if (email !== undefined) {
    throw usage(
      `--user ${email} is not a member of the company`,
      choice === '' ? 'it has none' : `its members are ${choice}`,
    );
  }
  if (members.length === 1 && members[0]) return members[0].id;
  if (members.length > 1)
    throw usage(`--user is needed: the company has ${members.length} members`, `add --user with one of ${choice}`);
  const known = await findRow(db, 'users', { email: operatorEmail });
  const id = known?.id ?? stableId('user', operatorEmail);
  if (!known) await insertRows(db, 'users', [{ id, email: operatorEmail, name: 'Operator', created_at: createdAt }]);
  await insertRows(db, 'memberships', [{ user_id: id, company_id: companyId }]);
  return id;
}
