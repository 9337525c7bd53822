import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { manPages } from '../../scripts/man-pages.ts';
import { tree } from '../../src/main.ts';
import { testWith } from '../helpers/tools.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'man');
const files = readdirSync(folder).sort();

describe('man pages', () => {
  test('are those of the commands: after a change of a command, `npm run man` prints them again', async () => {
    const kept = Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
    expect(kept).toEqual(await manPages(tree));
  });

  test('are all named in package.json', () => {
    const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { man: string[] };
    expect([...man].sort()).toEqual(files.map((name) => `./man/${name}`));
  });

  test('name every noun and the exit codes', () => {
    const nouns = Object.keys(tree.nouns).map((noun) => `comem-${noun}.1`);
    expect(files).toEqual(['comem.1', 'comem-exit-codes.7', ...nouns].sort());
  });

  test('refer to related nouns', () => {
    for (const [noun, { related = [] }] of Object.entries(tree.nouns)) {
      const page = readFileSync(join(folder, `comem-${noun}.1`), 'utf8');
      expect(related.length, noun).toBeGreaterThan(0);
      for (const other of related) {
        expect(Object.keys(tree.nouns), noun).toContain(other);
        expect(page.slice(page.indexOf('.SH SEE ALSO')), noun).toContain(`comem\\-${other}(1)`);
      }
    }
  });

  testWith('mandoc')('are clean under mandoc -Tlint', () => {
    for (const name of files) {
      const found = execFileSync('sh', ['-c', `mandoc -T lint -W style '${join(folder, name)}' 2>&1 || true`], {
        encoding: 'utf8',
      });
      expect(found).toBe('');
    }
  });
});
