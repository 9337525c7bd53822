/** The embedded API as one function from request to response: credential, validation, handler, error shape. */
import type { Operation } from '../contract/operation.ts';
import { stringifyJson } from '../core/json.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';
import { identify } from './auth.ts';
import type { Answer, Call, Caller, Handler } from './handlers/handler.ts';
import { handlers } from './handlers/index.ts';
import { type Input, readInput } from './input.ts';
import { ApiError, forbidden } from './model/failure.ts';
import { route } from './router.ts';
import type { Store } from './store/store.ts';

/** Stands around the API and may wait, answer by itself, or change what goes through: the place for injected faults. */
export type Wrapper = (request: WireRequest, next: Transport) => Promise<WireResponse>;

export interface ApiOptions {
  now?: () => Date;
  /** A page never holds more rows than this, whatever `limit` says. */
  maxPage?: number;
  /** Outermost first. */
  wrappers?: readonly Wrapper[];
  /** Knows callers that no table knows, before the tables are asked. */
  identify?(op: Operation, headers: Headers): Promise<Caller | undefined>;
  /** Told of every answer, for a log. */
  onAnswer?(record: AnswerRecord): void;
  /** Told of what became a 500 or 503; the caller of the API sees none of it. */
  onError?(error: unknown, request: WireRequest): void;
}

/** What a log may say of a request: no query, no header, nothing of a body. */
export interface AnswerRecord {
  method: string;
  /** The path of the operation with its placeholders; undefined when there is no such endpoint. */
  route?: string;
  /** 0: the connection was ended without an answer. */
  status: number;
  ms: number;
  company?: string;
  /** The id of the key or session. */
  key?: string;
  /** Asked every few seconds by a machine. */
  isProbe?: boolean;
}

type Known = Pick<AnswerRecord, 'route' | 'company' | 'key'>;

export function createApi(store: Store, options: ApiOptions = {}): Transport {
  const { onAnswer, wrappers = [] } = options;
  const knowns = new WeakMap<WireRequest, Known>();
  const answerOne: Transport = async (request) => {
    try {
      return await answer(store, options, request, knowns.get(request) ?? {});
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error);
      const trouble = store.engine.trouble(error);
      options.onError?.(error, request);
      if (trouble !== undefined) return errorResponse(new ApiError(503, trouble, undefined, { 'retry-after': '1' }));
      return errorResponse(new ApiError(500, 'Internal error'));
    }
  };
  const api = wrappers.reduceRight<Transport>((next, wrapper) => (request) => wrapper(request, next), answerOne);
  if (!onAnswer) return api;
  // Outside the wrappers, so that what they answer by themselves is told too.
  return async (request) => {
    const known: Known = {};
    knowns.set(request, known);
    const began = performance.now();
    let status = 0;
    try {
      const answered = await api(request);
      status = answered.status;
      return answered;
    } finally {
      known.route ??= routeOf(request);
      onAnswer({ method: request.method, ...known, status, ms: performance.now() - began });
    }
  };
}

function urlOf({ url }: WireRequest): URL {
  return new URL(url.startsWith('/') ? `http://embedded${url}` : url);
}

/** The path of the operation, when there is one. */
function routeOf(request: WireRequest): string | undefined {
  try {
    return route(request.method, urlOf(request).pathname).op.path;
  } catch {
    return undefined;
  }
}

/** The Error body (docs/api.md, "Errors" 1) of a failure. */
export function errorResponse({ status, message, details, headers }: ApiError): WireResponse {
  return response(status, { error: message, status, ...(details && { details }) }, headers);
}

async function answer(store: Store, options: ApiOptions, request: WireRequest, known: Known): Promise<WireResponse> {
  const url = urlOf(request);
  const { id, op, params } = route(request.method, url.pathname);
  known.route = op.path;
  const now = options.now?.() ?? new Date();
  const { headers: given } = request;
  const caller = (await options.identify?.(op, given)) ?? (await identify(store, id, op, given, now));
  known.key = caller.keyId;
  known.company = caller.bound;
  const input = readInput(op, params, url.searchParams, request);
  const scoped = scope(caller, input);
  // What the caller may see is of one company also where none was named.
  known.company = scoped.company ?? (scoped.companies.length === 1 ? scoped.companies[0] : undefined);
  const concerns = (company: string) => {
    known.company = company;
  };
  const call = { ...input, ...scoped, concerns, caller, store, now, maxPage: options.maxPage ?? Infinity };
  // The table of handlers is typed per operation; here the operation is known only at run time.
  const handler = handlers[id] as unknown as (
    call: Omit<Call, 'body'> & { body: unknown },
  ) => ReturnType<Handler<Operation>>;
  const { body, status, headers }: Answer<unknown> = await handler(call);
  return response(status ?? op.success, body, headers);
}

/** The company that the call acts on. Throws 403 for one that the caller is no member of. */
function scope(caller: Caller, { company: named }: Input): Pick<Call, 'company' | 'companies'> {
  if (named !== undefined && !caller.companies.has(named)) {
    throw forbidden(`The caller is not a member of company ${named}`);
  }
  const company = named ?? caller.bound;
  return { company, companies: company === undefined ? [...caller.companies] : [company] };
}

function response(status: number, body: unknown, headers: Headers = {}): WireResponse {
  if (body === undefined) return { status, headers, body: new Uint8Array() };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(stringifyJson(body)),
  };
}
