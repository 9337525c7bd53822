/** An answer is about the company and the query of its request, or it is refused. */
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { Failure } from '../../src/core/errors.ts';
import type { WireRequest } from '../../src/core/wire.ts';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [own, foreign, id, listId] = [uuid(1), uuid(2), uuid(3), uuid(4)];

function client(answer: unknown | ((request: WireRequest) => unknown), company: string | undefined = own) {
  return createClient({
    baseUrl: 'https://api.example/prefix',
    credentials: { key: { secret: 'k' }, session: { secret: 's=1' } },
    company,
    transport: async (request) => {
      const body = typeof answer === 'function' ? answer(request) : answer;
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    },
  });
}

async function outcome(sent: Promise<unknown>): Promise<string> {
  const error = await sent.catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) return error instanceof Error ? String(error.stack) : 'accepted';
  return `${error.exitCode} ${error.code}: ${error.message}`;
}

const list = { id, name: 'Deals', slug: 'deals', list_attributes: [] };
const grant = { id, status: 'active', scope: ['metrics'] };
const series = { currency: 'USD', sourceBoundary: 'company_internal', items: [], observations: [], truncated: false };
const prefs = { id, requestedMetrics: [] };

/** Each operation whose answer names a company, with an answer that does. */
const answers: [Operation, object, (company: unknown) => unknown][] = [
  [operations.listLists, {}, (company_id) => [{ ...list }, { ...list, company_id }]],
  [operations.createList, { body: { name: 'Deals' } }, (company_id) => ({ ...list, company_id })],
  [operations.getList, { params: { listId: id } }, (company_id) => ({ ...list, company_id })],
  [
    operations.updateList,
    { params: { listId: id }, body: { name: 'Deals' } },
    (company_id) => ({ ...list, company_id }),
  ],
  [
    operations.instantiateTemplate,
    { body: { templateId: 'okrs' } },
    (company_id) => ({ list: { ...list, company_id }, template: {} }),
  ],
  [operations.getLiveMetrics, {}, (companyId) => ({ metrics: {}, companyId })],
  [operations.getMetricCatalog, {}, (companyId) => ({ currency: 'USD', definitions: [], companyId })],
  [operations.getMetricSeries, { query: { periodType: 'month' } }, (companyId) => ({ ...series, companyId })],
  [operations.listGrants, {}, (company_id) => ({ grants: [{ ...grant, company_id }] })],
  [operations.createGrant, { body: { scope: ['metrics'] } }, (company_id) => ({ grant: { ...grant, company_id } })],
  [
    operations.revokeGrant,
    { params: { id } },
    (company_id) => ({ grant: { ...grant, status: 'revoked', company_id } }),
  ],
  [
    operations.getPublishedMetrics,
    { params: { companyId: own } },
    (company) => ({ metrics: {}, company: { id: company } }),
  ],
  [
    operations.getMetricPreferences,
    { query: { vcCompanyId: own } },
    (vcCompanyId) => ({ preferences: { ...prefs, vcCompanyId } }),
  ],
  [
    operations.setMetricPreferences,
    { body: { vcCompanyId: own, requestedMetrics: [] } },
    (vcCompanyId) => ({ preferences: { ...prefs, vcCompanyId } }),
  ],
];

describe('the company of an answer', () => {
  it.each(answers.map(([op, ...rest]) => [op.id, op, ...rest] as const))(
    'of %s is compared',
    async (_, op, input, answer) => {
      const send = (company: unknown) => outcome(client(answer(company)).call(op, input));
      const refused = await send(foreign);
      expect(refused).toMatch(
        op.method === 'GET'
          ? /^6 wrong_company: .* is the company /
          : /^6 wrong_company: .* was written to the company /,
      );
      expect(refused).toContain(foreign);
      expect(await send(own.toUpperCase())).toBe('accepted');
      if (op.id !== 'getMetricPreferences') expect(await send(null)).not.toContain('wrong_company');
      const received = await outcome(client(answer(foreign)).send(op, input, { asReceived: true }));
      expect(received).toMatch(/^6 wrong_company: /);
    },
  );

  it('is found on every page', async () => {
    const pages = client(({ url }: WireRequest) =>
      url.includes('cursor=')
        ? { ...series, companyId: foreign, items: [] }
        : {
            ...series,
            companyId: own,
            items: [{ periodKey: '2024-01', version: 'actual', metrics: {} }],
            nextCursor: 'b',
          },
    ).pages(operations.getMetricSeries, { query: { periodType: 'month' } });
    const read = async () => {
      for await (const _ of pages);
    };
    expect(await outcome(read())).toMatch(/^6 wrong_company: /);
  });

  it('may be another one for what a network shares', async () => {
    const shared = { ...list, company_id: foreign, network_id: uuid(9) };
    expect(await outcome(client([shared]).call(operations.listLists))).toBe('accepted');
  });

  it('stays the same for a key that names none', async () => {
    let company = own;
    const bound = createClient({
      baseUrl: 'https://api.example',
      credentials: { key: { secret: 'k' } },
      transport: async () => {
        const body = JSON.stringify({ currency: 'USD', definitions: [], companyId: company });
        return { status: 200, headers: {}, body: Buffer.from(body) };
      },
    });
    expect(await outcome(bound.call(operations.getMetricCatalog))).toBe('accepted');
    expect(await outcome(bound.call(operations.getMetricCatalog))).toBe('accepted');
    company = foreign;
    expect(await outcome(bound.call(operations.getMetricCatalog))).toMatch(/^6 wrong_company: .*before/);
    expect(await outcome(bound.call(operations.getMetricCatalog, { query: { companyId: foreign } }))).toBe('accepted');
  });

  it('is compared in an answer to any request', async () => {
    const { failure } = await client({ companyId: foreign }).request({
      ...{ method: 'GET', path: `/api/metrics/catalog?companyId=${own}`, credential: 'key' },
      op: operations.getMetricCatalog,
    });
    expect(failure?.code).toBe('wrong_company');
  });

  it('is sent twice where the answer does not name it', async () => {
    const { url, headers } = await client({}).describe(operations.getLiveMetrics);
    expect([new URL(url).searchParams.get('companyId'), headers['x-company-id']]).toEqual([own, own]);
  });
});

describe('the query that an answer repeats', () => {
  const sent = {
    ...{ periodType: 'month', versions: 'actual,budget', metricIds: 'mrr,ARR', order: 'asc', limit: 50 },
    ...{ fromPeriod: '2024-01', toPeriod: '2024-12' },
  } as const;
  const echo = {
    ...{ periodType: 'month', versions: ['budget', 'actual'], metricIds: ['arr', 'mrr'], order: 'asc', limit: 50 },
    ...{ fromPeriod: '2024-01', toPeriod: '2024-12' },
  };
  const ask = (query: object, asked: object = sent) =>
    outcome(client({ ...series, companyId: own, query }).call(operations.getMetricSeries, { query: asked as never }));

  it('may be in another order and letter case, incomplete, and of shorter pages', async () => {
    for (const query of [echo, {}, { ...echo, limit: 20 }, { limit: 24, metricIds: ['arr', 'mrr'] }]) {
      expect(await ask(query)).toBe('accepted');
    }
    const unbounded = {
      fromPeriod: null,
      toPeriod: null,
      versions: ['actual'],
      order: 'desc',
      limit: 7,
      metricIds: ['a'],
    };
    expect(await ask(unbounded, { periodType: 'month' })).toBe('accepted');
  });

  it.each([
    { metricIds: ['mrr'] },
    { metricIds: [] },
    { metricIds: ['mrr', 'arr', 'nrr'] },
    { periodType: 'quarter' },
    { versions: ['actual'] },
    { order: 'desc' },
    { limit: 51 },
    { limit: 0 },
    { fromPeriod: '2023-01' },
    { fromPeriod: null },
    { toPeriod: '2024-11' },
  ])('is not another one: %j', async (change) => {
    expect(await ask({ ...echo, ...change })).toMatch(/^6 wrong_answer: .*another query: "query\./);
  });

  it.each([{ fromPeriod: '2024-01' }, { versions: ['budget'] }, { order: 'asc' }])(
    'has the defaults where nothing was sent: %j',
    async (query) => {
      expect(await ask(query, { periodType: 'month' })).toMatch(/^6 wrong_answer: .*was not sent/);
    },
  );
});

describe('an answer', () => {
  const bytesOf = (bytes: Uint8Array, status = 200) =>
    createClient({
      baseUrl: 'https://api.example',
      credentials: { key: { secret: 'k' }, session: { secret: 's=1' } },
      company: own,
      transport: async () => ({ status, headers: {}, body: bytes }),
    });

  it('that is not UTF-8 is refused', async () => {
    const latin = Buffer.from(JSON.stringify([{ ...list, name: 'Caf\u00e9' }]), 'latin1');
    expect(await outcome(bytesOf(latin).call(operations.listLists))).toMatch(/^6 not_the_api: .*not UTF-8/);
    expect(await outcome(bytesOf(latin, 503).call(operations.listLists))).toMatch(/^5 /);
    const { data } = await bytesOf(latin).request({ method: 'GET', path: '/api/lists', credential: 'session' });
    expect(typeof data).toBe('string');
  });

  it.each(['2024-1', '2024Q1', '2024-Q5', '2024-13', 'M01-2024', '2024-01-31', '2024-Q1'])(
    'has no period such as %s in a series by month',
    async (periodKey) => {
      const row = { periodKey, periodType: 'month', version: 'actual' };
      const query = { periodType: 'month' } as const;
      const items = { ...series, items: [{ ...row, metrics: {} }] };
      expect(await outcome(client(items).call(operations.getMetricSeries, { query }))).toMatch(
        /^6 wrong_answer: .*must be a/,
      );
      const values = { ...series, observations: [{ ...row, metricId: 'mrr' }] };
      expect(await outcome(client(values).call(operations.getMetricSeries, { query }))).toMatch(
        /^6 wrong_answer: .*must be a/,
      );
      const published = { metrics: { periods: [{ periodKey, periodType: 'month' }] } };
      expect(
        await outcome(client(published).call(operations.getPublishedMetrics, { params: { companyId: own } })),
      ).toMatch(/^6 /);
    },
  );

  it('without its envelope is not an empty list', async () => {
    expect(await outcome(client({}).call(operations.listGrants))).toMatch(
      /^6 wrong_answer: .*"grants" is missing from \{\}/,
    );
  });

  it('may give ids that are no UUIDs, which are sent back, while others are not sent', async () => {
    const some = client(({ url }: WireRequest) =>
      url.includes('/entries') ? [{ id: 'row 1' }, { id: '..' }, { id: 'row-7' }] : {},
    );
    await some.call(operations.listEntries, { params: { listId } });
    const remove = (entryId: string) =>
      outcome(some.call(operations.deleteEntry, { params: { listId }, query: { entryId } }));
    expect(await remove('row-7')).toBe('accepted');
    for (const wrong of ['row-8', 'row 1', '..']) expect(await remove(wrong)).toMatch(/^2 invalid_input/);
  });

  it('without what is optional is enough', async () => {
    expect(await outcome(client([{ id }]).call(operations.listLists))).toBe('accepted');
    expect(await outcome(client([{ id }]).call(operations.listEntries, { params: { listId } }))).toBe('accepted');
    expect(await outcome(client({ source: 'none' }).call(operations.getLiveMetrics))).toBe('accepted');
  });
});
