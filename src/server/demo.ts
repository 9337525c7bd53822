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

export const demoCompanies: readonly { slug: string; id: string; name: string }[] = [
  { slug: 'northgate', id: demo.companies.northgate, name: 'Northgate Ventures' },
  { slug: 'lumen', id: demo.companies.lumen, name: 'Lumen Analytics' },
  { slug: 'harbor', id: demo.companies.harbor, name: 'Harbor Health' },
  { slug: 'tessera', id: demo.companies.tessera, name: 'Tessera Pay' },
  { slug: 'fieldwork', id: demo.companies.fieldwork, name: 'Fieldwork Robotics' },
  { slug: 'quill', id: demo.companies.quill, name: 'Quill Learning' },
  { slug: 'cedar', id: demo.companies.cedar, name: 'Cedar Pension Trust' },
  { slug: 'alder', id: demo.companies.alder, name: 'Alder Capital' },
];

const investor = { user: 'maya.lindqvist@northgate.example', company: 'northgate' };
const second = { user: 'jonas.weber@alder.example', company: 'alder' };

interface DemoCredential {
  name: string;
  kind: 'key' | 'oauth' | 'session';
  /** The bearer token, or the value of the session cookie. */
  secret: string;
  /** The owner's email. */
  user: string;
  /** Slug of the company that a key is bound to; for a session the one to name first. */
  company: string;
  scopes?: readonly string[];
  expiresAt?: string;
  revokedAt?: string;
  says: string;
}

const actuals = 'metrics.actuals:read';
const plans = 'metrics.plans:read';
const later = '2099-12-31T00:00:00.000Z';

export const demoCredentials: readonly DemoCredential[] = [
  {
    name: 'investor',
    kind: 'key',
    secret: demo.apiKey,
    ...investor,
    scopes: [actuals, plans],
    says: 'everything',
  },
  {
    name: 'investor session',
    kind: 'session',
    secret: demo.sessionToken,
    ...investor,
    expiresAt: later,
    says: 'everything',
  },
  {
    name: 'investor oauth',
    kind: 'oauth',
    secret: 'demo-oauth-investor-series-and-catalog',
    ...investor,
    scopes: [actuals, plans],
    expiresAt: later,
    says: 'an OAuth access token, accepted only by catalog and series',
  },
  {
    name: 'actuals only',
    kind: 'key',
    secret: 'cmk_demo_investor_actuals_only',
    ...investor,
    scopes: [actuals],
    says: 'may not read budgets and forecasts',
  },
  {
    name: 'plans only',
    kind: 'key',
    secret: 'cmk_demo_investor_plans_only',
    ...investor,
    scopes: [plans],
    says: 'may not read actuals',
  },
  {
    name: 'expired session',
    kind: 'session',
    secret: 'demo-session-investor-expired',
    ...investor,
    expiresAt: '2026-03-01T00:00:00.000Z',
    says: 'ended on 2026-03-01',
  },
  {
    name: 'revoked key',
    kind: 'key',
    secret: 'cmk_demo_investor_revoked_key',
    ...investor,
    scopes: [actuals, plans],
    revokedAt: '2026-02-14T10:30:00.000Z',
    says: 'revoked on 2026-02-14',
  },
  {
    name: 'second investor',
    kind: 'key',
    secret: 'cmk_demo_second_investor_everything',
    ...second,
    scopes: [actuals, plans],
    says: 'everything of Alder Capital, nothing of Northgate',
  },
  {
    name: 'second investor session',
    kind: 'session',
    secret: 'demo-session-second-investor',
    ...second,
    expiresAt: later,
    says: 'everything of Alder Capital, nothing of Northgate',
  },
];
