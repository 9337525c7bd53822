/** The API as it was at one moment: the same requests, answered from a mirror. It has no database, and writes nothing. */
import type { OperationId } from '../contract/index.ts';
import { scopes } from '../contract/metrics.ts';
import type { Transport } from '../core/wire.ts';
import type { History, Sync } from '../domain/history/versions.ts';
import { errorResponse, queryOf, response, routeOf, scope } from '../server/api.ts';
import type { Answer, Caller } from '../server/handlers/handler.ts';
import { readInput } from '../server/input.ts';
import { ApiError } from '../server/model/failure.ts';
import { entriesReader } from './past/entries.ts';
import { getList, listLists } from './past/lists.ts';
import { getLiveMetrics, getMetricCatalog, getMetricPreferences, getMetricSeries } from './past/metrics.ts';
import { getPublishedMetrics, listGrants } from './past/sharing.ts';
import { type Company, companiesOf, State } from './past/state.ts';
import { StateAt } from './past/state-at.ts';

interface PastApiOptions {
  history: History;
  /** The newest sync that is not after the moment. */
  sync: Sync;
  /** Milliseconds since 1970; undefined: that of the sync. */
  moment: number | undefined;
  now: Date;
  warn(text: string): void;
}

export interface PastApi {
  transport: Transport;
  companies: readonly Company[];
  /** The companies' own names at that time, by id. */
  names(): Promise<ReadonlyMap<string, string>>;
}

/** Opens the state of one moment. No credential is read: the owner of a mirror may see all of it. */
export async function openPastApi({ history, sync, moment, now, warn }: PastApiOptions): Promise<PastApi> {
  const at = new StateAt(history, sync, moment);
  const companies = await companiesOf(at);
  const warnings = new Set<string>();
  const state = new State(at, companies, (text) => {
    if (!warnings.has(text)) warn(text);
    warnings.add(text);
  });
  const answer = answering(state, now);
  return {
    companies,
    names: () => state.names(),
    async transport(request) {
      try {
        return await answer(request);
      } catch (error) {
        if (error instanceof ApiError) return errorResponse(error);
        throw error;
      }
    },
  };
}

function answering(state: State, now: Date): Transport {
  const ids = state.companies.map(({ id }) => id);
  const caller: Caller = {
    kind: 'session',
    userId: '',
    companies: new Set(ids),
    bound: ids.length === 1 ? ids[0] : undefined,
    scopes: new Set<string>(Object.values(scopes)),
  };
  // `readInput` validates each call against the operation of its reader.
  const readers: Partial<Record<OperationId, (state: State, call: never) => Promise<Answer<unknown>>>> = {
    listLists,
    getList,
    listEntries: entriesReader(),
    getLiveMetrics,
    getMetricCatalog,
    getMetricSeries,
    getMetricPreferences,
    listGrants,
    getPublishedMetrics,
  };
  return async (request) => {
    const { id, op, params, address } = routeOf(request);
    const reader = readers[id];
    if (reader === undefined) throw new ApiError(405, 'A mirror is only read', undefined, { allow: 'GET' });
    const known = (named: string) => state.requireCompany(named).id;
    const input = readInput(op, { params, search: queryOf(address), request }, known);
    const call = { ...input, ...scope(caller, input), maxPage: Infinity, caller, now };
    const { body, headers } = await reader(state, call as never);
    return response(op.success, body, headers);
  };
}
