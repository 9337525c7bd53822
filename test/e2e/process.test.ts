/** The program as a process: signals, closed pipes, streams, old Node. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { binary, finished, runBinary, start, temporaryFolder } from '../helpers/cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** An API of which every request is handed to `answer`. */
async function api(answer: Parameters<typeof createServer>[1]): Promise<Record<string, string>> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    COMEM_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    COMEM_API_KEY: 'cmk_test',
    COMEM_SESSION_COOKIE: 'comem-auth-token=x',
    COMEM_COMPANY_ID: '11111111-1111-4111-8111-111111111111',
  };
}

describe('signals', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s while a request is open ends with %i and nothing on stdout', async (signal, code) => {
    let asked = () => {};
    const request = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const child = start(['lists', 'list'], { env: await api(() => asked()) });
    const end = finished(child);
    await request;
    child.kill(signal);
    const result = await end;
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).not.toMatch(/^\s+at |bug in comem/m);
  });
});

describe('streams', () => {
  test('stderr is one line of JSON when jq runs out of memory', async () => {
    const argv = ['-p', 'demo', 'lists', 'list', '--jq', '"x" * 1500000000'];
    const { code, stdout, stderr } = await runBinary(argv);
    expect([code, stdout]).toEqual([6, '']);
    expect(JSON.parse(stderr).error.code).toBe('jq_failed');
  });

  test('a closed pipe ends quietly with exit 0', async () => {
    const rows = JSON.stringify(
      Array.from({ length: 20_000 }, (_, n) => ({ id: String(n), name: `list ${n}`, slug: `list-${n}` })),
    );
    const env = await api((_, response) => response.setHeader('content-type', 'application/json').end(rows));
    const child = start(['lists', 'list', '-o', 'ndjson'], { env });
    const end = finished(child);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await end).toMatchObject({ code: 0, stderr: '' });
  });

  test.skipIf(process.platform !== 'linux')('a full disk behind stdout is told, and is no bug', async () => {
    const env = await api((_, response) => response.setHeader('content-type', 'application/json').end('[]'));
    const lines = (end: { stderr: string }) => end.stderr.trim().split('\n');
    const run = (...argv: string[]) =>
      finished(
        spawn('/bin/sh', ['-c', 'exec "$@" > /dev/full', 'sh', process.execPath, binary, ...argv], {
          env: { ...process.env, ...env },
        }),
      );
    const text = await run('lists', 'list', '-o', 'csv');
    expect(text).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot write to stdout: ENOSPC') });
    expect(await run('--version')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^comem: cannot write to stdout: .*\n$/),
    });
    const json = await run('lists', 'list', '-o', 'json');
    expect(JSON.parse(lines(json).at(-1) ?? '')).toMatchObject({ error: { code: 'usage', exitCode: 2 } });
  });

  test('a closed pipe does not trouble the entry that prints help and version', async () => {
    for (const argv of [['--help'], ['--version'], ['lists', '--help']]) {
      const shell = spawn('sh', ['-c', '"$0" "$@" | true', process.execPath, binary, ...argv]);
      expect(await finished(shell)).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('everything is written before the process ends, also to a slow reader', async () => {
    const rows = JSON.stringify(
      Array.from({ length: 30_000 }, (_, n) => ({ id: String(n), name: 'x'.repeat(50), slug: `x-${n}` })),
    );
    const env = await api((_, response) => response.setHeader('content-type', 'application/json').end(rows));
    const child = start(['lists', 'list', '-o', 'id'], { env });
    child.stdout?.pause();
    setTimeout(() => child.stdout?.resume(), 300);
    const { stdout, code } = await finished(child);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toHaveLength(30_001);
  });

  test('--verbose logs on stderr, without the credential', async () => {
    const env = await api((_, response) => response.setHeader('content-type', 'application/json').end('[]'));
    const { stdout, stderr } = await runBinary(['lists', 'list', '-o', 'json', '-v'], { env });
    expect(stdout).toBe('[]\n');
    expect(stderr).toContain('GET');
    expect(stderr).not.toContain('comem-auth-token=x');
  });
});

describe('exit codes', () => {
  const answer = (status: number, body: unknown) =>
    api((_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)));
  const error = (status: number) => answer(status, { error: 'the words of the server', status });

  test.each([
    [404, 3],
    [401, 4],
    [403, 4],
    [503, 5],
    [429, 5],
    [400, 6],
    [409, 6],
  ])('an answer of %i is exit %i, with the words of the server', async (status, code) => {
    const result = await runBinary(['lists', 'list', '--retries', '0'], { env: await error(status) });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain('the words of the server');
    const json = await runBinary(['lists', 'list', '--retries', '0', '--json'], { env: await error(status) });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { status, exitCode: code } });
  });

  test('no rows under --fail-empty is exit 1', async () => {
    expect((await runBinary(['lists', 'list', '--fail-empty'], { env: await answer(200, []) })).code).toBe(1);
  });

  test('nobody listening is exit 5', async () => {
    const env = { ...(await answer(200, [])) };
    const port = new URL(env.COMEM_BASE_URL ?? '').port;
    servers.splice(0).map((server) => server.close());
    const result = await runBinary(['lists', 'list', '--retries', '0'], { env });
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain(`127.0.0.1:${port}`);
  });

  test('a time-out is exit 5', async () => {
    const result = await runBinary(['lists', 'list', '--retries', '0', '--timeout', '0.2'], {
      env: await api(() => {}),
    });
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain('0.2');
  });

  test('no credential is exit 4 before anything is sent, and says which kind and how to set it', async () => {
    let sent = 0;
    const { COMEM_SESSION_COOKIE: _, ...env } = await api(() => {
      sent += 1;
    });
    const result = await runBinary(['lists', 'list'], { env });
    expect(result).toMatchObject({ code: 4, stdout: '' });
    expect(result.stderr).toMatch(/session cookie.*GET \/api\/lists|GET \/api\/lists.*session cookie/s);
    expect(result.stderr).toContain('comem auth login');
    expect(sent).toBe(0);
  });

  test('a bug is exit 70, with a short message and no stack', async () => {
    const hook = join(temporaryFolder(), 'broken.cjs');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(hook, "setTimeout(() => { throw new TypeError('oh'); }, 0);");
    const env = { ...(await api(() => {})), NODE_OPTIONS: `--require ${hook}` };
    const result = await runBinary(['lists', 'list'], { env });
    expect(result).toMatchObject({ code: 70, stdout: '' });
    expect(result.stderr).toMatch(/^comem: this is a bug in comem: oh\n {2}hint: please report/);
    expect(result.stderr).not.toMatch(/^\s+at /m);
    expect((await runBinary(['lists', 'list'], { env: { ...env, COMEM_DEBUG: '1' } })).stderr).toMatch(/^\s+at /m);
    // A bug of comem itself: the stack names its source.
    writeFileSync(hook, "Object.defineProperty(URL.prototype, 'origin', { get() { throw new TypeError('oh'); } });");
    expect(await runBinary(['lists', 'list'], { env })).toMatchObject({ code: 70, stderr: result.stderr });
    const { stderr } = await runBinary(['lists', 'list'], { env: { ...env, COMEM_DEBUG: '1' } });
    expect(stderr).toMatch(/^TypeError: oh\n(?: {4}at .*\n)* {4}at .*[\\/]src[\\/].*\.ts:\d+:\d+\)\n/m);
  });
});

describe('the entry', () => {
  test('refuses a Node that is too old with a sentence', async () => {
    const { stdout, stderr, code } = await finished(
      spawn(process.execPath, [
        '-e',
        `Object.defineProperty(process.versions, 'node', { value: '18.20.1' }); process.argv.splice(1, 0, 'comem'); require(${JSON.stringify(binary)});`,
      ]),
    );
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toBe('comem: Node.js 20.19 or later is required, but this is 18.20.1\n');
  });

  test('asks for the Node that package.json asks for', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe('>=20.19');
  });
});
