/** `npm run build` in folders of its own: what it writes, twice. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../helpers/built.ts';

const run = promisify(execFile);
// In the project, because a source map says where the sources are from its own folder.
const folders = ['one', 'two'].map((name) => join(root, `.cache/build-${process.pid}-${name}`));
const [one = '', two = ''] = folders;

function filesOf(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1)).sort();
}

beforeAll(async () => {
  const builds = folders.map((folder) =>
    run(process.execPath, ['scripts/build.mjs', '--dir', join(folder, 'dist')], { cwd: root }),
  );
  for (const { stdout, stderr } of await Promise.all(builds)) expect(stdout + stderr).toBe('');
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test('two builds are the same, byte by byte', () => {
  const names = filesOf(one);
  expect(names.length).toBeGreaterThan(100);
  expect(filesOf(two)).toEqual(names);
  const differing = names.filter((name) => !readFileSync(join(one, name)).equals(readFileSync(join(two, name))));
  expect(differing).toEqual([]);
});
