/** Undos that are killed or hung up at any point, or run twice at once, through a proxy that carries out what it drops. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, finished, start, temporaryFolder } from '../helpers/cli.ts';
import { type ServedWorld, servedWorld } from '../helpers/lists-world.ts';

let world: ServedWorld;
let home: string;
let proxy: Server;
let env: Record<string, string>;
/** Called before and after a POST is carried out; answers nothing when it returns false. */
let meet: (moment: 'before' | 'after', count: number) => boolean | Promise<boolean> = () => true;
let posts = 0;

beforeEach(async () => {
  world = await servedWorld();
  home = temporaryFolder();
  meet = () => true;
  posts = 0;
  proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isPost = request.method === 'POST';
    if (isPost) posts += 1;
    const count = posts;
    if (isPost && !(await meet('before', count))) return;
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)]],
      ),
    );
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
    const answer = await fetch(`${world.env.COMEM_BASE_URL}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...body,
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (isPost && !(await meet('after', count))) return;
    const {
      'content-encoding': _,
      'content-length': __,
      'transfer-encoding': ___,
      ...kept
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, kept).end(answer.status === 204 ? undefined : bytes);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  env = { ...world.env, COMEM_BASE_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
});
afterEach(async () => {
  proxy.closeAllConnections();
  await new Promise((done) => proxy.close(done));
  await world.close();
});

const comem = (...argv: string[]) => cli(argv, { home, env });
const titles = async () => {
  const { stdout } = await comem('entries', 'list', 'empty', '--archived', '-o', 'json');
  return (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title).sort();
};
const rows = Array.from({ length: 24 }, (_, n) => `Row ${String(n).padStart(2, '0')}`).sort();

async function deleteRows(): Promise<void> {
  const file = ['title', ...rows].join('\n');
  const argv = ['entries', 'import', 'empty', '-', '--format', 'csv', '--yes'];
  const { code, stderr } = await cli(argv, { home, env, stdin: file });
  expect([code, stderr]).toEqual([0, stderr]);
  expect(await titles()).toEqual(rows);
  const done = await comem('entries', 'delete', 'empty', '--all', '--yes', '--keep-undo');
  expect([done.code, done.stderr]).toEqual([0, done.stderr]);
  expect(await titles()).toEqual([]);
  posts = 0;
}

it.each([
  ['SIGKILL', 'before', 3],
  ['SIGKILL', 'after', 13],
  ['SIGHUP', 'after', 1],
] as const)(
  '%s %s request %i is carried out: each entry is there once after the next undo',
  async (signal, moment, at) => {
    await deleteRows();
    const child = start(['undo', '--yes'], { home, env });
    const ended = finished(child);
    meet = async (now, count) => {
      if (now === moment && count >= at) child.kill(signal);
      return now !== moment || count < at;
    };
    const { code, signal: by } = await ended;
    // The system ends it where it does not listen to signals yet.
    expect(signal === 'SIGHUP' ? [129, 'SIGHUP'] : ['SIGKILL']).toContain(by ?? code);
    meet = () => true;
    const again = await comem('undo', '--yes');
    expect([again.code, again.stderr]).toEqual([0, again.stderr]);
    expect(await titles()).toEqual(rows);
    const last = await comem('undo', '--yes');
    expect(last.code).not.toBe(0);
    expect(await titles()).toEqual(rows);
  },
  60_000,
);

it('an undo that runs twice at once creates each entry once', async () => {
  await deleteRows();
  let second: ReturnType<typeof comem> | undefined;
  meet = async (moment, count) => {
    if (moment === 'before' && count === 1) second = comem('undo', '--yes');
    if (moment === 'after') await new Promise((done) => setTimeout(done, 400));
    return true;
  };
  const first = await comem('undo', '--yes');
  expect([first.code, first.stderr]).toEqual([0, first.stderr]);
  expect((await second)?.code).not.toBe(0);
  expect((await second)?.stderr).toMatch(/is undoing run \d+ already|was undone already|nothing/);
  expect(await titles()).toEqual(rows);
}, 60_000);

it('a deleted list is created once', async () => {
  const before = await comem('lists', 'list', '-o', 'json');
  await comem('lists', 'delete', 'deals', '--yes', '--keep-undo');
  posts = 0;
  for (const at of [1, 1, 9]) {
    posts = 0;
    const child = start(['undo', '--yes'], { home, env });
    const ended = finished(child);
    meet = (moment, count) => {
      if (moment === 'after' && count >= at) child.kill('SIGKILL');
      return moment === 'before' || count < at;
    };
    expect((await ended).signal).toBe('SIGKILL');
  }
  meet = () => true;
  const again = await comem('undo', '--yes');
  expect([again.code, again.stderr]).toEqual([0, again.stderr]);
  const names = (text: string) => (JSON.parse(text) as { name: string }[]).map(({ name }) => name).sort();
  expect(names((await comem('lists', 'list', '-o', 'json')).stdout)).toEqual(names(before.stdout));
  const entries = await comem('entries', 'list', 'deals', '--archived', '-o', 'json');
  expect(JSON.parse(entries.stdout)).toHaveLength(5);
}, 90_000);
