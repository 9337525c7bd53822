/** What others put in the place of a database or a mirror, or into one: a sentence with exit code 2, or repaired. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/sqlite.ts';
import { run } from '../helpers/run.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'comem-planted-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const commands = {
  'comem.db': () => run(['server', 'load', '-', '--data-dir', folder], { stdin: 'companies: [{ name: A }]\n' }),
  'mirror.db': () => run(['mirror', 'sync', folder, '--lists', 'hiring', '--metrics', 'none']),
};
const looks = {
  'comem.db': () => run(['server', 'dump', '--data-dir', folder]),
  'mirror.db': () => run(['mirror', 'status', folder]),
};
type Name = keyof typeof commands;
const names: readonly Name[] = ['comem.db', 'mirror.db'];

/** Both a command that writes and one that looks refuse it, in words with the path, and leave it as it is. */
async function refused(name: Name, says: string): Promise<void> {
  for (const command of [commands[name], looks[name]]) {
    const { code, stdout, stderr } = await command();
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(folder);
    expect(stderr).toContain(says);
    expect(stderr).toContain('hint: ');
  }
}

describe.each(names)('in the place of %s', (name) => {
  const file = () => join(folder, name);

  it('a folder', async () => {
    mkdirSync(file());
    await refused(name, 'is a folder');
  });

  it('a pipe', async () => {
    spawnSync('mkfifo', [file()]);
    await refused(name, 'is not a file');
  });

  it('a symbolic link, of a database or of nothing', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'comem-elsewhere-'));
    try {
      symlinkSync(join(elsewhere, 'x.db'), file());
      await refused(name, 'is a symbolic link');
      expect(existsSync(join(elsewhere, 'x.db'))).toBe(false);
      unlinkSync(file());
      expect((await commands[name]()).code).toBe(0);
      renameSync(file(), join(elsewhere, 'x.db'));
      const before = readFileSync(join(elsewhere, 'x.db'));
      symlinkSync(join(elsewhere, 'x.db'), file());
      await refused(name, 'is a symbolic link');
      expect(readFileSync(join(elsewhere, 'x.db')).equals(before)).toBe(true);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it.each(['-wal', '-shm', '-journal'])('a folder or a link as its %s', async (end) => {
    expect((await commands[name]()).code).toBe(0);
    rmSync(`${file()}${end}`, { force: true });
    mkdirSync(`${file()}${end}`);
    await refused(name, `${name}${end} is a folder`);
    rmSync(`${file()}${end}`, { recursive: true });
    symlinkSync('/dev/null', `${file()}${end}`);
    await refused(name, `${name}${end} is a symbolic link`);
  });

  it.skipIf(process.platform === 'win32')('a file that others may read and write is closed to them', async () => {
    expect((await commands[name]()).code).toBe(0);
    for (const command of [commands[name], looks[name]]) {
      chmodSync(file(), 0o666);
      expect((await command()).code).toBe(0);
      expect(statSync(file()).mode & 0o777).toBe(0o600);
    }
  });
});

describe.each(names)('statements of others in %s', (name) => {
  const table = name === 'comem.db' ? 'lists' : 'mirror_resources';
  const change = async (...statements: string[]) => {
    expect((await commands[name]()).code).toBe(0);
    const database = await openDatabase(join(folder, name));
    for (const statement of statements) database.exec(statement);
    database.close();
  };

  it.each([
    ['trigger', `create trigger planted before insert on ${table} begin select raise(abort, 'no'); end`],
    ['trigger', `create trigger planted after insert on ${table} begin delete from ${table}; end`],
    ['view', `create view planted as select * from ${table}`],
  ])('a %s', async (type, statement) => {
    await change(statement);
    const { code, stderr } = await commands[name]();
    expect(code).toBe(2);
    expect(stderr).toContain(`a ${type} "planted", which comem did not make`);
    expect((await looks[name]()).code).toBe(2);
    await change_(`drop ${type} planted`);
    expect((await commands[name]()).code).toBe(0);
  });

  const change_ = async (statement: string) => {
    const database = await openDatabase(join(folder, name));
    database.exec(statement);
    database.close();
  };
});

it('an index of others that the rows of a sync do not fit is damage, in words', async () => {
  expect((await commands['mirror.db']()).code).toBe(0);
  const database = await openDatabase(join(folder, 'mirror.db'));
  database.exec('delete from mirror_syncs; create unique index planted on mirror_syncs (substr(seen_at, 1, 1))');
  database.exec("insert into mirror_syncs values (1, '2', '2026-01-01T00:00:00.000Z', '{}', '{}')");
  database.close();
  const { code, stderr } = await commands['mirror.db']();
  expect(code).toBe(2);
  expect(stderr).toContain('is damaged, or its file was replaced');
});
