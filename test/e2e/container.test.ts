/** The server as Containerfile starts it: as another user, with nothing that it may write but its data. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'Containerfile'), 'utf8').replace(/\\\n\s*/g, '');
/** The instructions of the last stage. */
const lines = text.slice(text.lastIndexOf('\nFROM ')).split('\n');
const instruction = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
const [user = 0, group = 0] = instruction('USER').split(':').map(Number);
const environment = Object.fromEntries(
  instruction('ENV')
    .split(' ')
    .map((word) => word.split('=') as [string, string]),
);
const data = mkdtempSync(join(tmpdir(), 'comem-container-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test('the image has a user without rights, a volume and a check of its health', () => {
  expect([user, group].every((id) => id >= 1000)).toBe(true);
  expect(instruction('VOLUME')).toBe('/data');
  expect(environment).toMatchObject({ HOME: '/data', TMPDIR: '/data' });
  expect(instruction('HEALTHCHECK')).toContain('/readyz');
});

/** Whether that user can run this Node and read the program: the folders above them may be closed to others. */
function isReachable(): boolean {
  if (process.getuid?.() !== 0) return false;
  const reading = `require('node:fs').accessSync(${JSON.stringify(join(root, 'dist/main.js'))})`;
  return spawnSync(process.execPath, ['-e', reading], { uid: user, gid: group, cwd: '/' }).status === 0;
}

// Elsewhere the same is tried as the user of the tests.
const identity = isReachable() ? { uid: user, gid: group } : {};
test('serves, is healthy, and stops', async () => {
  const port = await freePort();
  const here = (word: string) => word.replaceAll('/data', data).replaceAll('4010', String(port));
  if ('uid' in identity) chownSync(data, user, group);
  const options = {
    ...identity,
    cwd: '/',
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)])),
    },
  };
  const words = (JSON.parse(instruction('CMD')) as string[]).map((word) => here(word).replace('0.0.0.0', '127.0.0.1'));
  const program = join(root, 'bin/comem.js');
  const init = ['init', '--company', 'My Co', '--dir', join(data, 'comem')];
  expect(spawnSync(process.execPath, [program, ...init], { ...options, encoding: 'utf8' })).toMatchObject({
    status: 0,
  });
  const server = spawn(process.execPath, [program, ...words], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const [, check = ''] = /CMD (\[.*\])$/.exec(instruction('HEALTHCHECK')) ?? [];
  const [, ...argv] = (JSON.parse(check) as string[]).map(here);
  const healthy = () => spawnSync(process.execPath, argv, options).status === 0;
  await expect.poll(healthy, { timeout: 20_000 }).toBe(true);
  server.kill();
  expect(await new Promise((resolve) => server.on('exit', resolve))).toBe(143);
  expect(healthy()).toBe(false);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
