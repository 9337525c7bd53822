import { demo } from '../core/demo.ts';
import type { ApiOptions } from './api.ts';
import { ApiError } from './model/failure.ts';
import { operatorAccess } from './operator.ts';
import { companiesIn } from './store/people.ts';
import type { Store } from './store/store.ts';

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
