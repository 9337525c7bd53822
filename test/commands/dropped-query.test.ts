/** A proxy that drops a parameter of a query changes no answer silently and no choice of what is written. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import type { Embedded } from '../../src/server/embedded.ts';
import { freshApi, run } from '../helpers/run.ts';

/** Without the parameters of this name, or with others, and without the query that a series repeats. */
function dropping(api: Embedded, change: RegExp | ((url: URL) => void)): Transport {
  return async (request) => {
    const url = new URL(request.url);
    if (!(change instanceof RegExp)) change(url);
    else for (const key of [...url.searchParams.keys()]) if (change.test(key)) url.searchParams.delete(key);
    const response = await api.transport({ ...request, url: url.href });
    if (!url.pathname.endsWith('/series') || response.status !== 200) return response;
    const { query: _, ...body } = JSON.parse(Buffer.from(response.body).toString());
    return { ...response, body: Buffer.from(JSON.stringify(body)) };
  };
}

async function withoutParameter(name: RegExp | ((url: URL) => void), argv: readonly string[]) {
  return run([...argv], { transport: dropping(await freshApi(), name) });
}

const lumen = 'c0ffee00-0000-4000-8000-000000000011';
const ofStage = ['--filter', 'stage=Invested'];

describe('without filter', () => {
  it.each([
    [['entries', 'list', 'deal-pipeline', '-o', 'csv']],
    [['entries', 'count', 'deal-pipeline']],
    [['entries', 'count', 'deal-pipeline', '--by', 'stage']],
    [['entries', 'summarize', 'deal-pipeline', '--agg', 'sum(valuation)']],
    [['entries', 'delete', 'deal-pipeline', '--dry-run', '--yes']],
    [['entries', 'update', 'deal-pipeline', '--set', 'stage=Passed', '--dry-run', '--yes']],
  ])('%j takes the entries of the filter', async (argv) => {
    const whole = await run([...argv, ...ofStage]);
    expect(whole.code).toBe(0);
    const { stdout, code } = await withoutParameter(/^filter/, [...argv, ...ofStage]);
    expect({ stdout, code }).toEqual({ stdout: whole.stdout, code: 0 });
  });
});

describe.each([
  ['search', ['entries', 'delete', 'deal-pipeline', '--search', 'data', '--yes'], /but it has no such text/],
  ['Period$', ['metrics', 'series', '-m', 'mrr', '--from', '2025-01', '--to', '2025-03'], /which is not from 2025-01/],
  ['Period$', ['metrics', 'table', '-m', 'mrr', '--from', '2025-01', '--to', '2025-03'], /which is not from 2025-01/],
  ['Period$', ['metrics', 'get', 'mrr', '--period', '2025-03'], /which is not from 2025-03/],
  ['versions', ['metrics', 'series', '-m', 'mrr', '--versions', 'budget'], /the actual of .* was asked for budget/],
  ['^period$', ['published', 'get', lumen, '--period', '2025-06'], /which was not asked for/],
  ['^(from|to)$', ['published', 'get', lumen, '--from', '2025-06', '--to', '2025-08'], /which was not asked for/],
])('without %s', (name, argv, says) => {
  it(`${argv.join(' ')} is refused`, async () => {
    const { code, stdout, stderr } = await withoutParameter(new RegExp(name), argv);
    expect(stderr).toMatch(says);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  });
});

describe.each([
  ['filter of archived entries', /^archived/, ['entries', 'list', 'hiring', '--archived-only'], /is not archived/],
  ['metrics', /^metricIds$/, ['metrics', 'series', '-m', 'mrr', '--last', '3'], /arr of .* was asked for mrr/],
  ['order', /^order$/, ['metrics', 'series', '-m', 'mrr', '--limit', '2'], /after .* was asked for asc/],
])('without the %s', (_, name, argv, says) => {
  it(`${argv.join(' ')} is refused`, async () => {
    const { code, stdout, stderr } = await withoutParameter(name, argv);
    expect(stderr).toMatch(says);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  });
});

const deals = '84b76fe6-b840-5763-a0e1-6ac931dcfda1';
const hiring = '1a45b146-4355-53c6-8029-3107581f4e6c';

describe('of another list', () => {
  const entriesOf = (url: URL) => {
    if (url.pathname.endsWith('/entries')) url.pathname = url.pathname.replace(hiring, deals);
  };
  const listOf = (url: URL) => {
    if (url.pathname.endsWith(hiring)) url.pathname = url.pathname.replace(hiring, deals);
  };
  const archived = (url: URL) => {
    if (url.pathname.endsWith('/entries')) url.searchParams.set('archived', 'true');
  };

  it.each([
    ['entries', ['entries', 'list', 'hiring'], /"list_id" must be/],
    ['entries', ['entries', 'count', 'hiring'], /"list_id" must be/],
    ['entries', ['entries', 'delete', 'hiring', '--all', '--yes'], /"list_id" must be/],
    ['entries', ['check', 'entries', 'hiring', '--expect', 'count >= 1'], /"list_id" must be/],
    ['entries', ['api', 'GET', `/api/lists/${hiring}/entries`], /"list_id" must be/],
    ['attributes', ['lists', 'get', 'hiring'], /"id" must be/],
    ['attributes', ['entries', 'update', 'hiring', '--all', '--set', 'score=1', '--yes'], /"id" must be/],
    ['archived entries', ['entries', 'list', 'hiring'], /is archived, which was not asked for/],
    ['archived entries', ['entries', 'summarize', 'hiring', '--agg', 'count'], /is archived/],
  ] as const)('%s are refused by %j', async (rows, argv, says) => {
    const change = { entries: entriesOf, attributes: listOf, 'archived entries': archived }[rows];
    const { code, stdout, stderr, requests } = await withoutParameter(change, argv);
    expect(stderr).toMatch(says);
    expect([code, argv[0] === 'check' ? '' : stdout]).toEqual([6, '']);
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

it('without archived entries a sync deletes none', async () => {
  const api = await freshApi();
  const folder = mkdtempSync(join(tmpdir(), 'comem-dropped-'));
  const sync = (transport: Transport) =>
    run(['mirror', 'sync', folder, '--lists', 'hiring', '--metrics', 'none', '-o', 'csv'], { transport });
  expect((await sync(api.transport)).code).toBe(0);
  const { code, stderr } = await sync(dropping(api, /^archived$/));
  expect([code, stderr]).toEqual([7, expect.stringContaining(' 0 deleted')]);
  // Where they were really deleted, they are.
  const { transport } = api;
  expect((await run(['entries', 'delete', 'hiring', '--all', '--archived-only', '--yes'], { transport })).code).toBe(0);
  expect((await sync(transport)).stderr).toMatch(/ [1-9]\d* deleted/);
  rmSync(folder, { recursive: true });
});

const rowsWithout = async (field: string): Promise<Transport> => {
  const { transport } = await freshApi();
  return async (request) => {
    const response = await transport(request);
    if (request.method !== 'GET' || !new URL(request.url).pathname.endsWith('/entries')) return response;
    const rows = JSON.parse(Buffer.from(response.body).toString()) as Record<string, unknown>[];
    return { ...response, body: Buffer.from(JSON.stringify(rows.map((row) => ({ ...row, [field]: undefined })))) };
  };
};

it.each([
  ['values', ['list', 'hiring', '--where', 'stage is empty']],
  ['values', ['count', 'hiring', '--where', 'stage is empty']],
  ['values', ['delete', 'hiring', '--where', 'stage is empty', '--yes']],
  ['archived', ['archive', 'hiring', '--all', '--yes']],
  ['archived', ['unarchive', 'hiring', '--all', '--yes']],
  ['archived', ['delete', 'hiring', '--all', '--archived-only', '--yes']],
])('entries without %s are refused by entries %j', async (field, words) => {
  const { code, stderr, requests } = await run(['entries', ...words], { transport: await rowsWithout(field) });
  expect([code, stderr]).toEqual([6, expect.stringContaining(`comem needs ${field} of the entry`)]);
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});
