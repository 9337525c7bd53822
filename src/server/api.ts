/** The embedded API as one function from request to response: credential, validation, handler, error shape. */
import { type OperationId, type operations, type Route, routesTo } from '../contract/index.ts';
import { urlOf } from '../core/addresses.ts';
import { shorten } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';
import { type Identify, identify } from './auth.ts';
import * as entries from './handlers/entries.ts';
import { type Answer, type Call, type Caller, type Handler, JsonText } from './handlers/handler.ts';
import * as lists from './handlers/lists.ts';
import * as metrics from './handlers/metrics.ts';
import * as series from './handlers/series.ts';
import * as sharing from './handlers/sharing.ts';
import { type Input, readInput } from './input.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { ApiError, forbidden, invalid } from './model/failure.ts';
import { failureOf, requireFiles } from './store/engine.ts';
import type { Reads } from './store/replica.ts';
import type { Store } from './store/store.ts';

/** Surrounds the API and may wait, answer by itself, or change what goes through: the place for injected faults. */
export type Wrapper = (request: WireRequest, next: Transport) => Promise<WireResponse>;

export interface ApiOptions {
  now?: () => Date;
  /** A page never holds more rows than this, whatever `limit` says. */
  maxPage?: number | undefined;
  /** Outermost first. */
  wrappers?: readonly Wrapper[] | undefined;
  /** Accepts credentials that are in no table; runs before the tables are read. */
  identify?: Identify | undefined;
  /** Replaces the company that a request names, such as a placeholder for the only one. */
  resolveCompany?(named: string): string;
  /** Answers that are sent again while nobody writes; not together with a standby, whose states are others. */
  kept?: KeptAnswers | undefined;
  /** Called with the cause of a 500 or 503, which the response does not contain. */
  onError?(error: unknown): void;
}

export function createApi(store: Store, options: ApiOptions = {}): Transport {
  const { wrappers = [] } = options;
  const answerWire: Transport = async (request) => {
    try {
      return await answer(store, options, request);
    } catch (error) {
      return failureResponse(store, options, error);
    }
  };
  return wrappers.reduceRight<Transport>((next, wrapper) => (request) => wrapper(request, next), answerWire);
}

/** Throws 400 for an address that is neither a path nor a URL, such as the `*` of `OPTIONS *`. */
function addressOf({ url, method }: WireRequest): URL {
  const address = url.startsWith('/') ? `http://embedded${url}` : url;
  const parts = urlOf(address);
  if (!parts) throw new ApiError(400, `The address of a request is a path, not ${method} ${url}`);
  return parts;
}

/** Throws 400 for bytes that are not UTF-8: they would be read as another text. */
export function queryOf({ search, searchParams }: URL): URLSearchParams {
  try {
    for (const [bytes] of search.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(bytes);
  } catch {
    throw invalid({ path: 'query', message: 'is not percent-encoded UTF-8' });
  }
  return searchParams;
}

/** Throws 404 for an unknown path, and 405 with `Allow` for another method of a known one. */
export function routeOf(request: WireRequest): Route & { address: URL } {
  const { method } = request;
  const address = addressOf(request);
  const path = address.pathname;
  const routes = routesTo(path);
  const route = routes.find(({ op }) => op.method === method);
  if (route) return { ...route, params: decodedParams(route.params), address };
  if (routes.length === 0) throw new ApiError(404, `No such endpoint: ${method} ${path}`);
  const allow = routes.map(({ op }) => op.method).join(', ');
  throw new ApiError(405, `${path} takes ${allow}, not ${method}`, undefined, { allow });
}

function decodedParams(params: Route['params']): Route['params'] {
  const decoded = Object.entries(params).map(([name, text]) => {
    try {
      return [name, decodeURIComponent(text)];
    } catch {
      throw invalid({ path: name, message: 'is not percent-encoded UTF-8' });
    }
  });
  return Object.fromEntries(decoded);
}

function failureResponse(store: Store, { onError }: ApiOptions, error: unknown): WireResponse {
  if (error instanceof ApiError) return errorResponse(error);
  const trouble = failureOf(store.engine, error);
  onError?.(error);
  if (trouble === undefined) return errorResponse(new ApiError(500, 'Internal error'));
  return errorResponse(new ApiError(503, trouble.says, undefined, { 'retry-after': '1' }));
}

/** Characters: a message may contain what a request sent. */
const maxMessageLength = 2000;

/** The Error body (docs/api.md, "Errors" 1) of a failure. */
export function errorResponse({ status, message, details, headers }: ApiError): WireResponse {
  const error = shorten(message, maxMessageLength);
  return response(status, { error, status, ...(details && { details }) }, headers);
}

async function answer(store: Store, options: ApiOptions, request: WireRequest): Promise<WireResponse> {
  const { id, op, params, address } = routeOf(request);
  requireFiles(store.engine);
  const now = options.now?.() ?? new Date();
  const caller = (await options.identify?.(op, request.headers)) ?? (await identify(store, op, request.headers, now));
  const read = async () => {
    const input = readInput(op, { params, search: queryOf(address), request }, options.resolveCompany);
    const call = { ...input, ...scope(caller, input), caller, store, now, maxPage: options.maxPage ?? Infinity };
    const work = (reads?: Reads) => handle(id, reads ? { ...call, store: { ...store, ...reads } } : call);
    const { replica } = store;
    const answered = op.method === 'GET' ? replica?.read(caller, work) : replica?.write(caller.userId, work);
    const { body, status, headers } = await (answered ?? work());
    return response(status ?? op.success, body, headers);
  };
  return caller.credential && options.kept ? options.kept.answer(id, request, caller.credential, read) : read();
}

type UntypedCall = Omit<Call, 'body'> & Pick<Input, 'body'>;

/** Runs the handler of the operation. `readInput` has validated the call against that operation. */
function handle<Id extends OperationId>(id: Id, call: UntypedCall): Promise<Answer<unknown>> {
  return handlers[id](call as Call<(typeof operations)[Id]>);
}

/** The company that the call acts on. Throws 403 unless the caller is a member of it. */
export function scope(caller: Caller, { company: named }: Pick<Input, 'company'>): Pick<Call, 'company' | 'companies'> {
  if (named !== undefined && !caller.companies.has(named)) {
    throw forbidden(`The caller is not a member of company ${named}`);
  }
  const company = named ?? caller.bound;
  return { company, companies: company === undefined ? [...caller.companies] : [company] };
}

export function response(status: number, body: unknown, headers: Headers = {}): WireResponse {
  if (body === undefined) return { status, headers, body: new Uint8Array() };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(body instanceof JsonText ? body.text : stringifyJson(body)),
  };
}

/** One handler for each operation of the contract; a missing one does not compile. */
const handlers: { readonly [Id in OperationId]: Handler<(typeof operations)[Id]> } = {
  ...lists,
  ...entries,
  ...metrics,
  ...series,
  ...sharing,
};
