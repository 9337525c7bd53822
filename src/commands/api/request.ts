/** From the words of `comem api` to one request, and the flags that cannot be combined. */
import { jsonOf, pairs } from '../../cli/arguments.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { requirePageSize } from '../../cli/operation-flags.ts';
import type { Settings } from '../../config/settings.ts';
import { operationAt } from '../../contract/index.ts';
import type { Method, Operation } from '../../contract/operation.ts';
import { object } from '../../contract/schema.ts';
import { urlOf } from '../../core/addresses.ts';
import { usage } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';

interface ApiWords {
  method: string;
  path: string;
  query?: readonly string[];
  body?: readonly string[];
  data?: string;
  as?: string;
}

export interface ApiRequest {
  method: string;
  /** Below the base URL, without a query. */
  path: string;
  /** In the order given; a name may come several times. */
  query: readonly (readonly [string, string])[];
  /** JSON text. */
  body?: string | undefined;
  headers: Record<string, string>;
  credential: 'key' | 'session';
  /** The endpoint's row in the contract, when there is one. */
  known?: Operation | undefined;
  /** It may change something. */
  writes: boolean;
  /** It deletes or revokes, and asks first. */
  destructive: boolean;
}

const withoutBody = ['GET', 'HEAD', 'OPTIONS'];
const methods = [...withoutBody, 'POST', 'PUT', 'PATCH', 'DELETE'];

/** @throws usage naming the word that is wrong; notFound for an unknown company alias */
export async function apiRequest(ctx: Context, words: ApiWords): Promise<ApiRequest> {
  const method = words.method.toUpperCase();
  if (!methods.includes(method)) throw usage(`METHOD must be one of ${methods.join(', ')}, got "${words.method}"`);
  const { path, query: written } = splitPath(ctx, words.path);
  const known = operationAt(method, path);
  const credential = credentialOf(known, words.as, `${method} ${path}`);
  const query = [...written, ...pairs('--query', words.query).map(queryPair)];
  const text = await bodyText(ctx, words, method);
  const company = ctx.settings.companies.origin === 'flag' ? ctx.company() : undefined;
  return {
    method,
    path,
    credential,
    known,
    writes: !withoutBody.includes(method),
    destructive: method === 'DELETE' || known?.destructive === true || /\/revoke\/?$/.test(path),
    ...placed(company, known, query, text),
  };
}

/** The path with its query. */
export function pathOf({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  const parts = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** The request as a call that can be shown, refused and confirmed like any other. */
export function plannedCall(request: ApiRequest): PlannedCall {
  const { method, known, credential, body, headers } = request;
  const op: Operation = {
    id: known?.id ?? 'api',
    method: method as Method,
    path: pathOf(request).replace(/[{}]/g, encodeURIComponent),
    credential,
    summary: 'Any request',
    company: { in: 'x-company-id' in headers ? 'header' : 'none', required: false },
    params: object({}),
    query: object({}),
    ...(body === undefined ? {} : { body: object({}) }),
    paging: 'none',
    success: 200,
  };
  return { op, input: body === undefined ? {} : { body: jsonOf('the body', body) } };
}

/** The company goes where the endpoint names it, and is sent only when it was asked for. */
function placed(
  company: string | undefined,
  known: Operation | undefined,
  query: readonly (readonly [string, string])[],
  body: string | undefined,
): Pick<ApiRequest, 'query' | 'body' | 'headers'> {
  const location = company === undefined ? 'none' : (known?.company.in ?? 'header');
  if (company === undefined || location === 'none') return { query, body, headers: {} };
  if (location === 'header') return { query, body, headers: { 'x-company-id': company } };
  if (location === 'query') {
    const has = query.some(([name]) => name === 'companyId');
    return { query: has ? query : [...query, ['companyId', company]], body, headers: {} };
  }
  const fields = body === undefined ? {} : jsonOf('the body', body);
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return { query, body, headers: {} };
  return { query, body: stringifyJson({ companyId: company, ...fields }), headers: {} };
}

function credentialOf(known: Operation | undefined, as: string | undefined, endpoint: string): 'key' | 'session' {
  if (as === 'key' || as === 'session') return as;
  if (known) return known.credential;
  throw usage(
    `${endpoint} is not in the API description, so comem cannot tell which credential it takes`,
    'add --as key or --as session',
  );
}

function splitPath(ctx: Context, text: string): { path: string; query: [string, string][] } {
  const local = /^[a-z][a-z0-9+.-]*:/i.test(text) ? belowBase(ctx, text) : text;
  const [before = '', ...rest] = local.split('#')[0]?.split('?') ?? [];
  const path = before.startsWith('/') ? before : `/${before}`;
  if (path === '/' || path.startsWith('//') || /\s/.test(path)) {
    throw usage(`PATH must be a path such as /api/lists, got "${text}"`);
  }
  return { path, query: [...new URLSearchParams(rest.join('?'))] };
}

/** The part of a URL below the base URL. Credentials go nowhere else. */
function belowBase(ctx: Context, text: string): string {
  const base = ctx.settings.baseUrl.value;
  const [baseUrl, target] = [urlOf(base ?? ''), urlOf(text)];
  if (baseUrl && target) {
    const prefix = baseUrl.pathname.replace(/\/$/, '');
    const below = target.pathname.startsWith(`${prefix}/`);
    if (baseUrl.host !== '' && target.origin === baseUrl.origin && below && !target.username) {
      return target.pathname.slice(prefix.length) + target.search;
    }
  }
  throw usage(
    `PATH must be below the base URL${base === undefined ? '' : ` ${base}`}, got "${text}"`,
    'give only the path, such as /api/lists, and select the API with -p or --base-url',
  );
}

function queryPair(pair: ReturnType<typeof pairs>[number]): [string, string] {
  if ('text' in pair) return [pair.key, pair.text];
  return [pair.key, typeof pair.json === 'string' ? pair.json : stringifyJson(pair.json)];
}

async function bodyText(ctx: Context, { body, data }: ApiWords, method: string): Promise<string | undefined> {
  if (body === undefined && data === undefined) return undefined;
  const name = body === undefined ? '--data' : '--body';
  if (withoutBody.includes(method)) {
    throw usage(`${name} sets a body, but ${method} has none`, 'set query parameters with -q NAME=VALUE');
  }
  if (body !== undefined && data !== undefined) throw usage('--body and --data both set the body', 'give one of them');
  if (data !== undefined) {
    // `--input -` is stdin, too.
    const text = await ctx.readArgument(data === '@-' ? '-' : data);
    jsonOf('--data', text);
    return text;
  }
  const fields = pairs('--body', body).map((text): [string, unknown] => [
    text.key,
    'json' in text ? text.json : text.text,
  ]);
  return stringifyJson(Object.fromEntries(fields));
}

interface Flags {
  include?: boolean;
  paginate?: boolean;
}

/** @throws usage naming two flags of which one would do nothing */
export function checkFlags(settings: Settings, { include, paginate }: Flags): void {
  const alone = include ? '--include' : settings.raw ? '--raw' : undefined;
  if (alone && paginate) throw usage(`${alone} prints one response, but --paginate reads several`);
  if (include && (settings.output.origin === 'flag' || settings.fields || settings.raw)) {
    throw usage('--include prints the response as received and cannot go with -o, --fields, --jq or --raw');
  }
  const cut = settings.limit !== undefined ? '--limit' : settings.failEmpty ? '--fail-empty' : undefined;
  if (alone && cut) throw usage(`${alone} prints the response as received and cannot go with ${cut}`);
  if (settings.pageSize !== undefined && !paginate) {
    throw usage('--page-size goes with --paginate', 'set the limit of one request with -q limit=N');
  }
}

/** The rules of `--paginate`. @throws usage */
export function checkPages({ pageSize }: Settings, { known, method, path, query, writes }: ApiRequest): void {
  if (writes) throw usage(`--paginate reads, but ${method} writes`);
  if (pageSize === undefined) return;
  if (known === undefined || known.paging === 'none') {
    const why = known ? 'has no pages' : 'is not in the API description';
    throw usage(`--page-size: ${method} ${path} ${why}`, 'set the parameter of the path with -q NAME=VALUE');
  }
  if (query.some(([name]) => name === 'limit'))
    throw usage('--page-size and -q limit say the same', 'give one of them');
  requirePageSize(known, pageSize);
}
