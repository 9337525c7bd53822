/** A copy of a database that others write to meanwhile. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
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

test('a load prints the sections that its file has', async () => {
  writeFileSync(join(home, 'points.csv'), 'period,mrr\n2026-01,5\n');
  const { stdout } = await comem('server', 'load', 'points.csv', '--dir', 'loaded', '-o', 'csv');
  const sections = stdout.split('\n').map((line) => line.split(',')[0]);
  expect(sections).toEqual(['section', 'companies', 'points', '']);
});

test('says what is wrong with the file or the database, and leaves nothing behind', async () => {
  writeFileSync(join(home, 'plain'), '');
  symlinkSync('nowhere', join(home, 'link.db'));
  const before = readdirSync(home);
  for (const [argv, code, message] of [
    [['copy.db', '--dir', 'data'], 2, 'copy.db exists already'],
    [['data', '--dir', 'data'], 2, 'data exists already'],
    [['link.db', '--dir', 'data'], 2, 'link.db exists already'],
    [['', '--dir', 'data'], 2, 'the name of the file is empty'],
    [['none/x.db', '--dir', 'data'], 2, 'none/x.db cannot be written: its folder does not exist'],
    [['plain/x.db', '--dir', 'data'], 2, 'plain/x.db cannot be written: its folder is a file'],
    [['x.db', '--dir', 'nowhere'], 3, 'no database in'],
    // Nothing listens there: it is refused before it is reached.
    [['x.db', '--database', 'postgres://u:secret@localhost:1/x'], 2, 'postgres://u:***@localhost:1/x is a PostgreSQL'],
  ] as const) {
    const result = await comem('server', 'backup', ...argv);
    expect(result, argv.join(' ')).toMatchObject({ code, stderr: expect.stringContaining(message) });
  }
  expect(readdirSync(home)).toEqual(before);
});

test('two at once into one file leave one that is complete, and nothing beside it', async () => {
  const copies = await Promise.all([1, 2, 3].map(() => comem('server', 'backup', 'twice.db', '--dir', 'data')));
  expect(copies.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
  expect(readdirSync(home).filter((name) => name.startsWith('twice'))).toEqual(['twice.db']);
  const copy = await openDatabase(join(home, 'twice.db'));
  expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  copy.close();
});

/** A disk of 64 KiB; false where none can be mounted. */
const mount = (folder: string) =>
  process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
const small = join(home, 'small');
mkdirSync(small);
const canMount = mount(small) && spawnSync('umount', [small]).status === 0;
if (!canMount) test.skip('a full disk (needs root, to mount a small one)', () => {});

test.runIf(canMount)('says that the disk is full, and leaves nothing on it', async () => {
  mount(small);
  try {
    expect(await comem('server', 'backup', 'small/x.db', '--dir', 'data')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('small/x.db cannot be written: the disk is full'),
    });
    expect(readdirSync(small)).toEqual([]);
  } finally {
    spawnSync('umount', [small]);
  }
});
