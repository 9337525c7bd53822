/** The operator of a database: whoever owns its folder or runs its server, a member of every company. */
import { scopes } from '../contract/metrics.ts';
import { demo } from '../core/demo.ts';
import type { ApiOptions } from './api.ts';
import { bearerToken, sessionToken } from './auth.ts';
import { ApiError } from './model/failure.ts';
import { sameSecret } from './model/secrets.ts';
import { companiesIn } from './store/people.ts';
import type { Store } from './store/store.ts';

/** In no users table: entries that the operator writes name it as the author, and nobody can log in as it. */
const operatorId = 'c0ffee00-0000-4000-8000-00000000000f';

/** Credentials that are in no table, valid for as long as the API that was created with them. */
export interface OperatorCredentials {
  apiKey: string;
  /** The value of the session cookie. */
  session: string;
}

export function operatorAccess(store: Store, { apiKey, session }: OperatorCredentials): ApiOptions['identify'] {
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

/**
 * Access to a database in this process for its owner, who could read the file anyway. Not reachable over a port.
 *
 * Without other settings a client sends the demo's key, session and company (core/demo.ts). They are valid in a
 * database that holds the demo. In any other one the credentials mean the operator, and the company means the only one.
 */
export async function ownerAccess(store: Store): Promise<Pick<ApiOptions, 'identify' | 'resolveCompany'>> {
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
