/** The OpenAPI 3.1 document of the API, built from the operations, and every resource of the API under its name. */
import * as deals from './deal-resources.ts';
import { apiVersion, operations } from './index.ts';
import * as lists from './lists.ts';
import * as memory from './memory-resources.ts';
import * as metrics from './metrics.ts';
import { type Operation, pathParams, totalCountHeader } from './operation.ts';
import * as reports from './report-resources.ts';
import { anyObject, baseType, type Infer, integer, type JsonSchema, nullable, object, string } from './schema.ts';

/** The shape of every error body (docs/api.md, "Errors" 1). */
export const ErrorBody = object(
  {
    error: string({ description: 'message' }),
    status: integer({ description: 'HTTP status code' }),
    details: nullable(anyObject({ description: 'validation error details' })),
  },
  { title: 'Error', required: ['error', 'status'] },
);
export type ErrorBody = Infer<typeof ErrorBody>;

type Json = Record<string, unknown>;

/** A document that says what the operations say; plain JSON, created at each call. */
export function openapiDocument(): Json {
  const all: Operation[] = Object.values(operations);
  const paths: Record<string, Json> = {};
  for (const op of all) {
    const path = paths[op.path] ?? {};
    path[op.method.toLowerCase()] = describeOperation(op);
    paths[op.path] = path;
  }
  const named = Object.fromEntries(
    [ErrorBody, ...Object.values(resources)].map((schema) => [schema.title as string, inline(schema)]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Company memory: custom lists and metrics',
      version: apiVersion,
      summary: 'User-defined lists of a company, and its metrics: live, history, plans, grants and published snapshots',
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'lists', description: 'Custom lists: attributes, entries and templates' },
      { name: 'metrics', description: 'Live values, catalog, series, grants, preferences and published snapshots' },
    ],
    paths,
    components: {
      schemas: { ...named, ...titledWithin(all) },
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key; series and catalog also take an OAuth token' },
        session: {
          type: 'apiKey',
          in: 'header',
          name: 'Cookie',
          description: 'The complete Cookie header of a web session, with all parts of a chunked cookie',
        },
      },
    },
  };
}

function describeOperation(op: Operation): Json {
  const facts = new Set([...(op.notes ?? []), ...(op.rules ?? []).map((rule) => rule.description)]);
  return {
    operationId: op.id,
    tags: [op.path.startsWith('/api/lists') ? 'lists' : 'metrics'],
    summary: op.summary,
    ...(facts.size > 0 ? { description: [...facts].map((fact) => `- ${fact}`).join('\n') } : {}),
    security: [{ [op.credential]: [] }],
    parameters: parameters(op),
    ...(op.body ? { requestBody: requestBody(op.body) } : {}),
    responses: responses(op),
  };
}

/** A body whose fields are all optional may be left out. */
function requestBody(body: JsonSchema): Json {
  return { required: (body.required ?? []).length > 0, content: json(inline(body, false)) };
}

function parameters(op: Operation): Json[] {
  const inPath = pathParams(op.path).map((name) => parameter('path', name, op.params.properties?.[name] ?? {}, true));
  const patterns = Object.assign({}, ...(op.rules ?? []).map((rule) => rule.patterns));
  const inQuery = Object.entries(op.query.properties ?? {})
    .filter(([name]) => name !== 'companyId')
    .flatMap(([name, schema]) => {
      const pattern = patterns[name];
      const required = op.query.required?.includes(name) ?? false;
      const facet = parameter('query', name, pattern === undefined ? schema : { ...schema, pattern }, required);
      return baseType(schema) === 'object' ? [facet, legacyMap(name, schema)] : [facet];
    });
  return [...inPath, ...company(op), ...inQuery];
}

/** The company is named by the parameter or by the header: neither can be required by itself. */
function company(op: Operation): Json[] {
  const { in: location, required } = op.company;
  const both = 'if both are given, they must be equal';
  const says =
    location === 'body'
      ? 'the company to act on, which must be that of the body'
      : `the company${required ? ': this or the other of companyId and X-Company-Id is required' : ' to act on'}`;
  const uuid: JsonSchema = { type: 'string', format: 'uuid', description: `${says}; ${both}` };
  return [parameter('query', 'companyId', uuid, false), parameter('header', 'X-Company-Id', uuid, false)];
}

/** `filter.attributeSlug=value`: parameters whose names begin with the name of the map. */
function legacyMap(name: string, schema: JsonSchema): Json {
  const values = typeof schema.additionalProperties === 'object' ? inline(schema.additionalProperties) : {};
  return {
    name: `${name}.attributeSlug`,
    in: 'query',
    required: false,
    deprecated: true,
    description: `the legacy form of ${name}: one parameter for each attribute, such as \`${name}.stage\`, repeated for several values`,
    style: 'form',
    explode: true,
    schema: { type: 'object', patternProperties: { [`^${name}\\..`]: values } },
  };
}

function parameter(location: 'path' | 'query' | 'header', name: string, schema: JsonSchema, required: boolean): Json {
  const { description, ...rest } = inline(schema) as JsonSchema;
  return {
    name,
    in: location,
    required,
    ...(description === undefined ? {} : { description }),
    // `filter[slug]=value`, the key repeated for several values.
    ...(baseType(schema) === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema: rest,
  };
}

function responses(op: Operation): Json {
  const errors = Object.fromEntries(
    errorStatuses(op).map((status) => [status, { description: meanings[status], content: json(errorRef) }]),
  );
  const success = op.result
    ? { description: op.rejection ? 'A step was queued' : 'Done', content: json(inline(op.result, false)) }
    : { description: 'Done; the body is empty' };
  const documented: Json = { [op.success]: op.paging === 'offset' ? { ...success, headers: totalCount } : success };
  if (op.rejection && op.result) {
    documented[200] = { description: 'No step was queued', content: json(inline(op.result, false)) };
    documented[409] = {
      description: 'The step was rejected: queued and canStep are false',
      content: json(inline(op.result, false)),
    };
  }
  return { ...documented, ...errors, default: { description: 'Any other error', content: json(errorRef) } };
}

const errorRef = { $ref: '#/components/schemas/Error' };

const totalCount = {
  [totalCountHeader.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())]: {
    description: 'The exact total; only when withTotal is true and no viewId is given',
    schema: { type: 'integer', minimum: 0 },
  },
};

const meanings: Record<number, string> = {
  400: 'Malformed input',
  401: 'No credential, an unknown or expired one, or one of the wrong kind',
  403: 'Known, but not allowed',
  404: 'No such thing for this caller',
  409: 'Conflict with the present state',
  413: 'Body over 1 MiB',
  415: 'Body is not JSON',
  429: 'Too many requests; see Retry-After',
};

/** Conflicts and unknown ids beyond those of the path (docs/server.md, "Statuses"). */
const further: Partial<Record<string, readonly number[]>> = { revokeGrant: [409], instantiateTemplate: [404] };

/** As many statuses as the operation documents Error bodies, the likeliest first; the rest falls under `default`. */
function errorStatuses(op: Operation): number[] {
  const likely = [
    401,
    ...(pathParams(op.path).length > 0 ? [404, 400, 403] : [403, 400]),
    ...(further[op.id] ?? []),
    ...(op.body ? [413, 415] : []),
    429,
  ];
  return likely.slice(0, op.errors).sort();
}

function json(schema: unknown): Json {
  return { 'application/json': { schema } };
}

/** The schema with titled schemas inside it as references; its own title stays. */
function inline(schema: JsonSchema, top = true): unknown {
  if (!top && schema.title !== undefined) return { $ref: `#/components/schemas/${schema.title}` };
  const { says: _says, items, properties, additionalProperties, anyOf, contains, ...rest } = schema;
  const copy: Json = { ...rest };
  if (items) copy.items = inline(items, false);
  if (contains) copy.contains = inline(contains, false);
  if (anyOf) copy.anyOf = anyOf.map((option) => inline(option, false));
  if (properties) {
    copy.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, inline(property, false)]),
    );
  }
  if (typeof additionalProperties === 'object') copy.additionalProperties = inline(additionalProperties, false);
  else if (additionalProperties !== undefined) copy.additionalProperties = additionalProperties;
  return copy;
}

/** The titled schemas that the operations hold, at any depth. */
function titledWithin(all: readonly Operation[]): Json {
  const schemas: Json = {};
  const visit = (schema: JsonSchema) => {
    if (schema.title !== undefined) {
      if (schemas[schema.title]) return;
      schemas[schema.title] = inline(schema);
    }
    const { items, contains, additionalProperties: free } = schema;
    for (const nested of [items, contains, ...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])]) {
      if (nested) visit(nested);
    }
    if (typeof free === 'object') visit(free);
  };
  for (const { params, query, body, result } of all)
    for (const part of [params, query, body, result]) if (part) visit(part);
  return schemas;
}

/** All resources with fields of their own: company memory, reports, initiatives and the deal pipeline have no endpoint. */
export const resources: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  [lists, metrics, memory, reports, deals]
    .flatMap((exports): unknown[] => Object.values(exports))
    .filter(isResource)
    .map((schema) => [schema.title, schema]),
);

function isResource(value: unknown): value is JsonSchema & { title: string } {
  return typeof value === 'object' && value !== null && 'title' in value && 'properties' in value;
}
