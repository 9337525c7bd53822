/** `comem api`: builds one request from the command line, and prints its response as rows, a body or a failure. */

import { jsonOf, pairs } from '../cli/arguments.ts';
import type { Context, PlannedCall } from '../cli/context.ts';
import { defineCommand, flag } from '../cli/define.ts';
import { requirePageSize } from '../cli/operation-flags.ts';
import type { AnyReply, Reply } from '../client/answer.ts';
import { formatValue } from '../client/answer-shape.ts';
import type { Client } from '../client/client.ts';
import { cursorPages, type FetchOffset, offsetPages, totalOf } from '../client/paging.ts';
import type { Settings } from '../config/settings.ts';
import { operationAt } from '../contract/index.ts';
import { resources } from '../contract/openapi.ts';
import type { Method, Operation } from '../contract/operation.ts';
import { baseType, type JsonSchema, object } from '../contract/schema.ts';
import { urlOf } from '../core/addresses.ts';
import { Failure, usage } from '../core/errors.ts';
import { isObject, stringifyJson } from '../core/json.ts';
import { nearestHint } from '../core/nearest.ts';
import { type Column, foundColumns, schemaColumns } from '../output/column.ts';

export default defineCommand({
  path: 'api',
  summary: 'Send any request to the API',
  description: [
    'The API description selects the credential; an unknown path needs --as. A company is sent only if -c is given. A URL must be below the base URL.',
    'Prints the body as data in any format; --raw prints it as received. A response other than 2xx is an error on stderr.',
  ].join('\n\n'),
  callsAny: true,
  args: [
    { name: 'METHOD', summary: 'GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS' },
    { name: 'PATH', summary: 'a path such as /api/lists' },
  ],
  flags: {
    query: flag.list('NAME=VALUE', 'a query parameter', { short: 'q' }),
    body: flag.list('NAME=VALUE', 'a field of the JSON body; NAME:=JSON for JSON', {
      short: 'f',
      also: { field: 'VALUE' },
    }),
    data: flag.text('JSON|@FILE|-', 'the JSON body; - reads stdin', { also: { input: '@VALUE' } }),
    paginate: flag.boolean('read every page and print one collection'),
    as: flag.text('key|session', 'the credential to send', { choices: ['key', 'session'] }),
    include: flag.boolean('print the status line, headers and body as received', { short: 'i', hidden: true }),
    resource: flag.text('NAME', 'show the columns of this resource, such as Report', { hidden: true }),
  },
  examples: {
    'comem -p demo api GET /api/metrics/catalog --jq .currency': 'any endpoint, any field',
    'comem -p demo api GET /api/metrics/series -q periodType=month --paginate -o ndjson': 'every page',
    'comem -p demo api PATCH /api/lists/c0ffee00-0000-4000-8000-0000000000ff -f name=Deals --dry-run':
      'show the request',
  },
  writes: true,
  mayRead: true,
  confirms: 'before a request that deletes or revokes',
  async run(ctx, { args, flags }) {
    await requestApi(ctx, { ...flags, method: args.METHOD, path: args.PATH });
  },
});

interface ApiWords {
  method: string;
  path: string;
  query?: readonly string[];
  body?: readonly string[];
  data?: string;
  as?: string;
}

interface ApiRequest {
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
async function apiRequest(ctx: Context, words: ApiWords): Promise<ApiRequest> {
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
    ...placeCompany(company, known, query, text),
  };
}

function pathOf({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  const parts = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** The request as a call that can be shown, refused and confirmed like any other. */
function plannedCall(request: ApiRequest): PlannedCall {
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

/** The company is sent where the endpoint names it, and only with -c. */
function placeCompany(
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
  resource?: string;
}

/** Sends the request that the words make, and prints its response. */
async function requestApi(ctx: Context, words: ApiWords & Flags): Promise<void> {
  const { settings, out } = ctx;
  const resource = resourceOf(words.resource);
  checkFlags(settings, words);
  const request = await apiRequest(ctx, words);
  if (words.paginate) checkPages(settings, request);
  if (request.writes || settings.dryRun) {
    await out.check();
    await ctx.prepare([plannedCall(request)], request.destructive ? `${request.method} ${request.path}?` : undefined);
  }
  if (words.paginate) return showPages(ctx, request, resource);
  const reply = await send(await ctx.client(), request);
  if (words.include) await out.bytes(fullResponse(reply));
  if (reply.failure) throw reply.failure;
  if (words.include) return;
  if (settings.raw) return out.bytes(reply.bytes);
  await show(ctx, dataOf(reply, request, ctx), resource);
}

/** @throws usage for two flags, one of which would have no effect */
function checkFlags(settings: Settings, { include, paginate }: Flags): void {
  const alone = include ? '--include' : settings.raw ? '--raw' : undefined;
  if (alone && paginate) throw usage(`${alone} prints one response, but --paginate reads several`);
  if (include && (settings.output.origin === 'flag' || settings.fields || settings.raw)) {
    throw usage('--include prints the response as received and cannot be used with -o, --fields, --jq or --raw');
  }
  const cut = settings.limit !== undefined ? '--limit' : settings.failEmpty ? '--fail-empty' : undefined;
  if (alone && cut) throw usage(`${alone} prints the response as received and cannot be used with ${cut}`);
  if (settings.pageSize !== undefined && !paginate) {
    throw usage('--page-size goes with --paginate', 'set the limit of one request with -q limit=N');
  }
}

/** The rules of `--paginate`. @throws usage */
function checkPages({ pageSize }: Settings, { known, method, path, query, writes }: ApiRequest): void {
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

type Row = Record<string, unknown>;

/** Sends the request. Answers of any status come back. */
function send(client: Client, request: ApiRequest): Promise<AnyReply> {
  const { method, body, headers, credential, known: op } = request;
  return client.request({
    method,
    path: pathOf(request),
    headers,
    credential,
    op,
    ...(body === undefined ? {} : { body }),
  });
}

/** The schema of `--resource`. @throws usage naming the nearest resource */
function resourceOf(name: string | undefined): JsonSchema | undefined {
  if (name === undefined) return undefined;
  const match = Object.keys(resources).find((title) => title.toLowerCase() === name.toLowerCase());
  if (match !== undefined) return resources[match];
  const names = Object.keys(resources);
  throw usage(`--resource: unknown resource "${name}"`, nearestHint(name, names, `use one of ${names.join(', ')}`));
}

/** Status line, headers and body as received. */
function fullResponse({ status, headers, bytes }: Reply<unknown>): Uint8Array {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP ${status}\r\n${head.join('')}\r\n`), bytes]);
}

/** The data of an answer. @throws when it is not JSON, and so not the API's */
function dataOf(reply: Reply<unknown>, request: ApiRequest, { settings }: Context): unknown {
  const { status, data, bytes } = reply;
  if (data === undefined && request.method === 'GET' && request.known?.result !== undefined) {
    throw new Failure('rejected', `${where(request, settings)} answered ${status} without a body`, {
      status,
      code: 'wrong_answer',
    });
  }
  if (typeof data !== 'string' || bytes[0] === 0x22) return data;
  const isPage = /^\s*</.test(data);
  const kind = isPage && request.credential === 'session' ? 'credential' : 'rejected';
  const content = isPage ? 'an HTML page' : 'a body that is not JSON';
  throw new Failure(kind, `${where(request, settings)} answered ${status} with ${content}`, {
    status,
    hint: 'print it as received with --raw',
  });
}

function where({ method, path }: ApiRequest, { profile }: Context['settings']): string {
  return `${method} ${path.replace(/[?#].*$/s, '')} of profile "${profile.value}"`;
}

/** Prints a body: an array as rows, an object that holds nothing but one array as its rows, anything else as itself. */
async function show(ctx: Context, data: unknown, resource: JsonSchema | undefined): Promise<void> {
  if (data === undefined) return;
  const inner = isObject(data) ? soleValue(data) : data;
  if (Array.isArray(inner) && (inner === data || inner.every(isObject))) {
    const rows = inner.map(asRow);
    const whole = inner === data ? undefined : () => data;
    await ctx.out.rows(rows, columnsOf(rows, resource), { whole, json: plain });
  } else if (isObject(data)) {
    const resourceData = resource && isObject(inner) ? inner : data;
    await ctx.out.value(resourceData, columnsOf([resourceData], resource), { json: data });
  } else await ctx.out.scalar(String(data), data);
}

/** Columns of rows: those of the resource, else their keys. */
function columnsOf(rows: readonly Row[], resource: JsonSchema | undefined): Column<Row>[] {
  return resource ? schemaColumns<Row>(resource) : foundColumns(rows);
}

/** An item that is not an object is a row of one value. */
const asRow = (item: unknown): Row => (isObject(item) ? item : { [loose]: true, value: item });

const loose = Symbol('value');

const plain = (row: Row): unknown => (loose in row ? row.value : row);

function soleValue(data: Row): unknown {
  const values = Object.values(data);
  return values.length === 1 ? values[0] : undefined;
}

/** Prints the rows of all pages: as a stream under the columns of their schema, else under the keys of all rows. */
async function showPages(ctx: Context, request: ApiRequest, resource: JsonSchema | undefined): Promise<void> {
  const pages = pagesOf(ctx, request);
  const schema = resource ?? rowSchema(request);
  const first: Row[] = [];
  for (;;) {
    const next = await pages.next();
    if (next.done) break;
    first.push(...next.value);
    if (schema) break;
  }
  const known = schema ? schemaColumns<Row>(schema) : [];
  const extra = resource ? [] : foundColumns(first).filter(({ key }) => !known.some((column) => column.key === key));
  async function* rows() {
    yield* first;
    for await (const page of pages) yield* page;
  }
  await ctx.out.rows(rows(), [...known, ...extra], { json: plain });
}

/** Every page of a paged endpoint, as its rows. A path that the contract does not know has a next page while it names a cursor. */
async function* pagesOf(ctx: Context, first: ApiRequest): AsyncGenerator<Row[]> {
  const { known } = first;
  const client = await ctx.client();
  const most = ctx.settings.pageSize ?? known?.query.properties?.limit?.maximum;
  const size = Number(parameter(first, 'limit') ?? most ?? Number.NaN);
  const broken = (says: string) =>
    new Failure('rejected', `${where(first, ctx.settings)}: ${says}`, { code: 'broken_paging' });
  const read = async (request: ApiRequest) => {
    const reply = await send(client, request);
    if (reply.failure) throw reply.failure;
    const data = dataOf(reply, request, ctx);
    if (known?.paging === 'offset' && !Array.isArray(data)) {
      throw new Failure('rejected', `${where(first, ctx.settings)} answered no array, but ${formatValue(data)}`, {
        code: 'wrong_answer',
        hint: 'the answer does not follow the API: look at it without --paginate',
      });
    }
    return { data, rows: rowsIn(data, known?.rowsAt), total: totalOf(reply.headers) };
  };
  if (known?.paging === 'offset') {
    const start = parameter(first, 'offset');
    const fetch: FetchOffset = ({ offset, limit, withTotal }) => {
      const offsetQuery = start === undefined && offset === 0 ? {} : { offset: String(offset) };
      const total = withTotal ? { withTotal: 'true' } : {};
      return read(withQuery(first, { limit: String(limit), ...offsetQuery, ...total }));
    };
    const withTotal = parameter(first, 'viewId') === undefined && parameter(first, 'withTotal') === undefined;
    const paging = { offset: Number(start ?? 0), size, limit: ctx.settings.limit ?? Number.POSITIVE_INFINITY };
    for await (const rows of offsetPages(fetch, { ...paging, withTotal, broken })) yield rows.filter(isObject);
    return;
  }
  const pages = cursorPages(
    async ({ cursor }) => {
      const limit = known && most !== undefined ? { limit: String(size) } : {};
      const { data, rows, total } = await read(withQuery(first, { ...limit, ...(cursor !== undefined && { cursor }) }));
      // A bare array has no next page.
      const { nextCursor, truncated = total !== undefined && total > rows.length } = isObject(data) ? data : {};
      return { rows, nextCursor, truncated };
    },
    {
      cursor: parameter(first, 'cursor'),
      size: 1,
      limit: Number.POSITIVE_INFINITY,
      rowsOf,
      broken,
    },
  );
  for await (const page of pages) yield rowsOf(page);
}

const rowsOf = (page: unknown): Row[] => (page as { rows: Row[] }).rows;

/** The schema of a paged endpoint's rows. */
function rowSchema({ known }: ApiRequest): JsonSchema | undefined {
  const at = known?.rowsAt ?? (known?.envelope === undefined ? [] : [known.envelope]);
  const rows = at.reduce<JsonSchema | undefined>((schema, key) => schema?.properties?.[key], known?.result);
  return rows && baseType(rows) === 'array' ? rows.items : undefined;
}

function rowsIn(data: unknown, at: readonly string[] | undefined): Row[] {
  const cursor = at?.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), data);
  const rows = cursor ?? (isObject(data) ? Object.values(data).find(Array.isArray) : data);
  return Array.isArray(rows) ? rows.map(asRow) : data === undefined ? [] : [asRow(data)];
}

function withQuery(request: ApiRequest, values: Readonly<Record<string, string>>): ApiRequest {
  const query = request.query.filter(([name]) => !Object.hasOwn(values, name));
  return { ...request, query: [...query, ...Object.entries(values)] };
}

function parameter({ query }: ApiRequest, name: string): string | undefined {
  return query.find(([other]) => other === name)?.[1];
}
