/** The pictures of the documents: real runs of the built program; `npm run pictures` draws them again. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('show what the program prints today', { timeout: 60_000 }, async () => {
  const drawn = await promisify(execFile)(process.execPath, ['scripts/pictures.mjs', '--check'], { cwd: root });
  expect(drawn.stderr).toBe('');
});

it('are all shown somewhere', () => {
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs')).flatMap((name) => (/\.md$/.test(name) ? `docs/${name}` : [])),
  ];
  const text = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('');
  expect(readdirSync(join(root, 'docs/pictures')).filter((name) => !text.includes(`pictures/${name}`))).toEqual([]);
});
