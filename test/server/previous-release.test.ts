/** Servers of the previous release read and write a PostgreSQL database beside those of this one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { totalCountHeader } from '../../src/contract/operation.ts';
import { newestSchema, previousSchema } from '../../src/server/store/migrations.ts';
import { root } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { freePort } from '../helpers/haproxy.ts';
import { dropCluster, makeCluster, missing, programs } from '../helpers/postgres.ts';
import { MixedLoad } from './mixed-load.ts';
import { serveProgram } from './process.ts';
import { companies, sessions, tokens, world } from './world.ts';

/** The last commit whose programs need the previous schema. */
const previous = '4c07827e151ca02ff4a1d24b3d20bc755c275754';
const isInClone = spawnSync('git', ['cat-file', '-e', `${previous}^{commit}`], { cwd: root }).status === 0;
if (programs === undefined) it.skip(`the previous release (needs ${missing})`, () => {});

it('one release at a time is kept beside this one', () => {
  expect(previousSchema).toBe(newestSchema - 1);
});

/** @returns the path of the program */
function buildPrevious(folder: string): string {
  const parts = ['src', 'bin', 'scripts', 'docs', 'package.json', 'rolldown.config.mjs', 'tsconfig.json'];
  const archive = execFileSync('git', ['archive', previous, ...parts], { cwd: root, maxBuffer: 1 << 28 });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'pipe' });
  return join(folder, 'bin/comem.js');
}

// A clone without history has no previous release to build.
it.runIf(programs !== undefined && isInClone)(
  'both releases serve one database under load',
  { timeout: 180_000 },
  async () => {
    const program = buildPrevious(temporaryFolder());
    const cluster = makeCluster();
    onTestFinished(() => dropCluster(cluster));
    cluster.sql('create database v');
    const database = cluster.address('v');
    const serve = async (path?: string): Promise<string> => {
      const port = await freePort();
      await serveProgram(port, ['--database', database], path);
      return `http://127.0.0.1:${port}`;
    };
    // The previous release makes the schema.
    const before = await serve(program);
    const w = await world({}, { database });
    onTestFinished(() => w.close());
    const after = await serve();
    const loads = [await MixedLoad.create(w), await MixedLoad.create(w)];
    for (const urls of [
      [before, after],
      [after, before],
    ]) {
      const end = new AbortController();
      let left = 300;
      const onAcknowledged = () => {
        left -= 1;
        if (left === 0) end.abort();
      };
      await Promise.all(loads.map((load, index) => load.run(urls[index] ?? '', onAcknowledged, end.signal)));
      expect(loads.map(({ unanswered }) => unanswered)).toEqual([0, 0]);
      for (const load of loads) await load.check();
    }
    // A list so long that the previous release finds a page by its counts, written by both.
    const made = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Long' } });
    const at = `/api/lists/${made.body.id}/entries`;
    const send = (url: string, method: string, path: string, body?: unknown) =>
      fetch(url + path, {
        method,
        headers: {
          cookie: `comem-auth-token=${sessions.ann}`,
          authorization: `Bearer ${tokens.ann}`,
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    for (let n = 0; n < 2400; n += 40) {
      const titles = Array.from({ length: 40 }, (_, index) => n + index);
      await Promise.all(
        titles.map((title) => send(title % 2 ? before : after, 'POST', at, { title: `Entry ${title}` })),
      );
    }
    const page = async (url: string, offset: number) => {
      const answer = await send(url, 'GET', `${at}?limit=50&offset=${offset}&withTotal=true`);
      const rows = (await answer.json()) as { id: string; title: string }[];
      return { total: answer.headers.get(totalCountHeader), rows };
    };
    const first = (await page(after, 0)).rows;
    for (const [index, { id }] of first.entries()) {
      const url = index % 2 ? before : after;
      if (index % 4 < 2) await send(url, 'DELETE', `${at}?entryId=${id}`);
      else await send(url, 'PATCH', at, { id, archived: true });
    }
    for (const offset of [0, 1000, 2100, 2340]) {
      const [old, recent] = [await page(before, offset), await page(after, offset)];
      expect(old).toEqual(recent);
      expect(old.total).toBe('2350');
      expect(old.rows).toHaveLength(Math.min(50, 2350 - offset));
    }
    // A list that goes takes its counts along, and the previous release still opens the database.
    expect((await send(after, 'DELETE', `/api/lists/${made.body.id}`)).status).toBeLessThan(300);
    expect(cluster.sql("select value from meta where key = 'schema_version'", 'v').trim()).toBe(String(previousSchema));
    for (const url of [before, after, await serve(program)]) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await send(url, 'GET', `/api/lists?companyId=${companies.fund}`)).status).toBe(200);
    }
  },
);
