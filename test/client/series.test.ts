/** `client.series` as a script uses it: on the embedded API, and on a transport that answers from a script. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type ComemClient, createComemClient, Failure } from '../../src/client/public.ts';
import { readSeries, type SeriesRequest } from '../../src/client/series.ts';
import { formatPeriod, parsePeriod } from '../../src/core/periods.ts';
import type { Transport } from '../../src/core/wire.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { fillWithDemo } from '../helpers/demo-folder.ts';

const companies = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const ids = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

/** A client of an API that has a value for each month and metric asked for, in pages of at most 50 rows. */
function scripted(answer: Transport = months) {
  const queries: Record<string, string>[] = [];
  const client = createClient({
    baseUrl: 'https://memory.example',
    credentials: { key: { secret: 'cmk_0123456789', from: 'apiKey' } },
    transport: (request) => {
      queries.push(Object.fromEntries(new URL(request.url).searchParams));
      return answer(request);
    },
  });
  const read = async (request: SeriesRequest) => {
    const rows = [];
    for await (const row of readSeries(client, request)) rows.push(row);
    return rows;
  };
  return { queries, read, client };
}

const months: Transport = async ({ url }) => {
  const query = new URL(url).searchParams;
  const index = (name: string) => parsePeriod(query.get(name) ?? '')?.index ?? 0;
  const [from, to] = [index('fromPeriod'), index('toPeriod')];
  const keys = Array.from({ length: to - from + 1 }, (_, step) => formatPeriod({ type: 'month', index: from + step }));
  if (query.get('order') !== 'asc') keys.reverse();
  const start = Number(query.get('cursor') ?? 0);
  const end = start + Number(query.get('limit') ?? 50);
  const metricIds = (query.get('metricIds') ?? 'mrr').split(',');
  const items = keys.slice(start, end).map((periodKey) => ({
    periodKey,
    periodType: 'month',
    version: 'actual',
    metrics: Object.fromEntries(metricIds.map((id) => [id, 1])),
    source: null,
    updatedAt: null,
  }));
  const more = end < keys.length;
  const body = { items, observations: [], truncated: more, ...(more ? { nextCursor: String(end) } : {}) };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
};

describe('client.series', () => {
  let client: ComemClient;
  beforeAll(async () => {
    client = createComemClient({
      baseUrl: `embedded:${await fillWithDemo(temporaryFolder())}`,
      apiKey: 'cmk_demo_investor_everything',
      sessionCookie: 'comem-auth-token=demo-session-investor-everything',
      companyId: 'c0ffee00-0000-4000-8000-000000000001',
    });
  });
  afterAll(() => client.close());

  test('reads more periods and metrics than one request takes', async () => {
    const rows = [];
    const metricIds = ['mrr', ...ids(60), 'headcount'];
    for await (const row of client.series({ from: '2000', to: '2030', metricIds, order: 'asc' })) rows.push(row);
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.map(({ periodKey }) => periodKey)).toEqual(rows.map(({ periodKey }) => periodKey).sort());
    expect(new Set(rows.map(({ periodKey }) => periodKey)).size).toBe(rows.length);
    const [first] = rows;
    expect(Object.keys(first?.metrics ?? {})).toEqual(['mrr', 'headcount']);
    expect(first).not.toHaveProperty('companyId');
  });

  test('reads everything without a request, and stops at its limit', async () => {
    const rows = [];
    for await (const row of client.series({ limit: 5 })) rows.push(row);
    expect(rows).toHaveLength(5);
  });

  test('refuses bounds and windows that are not valid before anything is sent', async () => {
    const read = async (request: SeriesRequest) => client.series(request).next();
    await expect(read({ from: 'soon' })).rejects.toThrow('from must be a month such as 2006-01');
    await expect(read({ from: '2020', to: '2019' })).rejects.toThrow('to must not be before from (2020), got 2019');
    await expect(read({ periodType: 'year', versions: ['actual'] })).rejects.toThrow('periodType must be month');
    await expect(read({ from: 'soon' })).rejects.toBeInstanceOf(Failure);
  });
});

test('an answer of another grain than was asked for is refused', async () => {
  const request = { periodType: 'quarter', versions: ['budget'], from: '2024-Q1', to: '2024-Q2' } as const;
  await expect(scripted().read(request)).rejects.toMatchObject({
    kind: 'rejected',
    code: 'wrong_answer',
    message: expect.stringMatching(/by month, but was asked for values by quarter/),
  });
});

describe('the requests', () => {
  test('hold at most 60 periods and 50 metrics each', async () => {
    const { queries, read } = scripted();
    const rows = await read({ from: '2010-01', to: '2015-02', metricIds: ids(51), order: 'asc' });
    expect(rows).toHaveLength(62);
    expect(Object.keys(rows[61]?.metrics ?? {})).toEqual(ids(51));
    const bounds = new Set(queries.map(({ fromPeriod, toPeriod }) => `${fromPeriod} ${toPeriod}`));
    expect(bounds).toEqual(new Set(['2010-01 2014-12', '2015-01 2015-02']));
    expect(new Set(queries.map(({ metricIds = '' }) => metricIds.split(',').length))).toEqual(new Set([50, 1]));
  });

  test('of several companies come one company after the other, each row with its own', async () => {
    const { read } = scripted();
    const rows = await read({ from: '2020', to: '2020', companies });
    expect(rows).toHaveLength(24);
    expect(rows.map(({ companyId }) => companyId)).toEqual(
      [companies[0], companies[1]].flatMap((id) => Array(12).fill(id)),
    );
    expect(rows[0]?.periodKey).toBe('2020-12');
    expect(await read({ from: '2020', companies: [] })).toEqual([]);
  });

  test('stop when their reader does', async () => {
    const { client, queries } = scripted();
    for await (const row of readSeries(client, { from: '1900', to: '2000' })) if (row.periodKey < '2000-10') break;
    const sent = queries.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toBeLessThan(21);
    expect(queries).toHaveLength(sent);
  });

  test('that fail say which bounds read the rest', async () => {
    const { client } = scripted(async (request) =>
      request.url.includes('fromPeriod=2015')
        ? { status: 400, headers: {}, body: Buffer.from('{"error":"no","status":400}') }
        : months(request),
    );
    const rows: unknown[] = [];
    const read = async () => {
      for await (const row of readSeries(client, { from: '2010', to: '2024', order: 'asc' })) rows.push(row);
    };
    await expect(read()).rejects.toMatchObject({ kind: 'rejected', resume: { from: '2015-01', to: '2024-12' } });
    expect(rows).toHaveLength(60);
  });

  test('at a cursor are the one that was asked for', async () => {
    const { read, queries } = scripted();
    const rows = await read({ from: '2020', to: '2020', cursor: '10' });
    expect(rows.map(({ periodKey }) => periodKey)).toEqual(['2020-02', '2020-01']);
    expect(queries).toMatchObject([{ cursor: '10', fromPeriod: '2020-01', toPeriod: '2020-12' }]);
  });
});
