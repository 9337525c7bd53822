/** `comem api --paginate`: every page of an endpoint as one collection. */

import type { Context } from '../../cli/context.ts';
import { shown } from '../../client/answer-shape.ts';
import { cursorPages, type FetchOffset, offsetPages, totalOf } from '../../client/paging.ts';
import { baseType, type JsonSchema } from '../../contract/schema.ts';
import { Failure } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { foundColumns, schemaColumns } from '../../output/schema-columns.ts';
import { asRow, companyFields, dataOf, plain, type Row, send, where } from './answer.ts';
import type { ApiRequest } from './request.ts';

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
  const found = resource ? [] : foundColumns(first).filter(({ key }) => !known.some((column) => column.key === key));
  async function* rows() {
    yield* first;
    for await (const page of pages) yield* page;
  }
  await ctx.out.rows(rows(), [...known, ...found], { json: plain });
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
      throw new Failure('rejected', `${where(first, ctx.settings)} answered no array, but ${shown(data)}`, {
        code: 'wrong_answer',
        hint: 'the answer does not follow the API: look at it without --paginate',
      });
    }
    return { data, rows: rowsIn(data, known?.rowsAt), total: totalOf(reply.headers) };
  };
  if (known?.paging === 'offset') {
    const start = parameter(first, 'offset');
    const fetch: FetchOffset = ({ offset, limit, withTotal }) => {
      const place = start === undefined && offset === 0 ? {} : { offset: String(offset) };
      const total = withTotal ? { withTotal: 'true' } : {};
      return read(withQuery(first, { limit: String(limit), ...place, ...total }));
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

/** What the pages are followed by. A body such as a bare array has no next page. */
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
  const found = at?.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), data);
  const rows = found ?? (isObject(data) ? Object.values(data).find(Array.isArray) : data);
  return Array.isArray(rows) ? rows.map(asRow) : data === undefined ? [] : [asRow(data)];
}

function withQuery(request: ApiRequest, values: Readonly<Record<string, string>>): ApiRequest {
  const kept = request.query.filter(([name]) => !Object.hasOwn(values, name));
  return { ...request, query: [...kept, ...Object.entries(values)] };
}

function parameter({ query }: ApiRequest, name: string): string | undefined {
  return query.find(([other]) => other === name)?.[1];
}
