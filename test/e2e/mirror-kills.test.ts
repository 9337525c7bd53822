/** Syncs that are killed, that run at the same time, and that find the disk full. */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHistory } from '../../src/mirror/history.ts';
import { binary, cli, finished, start, temporaryFolder } from '../helpers/cli.ts';

/** Five in a run of all tests, a hundred in `npm run soak`. */
const kills = Number(process.env.COMEM_MIRROR_KILLS ?? 5);
const count = 2500;
const company = '11111111-1111-4111-8111-111111111111';
const list = { id: '22222222-2222-4222-8222-000000000001', slug: 'deals', name: 'Deals', company_id: company };

/** Every entry says which state of the list it is of. */
let generation = 0;
/** Changes one entry. */
let suffix = '';

const server = createServer(({ url = '' }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const [offset, limit] = [Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 0)];
  const size = Math.max(0, Math.min(limit, count - offset));
  const entries = () => Array.from({ length: size }, (_, n) => entry(offset + n));
  const bodies: Record<string, () => unknown> = {
    '/api/lists': () => [list],
    [`/api/lists/${list.id}`]: () => ({ ...list, list_attributes: [] }),
    [`/api/lists/${list.id}/entries`]: entries,
    '/api/metrics/grants': () => ({ grants: [] }),
  };
  const body = bodies[pathname]?.();
  response.writeHead(body === undefined ? 404 : 200, {
    'content-type': 'application/json',
    ...(pathname.endsWith('/entries') && { 'x-list-total-count': String(count) }),
  });
  response.end(JSON.stringify(body ?? { error: 'Not found' }));
});

/** A third of them stays as it is, and one comes and goes. */
function entry(n: number) {
  const state = n % 3 === 0 ? 0 : generation;
  const id = n === count - 1 ? generation : n;
  return {
    id: `33333333-3333-4333-8333-${String(n === count - 1 ? 900_000 + id : id).padStart(12, '0')}`,
    ...{
      list_id: list.id,
      title: `Entry ${n}${n === 0 ? suffix : ''}`,
      values: { state },
      position: n,
      archived: false,
    },
  };
}

const folder = join(temporaryFolder(), 'm');
let env: Record<string, string>;
const words = ['mirror', 'sync', folder, '--metrics', 'none', '-o', 'json'];

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  env = {
    COMEM_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ COMEM_COMPANY_ID: company, COMEM_API_KEY: 'cmk_kills', COMEM_SESSION_COOKIE: 'comem-auth-token=kills' },
  };
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** How many syncs there are, and the state that the newest one saw. @throws for a mixture of states */
async function seen(): Promise<{ syncs: number; state: number }> {
  const history = await openHistory(folder);
  try {
    const syncs = await history.syncs();
    const states = new Set<unknown>();
    let rows = 0;
    for await (const { value } of history.entries(list.id, { at: syncs.at(-1)?.number })) {
      rows += 1;
      if (Number(value.position) % 3 !== 0) states.add(value.values?.state);
    }
    expect([rows, states.size]).toEqual([count, 1]);
    return { syncs: syncs.length, state: Number([...states][0]) };
  } finally {
    await history.close();
  }
}

it('a sync that is killed at any moment leaves the state before or after it', async () => {
  generation = 1;
  const begun = performance.now();
  expect((await cli(words, { env })).code).toBe(0);
  const longest = performance.now() - begun;
  let [syncs, state] = [1, 1];
  for (let turn = 0; turn < kills; turn += 1) {
    generation += 1;
    const child = start(words, { env });
    const ended = finished(child);
    await sleep((longest * (0.3 + Math.random())) / 1.3);
    child.kill('SIGKILL');
    await ended;
    const after = await seen();
    const whole = after.syncs === syncs + 1 && after.state === generation;
    expect(whole || (after.syncs === syncs && after.state === state), JSON.stringify({ after, syncs, state })).toBe(
      true,
    );
    ({ syncs, state } = after);
  }
  generation += 1;
  expect((await cli(words, { env })).code).toBe(0);
  expect(await seen()).toEqual({ syncs: syncs + 1, state: generation });
}, 600_000);

it('of two at once the second waits for the first', async () => {
  const before = (await seen()).syncs;
  const both = await Promise.all([cli(words, { env }), cli(words, { env })]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect((await seen()).syncs).toBe(before + 2);
});

it('a full disk is one sentence, and nothing is lost', async () => {
  const before = await seen();
  generation += 1;
  const full = await limited(100);
  expect([full.code, full.stdout]).toEqual([5, '']);
  expect(JSON.parse(full.stderr).error.message).toMatch(/nothing was written$/);
  expect(await seen()).toEqual(before);
});

/** A sync that can write no file beyond so many blocks of 512 bytes. */
function limited(blocks: number) {
  const argv = ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath, binary, ...words];
  return finished(spawn('/bin/sh', argv, { env: { PATH: process.env.PATH, HOME: temporaryFolder(), ...env } }));
}

it('a disk that is full when all is written is a warning, and nothing is lost', async () => {
  expect((await cli(words, { env })).code).toBe(0);
  const before = await seen();
  suffix = '!';
  const blocks = 400;
  expect(statSync(join(folder, 'mirror.db')).size).toBeGreaterThan(2 * 512 * blocks);
  const full = await limited(blocks);
  expect(full).toMatchObject({ code: 0, stderr: expect.stringMatching(/the sync is written, but not moved/) });
  expect(JSON.parse(full.stdout)).toContainEqual(expect.objectContaining({ part: 'entries', changed: 1 }));
  expect(statSync(join(folder, 'mirror.db-wal')).size).toBeGreaterThan(0);
  expect(await seen()).toEqual({ ...before, syncs: before.syncs + 1 });
  const after = await cli(words, { env });
  expect([after.code, after.stderr.includes('warning')]).toEqual([0, false]);
  expect(await seen()).toEqual({ ...before, syncs: before.syncs + 2 });
});
