/**
 * The steps of Containerfile without containers: its commands build and install the program, which then serves as another
 * user, with nothing that it may write but its data.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'Containerfile'), 'utf8').replace(/\\\n\s*/g, '');
const [buildStage = [], lastStage = []] = text
  .split(/^FROM .*\n/m)
  .slice(1)
  .map((stage) => stage.split('\n'));

/** What follows the instruction's name, without the options of `RUN`, once for each time it is there. */
function instructions(stage: readonly string[], name: string): string[] {
  return stage
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1).replace(/^--mount=\S+\s+/, ''));
}

const [userAndGroup = ''] = instructions(lastStage, 'USER');
const [user = 0, group = 0] = userAndGroup.split(':').map(Number);
const [variables = ''] = instructions(lastStage, 'ENV');
const [healthCheck = ''] = instructions(lastStage, 'HEALTHCHECK');
const [command = ''] = instructions(lastStage, 'CMD');

const folder = mkdtempSync(join(tmpdir(), 'comem-container-'));
const [prefix, data] = [join(folder, 'prefix'), join(folder, 'data')];
const pathOf = (text: string) => text.replaceAll(/(?<![\w.])\/(?=package|data)/g, `${folder}/`);
const PATH = [join(prefix, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
const environment = {
  ...Object.fromEntries(variables.split(' ').map((word) => pathOf(word).split('=') as [string, string])),
  PATH,
};

// Only root may become that user, and not every user can run this Node; elsewhere the user of the tests serves.
const isReachable = () => spawnSync(process.execPath, ['-v'], { uid: user, gid: group, cwd: '/' }).status === 0;
const identity = process.getuid?.() === 0 && isReachable() ? { uid: user, gid: group } : {};
const options = { ...identity, cwd: '/', env: environment };

beforeAll(() => {
  chmodSync(folder, 0o755);
  mkdirSync(prefix);
  const env = { ...process.env, PATH, npm_config_prefix: prefix };
  for (const stage of [buildStage, lastStage]) {
    for (const line of instructions(stage, 'RUN')) {
      // The project is installed already, npm's cache is not the image's, and only root may give the owner.
      const script = line.split(' && ').filter((part) => !/^(?:npm ci|npm cache|chown) /.test(part));
      execFileSync('sh', ['-c', pathOf(script.join(' && '))], { cwd: root, env, stdio: 'ignore' });
    }
  }
  if ('uid' in identity) chownSync(data, user, group);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the image has a user without rights, a volume and a check of its health', () => {
  expect([user, group].every((id) => id >= 1000)).toBe(true);
  expect(instructions(lastStage, 'VOLUME')).toEqual(['/data']);
  expect(environment).toMatchObject({ HOME: data, TMPDIR: data });
  expect(healthCheck).toContain('/readyz');
});

test('serves, is healthy, stops, and keeps what it has', async () => {
  const port = await freePort();
  const here = (word: string) => pathOf(word).replaceAll('4010', String(port)).replace('0.0.0.0', '127.0.0.1');
  const words = (JSON.parse(command) as string[]).map(here);
  const [, check = ''] = /CMD (\[.*\])$/.exec(healthCheck) ?? [];
  const [program = '', ...argv] = (JSON.parse(check) as string[]).map(here);
  const isHealthy = () => spawnSync(program, argv, options).status === 0;
  const comem = (...argv: string[]) => spawnSync('comem', argv, { ...options, encoding: 'utf8' });

  const database = join(data, 'comem');
  expect(comem('init', '--company', 'My Co', '--dir', database)).toMatchObject({ status: 0 });
  expect(comem('lists', 'create', 'Deals')).toMatchObject({ status: 0 });
  const server = spawn('comem', words, { ...options, stdio: 'ignore' });
  await expect.poll(isHealthy, { timeout: 20_000 }).toBe(true);
  expect(await stopped(server)).toBe(143);
  expect(isHealthy()).toBe(false);
  expect(comem('lists', 'list', '-o', 'id')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\S+\n$/) });
});

/** The exit code after the signal that a supervisor sends. */
function stopped(server: ChildProcess): Promise<number | null> {
  server.kill();
  return new Promise((resolve) => server.on('exit', resolve));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
