/** A database, with what it had not checkpointed, and a mirror, both written by SQLite 3.45: they open as they are. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/sqlite.ts';
import { run } from '../helpers/run.ts';

const data = new URL('../data/sqlite-3.45/', import.meta.url);
const company = 'e939da5e-7245-51e3-9b95-a489ae857336';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'comem-older-'));
  for (const name of ['data/comem.db', 'data/comem.db-wal', 'mirror/mirror.db']) {
    const [part = '', file = ''] = name.split('/');
    mkdirSync(join(folder, part), { recursive: true });
    writeFileSync(join(folder, name), gunzipSync(readFileSync(new URL(`${file}.gz`, data))));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

async function csv(argv: readonly string[]): Promise<string[]> {
  const env = { COMEM_BASE_URL: `embedded:${join(folder, 'data')}`, COMEM_COMPANY_ID: company };
  const { stdout, stderr, code } = await run([...argv, '-o', 'csv', '--no-header'], { env, network: true });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout.trim().split('\n');
}

it('the database has what was written, and takes more', async () => {
  const entries = ['entries', 'list', 'deals', '--fields', 'title,amount,stage,note'];
  const before = ['Küche & Söhne 株式会社,12345678.25,Open,', 'Zero,7,,line one', 'Negative,-0.125,Won,'];
  expect(await csv(entries)).toEqual(before);
  expect(await csv([...entries, '--search', 'söhne'])).toEqual(before.slice(0, 1));
  expect(await csv([...entries, '--filter', 'stage=Won'])).toEqual(before.slice(2));
  expect(await csv(['metrics', 'series', '--fields', 'periodKey,mrr,arr'])).toEqual([
    '2026-01,5.25,63',
    '2026-02,9007199254740993,0.1',
  ]);
  await csv(['entries', 'create', 'deals', '--title', 'New', '--set', 'stage=Won']);
  expect(await csv([...entries, '--filter', 'stage=Won'])).toEqual([...before.slice(2), 'New,,Won,']);
  const database = await openDatabase(join(folder, 'data', 'comem.db'));
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
});

it('the mirror has its syncs, and takes another', async () => {
  const mirror = join(folder, 'mirror');
  const changes = ['mirror', 'log', '--mirror', mirror, '--fields', 'kind,what,change,field,before,after'];
  expect(await csv(changes)).toEqual(['entry,Zero,changed,amount,0,7']);
  // It is of the database beside it, which was in another folder.
  const database = await openDatabase(join(mirror, 'mirror.db'));
  database.prepare("update mirror_meta set value = ? where key = 'api'").run(`embedded:${join(folder, 'data')}`);
  database.close();
  await csv(['mirror', 'sync', mirror]);
  const after = await csv(changes);
  expect(after).toContain('entry,Zero,changed,amount,0,7');
  expect(after).toContain('entry,New,added,,,');
  expect(await csv(['mirror', 'status', mirror, '--fields', 'part,current'])).toContain('entries,4');
});
