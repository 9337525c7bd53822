/** Holds requests and responses against the OpenAPI document, and knows nothing else of the API. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openapiDocument } from '../../src/contract/openapi.ts';
import type { Transport, WireRequest, WireResponse } from '../../src/core/wire.ts';

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  style?: string;
  schema: { type?: string; patternProperties?: Record<string, unknown> };
}
interface Endpoint {
  operationId: string;
  security: Record<string, unknown>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, unknown> };
  responses: Record<string, { content?: Record<string, unknown>; headers?: Record<string, unknown> }>;
}

const document = openapiDocument() as { paths: Record<string, Record<string, Endpoint>> };
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, 'document');

/** A part of the document as a schema, by the keys that lead to it. */
function check(value: unknown, ...keys: (string | number)[]): string[] {
  const pointer = keys.map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')));
  const $ref = `document#/${pointer.join('/')}`;
  const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** What the document says against a request and its response; the operation, where the document has it. */
export function violations(request: WireRequest, response: WireResponse): { id?: string; wrong: string[] } {
  const { pathname, searchParams } = new URL(request.url);
  const method = request.method.toLowerCase();
  const fits = Object.keys(document.paths)
    .filter((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname))
    .filter((path) => document.paths[path]?.[method])
    .sort((a, b) => a.split('{').length - b.split('{').length);
  const [path] = fits;
  const endpoint = path === undefined ? undefined : document.paths[path]?.[method];
  if (path === undefined || endpoint === undefined) return { wrong: ['not in the document'] };
  const at = ['paths', path, method];
  const wrong = [
    // A 401 is what the document says of it.
    ...(response.status === 401 ? [] : credentials(endpoint, request)),
    ...parameters(endpoint, path, pathname, searchParams, request, at),
    ...requestBody(endpoint, request, at),
    ...answer(endpoint, response, at),
  ];
  return { id: endpoint.operationId, wrong };
}

function credentials({ security }: Endpoint, { headers }: WireRequest): string[] {
  const sent = { key: headers.authorization?.startsWith('Bearer '), session: headers.cookie !== undefined };
  const fits = security.some((kinds) => Object.keys(kinds).every((kind) => sent[kind as keyof typeof sent]));
  return fits ? [] : ['the credential is missing or of the wrong kind'];
}

function parameters(
  { parameters: known }: Endpoint,
  path: string,
  pathname: string,
  search: URLSearchParams,
  { headers }: WireRequest,
  at: string[],
): string[] {
  const wrong: string[] = [];
  const segments = pathname.split('/');
  const inPath = new Map(path.split('/').map((part, index) => [part.slice(1, -1), segments[index]]));
  const left = new Set(search.keys());
  for (const [index, parameter] of known.entries()) {
    const { name, style, schema } = parameter;
    let value: unknown;
    if (parameter.in === 'path') value = decodeURIComponent(inPath.get(name) ?? '');
    else if (parameter.in === 'header') value = headers[name.toLowerCase()];
    else if (schema.type === 'object') {
      const keys = [...left].filter((key) =>
        style === 'deepObject'
          ? key.startsWith(`${name}[`)
          : Object.keys(schema.patternProperties ?? {}).some((pattern) => new RegExp(pattern, 'u').test(key)),
      );
      const keyOf = (key: string) => (style === 'deepObject' ? key.slice(name.length + 1, -1) : key);
      if (keys.length > 0) value = Object.fromEntries(keys.map((key) => [keyOf(key), search.getAll(key)]));
      for (const key of keys) left.delete(key);
    } else if (left.delete(name)) {
      if (search.getAll(name).length > 1) wrong.push(`${name} is given more than once`);
      value = typed(schema.type, search.get(name) ?? '');
    }
    if (value === undefined) {
      if (parameter.required) wrong.push(`${name} is required`);
    } else wrong.push(...check(value, ...at, 'parameters', index, 'schema').map((says) => `${name}${says}`));
  }
  return [...wrong, ...[...left].map((name) => `${name} is not a parameter`)];
}

function typed(type: string | undefined, text: string): unknown {
  if (type === 'integer' || type === 'number') return text.trim() === '' ? text : Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

function requestBody({ requestBody: known }: Endpoint, { body, headers }: WireRequest, at: string[]): string[] {
  if (body === undefined) return known?.required ? ['a body is required'] : [];
  if (known === undefined) return ['a body is sent where none is taken'];
  if (!headers['content-type']?.startsWith('application/json')) return ['the body is not declared as JSON'];
  return check(JSON.parse(body), ...at, 'requestBody', 'content', 'application/json', 'schema').map(
    (says) => `body${says}`,
  );
}

function answer({ responses }: Endpoint, { status, headers, body }: WireResponse, at: string[]): string[] {
  const key = responses[status] ? String(status) : 'default';
  if (key === 'default' && status < 300) return [`status ${status} is not in the document`];
  if (responses[key]?.content === undefined) return body.length > 0 ? [`${status} has a body`] : [];
  if (!headers['content-type']?.startsWith('application/json')) return [`${status} is not declared as JSON`];
  const value: unknown = JSON.parse(Buffer.from(body).toString());
  return check(value, ...at, 'responses', key, 'content', 'application/json', 'schema').map(
    (says) => `${status}${says}`,
  );
}

export interface Seen {
  id: string;
  status: number;
}

/** The transport, with every violation noted. */
export function refereed(transport: Transport, seen: Seen[], found: string[]): Transport {
  return async (request) => {
    const response = await transport(request);
    const { id, wrong } = violations(request, response);
    seen.push({ id: id ?? request.url, status: response.status });
    found.push(...wrong.map((says) => `${request.method} ${new URL(request.url).pathname}: ${says}`));
    return response;
  };
}
