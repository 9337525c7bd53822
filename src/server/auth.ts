/** The caller, from the credential kind of the operation (docs/api.md, "Credentials"; docs/server.md, "Access"). */
import { scopes } from '../contract/metrics.ts';
import type { Operation } from '../contract/operation.ts';
import { demo } from '../core/demo.ts';
import type { Headers } from '../core/wire.ts';
import type { Caller } from './handlers/handler.ts';
import { ApiError, unauthorized } from './model/failure.ts';
import { hashToken, sameSecret, sessionCookie } from './model/secrets.ts';
import { companiesIn, credentialByHash } from './store/people.ts';
import type { Store } from './store/store.ts';

/** Throws 401 for a credential that is missing, unknown, expired, revoked, or of the wrong kind. */
export async function identify(store: Store, op: Operation, headers: Headers, now: Date): Promise<Caller> {
  const endpoint = `${op.method} ${op.path}`;
  const isKey = op.credential === 'key';
  const token = credentialOf(op, headers);
  if (token === undefined) {
    const needed = isKey ? 'an API key (Authorization: Bearer)' : `a web session (Cookie: ${sessionCookie}=…)`;
    const other = isKey ? sessionToken(headers) : bearerToken(headers);
    const sent = other === undefined ? '' : isKey ? ', not a session cookie' : ', not an API key';
    throw unauthorized(`${endpoint} requires ${needed}${sent}`);
  }
  const hash = hashToken(token);
  const credential = await credentialByHash(store, isKey ? 'tokens' : 'sessions', hash);
  if (credential === undefined || !sameSecret(credential.token_hash, hash)) {
    throw unauthorized(`The ${isKey ? 'API key' : 'session'} is unknown`);
  }
  const { kind = 'session', position, state, revoked_at, expires_at } = credential;
  const name = { api_key: 'API key', oauth: 'OAuth access token', session: 'session' }[kind];
  if (revoked_at !== null) throw unauthorized(`The ${name} was revoked`);
  if (expires_at !== null && expires_at <= now.toISOString()) throw unauthorized(`The ${name} has expired`);
  if (kind === 'oauth' && !op.oauth) {
    throw unauthorized(`${endpoint} requires an API key, not an OAuth access token`);
  }
  return {
    kind,
    userId: credential.user_id,
    position,
    credential: { id: credential.id, state },
    companies: new Set(credential.companies),
    bound: credential.company_id,
    scopes: new Set(JSON.parse(credential.scopes ?? '[]') as string[]),
  };
}

/** The key or session of a request, whichever the operation takes. */
export function credentialOf({ credential }: Operation, headers: Headers): string | undefined {
  return credential === 'key' ? bearerToken(headers) : sessionToken(headers);
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
    const secret = credentialOf(op, headers);
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
