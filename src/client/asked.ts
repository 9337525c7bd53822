/** Whether an answer is about what its request named: the company, and the query that the server repeats. */
import { type Operation, pathParams } from '../contract/operation.ts';
import { answeredCompany } from '../contract/relied.ts';
import { splitList } from '../contract/rules.ts';
import { baseType, type JsonSchema } from '../contract/schema.ts';
import { isObject } from '../core/json.ts';
import type { WireRequest } from '../core/wire.ts';
import { shown } from './answer.ts';

type Fields = Record<string, unknown>;

/** An answer, or a row of it, that is about another company than its request. */
export interface OtherCompany {
  /** The field of the answer, such as `3.company_id`. */
  field: string;
  asked: string;
  answered: string;
  /** The resource that names the company, where it has an id. */
  id?: string | undefined;
  /** The request named no company: the answers to one key contradict each other. */
  isBound: boolean;
}

/** The company of a key, as its first answer names it. */
export interface KeyCompany {
  id?: string | undefined;
}

/**
 * The first company of an answer that is not the one of the request. A request that names none is for the company of
 * its key, which does not change.
 */
export function otherCompany(
  op: Operation,
  request: WireRequest,
  body: unknown,
  key: KeyCompany,
): OtherCompany | undefined {
  const { parameter = 'companyId', fields } = answeredCompany(op.id);
  const named = companyOf(op, request, parameter);
  const isBound = named === undefined && op.company.in === 'query' && !op.company.required;
  const asked = named ?? (isBound ? key.id : undefined);
  if (asked === undefined && !isBound) return undefined;
  const { envelope } = op;
  const data = envelope !== undefined && isObject(body) && Object.hasOwn(body, envelope) ? body[envelope] : body;
  const rows = Array.isArray(data) ? data : [data];
  for (let index = 0; index < rows.length; index += 1) {
    for (const field of fields) {
      const answered = companyIn(rows[index], field);
      if (answered === undefined) continue;
      if (isBound) key.id ??= answered;
      if (isSameText(answered, asked ?? answered)) continue;
      const at = data === rows ? `${index}.${field}` : field;
      return { field: at, asked: asked ?? answered, answered, id: textOf(fieldOf(rows[index], 'id')), isBound };
    }
  }
  return undefined;
}

/** The company that a request names: in its path, its query, its body or its header. */
function companyOf(op: Operation, { url, headers, body }: WireRequest, parameter: string): string | undefined {
  const { pathname, searchParams } = new URL(url);
  // The base URL may have a path of its own: the path of the operation is its end.
  const at = pathParams(op.path).includes(parameter) ? op.path.split('/').reverse().indexOf(`{${parameter}}`) : -1;
  const inPath = at < 0 ? undefined : pathname.split('/').reverse()[at];
  const inBody = op.body?.properties?.[parameter] && typeof body === 'string' ? JSON.parse(body) : undefined;
  const own = inPath ?? searchParams.get(parameter) ?? fieldOf(inBody, parameter);
  return textOf(own ?? (parameter === 'companyId' ? headers['x-company-id'] : undefined));
}

/** What a network shares with its companies belongs to one of them. */
function companyIn(row: unknown, field: string): string | undefined {
  const steps = field.split('.');
  const last = steps.pop() ?? '';
  const holder = steps.reduce(fieldOf, row);
  return textOf(fieldOf(holder, 'network_id')) === undefined ? textOf(fieldOf(holder, last)) : undefined;
}

/** The first difference between the query that was sent and the one that the answer repeats, in words. */
export function otherQuery(op: Operation, { url }: WireRequest, body: unknown): string | undefined {
  const echo = op.echo === undefined ? undefined : fieldOf(body, op.echo);
  if (!isObject(echo)) return undefined;
  const { searchParams } = new URL(url);
  for (const [name, schema] of Object.entries(op.query.properties ?? {})) {
    if (!Object.hasOwn(echo, name) || echo[name] === undefined) continue;
    const sent = searchParams.get(name) ?? undefined;
    if (!isSameParameter(schema, sent ?? schema.default, echo[name], sent === undefined)) {
      return `"${op.echo}.${name}" is ${shown(echo[name])}, and was ${sent === undefined ? 'not sent' : `sent as ${shown(sent)}`}`;
    }
  }
  return undefined;
}

/** A list may come in another order. A server may give fewer rows in a page than it was asked for. */
function isSameParameter(schema: JsonSchema, sent: unknown, echoed: unknown, isDefault: boolean): boolean {
  if (Array.isArray(echoed)) {
    // Without a list, a server may repeat all that it knows.
    if (sent === undefined || sent === '') return true;
    const [a, b] = [new Set(splitList(sent).map(folded)), new Set(echoed.map(folded))];
    return a.size === b.size && [...a].every((part) => b.has(part));
  }
  if (baseType(schema) === 'integer') return isDefault || (Number(echoed) >= 1 && Number(echoed) <= Number(sent));
  const isNone = (value: unknown) => value === undefined || value === null || value === '';
  return isNone(sent) ? isNone(echoed) : folded(sent) === folded(echoed);
}

function isSameText(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

function folded(value: unknown): string {
  return String(value).trim().toLowerCase();
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? (value as Fields)[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
