/**
 * The database as a seed that loads back the same. Of credentials it holds the hash, never the secret: whoever has the
 * secret can use it on the copy too.
 */
import type { Db } from '../store/schema.ts';
import { readMeta, type Store } from '../store/store.ts';
import { dumpLists, dumpViews } from './dump-lists.ts';
import { dumpCatalog, dumpGrants, dumpPoints, dumpPreferences, dumpPublications } from './dump-metrics.ts';
import { type Names, namesOf, withoutNull } from './dump-names.ts';
import type { Seed, SeedSession, SeedToken } from './seed.ts';

export async function dumpSeed(store: Store): Promise<Seed> {
  return store.read(async (db) => {
    const names = await namesOf(db);
    const clock = await readMeta(db, 'clock');
    const seed: Seed = {
      ...(clock !== undefined && { clock }),
      companies: await dumpCompanies(db, names),
      users: await dumpUsers(db, names),
      keys: await dumpTokens(db, names, 'api_key'),
      tokens: await dumpTokens(db, names, 'oauth'),
      sessions: await dumpSessions(db, names),
      lists: await dumpLists(db, names),
      views: await dumpViews(db, names),
      catalog: await dumpCatalog(db, names),
      points: await dumpPoints(db, names),
      publications: await dumpPublications(db, names),
      grants: await dumpGrants(db, names),
      preferences: await dumpPreferences(db, names),
    };
    const full = Object.entries(seed).filter(
      ([, part]) => part !== undefined && !(Array.isArray(part) && part.length === 0),
    );
    return Object.fromEntries(full) as Seed;
  });
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
