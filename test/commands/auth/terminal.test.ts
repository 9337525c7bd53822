import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../src/core/wire.ts';
import { run as runProgram } from '../../../src/main.ts';
import { api, baseUrl, company, key, session, useAccount } from './scripted-account.ts';

const { comem, place } = useAccount();

/** Runs on a terminal: types each answer when its question is on the screen. `\x03` is ^C. */
async function typing(line: string, answers: [question: string, typed: string][]) {
  const stdin = new PassThrough();
  const screen = { text: '', out: '' };
  const left = [...answers];
  let from = 0;
  const look = () => {
    const [next] = left;
    const at = next ? screen.text.indexOf(next[0], from) : -1;
    if (!next || at < 0) return;
    from = at + next[0].length;
    left.shift();
    setImmediate(() => stdin.write(next[1]));
  };
  const stderr = new Writable({
    write(chunk, _, done) {
      screen.text += String(chunk);
      look();
      done();
    },
  });
  const stdout = new Writable({
    write(chunk, _, done) {
      screen.out += String(chunk);
      done();
    },
  });
  const requests: WireRequest[] = [];
  const send = (request: WireRequest) => {
    requests.push(request);
    return api(request);
  };
  const code = await runProgram(
    line.split(' '),
    {
      env: { XDG_CONFIG_HOME: join(place.home, 'config'), HOME: place.home },
      cwd: place.home,
      terminal: {
        stdinIsTTY: true,
        stdoutIsTTY: true,
        stderrIsTTY: true,
        columns: 200,
        color: { stdout: false, stderr: false },
      },
      stdin,
      stdout,
      stderr,
      now: () => new Date('2026-03-31T09:00:00Z'),
      random: () => 0.5,
      signal: new AbortController().signal,
    },
    { connection: { send, close: async () => {} } },
  );
  return { code, stdout: screen.out, stderr: screen.text, requests, unasked: left.map(([question]) => question) };
}

describe('auth login on a terminal', () => {
  it('asks for everything, checks, saves, and never shows a secret', async () => {
    const login = await typing('auth login --storage file', [
      ['Profile (Enter for default):', 'work\r'],
      ['Base URL:', `${baseUrl}\r`],
      ['API key', `${key}\r`],
      ['Session cookie', `${session}\r`],
      ['Default company', '\r'],
    ]);
    expect(login.unasked).toEqual([]);
    expect(login).toMatchObject({ code: 0, stdout: '' });
    expect(login.stderr).not.toContain(key);
    expect(login.stderr).not.toContain('theme=dark');
    expect(new Set(login.requests.map(({ url }) => new URL(url).pathname))).toEqual(
      new Set(['/api/metrics/catalog', '/api/lists']),
    );
    const profile = JSON.parse((await comem('profiles get work --json')).stdout);
    expect(profile).toMatchObject({ baseUrl, company, key: { storage: 'file' }, session: { storage: 'file' } });
    expect(readFileSync(join(place.home, 'config/comem/credentials.json'), 'utf8')).toContain(session);
  });

  it('asks again after an answer that cannot be, and takes Enter for what is known', async () => {
    await comem(`auth login -p work --base-url ${baseUrl} --api-key-stdin --storage file`, { stdin: key });
    const login = await typing('auth login -p work --storage file', [
      [`Base URL (Enter for ${baseUrl}):`, '\r'],
      ['API key (Enter keeps the old one)', `${session}\r`],
      ['looks like a session cookie', '\x15\r'],
      ['Session cookie (Enter for none)', `${session}\r`],
      ['Default company', '\r'],
    ]);
    expect(login.unasked).toEqual([]);
    expect(login.code).toBe(0);
    const profile = JSON.parse((await comem('profiles get work --json')).stdout);
    expect(profile).toMatchObject({ key: { storage: 'file' }, session: { storage: 'file' }, company });
  });

  it('proposes the company of the key, not that of the profile in use, and names the new profile', async () => {
    const other = '00000000-0000-4000-8000-000000000009';
    await comem(`auth login -p mine --base-url ${baseUrl} -c ${other} --stdin key --no-check --storage file`, {
      stdin: key,
    });
    const login = await typing('auth login --storage file', [
      ['Profile (Enter for mine):', 'work\r'],
      ['Base URL:', `${baseUrl}\r`],
      ['API key', 'cmk_wrong\r'],
      ['of profile "work" answered', ''],
      ['API key', `${key}\r`],
      ['Session cookie', '\r'],
      ['Default company', '\r'],
    ]);
    expect(login).toMatchObject({ code: 0, unasked: [] });
    expect(JSON.parse((await comem('profiles get work --json')).stdout)).toMatchObject({ company });
  });

  it('asks again after a refused key, before the next question', async () => {
    const login = await typing(`auth login -p work --base-url ${baseUrl} --storage file`, [
      ['API key', 'cmk_wrong\r'],
      ['Try again, or press Esc', ''],
      ['API key', `${key}\r`],
      ['Session cookie', '\r'],
      ['Default company', '\r'],
    ]);
    expect(login).toMatchObject({ code: 0, unasked: [] });
    expect((await comem('profiles list -o id')).stdout).toBe('demo\nwork\n');
  });

  it.each(['\x1b', '\x04', '\x03'])('saves nothing at %j after a refused key', async (leave) => {
    const login = await typing(`auth login -p work --base-url ${baseUrl}`, [
      ['API key', 'cmk_wrong\r'],
      ['Try again, or press Esc', ''],
      ['API key', leave],
    ]);
    expect(login).toMatchObject({ code: 130, unasked: [] });
    expect((await comem('profiles list -o id')).stdout).toBe('demo\n');
  });

  it('saves nothing when nothing is given, or at ^C', async () => {
    const empty = await typing(`auth login -p work --base-url ${baseUrl}`, [
      ['API key', '\r'],
      ['Session cookie', '\r'],
    ]);
    expect(empty.code).toBe(2);
    expect(empty.stderr).toContain('nothing was saved');
    const stopped = await typing('auth login', [['Profile (Enter', '\x03']]);
    expect(stopped.code).toBe(130);
    expect((await comem('profiles list -o id')).stdout).toBe('demo\n');
  });
});

describe('a confirmation on a terminal', () => {
  it('means no unless yes is typed', async () => {
    await comem(`profiles set work base-url=${baseUrl}`);
    const no = await typing('profiles delete work', [['Delete profile "work"?', '\r']]);
    expect(no).toMatchObject({ code: 1, unasked: [], stdout: '' });
    expect((await comem('profiles list -o id')).stdout).toBe('demo\nwork\n');
    expect((await typing('profiles delete work', [['Delete profile "work"?', 'y\r']])).code).toBe(0);
    expect((await comem('profiles list -o id')).stdout).toBe('demo\n');
  });
});
