/** What several companies, narrow terminals and missing rates must not hide. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from '../../helpers/run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'comem-narrow-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const months = Array.from({ length: 12 }, (_, at) => `2025-${String(at + 1).padStart(2, '0')}`);
const rates = [...months, '2026-01', '2026-02'].map((month) => `${month}-28,USD,1.10`);
writeFileSync(join(cwd, 'rates.csv'), ['date,currency,per EUR', ...rates].join('\n'));
writeFileSync(join(cwd, 'old.csv'), 'date,currency,per EUR\n2020-01-01,USD,1.1\n');

const portfolio = ['-p', 'demo', '-c', '@portfolio', 'metrics'];
const total = ['--in', 'USD', '--rates', 'rates.csv', '--total'];
const months2 = ['--from', '2026-01', '--to', '2026-02'];

it.each([60, 80])(
  'at %s columns a variance has the company that its total leaves out, and percent',
  async (columns) => {
    const argv = [...portfolio, 'variance', '-m', 'mrr,headcount', ...months2, ...total];
    const { stdout, stderr } = await run(argv, { tty: true, columns, cwd });
    // Below its row, or wrapped in its column.
    expect(stdout.match(/quill/g)).toHaveLength(4);
    expect(stdout.split('\n')[0]).toMatch(/ %( |$)/);
    // Rows of a company that all say the same are one line.
    expect(stdout).not.toMatch(/^quill/m);
    expect(stderr).toContain('Shown without quill (no actual): -o csv has all rows.');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect((await run([...argv, '-o', 'csv'], { cwd })).stdout.match(/^quill/gm)).toHaveLength(4);
  },
);

it('a table leaves out a company without values, which a line below names, and a board keeps its periods', async () => {
  const table = await run([...portfolio, 'table', '-m', 'mrr,headcount', ...months2], { tty: true, columns: 60, cwd });
  expect(table.stdout).not.toContain('quill');
  expect(table.stderr.replace(/\s+/g, ' ')).toContain(
    'Shown without quill (no value in the range): -o csv has all rows.',
  );
  const board = await run([...portfolio, 'board', '-m', 'arr,burn', '--last', '2q'], { tty: true, columns: 60, cwd });
  expect(board.stdout.match(/2025-Q[34]/g)).toHaveLength(20);
});

it('has the details of gaps at 60 columns', async () => {
  const { stdout } = await run(['-p', 'demo', '-c', 'lumen', 'metrics', 'gaps'], { tty: true, columns: 60 });
  expect(stdout).toContain('28 periods in a row');
  expect(stdout).toContain('MRR growth');
});

it.each(['series', 'table', 'growth'])('%s takes no year for a number of periods', async (verb) => {
  const { code, stderr, requests } = await run(['-p', 'demo', 'metrics', verb, '-m', 'mrr', '--last', '2025']);
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain('--last 2025 would be 2025 months\n  hint: give --from 2025 --to 2025 for the year');
});

it('names the rates that are missing as spans', async () => {
  const argv = [...portfolio, 'table', '-m', 'mrr', '--from', '2024', '--to', '2026-02', '--in', 'USD'];
  const { code, stderr } = await run([...argv, '--rates', 'old.csv'], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining('has no rate of USD in 2024-01 to 2026-02\n')]);
  expect(stderr).toContain('--rate-at PERIOD converts all at one rate');
});

it('writes one page of several companies, led by their total', async () => {
  const board = [...portfolio, 'board', '-m', 'mrr,arr', '--period', '2025-Q4', ...total, '--out', 'board.html'];
  expect((await run(board, { cwd })).code).toBe(0);
  const page = readFileSync(join(cwd, 'board.html'), 'utf8');
  expect(page).toContain('total MRR, 2025-Q4');
  expect(page.indexOf('lumen MRR, 2025-Q4')).toBeGreaterThan(page.indexOf('total MRR, 2025-Q4'));
  expect(page).toContain('lumen, harbor, tessera, fieldwork, quill');
  const report = await run(['-p', 'demo', 'published', 'report', '@portfolio', '--out', 'report.html'], { cwd });
  expect([report.code, report.stderr]).toEqual([2, expect.stringContaining('metrics board --out report.html')]);
});
