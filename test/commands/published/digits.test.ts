/** Published quarters are rounded: to how many digits, one value of them does not say. */
import { expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { freshApi, run } from '../../helpers/run.ts';

const api = await freshApi();

/** The demo's publications, with each number as another server may write or round it. */
const written =
  (change: (body: string) => string): Transport =>
  async (request) => {
    const answer = await api.transport(request);
    if (!request.url.includes('/metrics/published/')) return answer;
    return { ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString())) };
  };

const diff = (transport: Transport) =>
  run(['-p', 'demo', 'published', 'diff', 'lumen', '--exit-code', '-o', 'csv'], { transport });

it('zeros at the end of a number do not count', async () => {
  expect((await diff(api.transport)).code).toBe(0);
  const zeros = written((body) =>
    body
      .replaceAll(/(?<="(?:churn_rate|nrr|mrr_growth)":-?\d+(?:\.\d+)?)(?=[,}])/g, '.00')
      .replaceAll(/(\.\d+)\.00/g, '$100'),
  );
  const { code, stdout } = await diff(zeros);
  expect({ code, rows: stdout.trim().split('\n').slice(1) }).toEqual({ code: 0, rows: [] });
});

it('a value with fewer digits than others of its metric is not rounded to these', async () => {
  const wrong = written((body) => body.replaceAll(/("periodKey":"2025-Q4".*?"churn_rate":)1\.08(?=[,}])/g, '$11'));
  const { code, stdout } = await diff(wrong);
  expect(code).toBe(1);
  expect(stdout).toContain('churn_rate,2025-Q4,1,2026-01-24T08:00:00.000Z,1,1.08,0.08,0.08,different,');
});

it('compares every company of a group, and counts those that cannot be read', async () => {
  const { code, stdout, stderr } = await run(
    ['-p', 'demo', 'published', 'diff', '@portfolio', '--all', '-o', 'csv', '--fields', 'company,outcome'],
    {},
  );
  const [header, ...rows] = stdout.trimEnd().split('\n');
  expect(header).toBe('company,outcome');
  expect(new Set(rows.map((row) => row.split(',')[0]))).toEqual(new Set(['lumen', 'harbor', 'tessera']));
  expect([code, stderr]).toEqual([7, expect.stringContaining('4 of 5 companies were read, 1 failed')]);
});
