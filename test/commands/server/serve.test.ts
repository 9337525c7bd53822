/** `comem serve` as a process: ports, signals, exit codes, the command that it serves for. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { demo } from '../../../src/core/demo.ts';
import { binary, finished, runBinary, start, temporaryFolder } from '../../helpers/cli.ts';

let home: string;
let tmp: string;
beforeEach(() => {
  home = temporaryFolder();
  tmp = temporaryFolder();
});
const serve = (...argv: string[]) => runBinary(['serve', ...argv], { home, cwd: home, env: { TMPDIR: tmp } });
const node = (code: string) => ['--', process.execPath, '-e', code];

async function serving(argv: readonly string[]) {
  const child = start(['serve', '--port', '0', ...argv], { home, cwd: home, env: { TMPDIR: tmp } });
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk;
      const found = /Serving (http:\S+)/.exec(text);
      if (found) resolve(found[1] as string);
    });
    child.on('close', () => reject(new Error(text)));
  });
  return { child, url, said: () => text, done: finished(child) };
}

describe('serve -- COMMAND', () => {
  test('gives the command all that it needs, and leaves nothing behind', async () => {
    const { stdout, stderr, code } = await serve('--', process.execPath, binary, 'lists', 'list', '-o', 'id');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(4);
    expect(readdirSync(tmp)).toEqual([]);
    expect(readdirSync(home)).not.toContain('data');
  });

  test('its environment is the demo, its exit code is ours', async () => {
    const print =
      "for (const [k, v] of Object.entries(process.env)) if (k.startsWith('COMEM_')) console.log(k + '=' + v)";
    const { stdout, code } = await serve(...node(`${print}; process.exitCode = 7`));
    expect(code).toBe(7);
    const found = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
    expect(found).toEqual({
      COMEM_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      COMEM_API_KEY: demo.apiKey,
      COMEM_SESSION_COOKIE: demo.session,
      COMEM_COMPANY_ID: demo.companyId,
      COMEM_NOW: demo.now,
    });
  });

  test('a database of its own gets keys of its own, good for key and session endpoints', async () => {
    writeFileSync(join(home, 'jobs.csv'), 'month,nonfarm\n2006-01,135450.50\n');
    const code = `
      const { execFileSync } = require('node:child_process');
      const comem = (...argv) => execFileSync(process.execPath, [${JSON.stringify(binary)}, ...argv], { encoding: 'utf8' });
      console.log(comem('metrics', 'series', '-m', 'nonfarm', '--from', '2006-01', '--to', '2006-01', '--fields', 'nonfarm', '-o', 'csv', '--no-header'));
      console.log(comem('lists', 'create', 'Mine', '-o', 'json', '--jq', '.slug'), comem('lists', 'list', '--jq', '.[].name'));
      console.log(process.env.COMEM_API_KEY === ${JSON.stringify(demo.apiKey)}, process.env.COMEM_NOW);`;
    const { stdout, stderr, code: exit } = await serve('--seed', 'jobs.csv', ...node(code));
    expect({ exit, stderr: stderr.replace(/^Writing to .*\n/gm, '') }).toEqual({ exit: 0, stderr: '' });
    expect(stdout.split(/\s+/).filter(Boolean)).toEqual(['135450.50', 'mine', 'Mine', 'false', 'undefined']);
  });

  test('with --data-dir the database stays', async () => {
    expect(await serve('--data-dir', 'kept', '--seed', 'none', ...node(''))).toMatchObject({ code: 0, stdout: '' });
    expect(readdirSync(join(home, 'kept'))).toContain('comem.db');
  });

  test('a program that is not there is exit 2', async () => {
    expect(await serve('--', 'no-such-program')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'comem: program "no-such-program" not found\n  hint: put a command after --\n',
    });
    expect(readdirSync(tmp)).toEqual([]);
  });

  test.each([
    ['one that it ends by', 'setInterval(() => {}, 1000)', 143],
    ['one that it handles', "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000)", 3],
  ])('passes a signal on: %s', async (_, code, exit) => {
    const child = start(['serve', ...node(`${code}; console.log('ready')`)], { home, env: { TMPDIR: tmp } });
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    expect(await finished(child)).toMatchObject({ code: exit, stdout: 'ready\n' });
    expect(readdirSync(tmp)).toEqual([]);
  });
});

describe('serve', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('says where it listens, serves, and ends with %s as %i', async (signal, code) => {
    const { child, url, done } = await serving([]);
    const env = { COMEM_BASE_URL: url, COMEM_API_KEY: demo.apiKey, COMEM_SESSION_COOKIE: demo.session };
    const lists = await runBinary(['lists', 'list', '-o', 'id'], { env: { ...env, COMEM_COMPANY_ID: demo.companyId } });
    expect(lists).toMatchObject({ code: 0, stderr: '' });
    expect(lists.stdout.trim().split('\n')).toHaveLength(4);
    child.kill(signal);
    expect(await done).toMatchObject({ code, stdout: '' });
  });

  test('a port that is taken is exit 2', async () => {
    const { child, url, done } = await serving([]);
    const port = new URL(url).port;
    const second = await serve('--port', port);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain(`port ${port} on 127.0.0.1 is already in use`);
    child.kill('SIGTERM');
    await done;
  });

  test('the clock, the page size and the faults that were asked for', async () => {
    const faults = ['--fail', 'GET /api/metrics/*=503@1/1', '--latency', '1ms', '--max-page', '3'];
    const { child, url, said, done } = await serving([...faults, '--now', '2026-05-01']);
    const list = `/api/lists?companyId=${demo.companyId}`;
    const [{ id }] = (await (await fetch(url + list, { headers: { cookie: demo.session } })).json()) as [
      { id: string },
    ];
    const entries = await fetch(`${url}/api/lists/${id}/entries?limit=500`, { headers: { cookie: demo.session } });
    expect(await entries.json()).toHaveLength(3);
    const authorization = `Bearer ${demo.apiKey}`;
    expect((await fetch(`${url}/api/metrics/catalog`, { headers: { authorization } })).status).toBe(503);
    child.kill('SIGTERM');
    await done;
    expect(said()).toContain('clock at 2026-05-01T00:00:00.000Z');
  });

  test.each([
    [['--host', '0.0.0.0', '--seed', 'demo'], 'the keys of the demo are public, and 0.0.0.0 can be reached'],
    [['--seed', 'none.yaml'], 'none.yaml: not found'],
    [['--now', 'tuesday'], '--now tuesday: must be a date or timestamp'],
    [['--latency', '3'], '--fault latency 3: must be a duration such as 20ms'],
    [['--fault', 'rate-limit=5/s'], 'write it as --rate-limit 5/s'],
    [['--fail', 'GET'], "--fault 'fail=GET'"],
    [['--port', '70000'], '--port'],
    [['--nothing'], 'unknown flag --nothing'],
  ])('%j is exit 2', async (argv, message) => {
    const { code, stdout, stderr } = await serve(...(argv.includes('--port') ? [] : ['--port', '0']), ...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('elsewhere than on this machine a new database stays empty', async () => {
    const { child, said, done } = await serving(['--host', '0.0.0.0', '--data-dir', 'open']);
    child.kill('SIGTERM');
    await done;
    expect(said()).not.toContain('demo data');
    expect((await runBinary(['server', 'dump', '--data-dir', join(home, 'open')], { home })).stdout).toBe('{}\n');
  });
});
