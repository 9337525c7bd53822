import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { makeFolder } from '../../src/core/files.ts';
import { binary, temporaryFolder } from '../helpers/cli.ts';

describe('makeFolder', () => {
  it('makes what is missing, with its mode, and leaves what is there', () => {
    const home = temporaryFolder();
    const deep = join(home, 'a/b/c');
    makeFolder(deep, 0o700);
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(home, path)).mode & 0o777).toBe(0o700);
    mkdirSync(join(home, 'open'), { mode: 0o755 });
    makeFolder(join(home, 'open'), 0o700);
    expect(statSync(join(home, 'open')).mode & 0o777).toBe(0o755);
    symlinkSync(join(home, 'open'), join(home, 'link'));
    makeFolder(join(home, 'link/inner'));
    expect(statSync(join(home, 'open/inner')).isDirectory()).toBe(true);
  });

  it('throws where a file is in the way', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'x'), join(file, 'x/y')])
      expect(() => makeFolder(path)).toThrow(/EEXIST|ENOTDIR/);
  });
});

describe.skipIf(process.platform !== 'linux')('a folder that nothing can be made in', () => {
  test.each<[string, string[], Record<string, string>, RegExp]>([
    [
      'of a database',
      ['init', '--company', 'A', '--dir', '/proc/none/x'],
      {},
      /cannot open the database \/proc\/none\/x/,
    ],
    [
      'of settings',
      ['profiles', 'use', 'demo'],
      { XDG_CONFIG_HOME: '/proc/none' },
      /\/proc\/none\/comem cannot be written/,
    ],
    [
      'of list files',
      ['-p', 'demo', 'lists', 'pull', '-d', '/proc/none/lists'],
      {},
      /cannot create -d \/proc\/none\/lists: /,
    ],
  ])('%s is a usage error, at once', (_, argv, env, says) => {
    const home = temporaryFolder();
    const folders = ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((name) => [`XDG_${name}_HOME`, join(home, name)]);
    const result = spawnSync(process.execPath, [binary, ...argv], {
      env: { PATH: process.env.PATH, ...Object.fromEntries(folders), ...env },
      encoding: 'utf8',
      // Without an answer it would never end.
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toMatch(says);
  });
});
