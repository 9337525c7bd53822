/** What the package does otherwise than its interface says, and how this program goes around it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allRows, isSqliteError, isTakenKey, openDatabase, rowsOf, type Sqlite } from '../../src/core/sqlite.ts';

let folder: string;
let file: string;
let database: Sqlite;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comem-sqlite-'));
  file = join(folder, 'x.db');
  database = await openDatabase(file);
  database.exec('create table t (n integer primary key, text text)');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function fill(rows: number): void {
  database.exec(
    `insert into t with recursive s(n) as (select 1 union all select n + 1 from s where n < ${rows})
     select n, printf('%.200c', 'x') from s`,
  );
}

describe('an error has its result code', () => {
  it('of a key that is taken', () => {
    const insert = database.prepare('insert into t values (?, ?)');
    insert.run(1, 'a');
    const taken = errorOf(() => insert.run(1, 'b'));
    expect([isTakenKey(taken), isSqliteError(taken, 'constraint')]).toEqual([true, true]);
    const other = errorOf(() => database.exec('insert into missing values (1)'));
    expect([isTakenKey(other), isSqliteError(other, 'error')]).toEqual([false, true]);
    expect(isTakenKey(Object.assign(new Error('UNIQUE constraint failed'), { code: '23505' }))).toBe(false);
  });

  it('of a lock, in rows that are read as well', async () => {
    const other = await openDatabase(file);
    other.exec('begin exclusive');
    const select = database.prepare('select * from t');
    expect(
      isSqliteError(
        errorOf(() => allRows(database, select, [])),
        'busy',
      ),
    ).toBe(true);
    other.exec('rollback');
    other.close();
    expect(allRows(database, select, [])).toEqual([]);
  });

  it('of a page in the middle of the rows that is damaged', async () => {
    fill(2000);
    database.close();
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(4096, 7), 0, 4096, 4096 * 40);
    await handle.close();
    database = await openDatabase(file);
    const select = database.prepare('select text from t where n > ?');
    expect(
      isSqliteError(
        errorOf(() => allRows(database, select, [0])),
        'corrupt',
      ),
    ).toBe(true);
  });
});

it('rows that are read one by one outlive what else refers to their statement', async () => {
  fill(2000);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const rows = rowsOf(database.prepare('select n from t where n > :least'), { least: 5 });
  let sum = 0;
  for (const row of rows) {
    const { n } = row as { n: number };
    sum += n;
    if (n % 200 !== 0) continue;
    collect();
    // What was collected is freed in a later turn.
    await new Promise(setImmediate);
  }
  expect(sum).toBe((2000 * 2001) / 2 - 15);
});

it('a folder whose name looks like an address is a folder', async () => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    (await openDatabase('file:y.db?mode=memory')).close();
    expect(readdirSync(folder)).toContain('file:y.db?mode=memory');
  } finally {
    process.chdir(before);
  }
});
