/** The caller, from the credential kind of the operation (docs/api.md, "Credentials"; docs/server.md, "Access"). */
import type { OperationId } from '../contract/index.ts';
import { scopes } from '../contract/metrics.ts';
import type { Operation } from '../contract/operation.ts';
import { demo } from '../core/demo.ts';
import type { Headers } from '../core/wire.ts';
import type { Caller } from './handlers/handler.ts';
import { ApiError, unauthorized } from './model/failure.ts';
import { hashToken, sameSecret, sessionCookie } from './model/secrets.ts';
import { companiesIn, companiesOf, sessionByHash, tokenByHash } from './store/people.ts';
import type { Store } from './store/store.ts';

/** docs/api.md, "Credentials" 4. */
const takesOAuth: ReadonlySet<OperationId> = new Set(['getMetricSeries', 'getMetricCatalog']);

/** Throws 401 for a credential that is missing, unknown, expired, revoked, or of the wrong kind. */
export async function identify(
  store: Store,
  id: OperationId,
  op: Operation,
  headers: Headers,
  now: Date,
): Promise<Caller> {
  return op.credential === 'key' ? byToken(store, id, op, headers, now) : bySession(store, op, headers, now);
}

async function byToken(store: Store, id: OperationId, op: Operation, headers: Headers, now: Date): Promise<Caller> {
  const endpoint = `${op.method} ${op.path}`;
  const token = bearerToken(headers);
  if (token === undefined) {
    const other = sessionToken(headers) === undefined ? '' : ', not a session cookie';
    throw unauthorized(`${endpoint} requires an API key (Authorization: Bearer)${other}`);
  }
  const hash = hashToken(token);
  const row = await tokenByHash(store.db, hash);
  if (row === undefined || !sameSecret(row.token_hash, hash)) throw unauthorized('The API key is unknown');
  const named = row.kind === 'oauth' ? 'OAuth access token' : 'API key';
  if (row.revoked_at !== null) throw unauthorized(`The ${named} was revoked`);
  if (row.expires_at !== null && row.expires_at <= now.toISOString()) throw unauthorized(`The ${named} has expired`);
  if (row.kind === 'oauth' && !takesOAuth.has(id)) {
    throw unauthorized(`${endpoint} requires an API key, not an OAuth access token`);
  }
  return {
    kind: row.kind,
    userId: row.user_id,
    companies: new Set(await companiesOf(store.db, row.user_id)),
    bound: row.company_id,
    scopes: new Set(JSON.parse(row.scopes) as string[]),
  };
}

async function bySession(store: Store, op: Operation, headers: Headers, now: Date): Promise<Caller> {
  const token = sessionToken(headers);
  if (token === undefined) {
    const other = bearerToken(headers) === undefined ? '' : ', not an API key';
    throw unauthorized(`${op.method} ${op.path} requires a web session (Cookie: ${sessionCookie}=…)${other}`);
  }
  const hash = hashToken(token);
  const row = await sessionByHash(store.db, hash);
  if (row === undefined || !sameSecret(row.token_hash, hash)) throw unauthorized('The session is unknown');
  if (row.revoked_at !== null) throw unauthorized('The session was revoked');
  if (row.expires_at <= now.toISOString()) throw unauthorized('The session has expired');
  return {
    kind: 'session',
    userId: row.user_id,
    companies: new Set(await companiesOf(store.db, row.user_id)),
    scopes: new Set(),
  };
}

function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}

/** The value of the session cookie, joined from its pieces. */
export function sessionToken(headers: Headers): string | undefined {
  const cookies = new Map<string, string>();
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0) cookies.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  const whole = cookies.get(sessionCookie);
  if (whole !== undefined) return whole === '' ? undefined : whole;
  let joined = '';
  for (let index = 0; ; index += 1) {
    const piece = cookies.get(`${sessionCookie}.${index}`);
    if (piece === undefined) break;
    joined += piece;
  }
  return joined === '' ? undefined : joined;
}

/** In no users table: entries that the operator writes name it as the author, and nobody can log in as it. */
const operatorId = 'c0ffee00-0000-4000-8000-00000000000f';

/** Accepts credentials that are in no table; undefined for any other ones. */
export type Identify = (op: Operation, headers: Headers) => Promise<Caller | undefined>;

/** Credentials that are in no table, valid for as long as the API that was created with them. */
export interface OperatorCredentials {
  apiKey: string;
  /** The value of the session cookie. */
  session: string;
}

export function operatorAccess(store: Store, { apiKey, session }: OperatorCredentials): Identify {
  return async (op, headers) => {
    const isKey = op.credential === 'key';
    const secret = isKey ? bearerToken(headers) : sessionToken(headers);
    if (secret === undefined || !sameSecret(secret, isKey ? apiKey : session)) return undefined;
    const all = (await companiesIn(store.db)).map(({ id }) => id);
    return {
      kind: isKey ? 'api_key' : 'session',
      userId: operatorId,
      companies: new Set(all),
      bound: all.length === 1 ? all[0] : undefined,
      scopes: new Set<string>(Object.values(scopes)),
    };
  };
}

interface OwnerAccess {
  identify?: Identify;
  /** Replaces the company that a request names, such as a placeholder for the only one. */
  resolveCompany?(company: string): string;
}

/**
 * Access to a database in this process for its owner, who could read the file anyway. Not reachable over a port.
 *
 * Without other settings a client sends the demo's key, session and company (core/demo.ts). They are valid in a
 * database that holds the demo. In any other one the credentials mean the operator, and the company means the only one.
 */
export async function ownerAccess(store: Store): Promise<OwnerAccess> {
  const companies = await companiesIn(store.db);
  const [only, ...others] = companies;
  if (!only || companies.some(({ id }) => id === demo.companyId)) return {};
  return {
    identify: operatorAccess(store, { apiKey: demo.apiKey, session: demo.sessionToken }),
    resolveCompany(named) {
      if (named !== demo.companyId) return named;
      if (others.length === 0) return only.id;
      const choice = companies.map(({ id, name }) => `${name} (${id})`).join(', ');
      throw new ApiError(400, `The database holds several companies; name one of ${choice}`);
    },
  };
}
