/** The extension of `--out` says the format: one that comem does not write is refused before anything is read. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { run } from '../helpers/run.ts';

const cwd = temporaryFolder();

describe('--out', () => {
  it.each([
    ['lists list --out x.pdf', 'does not write .pdf files here'],
    ['metrics board --out x.docx', '.html, .htm, .csv'],
    ['metrics board --out x.pdf', 'print the page to PDF'],
    ['published report lumen --out x.xls', '.html'],
    ['metrics chart -m mrr --out x.jpg', '.svg, .png'],
    ['lists list --out lists', 'without an extension the file has no format'],
    ['metrics board --out boards', '.html, .htm, .csv'],
    ['metrics chart -m mrr --out chart', '.svg, .png, .txt, .csv'],
    ['published report lumen --out report', '.html, .htm'],
    ['lists list -o table --out x.xlsx', '-o table cannot be written to --out x.xlsx'],
    ['lists list -o xlsx --out x.csv', '-o xlsx cannot be written to --out x.csv'],
  ])('refuses %s', async (line, says) => {
    const { code, stderr, stdout, requests } = await run(line.split(' '), { cwd });
    expect([code, stdout, requests]).toEqual([2, '', []]);
    expect(stderr).toContain(says);
    expect(existsSync(join(cwd, line.split(' ').at(-1) ?? ''))).toBe(false);
  });

  it.each([
    'lists list -o csv --out list.dat',
    'lists list --out list.tsv',
    'lists list -o csv --out list',
    'lists list --out /dev/null',
    'server openapi --out openapi',
  ])('takes %s', async (line) => {
    expect(await run(line.split(' '), { cwd })).toMatchObject({ code: 0 });
  });

  it('takes the format of a file without an extension from the environment', async () => {
    const env = { COMEM_OUTPUT: 'csv' };
    expect(await run(['lists', 'list', '--out', 'rows'], { cwd, env })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'rows')).toString()).toMatch(/^id,network_id,/);
  });
});
