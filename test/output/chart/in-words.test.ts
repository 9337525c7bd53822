import { describe, expect, it } from 'vitest';
import type { Panel } from '../../../src/output/chart/panel.ts';
import { panelInWords, waterfallInWords } from '../../../src/output/chart/terminal.ts';
import { run } from '../../helpers/run.ts';

const periods = ['2025-09', '2025-10', '2025-11', '2025-12'];
const words = (values: Panel['series'][number]['values'], unit = 'USD') => {
  const series = [{ label: 'MRR', metricId: 'mrr', values }];
  return panelInWords({ title: 'MRR', unit, periods, series, notes: ['2025-12 has not ended.'] });
};

describe('a chart in words', () => {
  it('says what the picture shows', () => {
    expect(words([1_782_576, 1_700_000, 1_900_000, 2_000_608])).toEqual([
      'MRR (USD), 2025-09 to 2025-12.',
      'MRR: from 1.78M in 2025-09 to 2.00M in 2025-12, up 12.2%. Lowest 1.70M in 2025-10, highest 2.00M in 2025-12.',
      '2025-12 has not ended.',
    ]);
  });

  it.each([
    [
      [5, null, undefined, 4],
      'from 5 in 2025-09 to 4 in 2025-12, down 20.0%. Lowest 4 in 2025-12, highest 5 in 2025-09. No value in 2 periods between.',
    ],
    [[null, 7, null, null], '7 in 2025-10.'],
    [[null, null, null, undefined], 'no values.'],
    [[-1, 0, 0, 3], 'from -1 in 2025-09 to 3 in 2025-12, up. Lowest -1 in 2025-09, highest 3 in 2025-12.'],
    [[3, 3, 3, 3], 'from 3 in 2025-09 to 3 in 2025-12, unchanged. Lowest 3 in 2025-09, highest 3 in 2025-09.'],
  ])('of %j', (values, says) => {
    expect(words(values)[1]).toBe(`MRR: ${says}`);
  });

  it('says no share of percentages', () => {
    expect(words([50, 55, 60, 75], '%')[1]).toContain('from 50% in 2025-09 to 75% in 2025-12, up.');
  });

  it('says the steps of a waterfall', () => {
    const bar = { from: 0, to: 1, verdict: 'even' as const };
    const bars = [
      { ...bar, label: '2025-09', total: true, caption: '10' },
      { ...bar, label: '2025-10', total: false, caption: '+1', share: '+10.0%' },
    ];
    const caption = waterfallInWords({ title: 'ARR', company: 'lumen', unit: 'USD', bars, notes: ['a note'] });
    expect(caption).toEqual(['lumen, ARR (USD).', '2025-09: 10.', '2025-10: +1, +10.0%.', 'a note']);
  });

  it.each([
    [
      ['chart', '-m', 'mrr', '--last', '3'],
      /^northgate, MRR \(USD\), 2025-12 to 2026-02\.\nMRR: from 1\.94M in 2025-12 to/,
    ],
    [['chart', '-m', 'mrr', '--last', '3', '--type', 'bar'], /\nMRR: from 1\.94M in 2025-12 to/],
    [
      ['bridge', '-m', 'arr', '--from', '2025-12', '--to', '2026-02'],
      /^northgate, ARR, 2025-12 to 2026-02 \(USD\)\.\n2025-12: .*\.\n/,
    ],
  ])('is what ACCESSIBLE=1 prints for %j', async (argv, says) => {
    const shown = async (ACCESSIBLE: string) => {
      const { stdout } = await run(['-p', 'demo', 'metrics', ...argv], { tty: true, env: { ACCESSIBLE } });
      return stdout;
    };
    const text = await shown('1');
    expect(text).toMatch(says);
    expect(text).not.toMatch(/[█▓░⠤─]/);
    expect(await shown('0')).toMatch(/[█▓░⠤─]/);
  });
});

it('has no dot in the title of a chart in ASCII', async () => {
  const argv = ['-p', 'demo', 'metrics', 'chart', '-m', 'mrr', '--last', '3'];
  const { stdout } = await run(argv, { tty: true, env: { TERM: 'dumb' } });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  expect(stdout).toMatch(/^[\u0000-\u007f]*$/);
});
