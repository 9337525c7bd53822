/** `comem sql` as a person reads it: values as they were selected, and warnings of figures that mean nothing. */
import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../../helpers/run.ts';
import { sqlEngine } from '../../helpers/sql-engine.ts';

async function sql(statement: string, options: RunOptions = {}) {
  return run(['sql', statement, '-p', 'demo'], { ...options, sqlEngine: await sqlEngine() });
}

const warnings = (stderr: string) => stderr.split('\n').filter((line) => line.includes('warning'));

describe('a table of a terminal', () => {
  const statement = `select valuation, valuation / 3.0 as third, null as missing, 'a' || char(10) || 'b' as text,
    '' as blank, created_at from deal_pipeline where valuation > 0 order by created_at, id limit 1`;

  it('shows every digit without scale and unit, NULL, and a line break', async () => {
    const { stdout, code } = await sql(statement, { tty: true, columns: 200 });
    expect(code).toBe(0);
    const [heading, line] = stdout.split('\n');
    expect(heading?.split(/ {2,}/).map((word) => word.trim())).toEqual(
      expect.arrayContaining(['valuation', 'third', 'missing', 'text']),
    );
    expect(heading).toContain('blank');
    expect(line).toMatch(/\b\d{6,}\b +\d+\.\d{6,} +NULL +a\\nb +.*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/);
  });

  it('leaves no column out, however narrow it is', async () => {
    const { stdout, stderr } = await sql(statement, { tty: true, columns: 40 });
    for (const name of ['valuation', 'third', 'missing', 'text', 'blank', 'created_at']) {
      expect(stdout).toMatch(new RegExp(`^${name}\\b`, 'm'));
    }
    expect(stderr).not.toContain('No room');
  });
});

describe('a warning', () => {
  const sum = 'select sum(value) from metric_points where period_key = :p';

  it('says that amounts of several currencies are added up, and companies with their roll-up', async () => {
    const { stderr } = await sql(sum.replace(':p', "'2026-02' and metric_id = 'mrr'"));
    expect(warnings(stderr)).toEqual([
      'comem: warning: metric_points: amounts are in several currencies (EUR, USD) and cannot be compared: group by currency, or choose one',
      "comem: warning: metric_points: values of northgate are sums of other companies, which are added up too: add where company not in ('northgate')",
    ]);
  });

  it.each([
    ["select company, sum(value) from metric_points where metric_id = 'mrr' group by 1"],
    ["select sum(value) from metric_points where metric_id = 'fund_nav'"],
    ["select count(*) from metric_points where metric_id = 'mrr'"],
    ['select 1.0 * count(*) / 2 from companies'],
  ])('is not given for %s', async (statement) => {
    expect(warnings((await sql(statement)).stderr)).toEqual([]);
  });

  it('says that a division of whole numbers drops the fraction', async () => {
    const { stdout, stderr } = await sql('select sum(warm_intro) / count(*) as share from deal_pipeline');
    expect(stdout).toBe('share\n0\n');
    expect(warnings(stderr)).toEqual([
      'comem: warning: sum(warm_intro) / count(*) divides whole numbers, and SQLite drops the fraction: write 1.0 * sum(warm_intro) / count(*)',
    ]);
  });
});
