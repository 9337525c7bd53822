/** Failures of requests and answers: what went wrong, of which request, and what to do next. */
import { Failure, kindOfStatus, shorten, TransportError, wrongCompany } from '../core/errors.ts';
import { parseJson, stringifyJson } from '../core/json.ts';
import type { Headers, WireRequest, WireResponse } from '../core/wire.ts';
import { redacted, redactUrl } from './credentials.ts';
import { maxRetryAfterMs } from './retry.ts';

/** A sent request, and what messages about its failure need. */
export interface SentRequest {
  request: WireRequest;
  credential: 'key' | 'session' | 'none';
  profile: string | undefined;
  /** The origin of the credential: `COMEM_SESSION_COOKIE`, `profile "web"`. */
  from?: string | undefined;
  /** The alias of a company. */
  companyName?: ((id: string) => string | undefined) | undefined;
}

/** A request and its response. */
export interface Exchange extends SentRequest {
  response: WireResponse;
}

/** An answer, or a row of it, that is about another company than its request. */
export interface OtherCompany {
  /** The field of the answer, such as `3.company_id`. */
  field: string;
  requested: string;
  answered: string;
  /** The resource that names the company, where it has an id. */
  id?: string | undefined;
  /** The request named no company: the answers to one key contradict each other. */
  isBound: boolean;
}

/** The longest text of a server in a message, in characters. */
const maxServerText = 2000;

export function statusFailure(exchange: Exchange, body: unknown): Failure {
  const { status } = exchange.response;
  if (status >= 300 && status < 400) return redirectFailure(exchange);
  const { error, message, details }: Record<string, unknown> =
    typeof body === 'object' && body !== null ? withoutEcho(body, exchange) : {};
  const text = [error, message].find((part): part is string => typeof part === 'string' && part !== '');
  const says = text && shorten(text, maxServerText);
  const unknown = status >= 500 && exchange.request.method === 'POST';
  return new Failure(
    kindOfStatus(status),
    `${withNames(says, exchange) ?? reasons[status] ?? 'the server refused'} (${endpointIn(exchange)} answered ${status})`,
    {
      ...requestDetails(exchange, status),
      details,
      isRepeated: exchange.response.isRepeated,
      ...(unknown ? { retryable: false } : {}),
      hint: unknown ? uncertainWriteHint : hintFor(exchange),
    },
  );
}

/** Shortens the words of a server and removes the credentials of the request. */
function serverText(says: string, { request }: SentRequest): string {
  return shorten(withoutSecrets(says, request.headers), maxServerText);
}

/** Replaces ids of companies by their names. */
function withNames(text: string | undefined, { companyName }: SentRequest): string | undefined {
  const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
  return text?.replace(uuid, (id) => companyName?.(id.toLowerCase()) ?? id);
}

/** The body, but for credentials of the request in it. */
function withoutEcho(body: object, { request }: SentRequest): Record<string, unknown> {
  const text = stringifyJson(body);
  const clean = withoutSecrets(text, request.headers);
  return clean === text ? { ...body } : (parseJson(clean) as Record<string, unknown>);
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

const uncertainWriteHint = 'the request may have been carried out: check before you repeat it';

/** The way to a new session, by the origin of the one that was refused. */
function renewal({ from, profile }: SentRequest): string {
  const name = profile === undefined ? '' : ` -p ${profile}`;
  const command = `copy the Cookie header again and run \`comem auth login${name} --stdin session\``;
  if (from === undefined) return `the session may have expired: ${command}`;
  const isVariable = from.startsWith('COMEM_');
  const value = `put the Cookie header of a new one into ${from.endsWith('_FILE') ? 'its file' : 'it'}`;
  return `the session of ${from} may have expired: ${isVariable ? value : command}`;
}

function hintFor(exchange: Exchange): string | undefined {
  const { response, profile: name, credential, from } = exchange;
  const { status, headers } = response;
  if (status === 401 && credential === 'session') return renewal(exchange);
  if (status === 401) {
    const profile = name === undefined || from?.startsWith('COMEM_') ? '' : ` -p ${name}`;
    const see = `see with \`comem auth status${profile}\` which key is used`;
    return from === undefined ? see : `the key is that of ${from}; ${see}`;
  }
  if (status === 403) return 'the credential is known but may not do this: check the company (-c) and its scopes';
  if (status === 429) {
    const after = headers['retry-after'];
    if (after === undefined) return undefined;
    const tooLong = Number(after) * 1000 > maxRetryAfterMs ? ', longer than comem waits by itself' : '';
    return `the server asks to wait: Retry-After ${after}${tooLong}`;
  }
  return undefined;
}

export function redirectFailure(exchange: Exchange): Failure {
  const location = redactUrl(exchange.response.headers.location ?? 'nowhere').replace(/[?#].*$/s, '');
  const target = withoutSecrets(location, exchange.request.headers);
  return new Failure(
    'credential',
    `${endpointIn(exchange)} was redirected to ${target}, and credentials do not follow`,
    {
      ...requestDetails(exchange, exchange.response.status),
      code: 'redirected',
      hint: redirectHint(exchange),
    },
  );
}

/** 307 and 308 keep a request as it is: its address has moved, while other redirects of a session lead to a login page. */
function redirectHint(exchange: Exchange): string {
  const { status } = exchange.response;
  const address = 'check the base URL: it must not redirect';
  if (exchange.credential !== 'session' || status === 308) return address;
  return status === 307 ? `${address}; if it leads to a login page, ${renewal(exchange)}` : renewal(exchange);
}

export function signedOut(exchange: Exchange): Failure {
  return new Failure(
    'credential',
    `${endpointIn(exchange)} answered ${exchange.response.status} with an HTML page instead of JSON`,
    {
      ...requestDetails(exchange, exchange.response.status),
      code: 'signed_out',
      hint: `${renewal(exchange)}; or the base URL is not that of the API`,
    },
  );
}

/** JSON that the contract does not allow. A write may have been carried out all the same. */
export function wrongAnswer(says: string, exchange: Exchange): Failure {
  const writes = exchange.request.method !== 'GET';
  return rejectedAnswer(exchange, `, but ${serverText(says, exchange)}`, {
    code: writes ? 'unproven_write' : 'wrong_answer',
    hint: writes ? uncertainWriteHint : 'check with `comem auth status` that the base URL is the API',
  });
}

/** The write was carried out, but not as it was sent: repeating it changes nothing. */
export function ignoredFields(says: string, exchange: Exchange): Failure {
  return rejectedAnswer(exchange, `, but ${serverText(says, exchange)}`, {
    code: 'ignored_fields',
    hint: 'look at it before you repeat the command: this server does not keep what was sent',
  });
}

/** The answer is about another company than the request. A write is done, in the wrong company. */
export function foreignAnswer(other: OtherCompany, exchange: Exchange): Failure {
  const named = (id: string) => exchange.companyName?.(id.toLowerCase()) ?? id;
  const [answered, requested] = [named(other.answered), named(other.requested)];
  const isWrite = exchange.request.method !== 'GET';
  const says = isWrite
    ? `${other.id ?? 'it'} was written to the company ${answered} instead of ${requested}`
    : `"${other.field}" is the company ${answered}, ${other.isBound ? 'and was' : 'not'} ${requested}${other.isBound ? ' before' : ''}`;
  return rejectedAnswer(exchange, `, but ${serverText(says, exchange)}`, {
    code: wrongCompany,
    hint: isWrite
      ? 'look there before you repeat the command: this server ignored the company of the request'
      : `name the company with -c ${other.answered} if you mean it; nothing of this answer was used`,
  });
}

export function notTheApi(body: string, exchange: Exchange): Failure {
  const hint = 'check the base URL (`comem auth status` says where it comes from)';
  return rejectedAnswer(exchange, ` with ${body}`, { code: 'not_the_api', hint });
}

function rejectedAnswer(exchange: Exchange, reason: string, options: { code: string; hint: string }): Failure {
  const { status } = exchange.response;
  return new Failure('rejected', `${endpointIn(exchange)} answered ${status}${reason}`, {
    ...requestDetails(exchange, status),
    ...options,
  });
}

/** A request without a complete response as a Failure; any other error as it is. */
export function requestFailure(error: unknown, sent: SentRequest): unknown {
  if (!(error instanceof TransportError)) return error;
  const unknown = error.sent && sent.request.method !== 'GET';
  const doubt = unknown ? ' and may have been carried out' : '';
  const options = { ...requestDetails(sent), cause: error };
  if (error.reason === 'aborted') {
    const hint = unknown ? uncertainWriteHint : undefined;
    return new Failure('interrupted', `${endpointIn(sent)} was cancelled${doubt}`, {
      ...options,
      retryable: !unknown,
      hint,
    });
  }
  if (error.reason === 'tooLarge') {
    const hint = sent.request.method === 'GET' ? 'allow more with --max-response MIB' : uncertainWriteHint;
    return new Failure('rejected', `${endpointIn(sent)}: ${error.message}`, {
      ...options,
      code: 'response_too_large',
      hint,
    });
  }
  return new Failure('tryLater', `${endpointIn(sent)} got no answer${doubt}: ${error.message}`, {
    ...options,
    code: error.reason === 'timeout' ? 'timeout' : 'network',
    retryable: !unknown,
    hint: unknown ? uncertainWriteHint : unreachableHint(error),
  });
}

/** The hint for a request without an answer. */
function unreachableHint({ reason, cause }: TransportError): string {
  if (reason === 'timeout') return 'give it more time with --timeout SECONDS';
  const isUnknownHost = cause instanceof Error && 'code' in cause && cause.code === 'ENOTFOUND';
  const check = isUnknownHost ? 'check the host, which `comem auth status` shows with its origin' : 'check the address';
  return `${check}, and HTTPS_PROXY where a proxy is needed; \`comem doctor\` tries each step`;
}

/** The failure of an answer that breaks the rules of paging. */
export function brokenPaging(says: string, sent: SentRequest): Failure {
  return new Failure('rejected', `${endpointIn(sent)}: ${says}`, { ...requestDetails(sent), code: 'broken_paging' });
}

function requestDetails({ request }: SentRequest, status?: number) {
  return { status, request: { method: request.method, url: redactUrl(request.url) } };
}

/** `GET /api/lists of profile "prod"`. */
function endpointIn({ request, profile }: SentRequest): string {
  const path = request.url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*$/s, '');
  return `${request.method} ${path}${profile === undefined ? '' : ` of profile "${profile}"`}`;
}

/** A shorter value of a cookie is a preference rather than a secret. */
const minSecretLength = 8;

/** The text of a server without the credentials of the request, which a server may echo. */
export function withoutSecrets(text: string, { authorization = '', cookie = '' }: Headers): string {
  const values = cookie.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  const secrets = [authorization.replace(/^\S+\s+/, ''), cookie, ...values].filter(
    (secret) => secret.length >= minSecretLength,
  );
  const spelled = new Set(
    secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
  );
  // The longest first: another secret may be a part of it.
  const ordered = [...spelled].sort((a, b) => b.length - a.length);
  return ordered.reduce((left, secret) => left.replaceAll(secret, redacted), text);
}
