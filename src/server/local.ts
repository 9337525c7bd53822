/**
 * Who acts on a database in this process without credentials of their own: the owner of the folder, who could read the
 * file anyway. Nothing here is reachable over a port.
 *
 * The client half sends the demo's key, session and company when it was told none (domain/demo.ts). Where the database
 * holds the demo they are simply valid. Elsewhere they stand for the operator, and the demo's company stands for the
 * only one there is.
 */
import { demo } from '../core/demo.ts';
import type { WireRequest } from '../core/wire.ts';
import { type ApiOptions, errorResponse, type Wrapper } from './api.ts';
import { ApiError } from './model/failure.ts';
import { companiesIn, operatorAccess } from './operator.ts';
import type { Store } from './store/store.ts';

export interface LocalAccess {
  identify: ApiOptions['identify'];
  wrapper: Wrapper;
}

/** Undefined where the database holds the demo, or nothing. */
export async function localAccess(store: Store): Promise<LocalAccess | undefined> {
  const companies = await companiesIn(store);
  const [only] = companies;
  if (!only || companies.some(({ id }) => id === demo.companyId)) return undefined;
  return {
    identify: operatorAccess(store, { apiKey: demo.apiKey, session: demo.sessionToken }),
    async wrapper(request, next) {
      if (!JSON.stringify([request.url, request.headers, request.body]).includes(demo.companyId)) return next(request);
      if (companies.length === 1) return next(withCompany(request, only.id));
      const choice = companies.map(({ id, name }) => `${name} (${id})`).join(', ');
      return errorResponse(new ApiError(400, `The database holds several companies; name one of ${choice}`));
    },
  };
}

/** A uuid stands nowhere by chance, so its text can be replaced wherever the API takes a company. */
function withCompany(request: WireRequest, company: string): WireRequest {
  const swap = (text: string) => text.replaceAll(demo.companyId, company);
  return {
    ...request,
    url: swap(request.url),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, swap(value)])),
    ...(request.body !== undefined && { body: swap(request.body) }),
  };
}
