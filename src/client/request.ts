/** Builds a request: adds the company and validates every field. */
import { fillPath, type Operation } from '../contract/operation.ts';
import { type Issue, isId, issues, isUuid } from '../contract/validate.ts';
import { urlOf } from '../core/addresses.ts';
import { Failure, usage } from '../core/errors.ts';
import { ExactNumber, isObject } from '../core/json.ts';
import type { Headers } from '../core/wire.ts';
import { formatValue } from './answer-shape.ts';

type Values = Record<string, unknown>;
type InputPart = 'path' | 'query' | 'body';

/** The caller's name of a field (`--page-size` for the query's `limit`); undefined: the API's name. */
export type FieldName = (field: { op: Operation; in: InputPart; name: string }) => string | undefined;

export interface Prepared {
  method: string;
  /** The path with its query. */
  path: string;
  headers: Headers;
  body?: unknown;
}

interface PrepareOptions {
  company?: string | undefined;
  fieldName?: FieldName | undefined;
  /** Default true. Off for a continuation that the server itself gave. */
  validate?: boolean | undefined;
}

const companyMissingCode = 'company_missing';

export function isCompanyMissing(error: unknown): boolean {
  return error instanceof Failure && error.code === companyMissingCode;
}

/** `GET /api/lists/{listId}`, as messages name an operation. */
export function endpointOf(op: Operation): string {
  return `${op.method} ${op.path}`;
}

/** @throws usage naming each field that breaks the contract, its value and the rule. */
export function prepare(op: Operation, input: InputValues, options: PrepareOptions = {}): Prepared {
  const { company } = options;
  const params = input.params ?? {};
  const query = { ...input.query };
  const body = op.body ? bodyOf(input.body) : undefined;
  const headers: Headers = {};
  if (company !== undefined) {
    if (op.company.in === 'query') query.companyId ??= company;
    else if (op.company.in === 'body' && body) body.companyId ??= company;
    else if (op.company.in === 'header') headers['x-company-id'] = company;
  }
  if (op.company.alsoInHeader && typeof query.companyId === 'string') headers['x-company-id'] = query.companyId;
  if (options.validate !== false) validateInput(op, { params, query, body }, options.fieldName);
  return {
    method: op.method,
    path: fillPath(op.path, params) + queryText(query),
    headers,
    ...(body ? { body } : {}),
  };
}

/** A copy to which the company can be added; an array stays one (`comem api`). */
function bodyOf(body: unknown): Values {
  return (Array.isArray(body) ? [...body] : { ...(body as Values | undefined) }) as Values;
}

/** An `Input` of any operation. */
export interface InputValues {
  params?: Values | undefined;
  query?: Values | undefined;
  body?: unknown;
}

function validateInput(
  op: Operation,
  input: { params: Values; query: Values; body: Values | undefined },
  fieldName?: FieldName,
): void {
  const query = withoutUndefined(input.query);
  const body = plainJson(input.body) as Values | undefined;
  const companyMissing = op.company.required && op.company.in !== 'header';
  const company = op.company.in === 'body' ? body?.companyId : query.companyId;
  if (companyMissing && company === undefined) {
    throw new Failure('usage', `${endpointOf(op)} needs a company, and none is set`, {
      code: companyMissingCode,
      hint: 'name one with -c COMPANY or COMEM_COMPANY_ID; an API key in COMEM_API_KEY brings its own',
    });
  }
  const sources = { path: input.params, query, body: body ?? {} };
  const ruleIssues = (op.rules ?? []).flatMap((rule) => rule.check(query));
  const allIssues = [
    ...issuesIn('path', issues(op.params, input.params)),
    ...issuesIn('query', issues(op.query, query)),
    ...issuesIn('query', ruleIssues),
    ...(op.body ? issuesIn('body', issues(op.body, body)) : []),
  ].filter(({ in: part, issue }) => !isTarget(issue.path, sources[part]));
  // Rules often repeat what the schema says; report one issue per field.
  const uniqueIssues = allIssues.filter(
    ({ in: part, issue }, index) =>
      allIssues.findIndex((other) => other.in === part && other.issue.path === issue.path) === index,
  );
  if (uniqueIssues.length === 0) return;
  const says = uniqueIssues.map(({ issue, in: part }) => {
    // The message of a rule has the value, which may be a part of the field or a count.
    const value = ruleIssues.includes(issue) ? undefined : valueAt(sources[part], issue.path);
    return formatIssue(op, part, issue, value, fieldName);
  });
  throw new Failure('usage', says.join('; '), {
    code: 'invalid_input',
    details: { issues: uniqueIssues.map(({ issue, in: part }) => ({ ...issue, in: part })) },
    hint: `nothing was sent to ${endpointOf(op)}`,
  });
}

const targets: ReadonlySet<string> = new Set(['id', 'listId', 'entryId', 'attributeId']);
/** Non-UUID ids seen in responses; a server that issues them accepts them. */
const nonUuidIds = new Set<string>();

function isTarget(name: string, values: Values): boolean {
  const value = values[name];
  return targets.has(name) && typeof value === 'string' && nonUuidIds.has(value);
}

/** Takes note of the ids in an answer, which later requests may name. */
export function rememberIds(data: unknown): void {
  if (Array.isArray(data)) for (const row of data) rememberIds(row);
  else if (isObject(data)) {
    const { id, list, list_attributes: attributes } = data;
    if (typeof id === 'string' && !isUuid(id) && isId(id)) nonUuidIds.add(id);
    rememberIds(list);
    rememberIds(attributes);
  }
}

interface PlacedIssue {
  in: InputPart;
  issue: Issue;
}

function issuesIn(part: InputPart, issues: Issue[]): PlacedIssue[] {
  return issues.map((issue) => ({ in: part, issue }));
}

function formatIssue(op: Operation, part: InputPart, issue: Issue, value: unknown, fieldName?: FieldName): string {
  const [top = '', ...rest] = issue.path.split('.');
  const field = top === '' ? part : top;
  const name = [fieldName?.({ op, in: part, name: field }) ?? field, ...rest].join('.');
  return `${name} ${issue.message}${value === undefined ? '' : `, got ${formatValue(value)}`}`;
}

function valueAt(source: Values, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Values | null | undefined)?.[key], source);
}

function withoutUndefined(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}

/** The value as a validator of plain JSON reads it: exact numbers as doubles, undefined fields absent. */
function plainJson(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.valueOf();
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, plainJson(item)]),
  );
}

/** `?a=1&filter%5Bslug%5D=x`: a list repeats its key, a map is `name[key]=value` (docs/api.md, "listEntries"). */
function queryText(query: Values): string {
  const parts: string[] = [];
  const add = (name: string, value: unknown) => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const item of value) add(name, item);
    else if (typeof value === 'object' && !(value instanceof ExactNumber)) {
      for (const [key, item] of Object.entries(value)) add(`${name}[${key}]`, item);
    } else parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  };
  for (const [name, value] of Object.entries(query)) add(name, value);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** The URL of a path, which must stay below the base URL: credentials go nowhere else. */
export function sameOrigin(baseUrl: string, origin: string, path: string): string {
  const url = path.startsWith('/') ? baseUrl + path : '';
  if (urlOf(url)?.origin !== origin) {
    throw usage(`the path must start with / and stay on ${origin}, got ${JSON.stringify(path)}`);
  }
  return url;
}
