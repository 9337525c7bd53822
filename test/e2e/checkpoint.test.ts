/** An export into a file that is killed at every request in turn, and continues with `>>`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { binary, temporaryFolder } from '../helpers/cli.ts';
import { ids, key, now, type ServedWorld, servedWorld } from '../helpers/metrics-world.ts';

let world: ServedWorld;
let proxy: Server;
let asked = 0;
/** Called with the number of each request of a series, before it is answered. */
let onRequest: (count: number) => boolean = () => true;

beforeAll(async () => {
  world = await servedWorld();
  proxy = createServer(async (request, response) => {
    asked += 1;
    if (!onRequest(asked)) return;
    const headers = { authorization: request.headers.authorization ?? '' };
    const answer = await fetch(`${world.url}${request.url}`, { headers });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await world.close();
});

const argv = ['metrics', 'series', '-m', 'mrr,big', '--page-size', '15', '--order', 'asc'];

/** Runs the export with stdout in a file, as a shell does with `>` or `>>`; killed when `last` requests were made. */
async function run(out: string, mode: 'w' | 'a', flags: readonly string[], last = Number.POSITIVE_INFINITY) {
  const folder = temporaryFolder();
  const stdout = openSync(out, mode);
  const { port } = proxy.address() as AddressInfo;
  const env = {
    PATH: process.env.PATH,
    ...{
      COMEM_BASE_URL: `http://127.0.0.1:${port}`,
      COMEM_API_KEY: key,
      COMEM_COMPANY_ID: ids.company,
      COMEM_NOW: now,
    },
    ...{ XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, HOME: folder },
  };
  asked = 0;
  const child = spawn(process.execPath, [binary, ...argv, ...flags], { env, stdio: ['ignore', stdout, 'pipe'] });
  onRequest = (count) => {
    if (count < last) return true;
    child.kill('SIGKILL');
    return false;
  };
  let stderr = '';
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  const [code, signal] = await once(child, 'close');
  closeSync(stdout);
  return { code, signal, stderr };
}

it.each([
  ['csv', 'csv', []],
  ['json', 'json', []],
  ['csv with the value before', 'csv', ['--fill', 'prev', '--from', '2017', '--to', '2024']],
])('gives the bytes of an export that nothing happened to, as %s', async (_, format, more) => {
  const folder = temporaryFolder();
  const whole = join(folder, 'whole');
  const flags = ['-o', format, ...more];
  expect(await run(whole, 'w', flags)).toMatchObject({ code: 0, stderr: '' });
  const requests = asked;
  expect(requests).toBeGreaterThan(3);
  for (let last = 1; last <= requests; last += 1) {
    const [out, file] = [join(folder, `out-${last}`), join(folder, `checkpoint-${last}`)];
    expect(await run(out, 'w', [...flags, '--checkpoint', file], last)).toMatchObject({ signal: 'SIGKILL' });
    const before = readFileSync(out, 'utf8');
    expect(readFileSync(whole, 'utf8').startsWith(before)).toBe(true);
    // A page is on its way before the one before it is written.
    if (last === 1 || (last === requests && more.length === 0)) expect(before !== '').toBe(last > 1);
    expect(await run(out, 'a', [...flags, '--checkpoint', file])).toMatchObject({ code: 0 });
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(whole, 'utf8'));
  }
});

it('refuses an output that is shorter than what was written', async () => {
  const folder = temporaryFolder();
  const [out, file] = [join(folder, 'out.csv'), join(folder, 'checkpoint')];
  const flags = ['-o', 'csv', '--checkpoint', file];
  // The catalog is the first request, and a page is on its way before the previous one is written.
  await run(out, 'w', flags, 6);
  const { code, stderr } = await run(out, 'w', flags);
  expect(code).toBe(2);
  expect(stderr).toContain('>> FILE');
});
