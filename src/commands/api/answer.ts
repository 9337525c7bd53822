/** Responses to `comem api`: as received, as data, or page by page. */
import type { Context } from '../../cli/context.ts';
import type { AnyReply, Reply } from '../../client/answer.ts';
import { formatValue } from '../../client/answer-shape.ts';
import type { Client } from '../../client/client.ts';
import { cursorPages, type FetchOffset, offsetPages, totalOf } from '../../client/paging.ts';
import { resources } from '../../contract/other-resources.ts';
import { baseType, type JsonSchema } from '../../contract/schema.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import type { Column } from '../../output/column.ts';
import { foundColumns, schemaColumns } from '../../output/column.ts';
import { type ApiRequest, pathOf } from './request.ts';

/** The field in which a resource names its company. */
const companyFields = ['company_id'];

type Row = Record<string, unknown>;

/** Sends the request. Answers of any status come back. */
export function send(client: Client, request: ApiRequest): Promise<AnyReply> {
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
export function resourceOf(name: string | undefined): JsonSchema | undefined {
  if (name === undefined) return undefined;
  const match = Object.keys(resources).find((title) => title.toLowerCase() === name.toLowerCase());
  if (match !== undefined) return resources[match];
  const near = nearest(name, Object.keys(resources));
  throw usage(
    `--resource: unknown resource "${name}"`,
    near === undefined ? `use one of ${Object.keys(resources).join(', ')}` : `did you mean ${near}?`,
  );
}

/** Status line, headers and body as received. */
export function fullResponse({ status, headers, bytes }: Reply<unknown>): Uint8Array {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP ${status}\r\n${head.join('')}\r\n`), bytes]);
}

/** The data of an answer. @throws when it is not JSON, and so not the API's */
export function dataOf(reply: Reply<unknown>, request: ApiRequest, { settings }: Context): unknown {
  const { status, data, bytes } = reply;
  if (data === undefined && request.method === 'GET' && request.known?.result !== undefined) {
    throw new Failure('rejected', `${where(request, settings)} answered ${status} without a body`, {
      status,
      code: 'wrong_answer',
    });
  }
  if (typeof data !== 'string' || bytes[0] === 0x22) return data;
  const page = /^\s*</.test(data);
  const kind = page && request.credential === 'session' ? 'credential' : 'rejected';
  const what = page ? 'an HTML page' : 'a body that is not JSON';
  throw new Failure(kind, `${where(request, settings)} answered ${status} with ${what}`, {
    status,
    hint: 'print it as received with --raw',
  });
}

function where({ method, path }: ApiRequest, { profile }: Context['settings']): string {
  return `${method} ${path.replace(/[?#].*$/s, '')} of profile "${profile.value}"`;
}

/** Prints a body: an array as rows, an object that holds nothing but one array as its rows, anything else as itself. */
export async function show(ctx: Context, data: unknown, resource: JsonSchema | undefined): Promise<void> {
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

/** Columns of rows: those of the resource, else the keys found. */
function columnsOf(rows: readonly Row[], resource: JsonSchema | undefined): Column<Row>[] {
  if (resource) return schemaColumns<Row>(resource, {}, companyFields);
  return foundColumns(rows);
}

/** An item that is not an object is a row of one value. */
function asRow(item: unknown): Row {
  return isObject(item) ? item : { [loose]: true, value: item };
}

const loose = Symbol('value');

function plain(row: Row): unknown {
  return loose in row ? row.value : row;
}

function soleValue(data: Row): unknown {
  const values = Object.values(data);
  return values.length === 1 ? values[0] : undefined;
}

/**
 * Prints the rows of all pages. Where the rows' schema is known they stream, under its columns and the keys that the
 * first page shows beside it; else the columns are the keys of all rows, which are gathered first.
 */
export async function showPages(ctx: Context, request: ApiRequest, resource: JsonSchema | undefined): Promise<void> {
  const pages = pagesOf(ctx, request);
  const schema = resource ?? rowSchema(request);
  const first: Row[] = [];
  for (;;) {
    const next = await pages.next();
    if (next.done) break;
    first.push(...next.value);
    if (schema) break;
  }
  const known = schema ? schemaColumns<Row>(schema, {}, companyFields) : [];
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
      const body = asBody(await read(withQuery(first, { ...limit, ...(cursor === undefined ? {} : { cursor }) })));
      return { read: () => body };
    },
    { cursor: parameter(first, 'cursor'), size: 1, limit: Number.POSITIVE_INFINITY, rowsOf, broken },
  );
  for await (const page of pages) yield rowsOf(page);
}

interface Body {
  rows: Row[];
}

/** Restores the body around the rows of all pages. A bare array has no next page. */
function asBody({ data, rows, total }: { data: unknown; rows: Row[]; total: number | undefined }): Body {
  const { nextCursor, truncated } = isObject(data) ? data : {};
  return { rows, nextCursor, truncated: truncated ?? (total !== undefined && total > rows.length) } as Body;
}

function rowsOf(body: unknown): Row[] {
  return (body as Body).rows;
}

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
