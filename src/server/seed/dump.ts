/**
 * The database as a seed that loads back the same. Of credentials it holds the hash, never the secret: whoever has the
 * secret can use it on the copy too.
 */
import type { Db } from '../store/schema.ts';
import { readMeta } from '../store/store.ts';
import { dumpLists, dumpViews } from './dump-lists.ts';
import { dumpCatalog, dumpGrants, dumpPoints, dumpPreferences, dumpPublications } from './dump-metrics.ts';
import { type Names, namesOf, type SeedPiece, withoutNull } from './dump-names.ts';
import type { Seed, SeedSession, SeedToken } from './seed.ts';

/** The pieces of the seed, whatever the size of the database; a part without items has none. */
export async function* dumpPieces(db: Db): AsyncGenerator<SeedPiece> {
  const names = await namesOf(db);
  const clock = await readMeta(db, 'clock');
  if (clock !== undefined) yield { part: 'clock', value: clock };
  yield { part: 'companies', items: await dumpCompanies(db, names) };
  yield { part: 'users', items: await dumpUsers(db, names) };
  yield { part: 'keys', items: await dumpTokens(db, names, 'api_key') };
  yield { part: 'tokens', items: await dumpTokens(db, names, 'oauth') };
  yield { part: 'sessions', items: await dumpSessions(db, names) };
  yield* dumpLists(db, names);
  yield { part: 'views', items: await dumpViews(db, names) };
  yield { part: 'catalog', items: await dumpCatalog(db, names) };
  for await (const items of dumpPoints(db, names)) yield { part: 'points', items };
  yield { part: 'publications', items: await dumpPublications(db, names) };
  yield { part: 'grants', items: await dumpGrants(db, names) };
  yield { part: 'preferences', items: await dumpPreferences(db, names) };
}

async function dumpCompanies(db: Db, names: Names): Promise<NonNullable<Seed['companies']>> {
  const rows = await db.selectFrom('companies').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map((row) => ({ slug: names.company(row.id), ...withoutNull(row) }));
}

async function dumpUsers(db: Db, names: Names): Promise<NonNullable<Seed['users']>> {
  const members = await db.selectFrom('memberships').selectAll().orderBy('company_id').execute();
  const rows = await db.selectFrom('users').selectAll().orderBy('created_at').orderBy('email').execute();
  return rows.map((row) => ({
    ...withoutNull(row),
    companies: members.filter(({ user_id }) => user_id === row.id).map(({ company_id }) => names.company(company_id)),
  }));
}

async function dumpTokens(db: Db, names: Names, kind: 'api_key' | 'oauth'): Promise<SeedToken[]> {
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where('kind', '=', kind)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ token_hash, user_id, company_id, scopes, kind: _, ...row }) => ({
    ...withoutNull(row),
    hash: token_hash,
    user: names.user(user_id),
    company: names.company(company_id),
    scopes: JSON.parse(scopes) as string[],
  }));
}

async function dumpSessions(db: Db, names: Names): Promise<SeedSession[]> {
  const rows = await db.selectFrom('sessions').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(({ token_hash, user_id, ...row }) => ({
    ...withoutNull(row),
    hash: token_hash,
    user: names.user(user_id),
  }));
}
