/** The memory of a server whose pages are large and whose readers are many. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import { openStore } from '../../src/server/store/store.ts';
import { start, temporaryFolder } from '../helpers/cli.ts';

const folder = temporaryFolder();
let child: ChildProcess | undefined;
afterAll(async () => {
  if (child === undefined || child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
});

function served(): Promise<string> {
  const server = start(['serve', '--port', '0', '--data-dir', folder]);
  child = server;
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
      const url = /Serving (\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    server.on('exit', () => reject(new Error(said)));
  });
}

/** Entries that an older server accepted. */
async function fill(count: number): Promise<string> {
  const store = await openStore({ dataDir: folder });
  const row = await store.db.selectFrom('entries').selectAll().limit(1).executeTakeFirstOrThrow();
  for (let n = 0; n < count; n += 1) {
    const more = { id: randomUUID(), title: 'x'.repeat(900_000), title_key: 'x', position: 10_000 + n, archived: 0 };
    await store.db
      .insertInto('entries')
      .values({ ...row, ...more })
      .execute();
  }
  await store.close();
  return row.list_id;
}

it('stays below 300 MiB while many read pages of 900 KB titles', async () => {
  const url = await served();
  const listId = await fill(80);
  const reader = async () => {
    for (let page = 0, offset = 0; page < 3; page += 1) {
      const answer = await fetch(`${url}/api/lists/${listId}/entries?limit=500&offset=${offset}`, {
        headers: { cookie: demo.session },
      });
      const rows = (await answer.json()) as unknown[];
      expect(rows.length).toBeGreaterThan(0);
      offset += rows.length;
    }
  };
  await Promise.all(Array.from({ length: 20 }, reader));
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child?.pid}/status`, 'utf8'))?.[1]) / 1024;
  expect(peak).toBeGreaterThan(30);
  expect(peak).toBeLessThan(300);
}, 120_000);
