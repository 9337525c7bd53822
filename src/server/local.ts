/**
 * Who acts on a database in this process without credentials of their own: the owner of the folder, who could read the
 * file anyway. Nothing here is reachable over a port.
 *
 * The client half sends the demo's key, session and company when it was told none (domain/demo.ts). Where the database
 * holds the demo they are simply valid. Elsewhere they stand for the operator, a member of every company, and the demo's
 * company stands for the only one there is.
 */

import { scopes } from '../contract/metrics.ts';
import type { Operation } from '../contract/operation.ts';
import { demo } from '../domain/demo.ts';
import type { Headers } from '../wire.ts';
import { errorResponse, type Wrapper } from './api.ts';
import { sessionToken } from './auth.ts';
import { ApiError } from './failure.ts';
import type { Caller } from './handler.ts';
import type { Store } from './store/store.ts';

/** No row of the users table: what it writes names it as the author, and no one can log in as it. */
export const operatorId = 'c0ffee00-0000-4000-8000-00000000000f';

export interface Local {
  /** The operator, when the call carries the demo's credential of the operation's kind. */
  identify(op: Operation, headers: Headers): Promise<Caller | undefined>;
  wrapper: Wrapper;
}

/** Undefined where the database holds the demo, or nothing. */
export async function localAccess(store: Store): Promise<Local | undefined> {
  const companies = () => store.db.selectFrom('companies').select(['id', 'name']).orderBy('name').execute();
  const all = (await companies()).map(({ id }) => id);
  if (all.length === 0 || all.includes(demo.companyId)) return undefined;
  const only = all.length === 1 ? all[0] : undefined;
  return {
    async identify(op, headers) {
      const given =
        op.credential === 'key'
          ? headers.authorization === `Bearer ${demo.apiKey}`
          : sessionToken(headers) === demo.sessionToken;
      if (!given) return undefined;
      return {
        kind: op.credential === 'key' ? 'api_key' : 'session',
        userId: operatorId,
        companies: new Set((await companies()).map(({ id }) => id)),
        bound: only,
        scopes: new Set<string>(Object.values(scopes)),
      };
    },
    async wrapper(request, next) {
      if (only !== undefined) return next(withCompany(request, only));
      if (!JSON.stringify([request.url, request.headers]).includes(demo.companyId)) return next(request);
      const choice = (await companies()).map(({ id, name }) => `${name} (${id})`).join(', ');
      return errorResponse(new ApiError(400, `The database holds several companies; name one of ${choice}`));
    },
  };
}

type Request = Parameters<Wrapper>[0];

/** A uuid stands nowhere by chance, so its text can be replaced wherever the API takes a company. */
function withCompany(request: Request, company: string): Request {
  const swap = (text: string) => text.replaceAll(demo.companyId, company);
  return {
    ...request,
    url: swap(request.url),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, swap(value)])),
    ...(request.body !== undefined && { body: swap(request.body) }),
  };
}
