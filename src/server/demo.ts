/**
 * The demo data: a seed of the format that `comem server dump -o ndjson` writes, and its credentials. These are public, so
 * the demo is served on this machine only unless somebody insists.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demo } from '../core/demo.ts';
import { Failure } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { hashToken } from './model/secrets.ts';
import type { Seed, SeedSource } from './seed/seed.ts';
import { credentialByHash } from './store/people.ts';
import { readMeta, type Store, writeMeta } from './store/store.ts';

/** The build copies it beside the program's code. */
const file = 'demo.ndjson';

export function* demoParts(): Generator<SeedSource> {
  const fail: SeedSource['fail'] = (path, message) => new Failure('bug', `the demo data is wrong: ${path} ${message}`);
  const lines = readFileSync(join(import.meta.dirname, file), 'utf8')
    .trimEnd()
    .split('\n');
  // Not validated: the first start should be fast, and the tests load the file as users load theirs.
  for (const line of lines) yield { seed: parseJson(line) as Seed, fail };
}

/** Loads the demo data into a new database. Safe in several processes at once. @returns whether it did */
export async function ensureDemo(store: Store): Promise<boolean> {
  if (!(await isUntouched(store.db))) return false;
  // Most databases are not new: the code for it is loaded when it is needed.
  const { loadInto } = await import('./seed/load.ts');
  return store.write(async (db) => {
    // Checked again: another process may have been faster while this one waited for the lock.
    if (!(await isUntouched(db))) return false;
    await loadInto(db, demoParts(), new Date(demo.now));
    await writeMeta(db, 'seed', 'demo');
    return true;
  });
}

/** No seed was ever loaded, and there is no company, which everything else needs. */
async function isUntouched(db: Store['db']): Promise<boolean> {
  if ((await readMeta(db, 'seed')) !== undefined) return false;
  return (await db.selectFrom('companies').select('id').limit(1).executeTakeFirst()) === undefined;
}

/** Whether the demo's key, which everyone knows, opens the database. */
export async function holdsDemo(store: Store): Promise<boolean> {
  const key = await credentialByHash(store, 'tokens', hashToken(demo.apiKey));
  return key !== undefined && key.revoked_at === null;
}

/** Names, secrets and purposes; the data holds the hashes of the secrets. */
const secrets = [
  ['investor', demo.apiKey, 'everything'],
  ['investor session', demo.sessionToken, 'everything'],
  [
    'investor oauth',
    'demo-oauth-investor-series-and-catalog',
    'an OAuth access token, accepted only by catalog and series',
  ],
  ['actuals only', 'cmk_demo_investor_actuals_only', 'may not read budgets and forecasts'],
  ['plans only', 'cmk_demo_investor_plans_only', 'may not read actuals'],
  ['expired session', 'demo-session-investor-expired', 'ended on 2026-03-01'],
  ['revoked key', 'cmk_demo_investor_revoked_key', 'revoked on 2026-02-14'],
  ['second investor', 'cmk_demo_second_investor_everything', 'everything of Alder Capital, nothing of Northgate'],
  ['second investor session', 'demo-session-second-investor', 'everything of Alder Capital, nothing of Northgate'],
] as const;

/** The demo's credentials with owner, company and scopes; a session has the first company of its user. */
export function demoCredentials() {
  const seed: Seed = {};
  for (const part of demoParts()) Object.assign(seed, part.seed);
  const { companies = [], users = [], keys = [], tokens = [], sessions = [] } = seed;
  const stored = [
    ...keys.map((key) => ({ kind: 'key' as const, ...key })),
    ...tokens.map((token) => ({ kind: 'oauth' as const, ...token })),
    ...sessions.map((session) => ({
      kind: 'session' as const,
      company: users.find(({ email }) => email === session.user)?.companies?.[0],
      scopes: [],
      ...session,
    })),
  ];
  return secrets.flatMap(([name, secret, says]) => {
    const hash = hashToken(secret);
    const credential = stored.find((candidate) => candidate.hash === hash);
    const company = companies.find(({ slug }) => slug === credential?.company);
    if (!credential || !company?.id) return [];
    const { kind, user, scopes = [], expires_at, revoked_at } = credential;
    return {
      name,
      kind,
      secret,
      user,
      company: company.name,
      companyId: company.id,
      scopes,
      says,
      ...(expires_at && { expiresAt: expires_at }),
      ...(revoked_at && { revokedAt: revoked_at }),
    };
  });
}
