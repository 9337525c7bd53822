/** `metrics board`: the rows of `metrics variance` by quarter, and a page of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/cli.ts';
import { run } from '../../helpers/run.ts';

const folder = temporaryFolder();
const metrics = (...argv: string[]) => ['-p', 'demo', 'metrics', ...argv];
const lumen = ['-c', 'lumen'];
const csv = async (argv: readonly string[]) => {
  const { stdout, code } = await run([...argv, '-o', 'csv']);
  expect(code).toBe(0);
  return stdout;
};

it.each([
  ['four quarters', [...lumen], ['--last', '4q']],
  ['bounds that are quarters', [...lumen, '--from', '2025-Q1', '--to', '2025-Q2'], ['--period-type', 'quarter']],
  ['bounds that are months', [...lumen, '--from', '2025-01', '--to', '2025-02'], []],
  ['a partial quarter', [...lumen, '--last', '3q', '--include-current'], []],
  ['months', [...lumen, '-m', 'mrr,burn', '--last', '6'], []],
  ['several companies', ['-c', '@portfolio', '-m', 'mrr,burn,nrr', '--last', '2q'], []],
])('has the rows of metrics variance: %s', async (_, flags, own) => {
  const rows = await csv([...metrics('board'), ...flags]);
  expect(rows.split('\n').length).toBeGreaterThan(4);
  expect(rows).toBe(await csv([...metrics('variance'), ...flags, ...own]));
});

it('writes a page with key figures and a table for each company', async () => {
  const two = ['-c', 'lumen', '-c', 'tessera', '-m', 'mrr,headcount', '--last', '2q', '--include-current', '--quiet'];
  const { stderr, code } = await run([...metrics('board'), ...two, '--out', 'board.html'], { cwd: folder });
  expect([stderr, code]).toEqual(['', 0]);
  const page = readFileSync(join(folder, 'board.html')).toString();
  expect(page).toMatch(/<h2[^>]*>lumen<.*<h2[^>]*>tessera</s);
  expect(page).toContain('2026-Q1 (2/3)');
  expect(page).toContain('data-value="-74296.54"');
  expect(page).toContain('<td data-value="bad" class="bad">bad</td>');
});
