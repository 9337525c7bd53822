import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { openapiDocument } from '../../src/contract/openapi.ts';
import { seriesRules } from '../../src/contract/rules.ts';

// Typed by hand from the description of the API: how many error bodies each operation has.
const errorBodies: Record<string, number> = {
  'GET /api/lists': 3,
  'POST /api/lists': 5,
  'GET /api/lists/{listId}': 3,
  'PATCH /api/lists/{listId}': 3,
  'DELETE /api/lists/{listId}': 3,
  'POST /api/lists/{listId}/attributes': 4,
  'PATCH /api/lists/{listId}/attributes': 3,
  'DELETE /api/lists/{listId}/attributes': 3,
  'GET /api/lists/{listId}/entries': 4,
  'POST /api/lists/{listId}/entries': 3,
  'PATCH /api/lists/{listId}/entries': 4,
  'DELETE /api/lists/{listId}/entries': 3,
  'POST /api/lists/{listId}/entries/{entryId}/loop-step': 4,
  'POST /api/lists/templates/instantiate': 4,
  'GET /api/company/metrics': 2,
  'GET /api/metrics/catalog': 3,
  'GET /api/metrics/grants': 1,
  'POST /api/metrics/grants': 3,
  'PATCH /api/metrics/grants/{id}/revoke': 5,
  'GET /api/metrics/preferences': 2,
  'POST /api/metrics/preferences': 2,
  'GET /api/metrics/published/{companyId}': 4,
  'GET /api/metrics/series': 4,
};

interface Body {
  content?: { 'application/json': { schema: { $ref?: string } } };
  headers?: Record<string, unknown>;
}
interface Endpoint {
  operationId: string;
  requestBody?: { required: boolean };
  security: Record<string, unknown>[];
  responses: Record<string, Body>;
  parameters: {
    name: string;
    in: string;
    required: boolean;
    style?: string;
    explode?: boolean;
    schema: { type?: string; pattern?: string; patternProperties?: Record<string, object> };
  }[];
}

const document = openapiDocument() as {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Endpoint>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, { type: string }> };
};

const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, endpoint]) => ({ name: `${method.toUpperCase()} ${path}`, endpoint })),
);

const isError = (body: Body | undefined) =>
  body?.content?.['application/json'].schema.$ref === '#/components/schemas/Error';

function endpointOf(name: string): Endpoint {
  const found = endpoints.find((one) => one.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found.endpoint;
}

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe('1.5.0');
  });

  test('has every operation once', () => {
    expect(endpoints.map(({ name }) => name).sort()).toEqual(Object.keys(errorBodies).sort());
    expect(new Set(endpoints.map(({ endpoint }) => endpoint.operationId)).size).toBe(23);
    expect(endpoints.map(({ endpoint }) => endpoint.operationId).sort()).toEqual(Object.keys(operations).sort());
  });

  test.each(Object.entries(errorBodies))('%s: %i error bodies, the rest under default', (name, count) => {
    const { responses } = endpointOf(name);
    const statuses = Object.keys(responses).filter((status) => status !== 'default' && isError(responses[status]));
    expect(statuses).toHaveLength(count);
    expect(statuses.every((status) => Number(status) >= 400)).toBe(true);
    expect(isError(responses.default)).toBe(true);
  });

  test('the loop step has seven bodies: two results, four errors, one rejection', () => {
    const { responses } = endpointOf('POST /api/lists/{listId}/entries/{entryId}/loop-step');
    const { default: _other, ...listed } = responses;
    expect(Object.keys(listed)).toHaveLength(7);
    const steps = Object.entries(listed).filter(
      ([, body]) => body.content?.['application/json'].schema.$ref === '#/components/schemas/LoopStepResult',
    );
    expect(steps.map(([status]) => Number(status) < 300)).toEqual([true, true, false]);
  });

  test('an empty success body has no content', () => {
    for (const name of [
      'DELETE /api/lists/{listId}',
      'DELETE /api/lists/{listId}/attributes',
      'DELETE /api/lists/{listId}/entries',
    ]) {
      const success = Object.entries(endpointOf(name).responses).find(([status]) => status.startsWith('2'));
      expect(success?.[1].content).toBeUndefined();
    }
  });

  test('says where the total comes, how facets are written, and which credential is taken', () => {
    const entries = endpointOf('GET /api/lists/{listId}/entries');
    expect(entries.responses[200]?.headers).toHaveProperty('X-List-Total-Count');
    expect(entries.parameters.find(({ name }) => name === 'filter')).toMatchObject({
      style: 'deepObject',
      explode: true,
    });
    expect(entries.security).toEqual([{ session: [] }]);
    expect(endpointOf('GET /api/metrics/series').security).toEqual([{ key: [] }]);
    expect(document.components.securitySchemes).toMatchObject({
      key: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey' },
    });
  });

  test('either the parameter or the header names the company', () => {
    for (const { name, endpoint } of endpoints) {
      const company = endpoint.parameters.filter((one) => /^(companyId|X-Company-Id)$/.test(one.name));
      const places = company.filter((one) => one.in !== 'path').map((one) => [one.in, one.name, one.required]);
      expect([name, places]).toEqual([
        name,
        [
          ['query', 'companyId', false],
          ['header', 'X-Company-Id', false],
        ],
      ]);
    }
  });

  test('a body is required where one of its fields is', () => {
    const optional = endpoints.filter(({ endpoint }) => endpoint.requestBody?.required === false);
    expect(optional.map(({ name }) => name)).toEqual([
      'PATCH /api/lists/{listId}',
      'POST /api/lists/{listId}/entries/{entryId}/loop-step',
    ]);
  });

  test('an Error has its text and its status', () => {
    expect(document.components.schemas.Error).toMatchObject({ required: ['error', 'status'] });
  });

  test('the legacy form of facets is a form of parameters', () => {
    const entries = endpointOf('GET /api/lists/{listId}/entries');
    const legacy = entries.parameters.find(({ name }) => name === 'filter.attributeSlug');
    expect(legacy).toMatchObject({ in: 'query', style: 'form', explode: true });
    const [pattern] = Object.keys(legacy?.schema.patternProperties ?? {});
    expect(new RegExp(pattern as string, 'u').test('filter.stage')).toBe(true);
    expect(new RegExp(pattern as string, 'u').test('filter[stage]')).toBe(false);
  });

  test('the patterns of versions and metricIds take what the rules take', () => {
    const { parameters } = endpointOf('GET /api/metrics/series');
    const parts = fc.constantFrom('actual', 'budget', 'forecast', 'mrr', 'a b', '', ' ', 'Actual', '\u00e9');
    const text = fc.array(fc.tuple(fc.constantFrom('', ' '), parts, fc.constantFrom('', ' ')), { maxLength: 60 });
    fc.assert(
      fc.property(fc.constantFrom('versions', 'metricIds'), text, (name, given) => {
        const value = given.map((part) => part.join('')).join(',');
        const pattern = parameters.find((one) => one.name === name)?.schema.pattern ?? 'none';
        const found = seriesRules.flatMap((rule) => rule.check({ [name]: value })).filter(({ path }) => path === name);
        expect([name, value, new RegExp(pattern, 'u').test(value)]).toEqual([name, value, found.length === 0]);
      }),
      { numRuns: 500 },
    );
  });

  test('every reference names a component', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1] as string,
    );
    expect(references.length).toBeGreaterThan(30);
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
  });
});
