import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column } from '../../src/output/column.ts';
import { sparkWriter } from '../../src/output/formats/spark.ts';
import { metricsWorld, type World } from '../helpers/metrics-world.ts';

let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());

const series = (...words: string[]) => ['metrics', 'series', '-o', 'spark', '--from', '2024-02', ...words];

describe('-o spark', () => {
  it('is a line for each metric, oldest first in whatever order the rows come, a gap as a blank', async () => {
    const expected = 'mrr  ██▁█  76\nbig     ▅  12,345,678,901,234,567,890\n';
    for (const words of [[], ['--order', 'asc'], ['--shape', 'long', '--order', 'asc']]) {
      const { stdout, code } = await world.run(series('-m', 'mrr,big', ...words));
      expect([words, code, stdout.replaceAll(' USD', '')]).toEqual([words, 0, expected]);
    }
    const hole = await world.run([
      'metrics',
      'series',
      '-o',
      'spark',
      '-m',
      'mrr',
      '--from',
      '2019-02',
      '--to',
      '2019-04',
    ]);
    expect(hole.stdout).toMatch(/^mrr {2}▁ █ {2}15/);
  });

  it('has a line for each version', async () => {
    const { stdout } = await world.run(series('-m', 'mrr', '--versions', 'actual,budget'));
    expect(stdout.split('\n').map((line) => line.replace(/ .*/, ''))).toEqual(['mrr', 'mrr', '']);
    expect(stdout).toMatch(/^mrr budget {5}▅ {2}70/m);
  });

  it('keeps grains apart', async () => {
    const rows = ['2024-01', '2024-Q1', '2024-03', '2024-Q2'].map((periodKey, value) => ({ periodKey, value }));
    const columns: Column<(typeof rows)[number]>[] = [
      { key: 'periodKey', series: 'period', get: (row) => row.periodKey },
      { key: 'mrr', type: 'number', get: (row) => row.value },
    ];
    const writer = sparkWriter({ columns, json: (row) => row, id: () => undefined, header: true }, false);
    await writer.rows(rows);
    expect(await writer.close?.(false)).toBe('mrr          ▁ █  2\nmrr quarter  ▁█  3\n');
  });

  it('does with ASCII where there is no more', async () => {
    const { stdout } = await world.run(series('-m', 'mrr'), { env: { LC_ALL: 'C' } });
    expect(stdout).toMatch(/^mrr {2}##_# {2}76/);
  });

  it('is refused for what has no periods', async () => {
    const result = await world.run(['metrics', 'catalog', '-o', 'spark']);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('-o spark draws rows of periods');
  });
});
