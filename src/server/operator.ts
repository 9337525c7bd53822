/** The operator of a database: whoever owns its folder or runs its server, a member of every company. */
import { scopes } from '../contract/metrics.ts';
import type { ApiOptions } from './api.ts';
import { bearerToken, sessionToken } from './auth.ts';
import { sameSecret } from './model/secrets.ts';
import type { Store } from './store/store.ts';

/** No row of the users table: what it writes names it as the author, and no one can log in as it. */
export const operatorId = 'c0ffee00-0000-4000-8000-00000000000f';

/** Credentials that no table knows, good for as long as the API that was made with them. */
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
    const all = (await companiesIn(store)).map(({ id }) => id);
    return {
      kind: isKey ? 'api_key' : 'session',
      userId: operatorId,
      companies: new Set(all),
      bound: all.length === 1 ? all[0] : undefined,
      scopes: new Set<string>(Object.values(scopes)),
    };
  };
}

export function companiesIn(store: Store): Promise<{ id: string; name: string }[]> {
  return store.db.selectFrom('companies').select(['id', 'name']).orderBy('name').orderBy('id').execute();
}
