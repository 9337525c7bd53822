/** From a response on the wire to data or a Failure: the one translation of API errors. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Operation } from '../contract/operation.ts';
import { baseType } from '../contract/schema.ts';
import { Failure } from '../core/errors.ts';
import { isObject, NumberRangeError, parseJson } from '../core/json.ts';
import { scanJson } from '../core/json-scanner.ts';
import { mostLevels } from '../core/limits.ts';
import type { Headers, WireResponse } from '../core/wire.ts';
import { answerIssue, resultSchema, shown } from './answer.ts';
import { type KeyCompany, otherCompany, otherQuery } from './asked.ts';
import type { PageBody } from './page-body.ts';
import { unexplained } from './paging.ts';
import {
  type Asked,
  brokenPaging,
  foreignAnswer,
  notTheApi,
  redirected,
  refused,
  signedOut,
  wrongAnswer,
} from './refusal.ts';
import { noteIds } from './request.ts';

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
  /** What a status other than 2xx means, or an Error under 2xx; undefined for what is neither. */
  failure: Failure | undefined;
}

export interface ReadOptions {
  /** The body as a page, which is not read completely. */
  body?: PageBody | undefined;
  /** The body is shown as it came: only that it is JSON is checked. */
  asReceived?: boolean | undefined;
  /** Default: with exact numbers. */
  parse?: ((text: string, isPlain: boolean) => unknown) | undefined;
  /** What the answers before said of the company of the key. */
  key?: KeyCompany | undefined;
}

/** The answer as data. @throws Failure for everything that is neither 2xx nor a step body (docs/api.md, "Errors" 3). */
export function readReply(op: Operation, response: WireResponse, asked: Asked, how: ReadOptions = {}): Reply<unknown> {
  const { status, headers, body: bytes } = response;
  const success = isSuccess(status);
  if (isBlank(bytes) || status === 204) {
    if (!success) throw refused(response, undefined, asked);
    if (op.result && !how.asReceived) throw wrongAnswer('the answer is empty', response, asked);
    return { status, headers, data: undefined, bytes };
  }
  const body = parse(response, asked, how);
  const isOther = success ? elsewhere(op, body, response, asked, how.key) : undefined;
  if (how.asReceived && success) {
    if (isOther) throw isOther;
    return { status, headers, data: body, bytes };
  }
  const says = success && !op.rejection ? errorIn(body) : undefined;
  if (says !== undefined) throw wrongAnswer(`it says "${says}"`, response, asked);
  if (!success && !isRejection(op, body)) throw refused(response, body, asked);
  if (!success) return { status, headers, data: rejection(op, body, response, asked), bytes };
  const data = unwrap(op, body, response, asked);
  if (isOther) throw isOther;
  noteIds(data);
  const short = op.method === 'GET' && op.paging === 'none' ? unexplained(headers, body, data) : undefined;
  if (short !== undefined) throw brokenPaging(short, asked);
  return { status, headers, data, bytes };
}

/** A step body of a status that is not 2xx. */
function rejection(op: Operation, body: unknown, response: WireResponse, asked: Asked): unknown {
  const issue = answerIssue(op, body);
  if (issue !== undefined) throw wrongAnswer(issue, response, asked);
  return body;
}

/** What an answer says of something else than its request names. */
function elsewhere(op: Operation, body: unknown, response: WireResponse, asked: Asked, key: KeyCompany = {}) {
  const other = otherCompany(op, asked.request, body, key);
  if (other) return foreignAnswer(other, response, asked);
  const query = otherQuery(op, asked.request, body);
  return query === undefined ? undefined : wrongAnswer(`it is the answer to another query: ${query}`, response, asked);
}

/** The body of any response: JSON as data, everything else as text. */
export function readAny(
  response: WireResponse,
  asked: Asked,
  { parse = parseJson, op, key }: ReadOptions & { op?: Operation | undefined } = {},
): AnyReply {
  const { status, headers, body: bytes } = response;
  const isPlain = isPlainJson(bytes, response, asked);
  const text = decode(bytes);
  let data: unknown = text;
  try {
    if (isUtf8(bytes)) data = text === '' ? undefined : parse(text, isPlain);
  } catch (error) {
    if (error instanceof NumberRangeError) throw wrongAnswer(error.message, response, asked);
    // Not JSON.
  }
  const says = errorIn(data);
  const isData = op !== undefined && isSuccess(status) && typeof data === 'object';
  const other = isData ? elsewhere(op, data, response, asked, key) : undefined;
  const failure = says === undefined ? other : wrongAnswer(`it says "${says}"`, response, asked);
  return { status, headers, data, bytes, failure: isSuccess(status) ? failure : refused(response, data, asked) };
}

/** What the API's own Error says (docs/api.md, "Errors"), which no status turns into a result. */
function errorIn(body: unknown): string | undefined {
  if (!isObject(body) || typeof body.error !== 'string' || body.error === '') return undefined;
  return typeof body.status === 'number' && body.status >= 400 ? body.error : undefined;
}

/** Whether `JSON.parse` keeps every number. */
function isPlainJson(bytes: Uint8Array, response: WireResponse, asked: Asked): boolean {
  const { isExact, isTooDeep } = scanJson(bytes);
  if (!isTooDeep) return isExact;
  throw notTheApi(`data that is nested deeper than ${mostLevels} levels`, response, asked);
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most bodies are ASCII, which is copied instead of decoded.
  if (isAscii(buffer)) return buffer.toString('latin1');
  const text = buffer.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function parse(response: WireResponse, asked: Asked, { body, parse: parsed = parseJson }: ReadOptions): unknown {
  const { status } = response;
  if (status >= 300 && status < 400) throw redirected(response, asked);
  const { body: bytes } = response;
  const read = (part: Uint8Array) => {
    if (!isUtf8(part)) throw isSuccess(status) ? notTheApi('a body that is not UTF-8', response, asked) : new Error();
    return parsed(decode(part), isPlainJson(part, response, asked));
  };
  try {
    return body ? body.read(read) : read(bytes);
  } catch (error) {
    if (error instanceof NumberRangeError) throw wrongAnswer(error.message, response, asked);
    if (error instanceof Failure) throw error;
    // A gateway's own page has the meaning of its status.
    if (status === 429 || status >= 500 || status === 401 || status === 403) throw refused(response, undefined, asked);
    if (!/^\s*</.test(decode(bytes))) throw notTheApi('a body that is not JSON', response, asked);
    throw asked.credential === 'session' ? signedOut(response, asked) : notTheApi('an HTML page', response, asked);
  }
}

function isRejection(op: Operation, body: unknown): boolean {
  return op.rejection?.some((field) => isObject(body) && typeof body[field] === 'boolean') ?? false;
}

function unwrap(op: Operation, body: unknown, response: WireResponse, asked: Asked): unknown {
  const error = isObject(body) && typeof body.error === 'string' && body.error !== '' ? body.error : undefined;
  if (!op.result) {
    if (error !== undefined) throw wrongAnswer(`it says "${error}"`, response, asked);
    return undefined;
  }
  const { envelope } = op;
  const wrapped = envelope !== undefined && isObject(body) && Object.hasOwn(body, envelope);
  const data = wrapped ? body[envelope] : body;
  // A read without its envelope is understood if it is what the envelope holds; a write must be proved.
  const isList = baseType(resultSchema(op) ?? {}) === 'array';
  const bare = envelope !== undefined && !wrapped && (op.method !== 'GET' || (isList && isObject(body)));
  const issue = bare ? `"${envelope}" is missing from ${shown(body)}` : answerIssue(op, data);
  if (issue !== undefined) throw wrongAnswer(error === undefined ? issue : `it says "${error}"`, response, asked);
  return data;
}

/** Nothing but white space, and the mark of an encoding. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.length === 0 || (bytes.length < 16 && isUtf8(bytes) && decode(bytes).trim() === '');
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
