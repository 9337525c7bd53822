/** A period that is not complete is marked wherever it is shown, and compared with no complete one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsWorld, type World } from '../../helpers/metrics-world.ts';
import { run } from '../../helpers/run.ts';

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
    // 73 in the second month of 2024-Q1.
    expect(await change(...table, '--partial')).toBe('4.10958904109589');
    const growth = ['metrics', 'growth', '-m', 'mrr', '--last', '1q', '--include-current', '--fields', 'qoq,note'];
    expect(await change(...growth)).toBe(',of 2/3 months; qoq: incomplete period; yoy: incomplete period');
    expect(await change(...growth, '--partial')).toBe(
      '4.10958904109589,"of 2/3 months; compares 2024-04, 2024-05 with the same months before"',
    );
    const variance = ['metrics', 'variance', '-m', 'mrr', '--period', '2024', '--agg', 'mrr=last'];
    expect(await change(...variance, '--fields', 'difference')).toBe('""');
    // A budget of the year is not one of five months.
    expect(await change(...variance, '--fields', 'difference,note', '--partial')).toBe(
      ',actual of 5/12 months: no budget of these months',
    );
  });
});

describe('both sides of a comparison hold the same months', () => {
  const lumen = ['-p', 'demo', '-c', 'lumen', 'metrics'];
  const csv = async (...argv: string[]) => {
    const { stdout, code } = await run([...argv, '-o', 'csv'], { env: {} });
    expect(code).toBe(0);
    const [head = '', ...lines] = stdout.trimEnd().split('\n');
    const keys = head.split(',');
    return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [keys[at], cell])));
  };
  const fields = ['--fields', 'metricId,actual,budget,difference'];

  it('of a quarter and its budget: sums add the months, balances take the last one', async () => {
    const months = await csv(...lumen, 'variance', '-m', 'burn,mrr', '--from', '2026-01', '--to', '2026-02', ...fields);
    const quarter = await csv(...lumen, 'variance', '-m', 'burn,mrr', '--period', '2026-Q1', '--partial', ...fields);
    const sum = (key: string) => Number(months[0]?.[key]) + Number(months[1]?.[key]);
    expect(quarter[0]).toMatchObject({ actual: `${sum('actual')}`, budget: `${sum('budget')}` });
    expect(quarter[1]).toEqual(months.at(-1));
  });

  it('of a total, and of a board', async () => {
    const two = ['-p', 'demo', '-c', 'lumen', '-c', 'harbor', 'metrics'];
    for (const command of ['variance', 'board']) {
      const flags = ['-m', 'burn', '--period', '2026-Q1', '--partial', '--total', ...fields];
      const [lumen, harbor, total] = await csv(...two, command, ...flags);
      for (const key of ['actual', 'budget', 'difference']) {
        expect(Number(total?.[key])).toBe(Number(lumen?.[key]) + Number(harbor?.[key]));
      }
    }
  });

  it('of two quarters', async () => {
    const value = async (period: string) =>
      Number((await csv(...lumen, 'growth', '-m', 'burn', '--period', period, '--fields', 'value'))[0]?.value);
    const before = (await value('2025-10')) + (await value('2025-11'));
    const now = (await value('2026-01')) + (await value('2026-02'));
    const rates = ['growth', '-m', 'burn', '--period', '2026-Q1', '--partial', '--fields', 'qoq'];
    expect(Number((await csv(...lumen, ...rates))[0]?.qoq)).toBeCloseTo((now / before - 1) * 100, 8);
  });
});
