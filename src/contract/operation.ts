import { type Infer, type JsonSchema, object, type Schema } from './schema.ts';
import type { Issue } from './validate.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** `key`: header `Authorization: Bearer`; `session`: header `Cookie` (docs/api.md, "Credentials"). */
export type Credential = 'key' | 'session';

/** The paging of a collection: `limit` and `offset`, `limit` and `cursor`, or none. */
type Paging = 'none' | 'offset' | 'cursor';

/** The response header that carries the exact total when `withTotal` is set and no view is. */
export const totalCountHeader = 'x-list-total-count';

/** A rule between fields that JSON Schema does not say. `name` is stable and cited in tests. */
export interface Rule<Input = never> {
  name: string;
  /** The rule as one sentence, for help texts and the OpenAPI document. */
  description: string;
  /** Patterns of query parameters, for the OpenAPI document. */
  patterns?: Readonly<Record<string, string>>;
  check(input: Input): Issue[];
}

type Fields = Schema<Record<string, unknown>>;

/** One operation of docs/api.md, "Operations", as plain data. */
export interface Operation {
  id: string;
  method: Method;
  /** The path, with `{name}` for each parameter. */
  path: string;
  credential: Credential;
  /** An OAuth access token is accepted as well as an API key. */
  oauth?: true;
  summary: string;
  /**
   * Where the company goes. `header`: the endpoint does not name one, `X-Company-Id` is sent whenever one is set.
   * `none`: it goes nowhere (a request outside of the contract). `twice`: in the header too, since the answer does not
   * name the company, and nothing else would show that something between dropped the parameter.
   */
  company: { in: 'query' | 'body' | 'header' | 'none'; required: boolean; alsoInHeader?: true };
  params: Fields;
  query: Fields;
  /** Undefined: no body is taken. */
  body?: Fields;
  /** Undefined: the success body is empty. */
  result?: JsonSchema;
  /** The one key under which the API wraps the result (`{grants: […]}`). */
  envelope?: string;
  paging: Paging;
  /** The path of the rows in the body, for operations paged by cursor. */
  rowsAt?: readonly string[];
  /** The field of the result that repeats the query as the server understood it. */
  echo?: string;
  /** Fields that tell a rejection, which has the shape of the result, from an Error body (docs/api.md, "Errors" 3). */
  rejection?: readonly string[];
  /** The number of distinct Error bodies that the API documents; undefined for a request outside the contract. */
  errors?: number;
  /** The status of the embedded server's success (docs/server.md, "Statuses"). The client accepts any 2xx. */
  success: number;
  /** Rules over the query, checked by the client before sending and by the server. */
  rules?: readonly Rule<Record<string, unknown>>[];
  /** Facts that neither a schema nor a rule states, for the OpenAPI document and docs/api.md. */
  notes?: readonly string[];
  /** Deleting and revoking ask before they are sent. */
  destructive?: boolean;
}

/** The defaults of an operation. */
const defaults = { params: object({}), query: object({}), paging: 'none' } as const;
type Defaults = typeof defaults;
type Definition = Omit<Operation, keyof Defaults> & Partial<Operation>;

/** Checks an operation against `Operation` and keeps its literal types. */
export function operation<const O extends Definition>(definition: O): Omit<Defaults, keyof O> & O {
  return { ...defaults, ...definition };
}

export type Params<O extends Operation> = Infer<O['params']>;
export type Query<O extends Operation> = Infer<O['query']>;
export type Body<O extends Operation> = O['body'] extends JsonSchema ? Infer<O['body']> : undefined;
/** The success body as the API sends it, envelope and all. */
export type Result<O extends Operation> = O['result'] extends JsonSchema ? Infer<O['result']> : undefined;
/** The success body without its envelope. */
export type Unwrapped<O extends Operation> = O extends { envelope: infer E extends string }
  ? Result<O> extends Record<E, infer V>
    ? V
    : never
  : Result<O>;

/** The input of an operation: path parameters, query and body, each where the operation has them. */
export interface Input<O extends Operation> {
  params?: Params<O> | undefined;
  query?: (Optional<Query<O>> & Record<string, unknown>) | undefined;
  body?: Operation extends O ? unknown : unknown extends Body<O> ? unknown : Body<O>;
}

/** A field that is undefined is not sent. */
export type Optional<T> = { [K in keyof T]?: T[K] | undefined };

/** The names of the path parameters, in order. */
export function pathParams(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** The path with its parameters put in, percent-encoded. Throws a RangeError when one is missing. */
export function fillPath(path: string, params: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new RangeError(`path parameter ${name} is missing`);
    return encodeURIComponent(String(value));
  });
}
