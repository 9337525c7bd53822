/**
 * A server that follows the API and decides docs/api.md, "What the API leaves open", otherwise than the embedded
 * server: other statuses, other defaults and page caps, no total, other ids, slugs, timestamps, credentials and
 * enum values, further fields. It shares no line with src/, so that what client and server have in common by mistake
 * shows here.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { listRoutes, seedLists } from './contrary-lists.ts';
import { metricRoutes, seedMetrics } from './contrary-metrics.ts';

export interface ContraryOptions {
  /** Its credentials have no form in common with the embedded API's. */
  apiKey?: string;
  sessionCookie?: string;
  /** Entries in one page at the most, whatever is asked for; default 60. */
  maxEntries?: number;
  /** Series rows in one page at the most; default 7. */
  maxRows?: number;
  /** Further metrics of the catalog. */
  metrics?: readonly string[] | undefined;
  /** PATCH of an entry replaces `values` as a whole; default: merges them. */
  replaceValues?: boolean;
  /** Answers by itself, before everything else: return true when it did. */
  before?(request: IncomingMessage, response: ServerResponse): boolean;
}

export interface RecordedRequest {
  method: string;
  /** With the query, as it came. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

export interface Contrary {
  url: string;
  apiKey: string;
  sessionCookie: string;
  /** A cookie whose session has ended: the server sends it to a login page. */
  endedCookie: string;
  /** The company that the credentials belong to, and an investor that it can grant to. */
  companyId: string;
  investorId: string;
  requests: RecordedRequest[];
  close(): Promise<void>;
}

/** What a handler is given. */
export interface Call {
  /** Path parameters in order. */
  ids: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
  company: string | undefined;
  options: ContraryOptions;
}

export interface Answer {
  status: number;
  body?: unknown;
}

export interface Route {
  method: string;
  path: RegExp;
  credential: 'Bearer' | 'Session';
  /** `required`: by query or header; `body`: in the body. */
  company?: 'required' | 'body';
  handle(call: Call): Answer;
}

export const companyId = 'C0FFEE00-1111-4AAA-8BBB-000000000001';
export const investorId = 'C0FFEE00-1111-4AAA-8BBB-000000000002';
const defaults = {
  apiKey: 'live/9f+Zk.TT_40==',
  sessionCookie: '__Secure-sid.0=abc%7Bdef; __Secure-sid.1=ghi; theme=dark',
};
const endedCookie = '__Secure-sid.0=old; theme=dark';

/** A refusal with the Error shape; `details` is null, an array or an object, as the API leaves open. */
export const refuse = (status: number, error: string, details: unknown = null): Answer => ({
  status,
  body: { error, status, details, trace: 'a-1' },
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function startContrary(options: ContraryOptions = {}): Promise<Contrary> {
  const apiKey = options.apiKey ?? defaults.apiKey;
  const sessionCookie = options.sessionCookie ?? defaults.sessionCookie;
  const routes = [...listRoutes(seedLists(companyId)), ...metricRoutes(seedMetrics(companyId, investorId))];
  const requests: RecordedRequest[] = [];

  const answer = (request: IncomingMessage, text: string): Answer => {
    const url = new URL(request.url ?? '/', 'http://x');
    const body = parsed(text);
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    const found = routes.filter((route) => route.path.test(url.pathname));
    const route = found.find((one) => one.method === request.method);
    if (!route) return refuse(found.length > 0 ? 405 : 404, 'nothing here');
    const refused = authenticate(route, request, { apiKey, sessionCookie });
    if (refused) return refused;
    if (text !== '' && body === undefined) return refuse(422, 'that is no JSON');
    const ids = route.path.exec(url.pathname)?.slice(1) ?? [];
    const wrong = ids.find((id) => !uuid.test(id));
    if (wrong !== undefined) return refuse(422, `bad id ${wrong}`, [{ at: 'path' }]);
    const company = companyOf(route, request, url.searchParams, body);
    if (typeof company === 'object') return company;
    return route.handle({ ids, query: url.searchParams, body: body ?? {}, company, options });
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (options.before?.(request, response)) return;
      send(request, response, answer(request, Buffer.concat(chunks).toString('utf8')));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    sessionCookie,
    endedCookie,
    companyId,
    investorId,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parsed(text: string): Record<string, unknown> | undefined {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function authenticate(
  { credential }: Route,
  { headers }: IncomingMessage,
  known: { apiKey: string; sessionCookie: string },
): Answer | undefined {
  if (credential === 'Bearer') {
    if (headers.authorization === `Bearer ${known.apiKey}`) return undefined;
    return refuse(headers.authorization === undefined ? 401 : 403, 'who are you?');
  }
  if (headers.cookie === known.sessionCookie) return undefined;
  // A web application sends an ended session to its login page.
  return headers.cookie === undefined ? refuse(403, 'log in first') : { status: 302 };
}

function companyOf(
  route: Route,
  { headers }: IncomingMessage,
  query: URLSearchParams,
  body: Record<string, unknown> | undefined,
): string | undefined | Answer {
  const named = route.company === 'body' ? body?.companyId : (query.get('companyId') ?? headers['x-company-id']);
  if (named === undefined) return route.company === undefined ? undefined : refuse(422, 'which company?');
  if (typeof named !== 'string' || !uuid.test(named)) return refuse(422, 'companyId is no uuid');
  const mine = [companyId, investorId].some((id) => id.toLowerCase() === named.toLowerCase());
  return mine ? named.toUpperCase() : refuse(403, 'not your company');
}

function send(request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  if (status === 302) response.setHeader('Location', '/login?next=%2F');
  if (body === undefined) {
    response.writeHead(status).end();
    return;
  }
  const text = Buffer.from(withDecimals(JSON.stringify(body)));
  const zipped = text.length > 2_000 && /\bgzip\b/.test(String(request.headers['accept-encoding']));
  response.writeHead(status, {
    'Content-Type': 'application/problem+json',
    ...(zipped ? { 'Content-Encoding': 'gzip' } : {}),
  });
  // No content-length: the body comes in chunks.
  const bytes = zipped ? gzipSync(text) : text;
  response.write(bytes.subarray(0, bytes.length >> 1));
  response.end(bytes.subarray(bytes.length >> 1));
}

/** Numbers written as `"#12.50#"` go out with the digits that they have, which `JSON.stringify` would not keep. */
function withDecimals(text: string): string {
  return text.replace(/"#(-?[\d.]+)#"/g, '$1');
}

/** A number as this server prints it. */
export const literal = (digits: string): string => `#${digits}#`;

/** Timestamps with microseconds and an offset. */
export const stamp = (minute: number): string =>
  new Date(Date.UTC(2024, 0, 1) + minute * 60_000).toISOString().replace('Z', '123+00:00');
