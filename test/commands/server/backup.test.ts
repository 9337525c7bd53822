/** A copy of a database that others write to meanwhile. */
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/core/sqlite.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { run } from '../../helpers/run.ts';

const home = temporaryFolder();
const comem = (...argv: string[]) => run(argv, { home, cwd: home, network: true, env: { COMEM_NOW: undefined } });

test('holds each write that was acknowledged before it began, and is restored by its place in a folder', async () => {
  expect(await comem('init', '--company', 'My Co', '--dir', 'data')).toMatchObject({ code: 0 });
  const own = ['-p', 'my-co'];
  await comem(...own, 'lists', 'create', 'Deals');
  const titles: string[] = [];
  const write = async (from: number, to: number) => {
    for (let row = from; row < to; row += 1) {
      expect(await comem(...own, 'entries', 'create', 'Deals', '--title', `Deal ${row}`)).toMatchObject({ code: 0 });
      titles.push(`Deal ${row}`);
    }
  };
  await write(0, 10);
  const acknowledged = [...titles];
  const [copied] = await Promise.all([comem('server', 'backup', 'copy.db', '--dir', 'data'), write(10, 30)]);
  expect(copied).toMatchObject({ code: 0, stdout: '' });
  expect(statSync(join(home, 'copy.db')).mode & 0o777).toBe(0o600);
  mkdirSync(join(home, 'restored'));
  copyFileSync(join(home, 'copy.db'), join(home, 'restored/comem.db'));
  const restored = await openDatabase(join(home, 'restored/comem.db'));
  expect(restored.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const rows = restored.prepare('select title from entries order by position').all() as { title: string }[];
  restored.close();
  expect(rows.map(({ title }) => title)).toEqual(titles.slice(0, rows.length));
  expect(rows.length).toBeGreaterThanOrEqual(acknowledged.length);
});

test('takes no file that exists, and no folder without a database', async () => {
  expect(await comem('server', 'backup', 'copy.db', '--dir', 'data')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('copy.db exists already'),
  });
  expect(await comem('server', 'backup', 'other.db', '--dir', 'nowhere')).toMatchObject({ code: 3 });
});
