/** `comem api --paginate`: every page of an endpoint as one collection. */

import type { Context } from '../../cli/context.ts';
import { baseType, type JsonSchema } from '../../contract/schema.ts';
import { Failure } from '../../core/errors.ts';
import { foundColumns, schemaColumns } from '../../output/schema-columns.ts';
import { asRow, dataOf, isRow, plain, type Row, send } from './answer.ts';
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
  const known = schema ? schemaColumns<Row>(schema) : [];
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
  const byOffset = known?.paging === 'offset';
  const seen = new Set<unknown>();
  let request = known ? withLimit(first, ctx.settings.pageSize ?? known.query.properties?.limit?.maximum) : first;
  for (;;) {
    const reply = await send(client, request);
    if (reply.failure) throw reply.failure;
    const data = dataOf(reply, request, ctx);
    const rows = rowsIn(data, known?.rowsAt);
    const cursor = isRow(data) && typeof data.nextCursor === 'string' ? data.nextCursor : '';
    const place = byOffset ? Number(parameter(request, 'offset') ?? 0) + rows.length : cursor;
    const fresh = byOffset ? rows.filter((row) => row.id === undefined || !seen.has(row.id)) : rows;
    if (byOffset) for (const { id } of fresh) if (id !== undefined) seen.add(id);
    if (fresh.length > 0) yield fresh;
    if (byOffset ? fresh.length === 0 : cursor === '') return;
    if (!byOffset && seen.has(cursor))
      throw new Failure('rejected', 'the server repeated a cursor: reading would never end');
    seen.add(cursor);
    request = withQuery(request, byOffset ? 'offset' : 'cursor', String(place));
  }
}

/** The schema of a paged endpoint's rows. */
function rowSchema({ known }: ApiRequest): JsonSchema | undefined {
  const at = known?.rowsAt ?? (known?.envelope === undefined ? [] : [known.envelope]);
  const rows = at.reduce<JsonSchema | undefined>((schema, key) => schema?.properties?.[key], known?.result);
  return rows && baseType(rows) === 'array' ? rows.items : undefined;
}

function rowsIn(data: unknown, at: readonly string[] | undefined): Row[] {
  const found = at?.reduce<unknown>((value, key) => (isRow(value) ? value[key] : undefined), data);
  const rows = found ?? (isRow(data) ? Object.values(data).find(Array.isArray) : data);
  return Array.isArray(rows) ? rows.map(asRow) : data === undefined ? [] : [asRow(data)];
}

function withLimit(request: ApiRequest, most: number | undefined): ApiRequest {
  return most === undefined || parameter(request, 'limit') !== undefined
    ? request
    : withQuery(request, 'limit', String(most));
}

function withQuery(request: ApiRequest, name: string, value: string): ApiRequest {
  return { ...request, query: [...request.query.filter(([other]) => other !== name), [name, value]] };
}

function parameter({ query }: ApiRequest, name: string): string | undefined {
  return query.find(([other]) => other === name)?.[1];
}
