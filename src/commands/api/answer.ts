/** Responses to `comem api`: as received, as data, or page by page. */

import type { Context } from '../../cli/context.ts';
import type { AnyReply, Reply } from '../../client/answer.ts';
import type { Client } from '../../client/client.ts';
import { resources } from '../../contract/other-resources.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import type { Column } from '../../output/column.ts';
import { foundColumns, schemaColumns } from '../../output/schema-columns.ts';
import { type ApiRequest, pathOf } from './request.ts';

/** The field in which a resource names its company. */
export const companyFields = ['company_id'];

export type Row = Record<string, unknown>;

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
  const found = Object.keys(resources).find((title) => title.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return resources[found];
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

export function where({ method, path }: ApiRequest, { profile }: Context['settings']): string {
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
    const shown = resource && isObject(inner) ? inner : data;
    await ctx.out.value(shown, columnsOf([shown], resource), { json: data });
  } else await ctx.out.scalar(String(data), data);
}

/** Columns of rows: those of the resource, else the keys found. */
function columnsOf(rows: readonly Row[], resource: JsonSchema | undefined): Column<Row>[] {
  if (resource) return schemaColumns<Row>(resource, {}, companyFields);
  return foundColumns(rows);
}

/** An item that is not an object is a row of one value. */
export function asRow(item: unknown): Row {
  return isObject(item) ? item : { [loose]: true, value: item };
}

const loose = Symbol('value');

export function plain(row: Row): unknown {
  return loose in row ? row.value : row;
}

function soleValue(data: Row): unknown {
  const values = Object.values(data);
  return values.length === 1 ? values[0] : undefined;
}
