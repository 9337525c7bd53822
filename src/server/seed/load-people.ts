/** Companies, their people, and the credentials of these. */
import { scopes } from '../../contract/metrics.ts';
import { hashToken, hintOf, keyPrefix } from '../model/secrets.ts';
import type { TokenTable } from '../store/schema.ts';
import { upsert } from '../store/upsert.ts';
import { type Loading, stableId, stamp } from './loading.ts';
import type { SeedCompany, SeedSession, SeedToken, SeedUser } from './seed.ts';

export async function loadCompanies(loading: Loading, companies: readonly SeedCompany[] = []): Promise<void> {
  const slugs = new Set<string>();
  const rows = companies.map((company, index) => {
    if (slugs.has(company.slug)) throw loading.fail(`companies.${index}.slug`, `repeats ${company.slug}`);
    slugs.add(company.slug);
    return {
      id: company.id?.toLowerCase() ?? stableId('company', company.slug),
      name: company.name,
      vertical: company.vertical,
      stage: company.stage,
      currency: company.currency,
      created_at: stamp(company.created_at),
    };
  });
  const result = await upsert(loading.db, {
    table: 'companies',
    key: ['id'],
    rows,
    fresh: () => ({ currency: 'USD', created_at: loading.now }),
    refuse: (index, says) => loading.fail(`companies.${index}.id`, says),
  });
  companies.forEach(({ slug, name }, index) => {
    const row = result.rows[index];
    loading.references.addCompany(slug, name, { id: String(row?.id), currency: String(row?.currency) });
  });
  loading.count('companies', result);
}

export async function loadUsers(loading: Loading, users: readonly SeedUser[] = []): Promise<void> {
  const result = await upsert(loading.db, {
    table: 'users',
    key: ['email'],
    rows: users.map((user) => ({
      id: user.id?.toLowerCase(),
      email: user.email,
      name: user.name,
      created_at: stamp(user.created_at),
    })),
    fresh: ({ email }) => ({ id: stableId('user', String(email)), created_at: loading.now }),
    refuse: (index, says) => loading.fail(`users.${index}`, says),
  });
  users.forEach(({ email }, index) => {
    loading.references.addUser(email, String(result.rows[index]?.id));
  });
  loading.count('users', result);
  const members = users.flatMap(({ email, companies }, index) =>
    [...new Set(companies ?? [])].map((company, at) => ({
      user_id: loading.references.user(`users.${index}.email`, email),
      company_id: loading.references.company(`users.${index}.companies.${at}`, company),
    })),
  );
  const memberships = await upsert(loading.db, {
    table: 'memberships',
    key: ['user_id', 'company_id'],
    rows: members,
    fresh: () => ({}),
    refuse: () => loading.fail('users', 'name one membership twice'),
  });
  loading.count('memberships', memberships);
}

export async function loadTokens(
  loading: Loading,
  section: 'keys' | 'tokens',
  kind: TokenTable['kind'],
  tokens: readonly SeedToken[] = [],
): Promise<void> {
  const result = await upsert(loading.db, {
    table: 'tokens',
    key: ['token_hash'],
    rows: tokens.map((token, index) => {
      const path = `${section}.${index}`;
      if (section === 'keys' && token.secret !== undefined && !token.secret.startsWith(keyPrefix)) {
        throw loading.fail(`${path}.secret`, `is not an API key: it must start with ${keyPrefix}`);
      }
      return {
        id: token.id?.toLowerCase(),
        kind,
        ...hashed(loading, path, token),
        name: token.name,
        user_id: loading.references.user(`${path}.user`, token.user),
        company_id: loading.references.company(`${path}.company`, token.company),
        scopes: token.scopes && JSON.stringify(token.scopes),
        created_at: stamp(token.created_at),
        expires_at: stamp(token.expires_at),
        revoked_at: stamp(token.revoked_at),
      };
    }),
    fresh: ({ token_hash }) => ({
      id: stableId('token', String(token_hash)),
      scopes: JSON.stringify(Object.values(scopes)),
      created_at: loading.now,
    }),
    refuse: (index, says) => loading.fail(`${section}.${index}`, says),
  });
  loading.count(section, result);
}

export async function loadSessions(loading: Loading, sessions: readonly SeedSession[] = []): Promise<void> {
  const result = await upsert(loading.db, {
    table: 'sessions',
    key: ['token_hash'],
    rows: sessions.map((session, index) => ({
      id: session.id?.toLowerCase(),
      ...hashed(loading, `sessions.${index}`, session),
      user_id: loading.references.user(`sessions.${index}.user`, session.user),
      created_at: stamp(session.created_at),
      expires_at: expiry(loading, index, session.expires_at),
      revoked_at: stamp(session.revoked_at),
    })),
    fresh: ({ token_hash }) => ({ id: stableId('session', String(token_hash)), created_at: loading.now }),
    refuse: (index, says) => loading.fail(`sessions.${index}`, says),
  });
  loading.count('sessions', result);
}

/** The database stores only hashes; a dump has the hash and the hint instead of the secret. */
function hashed(
  loading: Loading,
  path: string,
  { secret, hash, hint }: Pick<SeedToken, 'secret' | 'hash' | 'hint'>,
): { token_hash: string; hint: string } {
  if (secret !== undefined && hash === undefined)
    return { token_hash: hashToken(secret), hint: hint ?? hintOf(secret) };
  if (hash !== undefined && secret === undefined) return { token_hash: hash, hint: hint ?? '…' };
  throw loading.fail(path, 'needs either a secret or a hash');
}

function expiry(loading: Loading, index: number, expires: string | null | undefined): string {
  if (typeof expires !== 'string')
    throw loading.fail(`sessions.${index}.expires_at`, 'must be a timestamp: a session expires');
  return stamp(expires);
}
