/** From a response on the wire to data or a Failure: the one translation of API errors. */
import { isAscii, isUtf8 } from 'node:buffer';
import { type Operation, pathParams } from '../contract/operation.ts';
import { answeredCompany, answeredList } from '../contract/required-fields.ts';
import { splitList } from '../contract/rules.ts';
import { baseType, type JsonSchema } from '../contract/schema.ts';
import { Failure } from '../core/errors.ts';
import { isObject, NumberRangeError, parseJson, propertyOf, textOf } from '../core/json.ts';
import { scanJson } from '../core/json-scanner.ts';
import { maxLevels } from '../core/limits.ts';
import type { Headers, WireRequest } from '../core/wire.ts';
import { answerIssue, formatValue, resultSchema } from './answer-shape.ts';
import {
  brokenPaging,
  type Exchange,
  foreignAnswer,
  notTheApi,
  type OtherCompany,
  redirectFailure,
  signedOut,
  statusFailure,
  wrongAnswer,
} from './failures.ts';
import { missingRows, rowsAt } from './paging.ts';
import { rememberIds } from './request.ts';

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
  /** The failure of a status other than 2xx, or of an Error under 2xx. */
  failure: Failure | undefined;
}

export interface ReadOptions {
  /** An array of the body that is left unread where the other one has rows. */
  without?: { array: string; where: string } | undefined;
  /** Returns the body as received, and checks only that it is JSON. */
  asReceived?: boolean | undefined;
  /** The company of the key in earlier answers. */
  key?: KeyCompany | undefined;
}

/** The company of a key, as its first answer names it. */
export interface KeyCompany {
  id?: string | undefined;
}

/** The answer as data. @throws Failure for everything that is neither 2xx nor a step body (docs/api.md, "Errors" 3). */
export function readReply(op: Operation, exchange: Exchange, options: ReadOptions = {}): Reply<unknown> {
  const { status, headers, body: bytes } = exchange.response;
  const isSuccess = isSuccessStatus(status);
  if (isBlank(bytes) || status === 204) {
    if (!isSuccess) throw statusFailure(exchange, undefined);
    if (op.result && !options.asReceived) throw wrongAnswer('the answer is empty', exchange);
    return { status, headers, data: undefined, bytes };
  }
  const body = parseBody(exchange, options);
  const contradiction = isSuccess ? otherSubject(op, body, exchange, options.key) : undefined;
  if (options.asReceived && isSuccess) {
    if (contradiction) throw contradiction;
    return { status, headers, data: body, bytes };
  }
  const error = isSuccess && !op.rejection ? errorIn(body) : undefined;
  if (error !== undefined) throw wrongAnswer(`it says "${error}"`, exchange);
  if (!isSuccess) return { status, headers, data: rejection(op, body, exchange), bytes };
  const data = unwrap(op, body, exchange);
  if (contradiction) throw contradiction;
  rememberIds(data);
  const breach = op.method === 'GET' && op.paging === 'none' ? missingRows(headers, body, data) : undefined;
  if (breach !== undefined) throw brokenPaging(breach, exchange);
  return { status, headers, data, bytes };
}

/** The body of any response: JSON as data, everything else as text. */
export function readAny(
  exchange: Exchange,
  { op, key }: Pick<ReadOptions, 'key'> & { op?: Operation | undefined } = {},
): AnyReply {
  const { status, headers, body: bytes } = exchange.response;
  const { isExact } = scanAnswer(bytes, exchange);
  const text = decode(bytes);
  let data: unknown = text;
  try {
    if (isUtf8(bytes)) data = text === '' ? undefined : parseJson(text, isExact);
  } catch (error) {
    if (error instanceof NumberRangeError) throw wrongAnswer(error.message, exchange);
    // Not JSON.
  }
  if (!isSuccessStatus(status)) return { status, headers, data, bytes, failure: statusFailure(exchange, data) };
  const error = errorIn(data);
  const isData = op !== undefined && typeof data === 'object';
  const contradiction = isData ? otherSubject(op, data, exchange, key) : undefined;
  const failure = error === undefined ? contradiction : wrongAnswer(`it says "${error}"`, exchange);
  return { status, headers, data, bytes, failure };
}

function isSuccessStatus(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Only white space and a byte order mark. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.length === 0 || (bytes.length < 16 && isUtf8(bytes) && decode(bytes).trim() === '');
}

function parseBody(exchange: Exchange, { without }: ReadOptions): unknown {
  const { status, body: bytes } = exchange.response;
  if (status >= 300 && status < 400) throw redirectFailure(exchange);
  try {
    if (!isUtf8(bytes)) throw isSuccessStatus(status) ? notTheApi('a body that is not UTF-8', exchange) : new Error();
    const { isExact, array } = scanAnswer(bytes, exchange, without?.array);
    if (without && array) {
      const rest = Buffer.concat([bytes.subarray(0, array.start), bytes.subarray(array.end)]);
      const part = parseJson(decode(rest), isExact);
      if (rowsAt(part, [without.where]).length > 0) return part;
    }
    return parseJson(decode(bytes), isExact);
  } catch (error) {
    if (error instanceof NumberRangeError) throw wrongAnswer(error.message, exchange);
    if (error instanceof Failure) throw error;
    // A gateway's own page has the meaning of its status.
    if (status === 429 || status >= 500 || status === 401 || status === 403) throw statusFailure(exchange, undefined);
    if (!/^\s*</.test(decode(bytes))) throw notTheApi('a body that is not JSON', exchange);
    throw exchange.credential === 'session' ? signedOut(exchange) : notTheApi('an HTML page', exchange);
  }
}

/** @throws rejected for data that is nested too deep */
function scanAnswer(bytes: Uint8Array, exchange: Exchange, array?: string): ReturnType<typeof scanJson> {
  const scan = scanJson(bytes, array);
  if (scan.isTooDeep) throw notTheApi(`data that is nested deeper than ${maxLevels} levels`, exchange);
  return scan;
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most bodies are ASCII, which is copied instead of decoded.
  if (isAscii(buffer)) return buffer.toString('latin1');
  const text = buffer.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The message of the API's Error (docs/api.md, "Errors"), under any status. */
function errorIn(body: unknown): string | undefined {
  if (!isObject(body) || typeof body.error !== 'string' || body.error === '') return undefined;
  return typeof body.status === 'number' && body.status >= 400 ? body.error : undefined;
}

/** A step body of a status that is not 2xx. @throws the refusal that any other body is */
function rejection(op: Operation, body: unknown, exchange: Exchange): unknown {
  const isStep = op.rejection?.some((field) => isObject(body) && typeof body[field] === 'boolean') ?? false;
  if (!isStep) throw statusFailure(exchange, body);
  const issue = answerIssue(op, body);
  if (issue !== undefined) throw wrongAnswer(issue, exchange);
  return body;
}

function unwrap(op: Operation, body: unknown, exchange: Exchange): unknown {
  const error = isObject(body) && typeof body.error === 'string' && body.error !== '' ? body.error : undefined;
  if (!op.result) {
    if (error !== undefined) throw wrongAnswer(`it says "${error}"`, exchange);
    return undefined;
  }
  const { envelope } = op;
  const data = dataIn(op, body);
  // A read may lack its envelope; a write must be proved.
  const isList = baseType(resultSchema(op) ?? {}) === 'array';
  const isBare = envelope !== undefined && data === body && (op.method !== 'GET' || (isList && isObject(body)));
  const issue = isBare ? `"${envelope}" is missing from ${formatValue(body)}` : answerIssue(op, data);
  if (issue !== undefined) throw wrongAnswer(error === undefined ? issue : `it says "${error}"`, exchange);
  return data;
}

/** The failure of an answer about another company or another query than its request. */
function otherSubject(op: Operation, body: unknown, exchange: Exchange, key: KeyCompany = {}): Failure | undefined {
  const company = otherCompany(op, exchange.request, body, key);
  if (company) return foreignAnswer(company, exchange);
  const rows = otherList(op, exchange.request, body) ?? otherState(op, exchange.request, body);
  if (rows !== undefined) return wrongAnswer(rows, exchange);
  const query = otherQuery(op, exchange.request, body);
  return query === undefined ? undefined : wrongAnswer(`it is the answer to another query: ${query}`, exchange);
}

/**
 * The first company of an answer that is not the one of the request. A request that names none is for the company of
 * its key, which does not change.
 */
function otherCompany(op: Operation, request: WireRequest, body: unknown, key: KeyCompany): OtherCompany | undefined {
  const { parameter = 'companyId', fields } = answeredCompany(op.id);
  const companyId = parameterOf(op, request, parameter);
  const isBound = companyId === undefined && op.company.in === 'query' && !op.company.required;
  const requested = companyId ?? (isBound ? key.id : undefined);
  if (requested === undefined && !isBound) return undefined;
  const data = dataIn(op, body);
  const rows = Array.isArray(data) ? data : [data];
  const paths = fields.map((field) => [field, field.split('.')] as const);
  for (let index = 0; index < rows.length; index += 1) {
    for (const [field, steps] of paths) {
      const answered = companyIn(rows[index], steps);
      if (answered === undefined) continue;
      if (isBound) key.id ??= answered;
      if (isSameText(answered, requested ?? answered)) continue;
      const at = data === rows ? `${index}.${field}` : field;
      return { field: at, requested: requested ?? answered, answered, id: textOf(fieldOf(rows[index], 'id')), isBound };
    }
  }
  return undefined;
}

function dataIn({ envelope }: Operation, body: unknown): unknown {
  return envelope !== undefined && isObject(body) && Object.hasOwn(body, envelope) ? body[envelope] : body;
}

/** The first list of the answer or its rows that is not the one of the request, in words. */
function otherList(op: Operation, request: WireRequest, body: unknown): string | undefined {
  const field = answeredList[op.id];
  const listId = parameterOf(op, request, 'listId');
  if (field === undefined || listId === undefined) return undefined;
  for (const row of Array.isArray(body) ? body : [body]) {
    const id = textOf(fieldOf(row, field));
    if (id !== undefined && !isSameText(id, listId))
      return `"${field}" must be ${formatValue(listId)}, got ${formatValue(id)}`;
  }
  return undefined;
}

/** The first entry that is archived or not, contrary to the query, in words. A saved view chooses by itself. */
function otherState({ id }: Operation, { url }: WireRequest, body: unknown): string | undefined {
  if (id !== 'listEntries' || !Array.isArray(body)) return undefined;
  const { searchParams } = new URL(url);
  const isOnly = searchParams.get('archivedOnly') === 'true';
  if (!isOnly && (searchParams.get('archived') !== 'false' || searchParams.has('viewId'))) return undefined;
  const other = body.find((entry) => fieldOf(entry, 'archived') === !isOnly);
  return (
    other && `the entry ${fieldOf(other, 'id')} is ${isOnly ? 'not archived' : 'archived'}, which was not asked for`
  );
}

/** The value of a parameter in the path, query or body of a request, or of the company in its header. */
function parameterOf(op: Operation, { url, headers, body }: WireRequest, parameter: string): string | undefined {
  const { pathname, searchParams } = new URL(url);
  // The base URL may have a path of its own: the path of the operation is its end.
  const at = pathParams(op.path).includes(parameter) ? op.path.split('/').reverse().indexOf(`{${parameter}}`) : -1;
  const inPath = at < 0 ? undefined : pathname.split('/').reverse()[at];
  const inBody = op.body?.properties?.[parameter] && typeof body === 'string' ? JSON.parse(body) : undefined;
  const company = inPath ?? searchParams.get(parameter) ?? fieldOf(inBody, parameter);
  return textOf(company ?? (parameter === 'companyId' ? headers['x-company-id'] : undefined));
}

/** A resource of a network belongs to one of its companies: it is not compared. */
function companyIn(row: unknown, steps: readonly string[]): string | undefined {
  const company = textOf(steps.reduce(fieldOf, row));
  const holder = company && steps.slice(0, -1).reduce(fieldOf, row);
  return textOf(fieldOf(holder, 'network_id')) === undefined ? company : undefined;
}

/** The first difference between the sent query and the one that the answer repeats, in words. */
function otherQuery(op: Operation, { url }: WireRequest, body: unknown): string | undefined {
  const echo = op.echo === undefined ? undefined : fieldOf(body, op.echo);
  if (!isObject(echo)) return undefined;
  const { searchParams } = new URL(url);
  for (const [name, schema] of Object.entries(op.query.properties ?? {})) {
    if (!Object.hasOwn(echo, name) || echo[name] === undefined) continue;
    const sent = searchParams.get(name) ?? undefined;
    if (!isSameParameter(schema, sent ?? schema.default, echo[name], sent === undefined)) {
      return `"${op.echo}.${name}" is ${formatValue(echo[name])}, and was ${sent === undefined ? 'not sent' : `sent as ${formatValue(sent)}`}`;
    }
  }
  return undefined;
}

/** Lists are equal in any order, and a server may lower the size of a page. */
function isSameParameter(schema: JsonSchema, sent: unknown, echoed: unknown, isDefault: boolean): boolean {
  if (Array.isArray(echoed)) {
    // Without a list, a server may repeat all that it knows.
    if (sent === undefined || sent === '') return true;
    const [a, b] = [new Set(splitList(sent).map(foldCase)), new Set(echoed.map(foldCase))];
    return a.size === b.size && [...a].every((part) => b.has(part));
  }
  if (baseType(schema) === 'integer') return isDefault || (Number(echoed) >= 1 && Number(echoed) <= Number(sent));
  const isNone = (value: unknown) => value === undefined || value === null || value === '';
  return isNone(sent) ? isNone(echoed) : foldCase(sent) === foldCase(echoed);
}

function isSameText(a: string, b: string): boolean {
  return a === b || foldCase(a) === foldCase(b);
}

function foldCase(value: unknown): string {
  return String(value).trim().toLowerCase();
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? propertyOf(value, name) : undefined;
}
