/** The operator of a database: whoever owns its folder or runs its server, a member of every company. */
import { scopes } from '../contract/metrics.ts';
import type { ApiOptions } from './api.ts';
import { bearerToken, sessionToken } from './auth.ts';
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
    const given = isKey ? bearerToken(headers) : sessionToken(headers);
    if (given === undefined || !sameSecret(given, isKey ? apiKey : session)) return undefined;
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
