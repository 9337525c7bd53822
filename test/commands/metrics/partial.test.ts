/** A period that is not complete is marked wherever it is shown, and compared with no complete one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsWorld, type World } from '../../helpers/metrics-world.ts';

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'comem-partial-'));
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

// 2024-Q2 has values in April and May.
const quarters = ['-m', 'mrr', '--last', '3q', '--include-current'];
const series = (...flags: string[]) => ['metrics', 'series', '--order', 'desc', ...quarters, ...flags];
const text = async (argv: readonly string[]) => {
  const { stdout, stderr, code } = await world.run(argv, { columns: 160 });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

describe('a partial quarter is marked', () => {
  it.each([[], ['--shape', 'long']])('in tables and Markdown of a series with %j', async (...shape) => {
    for (const format of ['table', 'md']) {
      const shown = await text(series(...shape, '-o', format));
      expect(shown).toContain('2024-Q2 (2/3)');
      expect(shown).not.toContain('2024-Q1 (');
    }
  });

  it('in the column months of every shape', async () => {
    const months = async (...shape: string[]) => {
      const [header = '', ...lines] = await world.csv(series(...shape, '--fields', 'months'));
      return [header, ...lines];
    };
    expect(await months()).toEqual(['months', '2/3', '3/3', '3/3']);
    expect(await months('--shape', 'long')).toEqual(['months', '2/3', '3/3', '3/3']);
  });

  it('in a sparkline', async () => {
    expect(await text(series('-o', 'spark'))).toMatch(/[▁-█]{2}░/);
    expect(await text(series('--shape', 'long', '-o', 'spark'))).toMatch(/[▁-█]{2}░/);
  });

  it('in tables, charts and files of the analysis', async () => {
    const table = await text(['metrics', 'table', ...quarters, '-o', 'table']);
    expect(table).toContain('2024-Q2 (2/3)');
    expect(table).toMatch(/[▁-█]{2}░/);
    const bars = await text(['metrics', 'chart', ...quarters, '--type', 'bar', '-o', 'table']);
    expect(bars).toMatch(/2024-Q2 \(2\/3\) ▒+ /);
    expect(await text(['metrics', 'chart', ...quarters, '-o', 'table'])).toMatch(
      / to 2024-Q2 \(2\/3\)\n[\s\S]* 2024-Q2 \(2\/3\)\n/,
    );
    for (const type of ['bar', 'line']) {
      const out = join(folder, `${type}.svg`);
      await text(['metrics', 'chart', ...quarters, '--type', type, '--out', out]);
      const svg = readFileSync(out, 'utf8');
      expect(svg).toContain('2024-Q2 (2/3)');
      expect(svg).toContain('data-hatch');
    }
    expect(await world.csv(['metrics', 'chart', ...quarters, '--fields', 'periodKey,months'])).toContain('2024-Q2,2/3');
    expect(await world.csv(['metrics', 'growth', ...quarters, '--fields', 'periodKey,months'])).toContain(
      '2024-Q2,2/3',
    );
    expect(await text(['metrics', 'growth', ...quarters, '-o', 'table'])).toContain('2024-Q2 (2/3)');
    expect(await world.csv(['metrics', 'variance', ...quarters, '--fields', 'periodKey,months'])).toContain(
      '2024-Q2,2/3',
    );
  });
});

describe('a partial quarter is compared with a whole one', () => {
  const change = async (...argv: string[]) => {
    const lines = await world.csv(argv);
    return lines[1];
  };
  it('only with --partial', async () => {
    const table = ['metrics', 'table', ...quarters, '--fields', 'change'];
    // 71 in 2023-Q4, 74 in 2024-Q1, 76 in the two months of 2024-Q2.
    expect(await change(...table)).toBe('4.22535211267606');
    expect(await change(...table, '--partial')).toBe('2.7027027027027');
    const growth = ['metrics', 'growth', '-m', 'mrr', '--last', '1q', '--include-current', '--fields', 'qoq,note'];
    expect(await change(...growth)).toBe(',of 2/3 months; qoq: incomplete period; yoy: incomplete period');
    expect(await change(...growth, '--partial')).toMatch(/^2\.7027027027027,of 2\/3 months/);
    const variance = ['metrics', 'variance', '-m', 'mrr', '--period', '2024', '--agg', 'mrr=last'];
    expect(await change(...variance, '--fields', 'difference')).toBe('""');
    expect(await change(...variance, '--fields', 'difference', '--partial')).toBe('-824');
  });
});
