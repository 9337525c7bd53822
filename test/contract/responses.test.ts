/** Every answer of the embedded API against its own OpenAPI document, by ajv, without any field that the API does not name. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { operations } from '../../src/contract/index.ts';
import { openapiDocument } from '../../src/contract/openapi.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { demo } from '../../src/core/demo.ts';
import type { WireRequest, WireResponse } from '../../src/core/wire.ts';
import type { Embedded } from '../../src/server/embedded.ts';
import { freshApi } from '../helpers/run.ts';

const lumen = 'c0ffee00-0000-4000-8000-000000000011';
const unknown = '99999999-9999-4999-8999-999999999999';
const bearer = { authorization: `Bearer ${demo.apiKey}` };

type Json = Record<string, unknown>;

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(closed(openapiDocument()) as object, 'document');

/** The document with every object of named fields closed: the server sends what the API documents and nothing else. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = Object.fromEntries(Object.entries(value).map(([key, own]) => [key, closed(own)]));
  const named = copy.type === 'object' && typeof copy.properties === 'object';
  return named && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}

let api: Embedded;
const seen: { op: Operation; request: WireRequest; response: WireResponse }[] = [];

/** The operation of a request, found only by its method and path. */
function operationOf({ method, url }: WireRequest): Operation {
  const { pathname } = new URL(url);
  const all: Operation[] = Object.values(operations);
  const fits = all.filter(
    (op) => op.method === method && new RegExp(`^${op.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  // `/api/lists/templates/instantiate` by itself says nothing about the operation.
  const found = fits.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
  if (!found) throw new Error(`no operation for ${method} ${pathname}`);
  return found;
}

const client = createClient({
  baseUrl: 'http://embedded',
  credentials: { key: { secret: demo.apiKey }, session: { secret: demo.session } },
  company: demo.companyId,
  async transport(request) {
    const response = await api.transport(request);
    seen.push({ op: operationOf(request), request, response });
    return response;
  },
});

const ignore = () => undefined;

beforeAll(async () => {
  api = await freshApi();
  await listsAndEntries();
  await metricsAndGrants();
  await failures();
});

async function listsAndEntries() {
  for (const { id = '' } of await client.call(operations.listLists)) {
    await client.call(operations.getList, { params: { listId: id } });
    for await (const _page of client.pages(operations.listEntries, {
      params: { listId: id },
      query: { archived: true },
    }));
  }
  const list = await client.call(operations.createList, { body: { name: 'Trial', description: null } });
  const params = { listId: list.id ?? '' };
  await client.call(operations.updateList, { params, body: { color: 'sage' } });
  const attributes = [];
  for (const attribute_type of operations.createAttribute.body.properties?.attribute_type?.enum ?? []) {
    const config = /select|status/.test(String(attribute_type))
      ? { options: [{ label: 'A', tone: 'mint' as const }] }
      : {};
    const body = { name: String(attribute_type), attribute_type: attribute_type as 'text', config };
    attributes.push(await client.call(operations.createAttribute, { params, body }));
  }
  await client.call(operations.updateAttribute, { params, body: { id: attributes[0]?.id ?? '', name: 'Text' } });
  const values = { text: 'x', number: 1.5, date: '2026-01-31', select: 'A', 'multi-select': ['A'], checkbox: true };
  const entry = await client.call(operations.createEntry, { params, body: { title: 'One', values } });
  await client.call(operations.updateEntry, {
    params,
    body: { id: entry.id ?? '', values: { text: null }, archived: false },
  });
  const step = { params: { ...params, entryId: entry.id ?? '' } };
  await client.call(operations.stepEntry, { ...step, body: { dryRun: true } });
  await client.call(operations.stepEntry, step);
  await client.call(operations.stepEntry, step);
  await client.call(operations.listEntries, { params, query: { withTotal: true } });
  await client.call(operations.listEntries, { params });
  await client.call(operations.deleteAttribute, { params, query: { attributeId: attributes[0]?.id } });
  await client.call(operations.deleteEntry, { params, query: { entryId: entry.id } });
  await client.call(operations.deleteList, { params });
  await client.call(operations.instantiateTemplate, { body: { templateId: 'hiring', name: 'Jobs' } });
}

async function metricsAndGrants() {
  for (const companyId of [demo.companyId, lumen]) {
    await client.call(operations.getLiveMetrics, { query: { companyId } }).catch(ignore);
    await client.call(operations.getMetricCatalog, { query: { companyId } }).catch(ignore);
    await client.call(operations.listGrants, { query: { companyId } }).catch(ignore);
  }
  for (const query of [
    { periodType: 'month' as const, versions: 'actual,budget,forecast' },
    { periodType: 'quarter' as const, versions: 'budget,forecast', order: 'asc' as const },
    { periodType: 'year' as const, versions: 'budget' },
    { periodType: 'month' as const, fromPeriod: '1990-01', toPeriod: '1990-02' },
  ]) {
    for await (const _page of client.pages(operations.getMetricSeries, { query }));
  }
  for await (const _page of client.pages(operations.getPublishedMetrics, { params: { companyId: lumen } }));
  await client.call(operations.getPublishedMetrics, {
    params: { companyId: lumen },
    query: { limit: 1, from: '2000' },
  });
  const body = { companyId: demo.companyId, scope: ['metrics'], recipient_company_id: lumen, metric_ids: ['mrr'] };
  const { id = '' } = await client.call(operations.createGrant, { body });
  await client.call(operations.revokeGrant, { params: { id } });
  await client.call(operations.revokeGrant, { params: { id } }).catch(ignore);
  const query = { vcCompanyId: demo.companyId };
  await client.call(operations.getMetricPreferences, { query });
  await client.call(operations.setMetricPreferences, { body: { ...query, requestedMetrics: ['mrr'] } });
  await client.call(operations.getMetricPreferences, { query });
}

/** The main failures of each operation: no credential, a bad one, malformed input, unknown ids, another's company. */
async function failures() {
  for (const op of Object.values(operations) as Operation[]) {
    const path = op.path.replace(/\{\w+\}/g, unknown);
    const mine: Record<string, string> = op.credential === 'key' ? bearer : { cookie: demo.session };
    const content: Record<string, string> = op.body ? { 'content-type': 'application/json' } : {};
    const send = (headers: Record<string, string>, at = path, body: unknown = op.body ? {} : undefined) =>
      api
        .transport({
          method: op.method,
          url: `http://embedded${at}`,
          headers,
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        })
        .then((response) => seen.push({ op, request: { method: op.method, url: at, headers }, response }));
    await send({ ...content });
    await send({ ...content, authorization: 'Bearer nobody', cookie: 'comem-auth-token=nobody' });
    await send({ ...content, ...mine });
    await send({ ...content, ...mine, 'x-company-id': unknown });
    await send({ ...content, ...mine, 'x-company-id': 'x' });
    await send({ ...content, ...mine }, path.replace(unknown, 'not-a-uuid'));
    await send(
      { ...content, ...mine },
      `${path}?companyId=${demo.companyId}&limit=0&cursor=forged&attributeId=${unknown}&entryId=${unknown}&vcCompanyId=${unknown}`,
    );
    if (op.body) {
      await send({ ...content, ...mine }, path, '{"broken');
      await send({ ...mine, 'content-type': 'text/plain' }, path, 'x');
      await send({ ...content, ...mine }, path, `{"name":"${'x'.repeat(1_100_000)}"}`);
    }
  }
}

const statusKey = (op: Operation, status: number): string => {
  const { paths } = openapiDocument() as { paths: Record<string, Record<string, { responses: Json }>> };
  const { responses = {} } = paths[op.path]?.[op.method.toLowerCase()] ?? {};
  return String(status) in responses ? String(status) : 'default';
};

describe('answers of the embedded API', () => {
  test.each(Object.keys(operations))('%s', (id) => {
    const answers = seen.filter(({ op }) => op.id === id);
    const statuses = new Set(answers.map(({ response }) => response.status));
    expect(
      [...statuses].some((status) => status < 300),
      'a success',
    ).toBe(true);
    expect([...statuses].filter((status) => status >= 400).length, 'failures').toBeGreaterThanOrEqual(2);
    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    for (const { op, response, request } of answers) {
      const key = statusKey(op, response.status);
      const where = `${request.method} ${request.url} ${response.status}: ${Buffer.from(response.body)}`;
      if (response.status < 300) expect(key, where).toBe(String(response.status));
      if (response.body.length === 0) {
        expect(op.result, where).toBeUndefined();
        continue;
      }
      expect(response.headers['content-type'], where).toMatch(/^application\/json/);
      const pointer = [
        'paths',
        op.path,
        op.method.toLowerCase(),
        'responses',
        key,
        'content',
        'application/json',
        'schema',
      ];
      const at = pointer.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/');
      const body: unknown = JSON.parse(Buffer.from(response.body).toString('utf8'));
      const holds = ajv.validate({ $ref: `document#/${at}` }, body);
      expect(holds, `${where.slice(0, 2000)}\n${ajv.errorsText()}`).toBe(true);
      if (response.status >= 400 && op.id !== 'stepEntry') expect(body).toMatchObject({ status: response.status });
    }
  });

  test('the loop step was queued, tried and rejected', () => {
    const statuses = seen.filter(({ op }) => op.id === 'stepEntry').map(({ response }) => response.status);
    expect(statuses).toEqual(expect.arrayContaining([200, 202, 409]));
  });

  test('the total is in its header when it was asked for, and only then', () => {
    const pages = seen.filter(({ op, response }) => op.id === 'listEntries' && response.status === 200);
    const asked = pages.map(({ request }) => request.url.includes('withTotal=true'));
    expect(new Set(asked)).toEqual(new Set([true, false]));
    expect(pages.map(({ response }) => 'x-list-total-count' in response.headers)).toEqual(asked);
  });
});
