/** A proxy that drops a parameter of a query changes no answer silently and no choice of what is written. */
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import type { Embedded } from '../../src/server/embedded.ts';
import { freshApi, run } from '../helpers/run.ts';

/** Without the parameters of this name, and without the query that a series repeats. */
function dropping(api: Embedded, name: RegExp): Transport {
  return async (request) => {
    const url = new URL(request.url);
    for (const key of [...url.searchParams.keys()]) if (name.test(key)) url.searchParams.delete(key);
    const response = await api.transport({ ...request, url: url.href });
    if (!url.pathname.endsWith('/series') || response.status !== 200) return response;
    const { query: _, ...body } = JSON.parse(Buffer.from(response.body).toString());
    return { ...response, body: Buffer.from(JSON.stringify(body)) };
  };
}

async function withoutParameter(name: RegExp, argv: readonly string[]) {
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
