/** From a response on the wire to data or a Failure: the one translation of API errors. */
import { isAscii } from 'node:buffer';
import type { Operation } from '../contract/operation.ts';
import { baseType } from '../contract/schema.ts';
import { Failure, kindOfStatus, TransportError } from '../core/errors.ts';
import { parseJson, stringifyJson } from '../core/json.ts';
import type { Headers, WireRequest, WireResponse } from '../core/wire.ts';
import { redactUrl, withoutSecrets } from './credentials.ts';
import { isWithoutRows, parseWithout } from './paging.ts';
import { longestRetryAfterMs } from './retry.ts';

/** A complete response of the API: any 2xx. Everything else is thrown as a Failure. */
export interface Reply<T> {
  status: number;
  headers: Headers;
  /** The parsed body without its envelope, numbers exact (see `json.ts`); undefined when the body is empty. */
  data: T;
  /** The body exactly as received. */
  bytes: Uint8Array;
}

/** A response of any status. */
export interface AnyReply extends Reply<unknown> {
  /** What a status other than 2xx means; undefined for 2xx. */
  failure: Failure | undefined;
}

export interface ReadOptions {
  /** An array of the body that may be left unread (see `parseWithout`). */
  without?: string | undefined;
  /** The array of the body that is wanted: where it is empty, nothing is left unread. */
  read?: string | undefined;
  /** Default: with exact numbers. */
  parse?: ((text: string) => unknown) | undefined;
}

/** What a failure says about the request that it answers. */
export interface Asked {
  request: WireRequest;
  credential: 'key' | 'session' | 'none';
  profile: string | undefined;
}

/** The answer as data. @throws Failure for everything that is neither 2xx nor a step body (docs/api.md, "Errors" 3). */
export function readReply(op: Operation, response: WireResponse, asked: Asked, how: ReadOptions = {}): Reply<unknown> {
  const { status, headers, body: bytes } = response;
  const success = isSuccess(status);
  if (bytes.length === 0 || status === 204) {
    if (!success) throw refused(response, undefined, asked);
    if (op.method === 'GET' && op.result) throw notTheApi('an empty body', response, asked);
    return { status, headers, data: undefined, bytes };
  }
  const body = parse(response, asked, success ? how : { ...how, without: undefined });
  if (!success && !isRejection(op, body)) throw refused(response, body, asked);
  return { status, headers, data: success ? unwrap(op, body, response, asked) : body, bytes };
}

/** The body of any response: JSON as data, everything else as text. */
export function readAny(response: WireResponse, asked: Asked, { parse = parseJson }: ReadOptions = {}): AnyReply {
  const { status, headers, body: bytes } = response;
  const text = decode(bytes);
  let data: unknown = text;
  try {
    data = text === '' ? undefined : parse(text);
  } catch {
    // Not JSON.
  }
  return { status, headers, data, bytes, failure: isSuccess(status) ? undefined : refused(response, data, asked) };
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most bodies are ASCII, which is copied instead of decoded.
  if (isAscii(buffer)) return buffer.toString('latin1');
  const text = buffer.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function parse(
  response: WireResponse,
  asked: Asked,
  { without, read: wanted, parse: read = parseJson }: ReadOptions,
): unknown {
  const { status } = response;
  if (status >= 300 && status < 400) throw redirected(response, asked);
  const text = decode(response.body);
  try {
    const body = without === undefined ? read(text) : parseWithout(text, without, read);
    return wanted !== undefined && isWithoutRows(body, wanted) ? read(text) : body;
  } catch {
    // A gateway's own page has the meaning of its status.
    if (status === 429 || status >= 500 || status === 401 || status === 403) throw refused(response, undefined, asked);
    if (!/^\s*</.test(text)) throw notTheApi('a body that is not JSON', response, asked);
    throw asked.credential === 'session' ? signedOut(response, asked) : notTheApi('an HTML page', response, asked);
  }
}

function isRejection(op: Operation, body: unknown): boolean {
  return op.rejection?.some((field) => isObject(body) && typeof body[field] === 'boolean') ?? false;
}

function unwrap(op: Operation, body: unknown, response: WireResponse, asked: Asked): unknown {
  if (!op.result) return undefined;
  const wrapped = op.envelope !== undefined && isObject(body) && Object.hasOwn(body, op.envelope);
  const data = wrapped ? body[op.envelope as string] : body;
  const schema = op.envelope === undefined ? op.result : (op.result.properties?.[op.envelope] ?? op.result);
  const expected = baseType(schema);
  const fits = expected === 'array' ? Array.isArray(data) : expected !== 'object' || isObject(data);
  if (!fits) throw notTheApi(`JSON that is not the ${expected} of the API`, response, asked);
  return data;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(response: WireResponse, body: unknown, asked: Asked): Failure {
  const { status } = response;
  if (status >= 300 && status < 400) return redirected(response, asked);
  const { error, message, details }: Record<string, unknown> = isObject(body) ? unechoed(body, asked) : {};
  const says = [error, message].find((text): text is string => typeof text === 'string' && text !== '');
  const unknown = status >= 500 && asked.request.method === 'POST';
  return new Failure(
    kindOfStatus(status),
    `${says ?? reasons[status] ?? 'the server refused'} (${where(asked)} answered ${status})`,
    {
      ...about(asked, status),
      details,
      ...(unknown ? { retryable: false } : {}),
      hint: unknown ? lookFirst : hintFor(response, asked),
    },
  );
}

/** The body, but for credentials of the request in it. */
function unechoed(body: Record<string, unknown>, { request }: Asked): Record<string, unknown> {
  const text = stringifyJson(body);
  const clean = withoutSecrets(text, request.headers);
  return clean === text ? body : (parseJson(clean) as Record<string, unknown>);
}

const reasons: Record<number, string> = {
  401: 'the credential was not accepted',
  403: 'not allowed',
  404: 'not found',
  429: 'too many requests',
  500: 'the server failed',
  502: 'the gateway got no answer',
  503: 'the service is not available',
  504: 'the gateway waited too long',
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const lookFirst = 'the request may have been carried out: check before you repeat it';

function hintFor({ status, headers }: WireResponse, asked: Asked): string | undefined {
  const profile = asked.profile === undefined ? '' : ` -p ${asked.profile}`;
  if (status === 401 && asked.credential === 'session') {
    return `the session may have expired: copy the Cookie header again and run \`comem auth login${profile} --session-stdin\``;
  }
  if (status === 401) return `see which key is used with \`comem auth status --check${profile}\``;
  if (status === 403) return 'the credential is known but may not do this: check the company (-c) and its scopes';
  if (status === 429) {
    const after = headers['retry-after'];
    if (after === undefined) return undefined;
    const tooLong = Number(after) * 1000 > longestRetryAfterMs ? ', longer than comem waits by itself' : '';
    return `the server asks to wait: Retry-After ${after}${tooLong}`;
  }
  return undefined;
}

function redirected(response: WireResponse, asked: Asked): Failure {
  const location = redactUrl(response.headers.location ?? 'nowhere').replace(/[?#].*$/s, '');
  const target = withoutSecrets(location, asked.request.headers);
  return new Failure('credential', `${where(asked)} was redirected to ${target}, and credentials do not follow`, {
    ...about(asked, response.status),
    code: 'redirected',
    hint:
      asked.credential === 'session'
        ? 'a redirect usually means that the session has expired: copy the Cookie header again with `comem auth login --session-stdin`'
        : 'check the base URL: it must not redirect',
  });
}

function signedOut(response: WireResponse, asked: Asked): Failure {
  return new Failure('credential', `${where(asked)} answered ${response.status} with an HTML page instead of JSON`, {
    ...about(asked, response.status),
    code: 'signed_out',
    hint: 'the session has expired, or the base URL is not the API: copy the Cookie header again with `comem auth login --session-stdin`',
  });
}

function notTheApi(what: string, response: WireResponse, asked: Asked): Failure {
  return new Failure('rejected', `${where(asked)} answered ${response.status} with ${what}`, {
    ...about(asked, response.status),
    code: 'not_the_api',
    hint: 'check the base URL (`comem auth status` says where it comes from)',
  });
}

/** A request without a complete response as a Failure; any other error as it is. */
export function requestFailure(error: unknown, asked: Asked): unknown {
  if (!(error instanceof TransportError)) return error;
  const options = { ...about(asked), cause: error };
  if (error.reason === 'aborted') {
    const hint = error.sent && asked.request.method !== 'GET' ? lookFirst : undefined;
    return new Failure('interrupted', `${where(asked)} was cancelled`, { ...options, hint });
  }
  const unknown = error.sent && asked.request.method === 'POST';
  return new Failure('tryLater', `${where(asked)} got no answer: ${error.message}`, {
    ...options,
    code: error.reason === 'timeout' ? 'timeout' : 'network',
    retryable: !unknown,
    hint: unknown ? lookFirst : error.reason === 'timeout' ? 'give it more time with --timeout SECONDS' : undefined,
  });
}

/** The failure of an answer that breaks the rules of paging. */
export function brokenPaging(says: string, asked: Asked): Failure {
  return new Failure('rejected', `${where(asked)}: ${says}`, { ...about(asked), code: 'broken_paging' });
}

function about({ request }: Asked, status?: number) {
  return { status, request: { method: request.method, url: redactUrl(request.url) } };
}

/** `GET /api/lists of profile "prod"`. */
function where({ request, profile }: Asked): string {
  const path = request.url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*$/s, '');
  return `${request.method} ${path}${profile === undefined ? '' : ` of profile "${profile}"`}`;
}
