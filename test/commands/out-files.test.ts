/** The extension of `--out` says the format: one that comem does not write is refused before anything is read. */
import { existsSync } from 'node:fs';
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
    ['lists list -o table --out x.xlsx', '-o table cannot be written to --out x.xlsx'],
    ['lists list -o xlsx --out x.csv', '-o xlsx cannot be written to --out x.csv'],
  ])('refuses %s', async (line, says) => {
    const { code, stderr, stdout, requests } = await run(line.split(' '), { cwd });
    expect([code, stdout, requests]).toEqual([2, '', []]);
    expect(stderr).toContain(says);
    expect(existsSync(join(cwd, line.split(' ').at(-1) ?? ''))).toBe(false);
  });

  it.each(['lists list -o csv --out list.dat', 'lists list --out list.tsv', 'lists list --out list'])(
    'takes %s',
    async (line) => {
      expect(await run(line.split(' '), { cwd })).toMatchObject({ code: 0 });
    },
  );
});
