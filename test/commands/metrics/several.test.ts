/** Several companies in one answer: named, told apart by currency, read at once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demo } from '../../../src/core/demo.ts';
import type { Transport } from '../../../src/core/wire.ts';
import type { Embedded } from '../../../src/server/embedded.ts';
import { instead } from '../../helpers/metrics-world.ts';
import { freshApi, type RunOptions, run as runProgram } from '../../helpers/run.ts';

const home = mkdtempSync(join(tmpdir(), 'comem-several-'));
afterAll(() => rmSync(home, { recursive: true }));
const { lumen, harbor, tessera, alder, quill } = demo.companies;
let api: Embedded;
beforeAll(async () => {
  api = await freshApi();
});
const run = (argv: readonly string[], options: RunOptions = {}) => runProgram(argv, { transport: api, ...options });
const metrics = (...argv: string[]) => ['-p', 'demo', 'metrics', ...argv];
const csv = async (argv: readonly string[], options?: RunOptions) => {
  const { stdout, stderr, code } = await run([...argv, '-o', 'csv'], options);
  return { lines: stdout.trimEnd().split('\n'), stderr, code };
};
const two = ['-c', 'lumen', '-c', 'tessera'];
const range = ['-m', 'mrr,churn_rate', '--from', '2026-01', '--to', '2026-02'];

describe.each([
  ['growth', range],
  ['variance', range],
  ['table', range],
  ['chart', range],
  ['gaps', ['-m', 'mrr', '--last', '3', '--stale-after', '0', '--from', '2026-02'].slice(0, 2)],
  ['get', ['mrr', '--period', '2026-02']],
  ['live', []],
])('metrics %s', (verb, flags) => {
  it('has a row for each company, by its alias, with the id as a field', async () => {
    const { lines, code } = await csv(metrics(verb, ...two, ...flags));
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^company,companyId,/);
    const named = new Set(lines.slice(1).map((line) => line.split(',').slice(0, 2).join()));
    if (verb !== 'gaps') expect(named).toEqual(new Set([`lumen,${lumen}`, `tessera,${tessera}`]));
    const { stdout } = await run([...metrics(verb, ...two, ...flags), '-o', 'table'], { columns: 200 });
    expect(stdout).not.toContain(lumen);
  });

  it('reads a group, and what all of them have in common with one', async () => {
    const one = await csv(metrics(verb, '-c', 'lumen', ...flags));
    const group = await csv(metrics(verb, '-c', '@portfolio', ...flags, '--quiet'));
    expect(one.lines[0]).not.toMatch(/company/);
    expect(group.lines.length).toBeGreaterThanOrEqual(one.lines.length);
  });
});

it('says that amounts are in several currencies, and in which each is', async () => {
  for (const verb of ['growth', 'variance', 'table']) {
    const fields = ['--fields', 'company,metricId,currency'];
    const { lines, stderr } = await csv(metrics(verb, ...two, ...range, ...fields));
    expect(new Set(lines.slice(1))).toEqual(
      new Set(['lumen,mrr,USD', 'lumen,churn_rate,', 'tessera,mrr,EUR', 'tessera,churn_rate,']),
    );
    expect(stderr.match(/several currencies \(USD, EUR\)/g)).toHaveLength(1);
  }
  for (const [verb, ...more] of [['chart'], ['series', '--total']]) {
    const { stderr } = await csv(metrics(verb as string, ...two, ...range, ...more));
    expect(stderr).toContain('several currencies (USD, EUR) and cannot be compared');
    expect(stderr).not.toContain('column');
  }
  const same = await csv(metrics('growth', '-c', 'lumen', '-c', 'harbor', ...range));
  expect([same.lines[0], same.stderr]).toEqual([expect.not.stringContaining('currency'), '']);
  const get = await run(metrics('get', 'mrr', ...two, '--period', '2026-02'));
  expect(get.stderr.match(/USD, EUR/g)).toHaveLength(1);
  const gaps = await csv(metrics('gaps', ...two, ...range));
  expect([gaps.lines[0], gaps.stderr]).toEqual([expect.not.stringContaining('currency'), '']);
});

it('warns of amounts in several currencies, and not of ratios', async () => {
  const warned = async (verb: string, ...argv: string[]) =>
    (await csv(metrics(verb, ...two, '--last', '2', ...argv))).stderr.includes('several currencies');
  const ratio = ['--calc', 'added = arr - prev(arr)', '--calc', 'multiple = burn / added', '-m', 'multiple'];
  for (const verb of ['table', 'growth', 'series']) {
    expect([await warned(verb, '-m', 'arr'), await warned(verb, ...ratio)]).toEqual([true, false]);
  }
});

it('writes the others where one cannot be read, and ends with 7', async () => {
  const transport = instead(api.transport, (_, url) =>
    url.searchParams.get('companyId') === harbor ? { status: 404, body: { error: 'gone' } } : undefined,
  );
  const argv = ['metrics', 'growth', ...range, '-c', lumen, '-c', harbor];
  const { lines, stderr, code } = await csv(argv, { transport });
  expect([code, lines.length]).toEqual([7, 5]);
  expect(stderr).toContain('could not be read');
  const none = await csv(['metrics', 'growth', ...range, '-c', harbor, '-c', alder], { transport });
  expect(none.code).not.toBe(0);
  expect(none.lines).toEqual(['']);
});

it('leaves out what @all may not read, and says so', async () => {
  const { lines, stderr, code } = await csv(metrics('get', 'mrr', '-c', '@all', '--fields', 'company'));
  expect([code, lines]).toEqual([0, ['company', 'northgate', 'lumen', 'harbor', 'tessera', 'fieldwork', 'quill']]);
  expect(stderr).toContain('Left out, since the credential may not read them: cedar, alder.');
});

it('takes the name from the API where there is no alias, and asks once', async () => {
  const argv = ['metrics', 'growth', ...range, '-c', lumen, '-c', quill, '--fields', 'company'];
  const asked = ({ requests }: Awaited<ReturnType<typeof run>>) =>
    requests.filter(({ path }) => path.startsWith('/api/metrics/published')).length;
  const first = await run([...argv, '-o', 'csv'], { home });
  expect(first.stdout).toContain('Lumen Analytics\n');
  expect(asked(first)).toBe(2);
  const again = await run([...argv, '-o', 'csv'], { home });
  expect([again.stdout, asked(again)]).toEqual([first.stdout, 0]);
});

it('reads the companies at once: as many turns as for one', async () => {
  /** How often something was waited for, with everything that is under way answered together. */
  const turnsOf = async (argv: readonly string[]) => {
    let turns = 0;
    let waiting: (() => void)[] = [];
    const transport: Transport = async (request) => {
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) === 1) {
          setTimeout(() => {
            turns += 1;
            for (const each of waiting.splice(0)) each();
            waiting = [];
          }, 15);
        }
      });
      return api.transport(request);
    };
    const { code } = await run([...metrics('growth', ...range), ...argv], { transport });
    expect(code).toBe(0);
    return turns;
  };
  expect(await turnsOf(['-c', '@portfolio'])).toBeLessThanOrEqual((await turnsOf(['-c', 'lumen'])) + 1);
});

it('refuses what no company has before data is read, and accepts what one has', async () => {
  const wrong = await run(metrics('growth', '-m', 'mrrr', ...two));
  expect([wrong.code, wrong.stdout]).toEqual([3, '']);
  expect(wrong.requests.map(({ path }) => path)).toEqual(['/api/metrics/catalog', '/api/metrics/catalog']);
  const own = await csv(metrics('growth', '-m', 'monthly_learners', '-c', 'lumen', '-c', 'quill', '--from', '2025-12'));
  expect([own.code, new Set(own.lines.slice(1).map((line) => line.split(',')[0]))]).toEqual([0, new Set(['quill'])]);
  const range = await run(metrics('growth', '-m', 'mrr', ...two, '--from', '2026-13'));
  expect([range.code, range.requests]).toEqual([2, []]);
});

it('reads the fiscal year of each company', async () => {
  const own = mkdtempSync(join(tmpdir(), 'comem-fiscal-'));
  try {
    await run(['-p', 'demo', 'companies', 'set', 'tessera', 'fiscal-year-start=4'], { home: own });
    const argv = metrics('growth', '-m', 'mrr', ...two, '--fy', '2025', '--fields', 'company,periodKey');
    const { lines } = await csv(argv, { home: own });
    const of = (company: string) => lines.filter((line) => line.startsWith(company)).map((line) => line.split(',')[1]);
    expect([of('lumen').at(0), of('lumen').at(-1)]).toEqual(['2025-01', '2025-12']);
    expect([of('tessera').at(0), of('tessera').at(-1)]).toEqual(['2024-04', '2025-03']);
    const overridden = await csv([...argv, '--fy-start', '7'], { home: own });
    expect(new Set(overridden.lines.slice(1).map((line) => line.split(',')[1])).size).toBe(12);
  } finally {
    rmSync(own, { recursive: true });
  }
});

it.each([[], ['--shape', 'long']])(
  'rows of a series have names, files the ids beside them, with %j %j',
  async (...flags) => {
    const series = metrics('series', ...two, ...range, ...flags.filter((word) => word !== undefined));
    const shown = await run([...series, '-o', 'table'], { columns: 200 });
    expect(shown.stdout).toMatch(/^lumen +/m);
    expect(shown.stdout).not.toContain(lumen);
    expect((await csv(series)).lines[1]).toMatch(new RegExp(`^lumen,${lumen},`));
  },
);

it('reads fiscal years of a series from the month in which those of the company begin', async () => {
  const env = { XDG_CONFIG_HOME: join(home, 'fiscal') };
  await run(['-p', 'demo', 'companies', 'set', 'lumen', 'fiscal-year-start=4'], { env });
  const series = metrics('series', '--order', 'desc', '-m', 'mrr', '--fy', '2025', '--fields', 'periodKey');
  const { lines } = await csv([...series, '-c', 'lumen'], { env });
  expect([lines[1], lines.at(-1)]).toEqual(['2025-03', '2024-04']);
});

it('refuses a series of companies whose fiscal years begin in different months', async () => {
  const env = { XDG_CONFIG_HOME: join(home, 'fiscal-years') };
  await run(['-p', 'demo', 'companies', 'set', 'lumen', 'fiscal-year-start=4'], { env });
  const series = metrics('series', '-m', 'mrr', '--fy', '2025', '-c', 'lumen', '-c', 'harbor', '-o', 'csv');
  const { code, stderr } = await run(series, { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('begin in different months\n  hint: add --fy-start')]);
  expect((await run([...series, '--fy-start', '1'], { env })).stdout).not.toContain('2024-04');
});
