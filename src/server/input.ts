/** Reads a request into the values of its operation. What is wrong with it becomes issues, never a guess. */
import type { Operation } from '../contract/operation.ts';
import { maxBodyBytes } from '../contract/rules.ts';
import { baseType, type JsonSchema } from '../contract/schema.ts';
import { type Issue, issues, mostIssues } from '../contract/validate.ts';
import { JsonSyntaxError } from '../core/errors.ts';
import { NumberRangeError, parseJson } from '../core/json.ts';
import { mostParameters } from '../core/limits.ts';
import type { Headers, WireRequest } from '../core/wire.ts';
import { ApiError, invalid, invalidBy } from './model/failure.ts';
import { type Sizes, sizeIssues } from './model/sizes.ts';
import { isStorable } from './store/facets.ts';

type Fields = Record<string, unknown>;

export interface Input {
  params: Fields;
  query: Fields;
  body: Fields | undefined;
  /** The company that the request names, in its parameter or in the header. */
  company: string | undefined;
}

const companyHeader = 'x-company-id';

/** The fields of a query or body that name the company that acts. */
const companyFields = ['companyId', 'vcCompanyId'];

/**
 * The parameters and body of a request, validated against its operation. Throws 400, 413 or 415.
 * `resolveCompany` is asked for each company that the request acts as.
 */
export function readInput(
  op: Operation,
  params: Fields,
  search: URLSearchParams,
  request: WireRequest,
  sizes: Sizes,
  resolveCompany?: (named: string) => string,
): Input {
  if (search.size > mostParameters) {
    throw invalid({
      path: 'query',
      message: `has ${search.size} parameters, and at most ${mostParameters} are allowed`,
    });
  }
  const found: Issue[] = [];
  const query = readQuery(op.query, search, found);
  const body = op.body === undefined ? undefined : readBody(request);
  const company = readCompany(op, request.headers, search, query, body, found);
  const parts = [
    [op.params, params],
    [op.query, query],
    [op.body, body],
  ] as const;
  for (const [schema, value] of parts) {
    if (schema === undefined || value === undefined) continue;
    found.push(...issues(schema, value), ...unstorable(value));
    lowerUuids(schema, value);
  }
  if (found.length === 0 && op.body && body) found.push(...sizeIssues(op.body, body, sizes));
  if (found.length === 0) found.push(...(op.rules ?? []).flatMap((rule) => rule.check(query)));
  if (found.length > 0) throw invalidBy(found);
  if (resolveCompany === undefined) return { params, query, body, company };
  for (const fields of [query, body ?? {}]) {
    for (const name of companyFields) {
      const named = fields[name];
      if (typeof named === 'string') fields[name] = resolveCompany(named);
    }
  }
  return { params, query, body, company: company && resolveCompany(company) };
}

/** Query parameters typed by their schema; other values stay text, which the schema refuses. */
function readQuery(schema: JsonSchema, search: URLSearchParams, found: Issue[]): Fields {
  const query: Fields = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (baseType(property) === 'object') {
      const map = readMap(name, search);
      if (map !== undefined) query[name] = map;
      continue;
    }
    const values = search.getAll(name);
    if (values.length > 1) found.push({ path: name, message: 'appears more than once' });
    const [text] = values;
    if (text !== undefined) query[name] = typed(property, text);
    else if (property.default !== undefined) query[name] = property.default;
  }
  return query;
}

/** `name[key]=value` and the legacy `name.key=value`, repeated for several values. */
function readMap(name: string, search: URLSearchParams): Record<string, string[]> | undefined {
  const map = new Map<string, string[]>();
  for (const [parameter, value] of search) {
    const key = keyOf(name, parameter);
    if (key === undefined) continue;
    const values = map.get(key);
    if (values) values.push(value);
    else map.set(key, [value]);
  }
  // fromEntries defines properties: a key such as `__proto__` is a key like any other.
  return map.size === 0 ? undefined : Object.fromEntries(map);
}

function keyOf(name: string, parameter: string): string | undefined {
  if (parameter.startsWith(`${name}[`) && parameter.endsWith(']')) return parameter.slice(name.length + 1, -1);
  return parameter.startsWith(`${name}.`) ? parameter.slice(name.length + 1) : undefined;
}

function typed(schema: JsonSchema, text: string): unknown {
  switch (baseType(schema)) {
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

function readBody({ body, headers }: WireRequest): Fields {
  if (body === undefined || body === '') return {};
  if (Buffer.byteLength(body) > maxBodyBytes) throw tooLarge();
  const type = (headers['content-type'] ?? 'of an unnamed type').replace(/;.*/s, '');
  if (!/^\s*application\/(?:[\w.+-]+\+)?json\s*$/i.test(type)) {
    throw new ApiError(415, `The body must be application/json, not ${type.trim().toLowerCase()}`);
  }
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (error) {
    if (error instanceof NumberRangeError) throw invalid({ path: 'body', message: `is not taken: ${error.message}` });
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw invalid({ path: 'body', message: `is not JSON: ${error.message}` });
  }
  if (issues({ type: 'object' }, value).length > 0) throw invalid({ path: 'body', message: 'must be a JSON object' });
  return value as Fields;
}

export function tooLarge(): ApiError {
  return new ApiError(413, `The body is larger than ${maxBodyBytes} bytes`);
}

/**
 * The company that acts: from the operation's own field, the query parameter `companyId` or the header, which every
 * operation takes (docs/api.md, "Company selection"). Those that are given must agree.
 */
function readCompany(
  op: Operation,
  headers: Headers,
  search: URLSearchParams,
  query: Fields,
  body: Fields | undefined,
  found: Issue[],
): string | undefined {
  const place = op.company.in === 'query' ? query : op.company.in === 'body' ? body : undefined;
  const parameter = op.company.in === 'query' ? undefined : parameterOf(search, found);
  const header = headers[companyHeader]?.trim();
  if (header !== undefined) found.push(...issues({ type: 'string', format: 'uuid' }, header, 'X-Company-Id'));
  const given = [place?.companyId, parameter, header].filter((one) => typeof one === 'string');
  const [company] = given;
  const other = given.find((one) => one.toLowerCase() !== company?.toLowerCase());
  if (other !== undefined) {
    const where = other === header ? 'X-Company-Id' : 'the query parameter';
    found.push({ path: 'companyId', message: `and ${where} name different companies (${company}, ${other})` });
  }
  if (place !== undefined && place.companyId === undefined && company !== undefined) place.companyId = company;
  // Of another type: the schema refuses it.
  if (place !== undefined && typeof place.companyId !== 'string') return undefined;
  return company?.toLowerCase();
}

/** `companyId` of an operation whose query has no such field. */
function parameterOf(search: URLSearchParams, found: Issue[]): string | undefined {
  const [named, ...others] = search.getAll('companyId');
  if (others.length > 0) found.push({ path: 'companyId', message: 'appears more than once' });
  if (named !== undefined) found.push(...issues({ type: 'string', format: 'uuid' }, named, 'companyId'));
  return named;
}

/** Text that an engine would change. Nested text is stored as JSON, which escapes it. */
function unstorable(fields: Fields): Issue[] {
  const wrong = Object.entries(fields).filter(([, value]) => typeof value === 'string' && !isStorable(value));
  const message = 'must not contain NUL or half a surrogate pair';
  return wrong.slice(0, mostIssues).map(([path]) => ({ path, message }));
}

/** UUIDs are stored in lower case, so that any spelling finds them. */
function lowerUuids(schema: JsonSchema, fields: Fields): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (property.format === 'uuid' && typeof value === 'string') fields[name] = value.toLowerCase();
  }
}
