/** Reads a request into the values of its operation. Mistakes become issues, never a guess. */
import type { Operation } from '../contract/operation.ts';
import { maxBodyBytes } from '../contract/rules.ts';
import { baseType, type JsonSchema } from '../contract/schema.ts';
import { type Issue, issues, maxIssues } from '../contract/validate.ts';
import { JsonSyntaxError } from '../core/errors.ts';
import { NumberRangeError, parseJson } from '../core/json.ts';
import { maxParameters } from '../core/limits.ts';
import type { Headers, WireRequest } from '../core/wire.ts';
import { ApiError, invalid, invalidRequest } from './model/failure.ts';
import { sizeIssues } from './model/sizes.ts';
import { isStorable } from './store/entries.ts';

type Fields = Record<string, unknown>;

export interface Input {
  params: Fields;
  query: Fields;
  body: Fields | undefined;
  /** The company that the request names, in its parameter or in the header. */
  company: string | undefined;
}

export const companyHeader = 'x-company-id';

/** The fields of a query or body that name the company that acts. */
const companyFields = ['companyId', 'vcCompanyId'];

/**
 * The parameters and body of a request, validated against its operation. Throws 400, 413 or 415.
 * `resolveCompany` is called for each company that the request acts as.
 */
export function readInput(
  op: Operation,
  { params, search, request }: { params: Fields; search: URLSearchParams; request: WireRequest },
  resolveCompany?: (named: string) => string,
): Input {
  if (search.size > maxParameters) {
    throw invalid({
      path: 'query',
      message: `has ${search.size} parameters, and at most ${maxParameters} are allowed`,
    });
  }
  const problems: Issue[] = [];
  const query = readQuery(op.query, search, problems);
  const body = op.body === undefined ? undefined : readBody(request);
  const company = readCompany(op, { headers: request.headers, search, query, body }, problems);
  const parts = [
    [op.params, params],
    [op.query, query],
    [op.body, body],
  ] as const;
  for (const [schema, value] of parts) {
    if (schema === undefined || value === undefined) continue;
    problems.push(...issues(schema, value), ...unstorable(value));
    lowerUuids(schema, value);
  }
  if (problems.length === 0 && op.body && body) problems.push(...sizeIssues(op.body, body));
  if (problems.length === 0) problems.push(...(op.rules ?? []).flatMap((rule) => rule.check(query)));
  if (problems.length > 0) throw invalidRequest(problems);
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
function readQuery(schema: JsonSchema, search: URLSearchParams, problems: Issue[]): Fields {
  const query: Fields = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (baseType(property) === 'object') {
      const map = readMap(name, search);
      if (map !== undefined) query[name] = map;
      continue;
    }
    const values = search.getAll(name);
    if (values.length > 1) problems.push({ path: name, message: 'appears more than once' });
    const [text] = values;
    if (text !== undefined) query[name] = parseParameter(property, text);
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

function parseParameter(schema: JsonSchema, text: string): unknown {
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
  { headers, search, query, body }: Pick<Input, 'query' | 'body'> & { headers: Headers; search: URLSearchParams },
  problems: Issue[],
): string | undefined {
  const fields = op.company.in === 'query' ? query : op.company.in === 'body' ? body : undefined;
  const parameter = op.company.in === 'query' ? undefined : parameterOf(search, problems);
  const header = headers[companyHeader]?.trim();
  if (header !== undefined) problems.push(...issues({ type: 'string', format: 'uuid' }, header, 'X-Company-Id'));
  const names = [fields?.companyId, parameter, header].filter((name) => typeof name === 'string');
  const [company] = names;
  const other = names.find((name) => name.toLowerCase() !== company?.toLowerCase());
  if (other !== undefined) {
    const where = other === header ? 'X-Company-Id' : 'the query parameter';
    problems.push({ path: 'companyId', message: `and ${where} name different companies (${company}, ${other})` });
  }
  if (fields !== undefined && fields.companyId === undefined && company !== undefined) fields.companyId = company;
  // The schema refuses another type.
  if (fields !== undefined && typeof fields.companyId !== 'string') return undefined;
  return company?.toLowerCase();
}

/** `companyId` of an operation whose query has no such field. */
function parameterOf(search: URLSearchParams, problems: Issue[]): string | undefined {
  const [named, ...others] = search.getAll('companyId');
  if (others.length > 0) problems.push({ path: 'companyId', message: 'appears more than once' });
  if (named !== undefined) problems.push(...issues({ type: 'string', format: 'uuid' }, named, 'companyId'));
  return named;
}

/** Text that an engine would change. Nested text is stored as JSON, which escapes it. */
function unstorable(fields: Fields): Issue[] {
  const wrong = Object.entries(fields).filter(([, value]) => typeof value === 'string' && !isStorable(value));
  const message = 'must not contain NUL or half a surrogate pair';
  return wrong.slice(0, maxIssues).map(([path]) => ({ path, message }));
}

/** UUIDs are stored in lower case, so that any spelling finds them. */
function lowerUuids(schema: JsonSchema, fields: Fields): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (property.format === 'uuid' && typeof value === 'string') fields[name] = value.toLowerCase();
  }
}
