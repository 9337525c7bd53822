/** What --last counts, by whose clock, and metrics that do not exist. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { ids, metricsWorld, sent, seriesOf, type World } from '../../helpers/metrics-world.ts';

let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());

const checks = join(mkdtempSync(join(tmpdir(), 'comem-periods-')), 'checks.yaml');
const checkOf = (name: string, expectation: string) => {
  const file = join(dirname(checks), name);
  writeFileSync(file, `version: 1\nchecks:\n  - metrics: world months\n    expect: ['${expectation}']\n`);
  return file;
};
afterAll(() => rmSync(dirname(checks), { recursive: true }));

const series = (...flags: string[]) => ['metrics', 'series', '--order', 'desc', ...flags];
const keys = (lines: readonly string[]) => lines.slice(1).map((line) => line.split(',')[0]);

describe('--last N', () => {
  const around = (...flags: string[]) => ['metrics', 'series', '-m', 'mrr', '--to', '2019-05', ...flags];

  it('is N rows where rows have columns, empty ones for periods without data', async () => {
    const lines = await world.csv(around('--last', '4'));
    expect(keys(lines)).toEqual(['2019-02', '2019-03', '2019-04', '2019-05']);
    expect(lines[2]).toBe('2019-03,month,actual,,,');
    const quarters = await world.csv(series('-m', 'mrr', '--last', '3q'));
    expect(keys(quarters)).toEqual(['2024-Q1', '2023-Q4', '2023-Q3']);
    const wide = await world.run(around('--last', '4', '-o', 'md'));
    expect(wide.stdout.match(/^\| 2019-0/gm)).toHaveLength(4);
  });

  it('names in a note what json leaves out', async () => {
    for (const flags of [
      ['-o', 'json'],
      ['-o', 'ndjson'],
      ['-o', 'csv', '--shape', 'long'],
    ]) {
      const { stdout, stderr } = await world.run(around('--last', '4', ...flags));
      expect(stdout).not.toContain('2019-03');
      expect(stderr).toContain('No data in 2019-03.');
    }
  });

  it('has no row where there is no data at all', async () => {
    const { stdout, code } = await world.run(series('-m', 'arr', '--last', '4', '--fail-empty', '-o', 'csv'));
    expect([stdout.trimEnd().split('\n').length, code]).toEqual([1, 1]);
  });

  it('leaves out the running period, and has it with --include-current', async () => {
    expect(keys(await world.csv(series('-m', 'mrr', '--last', '2')))).toEqual(['2024-05', '2024-04']);
    expect(keys(await world.csv(series('-m', 'mrr', '--last', '2', '--include-current')))).toEqual([
      '2024-06',
      '2024-05',
    ]);
    const wrong = await world.run(series('--include-current'));
    expect([wrong.code, wrong.requests]).toEqual([2, []]);
  });
});

describe('quarters as bounds', () => {
  const shown = async (...argv: string[]) => {
    const { stdout, code } = await world.run(['metrics', ...argv, '-m', 'mrr', '-o', 'csv']);
    expect(code).toBe(0);
    return [...new Set(stdout.match(/\b\d{4}(?:-Q\d|-\d\d)?(?=[,\n])/g))];
  };
  it.each(['series', 'table', 'chart', 'growth', 'variance', 'get', 'live'])('are quarters in %s', async (verb) => {
    const both = ['2023-Q1', '2023-Q2'];
    expect(await shown(verb, '--from', '2023-Q1', '--to', '2023-Q2')).toEqual(both);
    expect((await shown(verb, '--from', '2023-Q4')).slice(0, 2)).toEqual(['2023-Q4', '2024-Q1']);
    expect(await shown(verb, '--to', '2023-Q2', '--last', '2')).toEqual(both);
    if (verb !== 'get') expect(await shown(verb, '--period', '2023-Q2')).toEqual(['2023-Q2']);
    const months = ['2023-04', '2023-05'];
    expect(await shown(verb, '--from', '2023-Q2', '--to', '2023-05')).toEqual(months);
    if (verb === 'series' || verb === 'table') {
      expect((await shown(verb, '--from', '2023-Q2', '--to', '2023-Q3', '--period-type', 'month')).length).toBe(6);
    }
  });
  it('makes years, too, of --period in a series', async () => {
    expect(
      await world.csv(['metrics', 'series', '-m', 'mrr', '--period', '2023', '--fields', 'periodKey,mrr']),
    ).toEqual(['periodKey,mrr', '2023,71']);
    const two = await world.run(['metrics', 'series', '-m', 'mrr', '--period', '2023', '--last', '2']);
    expect([two.code, two.requests]).toEqual([2, []]);
  });
  it('says that stored quarters are of budget and forecast', async () => {
    const flags = ['metrics', 'series', '-m', 'mrr', '--period-type', 'quarter', '--last', '4', '-o', 'json'];
    expect((await world.run(flags)).stderr).toContain('add --derive quarter instead of --period-type');
    expect((await world.run([...flags, '--versions', 'budget'])).stderr).not.toContain('--derive');
  });
});

describe('now', () => {
  const at =
    (date: string): Transport =>
    async (request) => {
      const answer = await world.transport(request);
      return { ...answer, headers: { ...answer.headers, date: new Date(date).toUTCString() } };
    };
  const own = { COMEM_NOW: undefined };

  it.each([
    series('-m', 'mrr', '--last', '1'),
    series('--last', '1', '--shape', 'long'),
    ['metrics', 'table', '-m', 'mrr', '--last', '1'],
  ])('is what the server says, and a large difference is said once (%j)', async (...argv) => {
    const result = await world.run(argv, { env: own, transport: at('2023-09-10T00:00:00Z') });
    // Values are read by the clock of this machine beside the catalog, whose answer brings the server's.
    const ends = argv.includes('long') ? ['2023-08'] : ['2026-02', '2023-08'];
    expect(seriesOf(result).map(({ query }) => query.toPeriod)).toEqual(ends);
    expect(result.stdout).toContain('2023-08');
    expect(result.stdout).not.toContain('2026-02');
    expect(result.stderr.match(/the clock of the server says 2023-09-10/g)).toHaveLength(1);
  });

  it('is COMEM_NOW where that is set', async () => {
    const result = await world.run(series('-m', 'mrr', '--last', '1'), { transport: at('2023-09-10T00:00:00Z') });
    expect(seriesOf(result).map(({ query }) => query.toPeriod)).toEqual(['2024-05']);
    expect(result.stderr).not.toContain('clock');
  });
});

describe('a metric that does not exist', () => {
  it.each([
    ['metrics', 'series', '-m', 'mrrr'],
    ['metrics', 'series', '-m', 'mrr,mrrr', '--shape', 'long', '-o', 'json'],
    ['metrics', 'series', '-m', 'mrrr', '-c', ids.company, '-c', ids.other],
    ['metrics', 'get', 'mrrr'],
    ['grants', 'create', '--recipient-company', ids.investor, '-m', 'mrrr'],
    ['check', '-f', checkOf('gaps.yaml', 'no_gaps(mrr, mrrr)')],
    ['check', '-f', checkOf('identity.yaml', 'arr = 12 * mrrr')],
    ['check', '-f', checkOf('premise.yaml', 'if mrrr > 0 then arr > 0')],
    ['check', '-f', checkOf('fresh.yaml', 'fresh(mrr, mrrr, 45d)')],
  ])('%j ends with 3 and the nearest before data is read', async (...argv) => {
    const result = await world.run(argv);
    // A run of checks reports what it could not look at.
    const said = argv[0] === 'check' ? expect.stringContaining('1 could not run') : '';
    expect([result.code, result.stdout]).toEqual([3, said]);
    expect(result.stderr).toContain('the catalog has no metric');
    expect(result.stderr).toContain('did you mean mrr?');
    expect(new Set(sent(result))).toEqual(new Set(['GET /api/metrics/catalog']));
  });

  it.each([
    ['metrics', 'table', '-m', 'mrrr'],
    ['metrics', 'chart', '-m', 'mrrr'],
    ['metrics', 'bridge', '-m', 'mrrr', '--from', '2025-01', '--to', '2025-02'],
    ['metrics', 'growth', '-m', 'mrrr'],
    ['metrics', 'variance', '-m', 'mrrr'],
    ['metrics', 'gaps', '-m', 'mrrr'],
    ['metrics', 'get', 'mrrr', '--period', '2024-05'],
  ])('%j reads data beside the catalog, and ends with 3 and the nearest', async (...argv) => {
    const result = await world.run(argv);
    expect([result.code, result.stdout]).toEqual([3, '']);
    expect(result.stderr).toContain('the catalog has no metric');
    expect(result.stderr).toContain('did you mean mrr?');
    expect(new Set(sent(result))).toEqual(new Set(['GET /api/metrics/catalog', 'GET /api/metrics/series']));
  });

  it.each([
    ['cannot be read', 403, '{"error":"no"}'],
    ['lists nothing', 200, '{}'],
    ['is null', 200, 'null'],
  ])('is not told from one that exists where the catalog %s', async (_, status, body) => {
    const transport: Transport = async (request) =>
      request.url.includes('catalog') ? { status, headers: {}, body: Buffer.from(body) } : world.transport(request);
    const { code, stdout } = await world.run(series('-m', 'mrr', '--from', '2024-05', '-o', 'csv'), { transport });
    expect([code, stdout]).toEqual([0, expect.stringContaining('2024-05,month,actual,76')]);
  });
});

describe('--last N of a version without any row', () => {
  const last = ['--to', '2024-05', '--last', '3'];

  it.each(['csv', 'tsv', 'md', 'table'])('is N rows as %s', async (format) => {
    for (const versions of ['forecast', 'actual,forecast']) {
      const { stdout } = await world.run(series('-m', 'mrr', ...last, '--versions', versions, '-o', format));
      expect(stdout.match(/^\W*2024-0[345].*forecast/gm)).toHaveLength(3);
    }
  });

  it('is N rows for quarters, and for periods that have not begun', async () => {
    expect(keys(await world.csv(series('-m', 'arr', '--last', '2q')))).toEqual(['2024-Q1', '2023-Q4']);
    expect(keys(await world.csv(series('-m', 'mrr', '--to', '2024-08', '--last', '4')))).toEqual([
      ...['2024-08', '2024-07', '2024-06', '2024-05'],
    ]);
  });
});

it.each([
  [['grants', 'list', '--metric', 'mrrr'], 'GET'],
  [['grants', 'revoke', '--metric', 'mrrr', '--yes'], 'GET'],
  [['metrics', 'prefs', 'set', '--investor', ids.investor, '--requested', 'mrrr'], 'GET'],
])('%j ends with 3 and the nearest, and writes nothing', async (argv, method) => {
  const result = await world.run(argv);
  expect([result.code, result.stdout]).toEqual([3, '']);
  expect(result.stderr).toContain('did you mean mrr?');
  expect(new Set(result.requests.map((request) => request.method))).toEqual(new Set([method]));
});
