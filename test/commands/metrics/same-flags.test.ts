/** `-m`, `--last`, `--from`, `--to`, `--where` and `--fields company` in every command with rows of metrics. */
import { describe, expect, it } from 'vitest';
import { run } from '../../helpers/run.ts';

const demo = (...words: string[]) => run(['-p', 'demo', '-c', 'lumen', ...words, '-o', 'csv', '--quiet']);

const verbs: [string, ...string[]][] = [
  ['metrics series', '-m', 'mrr'],
  ['metrics table', '-m', 'mrr'],
  ['metrics growth', '-m', 'mrr'],
  ['metrics variance', '-m', 'mrr'],
  ['metrics board', '-m', 'mrr', '--period-type', 'month'],
  ['metrics chart', '-m', 'mrr'],
  ['metrics bridge', '-m', 'mrr'],
  ['metrics live', '-m', 'mrr'],
  ['metrics get', 'mrr'],
];
const ranges = [
  ['--last', '3'],
  ['--from', '2025-12', '--to', '2026-02'],
];

describe.each(verbs)('%s', (verb, ...words) => {
  const command = [...verb.split(' '), ...words];

  it.each(ranges.map((range) => [range]))('reads %j', async (range) => {
    const { code, stdout, stderr } = await demo(...command, ...range);
    expect([code, stderr]).toEqual([0, '']);
    for (const period of ['2025-12', '2026-01', '2026-02']) expect(stdout).toContain(period);
    expect(stdout).not.toContain('2025-11');
  });

  it('names its one company where flags ask for it', async () => {
    const named = await demo(...command, '--last', '3', '--fields', 'company');
    expect([named.code, named.stderr]).toEqual([0, '']);
    const [header, ...rows] = named.stdout.trimEnd().split('\n');
    expect([header, new Set(rows)]).toEqual(['company', new Set(['lumen'])]);
  });

  it('chooses rows by conditions', async () => {
    const none = await demo(...command, '--last', '3', '--where', 'company = "harbor"');
    expect(none.code).toBe(0);
    expect(
      none.stdout
        .trimEnd()
        .split('\n')
        .slice(1)
        .filter((row) => !/,(start|rest|end),/.test(row)),
    ).toEqual([]);
    const wrong = await demo(...command, '--last', '3', '--where', 'nothing = 1');
    expect([wrong.code, wrong.stdout, wrong.requests]).toEqual([2, '', expect.anything()]);
    expect(wrong.stderr).toContain('unknown name nothing');
  });
});

describe.each([
  ...verbs.filter(([verb]) => !/series|table|chart/.test(verb)),
  ['metrics series', '-m', 'mrr', '--shape', 'long'],
])('rows of a value of %s', (verb, ...words) => {
  it('have columns in the words of people and of the API', async () => {
    const lines = await Promise.all(
      ['company_id,metric,period', 'companyId,metricId,periodKey'].map(async (fields) => {
        const { code, stdout } = await demo(...verb.split(' '), ...words, '--last', '3', '--fields', fields);
        return [code, stdout.split('\n').slice(1)];
      }),
    );
    expect(lines[0]).toEqual([0, expect.arrayContaining([expect.stringMatching(/^c0ffee00.*,mrr,2026-02$/)])]);
    expect(lines[1]).toEqual(lines[0]);
  });
});

describe.each([
  ['published get', 'lumen'],
  ['published diff', 'lumen', '--all'],
] as const)('%s', (verb, ...words) => {
  const command = ['-p', 'demo', ...verb.split(' '), ...words, '-m', 'mrr', '-o', 'csv', '--quiet'];

  it('reads the newest periods of a metric, of a named company', async () => {
    const { code, stdout } = await run([...command, '--last', '2', '--fields', 'company,period']);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual(['lumen,2026-02', 'lumen,2026-01']);
  });
});

it('published ledger reads the values of a range', async () => {
  const flags = ['--by', 'value', '-m', 'mrr', '--last', '2', '-o', 'csv', '--quiet', '--fields', 'period'];
  const { code, stdout } = await run(['-p', 'demo', 'published', 'ledger', ...flags]);
  expect(code).toBe(0);
  expect(new Set(stdout.trimEnd().split('\n').slice(1))).toEqual(new Set(['2026-01', '2026-02']));
});
