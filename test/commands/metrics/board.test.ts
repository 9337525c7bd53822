/** `metrics board`: metrics by quarter with plan and variance, in every format. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { boardRows } from '../../../src/commands/metrics/board-rows.ts';
import { type RunOptions, run } from '../../helpers/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'comem-board-'));
afterAll(() => rmSync(folder, { recursive: true }));
const metrics = (...argv: string[]) => ['-p', 'demo', 'metrics', ...argv];
const lumen = ['-c', 'lumen'];
const few = ['-m', 'mrr,burn,headcount,churn_rate', '--last', '3q', '--include-current'];
const board = (argv: readonly string[], options?: RunOptions) =>
  run(metrics('board', ...argv), { cwd: folder, ...options });
const csv = async (argv: readonly string[]) => {
  const { stdout, code } = await run([...argv, '-o', 'csv']);
  expect(code).toBe(0);
  const [header = '', ...lines] = stdout.trimEnd().split('\n');
  const keys = header.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [keys[at] ?? '', cell])));
};
let written = 0;
const comments = (text: string) => {
  written += 1;
  const name = `comments-${written}.yaml`;
  writeFileSync(join(folder, name), text);
  return ['--comments', name];
};
const renewals = '- {metric: mrr, period: 2025-q3, text: Two renewals moved into October.}\n';

const third = `
                   2025-Q3
Metric      Unit   Actual  Budget  Variance         %
MRR         USD k   702.4   787.5     -85.1    -10.8%  bad *
Burn        USD k   856.0   939.8     -83.8     -8.9%  good
Headcount              87      96        -9     -9.4%  bad
Churn rate  %        1.16    1.20     -0.04  -0.04 pp  good
`.slice(1);
const fourth = `
                   2025-Q4
Metric      Unit   Actual  Budget  Variance         %
MRR         USD k   755.9   830.2     -74.3     -8.9%  bad
Burn        USD k   814.5   897.8     -83.3     -9.3%  good
Headcount              88      96        -8     -8.3%  bad
Churn rate  %        1.08    1.12     -0.04  -0.04 pp  good
`.slice(1);
const running = `
                   2026-Q1 (2/3)
Metric      Unit   Actual  Budget  Variance  %
MRR         USD k   802.9   877.5
Burn        USD k   589.7   935.8
Headcount              92      97
Churn rate  %        1.14    1.22
`.slice(1);
const both = `
                   2025-Q3                                    2025-Q4
Metric      Unit   Actual  Budget  Variance         %         Actual  Budget  Variance         %
MRR         USD k   702.4   787.5     -85.1    -10.8%  bad *   755.9   830.2     -74.3     -8.9%  bad
Burn        USD k   856.0   939.8     -83.8     -8.9%  good    814.5   897.8     -83.3     -9.3%  good
Headcount              87      96        -9     -9.4%  bad        88      96        -8     -8.3%  bad
Churn rate  %        1.16    1.20     -0.04  -0.04 pp  good     1.08    1.12     -0.04  -0.04 pp  good
`.slice(1);
const said = '* mrr 2025-Q3 -10.8%: Two renewals moved into October.\n';

describe('on a terminal', () => {
  const flags = () => [...lumen, ...few, '--material', '10% and 5', ...comments(renewals)];

  it.each([
    [80, `${third}\n${fourth}\n${running}\n${said}`],
    [120, `${both}\n${running}\n${said}`],
  ])('shows all periods in %d columns', async (columns, screen) => {
    const { stdout, stderr, code } = await board([...flags(), '--fail-on', 'unexplained'], { tty: true, columns });
    expect([stdout, stderr, code]).toEqual([screen, '', 0]);
  });

  it('scales and rounds amounts as told', async () => {
    const one = [...lumen, '-m', 'mrr,headcount', '--last', '1q', '--versions', 'actual', '-o', 'table'];
    const shown = async (...look: string[]) => (await board([...one, ...look])).stdout.split('\n').slice(2, 4);
    expect(await shown('--scale', 'none', '--round', '2')).toEqual([
      'MRR        USD   755,922.15',
      'Headcount                88',
    ]);
    expect(await shown('--scale', 'M', '--round', '3')).toEqual([
      'MRR        USD M   0.756',
      'Headcount             88',
    ]);
    expect(await shown('--round', '0')).toEqual(['MRR        USD k     756', 'Headcount             88']);
  });
});

describe('the rows', () => {
  it.each([
    ['four quarters', [...lumen, '--last', '4q']],
    ['a partial quarter', [...lumen, ...few]],
    ['a partial quarter that is compared', [...lumen, ...few, '--partial']],
    ['months', [...lumen, '-m', 'mrr,burn', '--last', '6']],
    ['several companies', ['-c', '@portfolio', '-m', 'mrr,burn,nrr', '--last', '2q']],
  ])('have the numbers of metrics variance: %s', async (_, flags) => {
    const keys = ['company', 'metricId', 'periodKey', 'actual', 'budget', 'difference', 'percent', 'verdict', 'note'];
    const values = (rows: Record<string, string>[]) => rows.map((row) => keys.map((key) => row[key]));
    const own = await csv([...metrics('board', '--variance'), ...flags]);
    const other = await csv([...metrics('variance'), ...flags]);
    expect(other.length).toBeGreaterThan(3);
    expect(values(own)).toEqual(values(other));
  });

  it('mark what is partial and what is material', async () => {
    const rows = await csv([...metrics('board'), ...lumen, ...few, '--material', '10%']);
    const marks = rows.map(({ metricId, periodKey, months, material }) => [metricId, periodKey, months, material]);
    expect(marks.slice(0, 3)).toEqual([
      ['mrr', '2025-Q3', '', 'true'],
      ['mrr', '2025-Q4', '', 'false'],
      ['mrr', '2026-Q1', '2/3', 'false'],
    ]);
  });

  it('are quarters where the bounds are', async () => {
    const periods = async (...flags: string[]) => {
      const rows = await csv([...metrics('board'), ...lumen, '-m', 'mrr', ...flags]);
      return rows.map(({ periodKey }) => periodKey);
    };
    const quarters = ['2025-Q1', '2025-Q2'];
    expect(await periods('--from', '2025-Q1', '--to', '2025-Q2')).toEqual(quarters);
    expect(await periods('--from', '2025-01', '--to', '2025-02')).toEqual(['2025-01', '2025-02']);
    expect(await periods('--from', '2025-Q1', '--to', '2025-Q1', '--period-type', 'month')).toHaveLength(3);
    expect(await periods()).toEqual([...quarters, '2025-Q3', '2025-Q4']);
  });

  it('have no subtotal where nothing adds up', async () => {
    const own = ['-m', 'burn,mrr', '--last', '1q', '--versions', 'actual', '--subtotals'];
    expect((await csv([...metrics('board'), ...lumen, ...own])).map(({ metricId }) => metricId)).toEqual([
      'burn',
      'mrr',
    ]);
  });

  it('have the sum of flows below them, compared as they are, and not to be explained', () => {
    const flow = { aggregation: 'sum', semantics: 'flow', unit: 'USD', currency: 'USD', direction: 'down' };
    const item = (version: 'actual' | 'budget', values: Record<string, number>) => ({
      ...{ periodKey: '2025-Q4', periodType: 'quarter' as const, version, metrics: values },
      ...{ source: null, updatedAt: null },
    });
    const rows = boardRows(
      {
        ...{ type: 'quarter', range: { from: undefined, to: undefined }, anyRange: true, currency: 'USD' },
        items: [
          item('actual', { sales: 0.1, arr: 5, research: 0.2 }),
          item('budget', { sales: 0.1, arr: 5, research: 0.1 }),
        ],
        metrics: [
          { id: 'sales', ...flow },
          { id: 'arr', aggregation: 'last' },
          { id: 'research', ...flow },
        ],
      },
      {
        ...{ versions: ['actual', 'budget'], against: 'budget', partial: false, subtotals: true },
        material: { limits: [{ amount: 1, relative: true }], joined: 'and' },
      },
    );
    const shown = rows.map((row) => [row.metricId, row.actual, row.difference, row.percent, row.verdict, row.material]);
    expect(shown).toEqual([
      ['sales', 0.1, 0, 0, 'even', false],
      ['research', 0.2, 0.1, 100, 'bad', true],
      ['subtotal (flow, USD, down)', 0.3, 0.1, 50, 'bad', false],
      ['arr', 5, 0, 0, 'even', false],
    ]);
  });

  it('refuse a look that would change nothing', async () => {
    const { stderr, code } = await board([...lumen, '--scale', 'k', '-o', 'csv']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--scale is for boards as people read them')]);
  });
});

describe('files', () => {
  const two = ['-c', 'lumen', '-c', 'tessera', '-m', 'mrr,headcount', '--last', '2q', '--include-current', '--quiet'];
  const file = async (name: string, ...flags: string[]) => {
    const { stderr, code } = await board([...two, '--variance', '--out', name, ...flags]);
    expect([stderr, code]).toEqual(['', 0]);
    return readFileSync(join(folder, name));
  };

  it('a page and Markdown have the same cells', async () => {
    const page = (await file('board.html')).toString();
    expect(page).toContain('<th scope="colgroup" colspan="5">2026-Q1 (2/3)</th>');
    expect(page).toContain('<th scope="col" data-key="2026-Q1.actual" class="number start">Actual</th>');
    expect(page).toContain('<td data-value="-74296.54" class="number">-74.3</td>');
    expect(page).toContain('<td data-value="bad" class="bad">bad</td>');
    const md = (await file('board.md')).toString();
    expect(md.split('\n').slice(0, 3)).toEqual([
      '## lumen',
      '',
      expect.stringMatching(/^\| Metric \| Unit \| 2025-Q4 Actual \| .*\| 2026-Q1 \(2\/3\) Actual/),
    ]);
    expect(md).toContain('| MRR | USD k | 755.9 | 830.2 | -74.3 | -8.9% | bad |');
  });
});

describe('explanations', () => {
  const asked = [...lumen, '-m', 'mrr', '--last', '4q', '--material', '10%', '-o', 'csv'];

  it('that are missing are exit 1 with --fail-on, after the output', async () => {
    const { stdout, stderr, code } = await board([...asked, '--fail-on', 'unexplained']);
    expect([stdout.split('\n').length, code]).toEqual([6, 1]);
    expect(stderr).toContain('2 variances are not explained: mrr 2025-Q1, mrr 2025-Q3');
    const one = await board([...asked, '--fail-on', 'unexplained', ...comments(renewals)]);
    expect([one.code, one.stderr]).toEqual([1, expect.stringContaining('1 variance is not explained: mrr 2025-Q1')]);
    const all = `${renewals}- {metric: mrr, period: 2025-Q1, company: lumen, text: Late start}\n`;
    const done = await board([...asked, '--fail-on', 'unexplained', ...comments(all)]);
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toContain('Late start');
  });

  it('belong to the company that they name', async () => {
    const two = ['-c', 'lumen', '-c', 'harbor', ...asked.slice(2)];
    const text = '- {metric: mrr, period: 2025-Q3, company: lumen, text: Renewals}\n';
    const { stdout } = await board([...two, ...comments(text), '--quiet']);
    expect(stdout.split('\n').filter((line) => line.includes('Renewals'))).toEqual([expect.stringMatching(/^lumen,/)]);
    const { stderr, code } = await board([...two, ...comments(renewals)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('line 1: a comment needs company')]);
  });

  it('without a row are named', async () => {
    const { stderr, code } = await board([...asked, ...comments('- {metric: mmr, period: 2025-Q3, text: x}\n')]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('no row of the board has the metric')]);
  });

  it.each([
    ['{metric: mrr}', 'must be a list of comments'],
    ['- mrr', 'line 1: a comment must be a mapping'],
    ['- {metric: mrr, period: 2025-Q3}', 'line 1: a comment needs metric, period and text'],
    ['- {metric: mrr, period: 2025-Q5, text: x}', 'line 1: period must be such as'],
    [`${renewals}- {metric: mrr, period: 2025-Q3, note: x}`, 'line 2: unknown key "note"'],
    [`${renewals}${renewals}`, 'line 2: mrr 2025-Q3 has a comment on line 1 already'],
    ['- {metric: mrr, period: 2025-Q3, text: [x]}', 'line 1: text must be a text'],
  ])('are refused as %j', async (text, says) => {
    const { stdout, stderr, code } = await board([...asked, ...comments(text)]);
    expect([stdout, code, stderr]).toEqual(['', 2, expect.stringContaining(says)]);
  });

  it.each([
    [['--material', '10 percent'], '--material must be limits'],
    [['--fail-on', 'unexplained'], '--fail-on unexplained needs'],
    [['--comments', 'none.yaml'], '--comments explains what --material marks'],
    [['--variance', '--versions', 'actual'], 'a variance needs actuals and a budget or forecast'],
  ])('and flags that do not fit are refused before a request: %j', async (flags, says) => {
    const { stderr, code, requests } = await board([...lumen, ...flags]);
    expect([code, stderr, requests]).toEqual([2, expect.stringContaining(says), []]);
  });

  it('cannot be judged where nothing was compared', async () => {
    const { stderr, code } = await board([
      ...[...lumen, '-m', 'mrr', '--from', '2026-Q1', '--to', '2026-Q1', '--period-type', 'quarter'],
      ...['--material', '10%', '--fail-on', 'unexplained'],
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing could be compared')]);
  });
});
