/** A disk that takes no more bytes, as `ulimit -f 0` makes one of any disk. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, temporaryFolder } from '../helpers/cli.ts';

test('leaves no lock behind, and the next command does not wait for one', () => {
  const home = temporaryFolder();
  const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
  const run = (limit: string) => {
    const script = `${limit} exec "$@"`;
    const argv = ['profiles', 'set', 'work', 'base-url=https://memory.example'];
    return spawnSync('/bin/sh', ['-c', script, 'sh', process.execPath, binary, ...argv], { env, encoding: 'utf8' });
  };
  const full = run('ulimit -f 0;');
  expect(full.stderr).toMatch(/cannot be written/);
  expect(full.status).toBe(2);
  expect(readdirSync(join(home, 'config/comem'))).toEqual([]);
  expect(run('')).toMatchObject({ status: 0 });
}, 60_000);
