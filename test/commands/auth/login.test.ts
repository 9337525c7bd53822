import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { baseUrl, company, key, session, useAccount } from './scripted-account.ts';

const keyring = vi.hoisted(() => ({ works: false, kept: new Map<string, string>() }));
vi.mock('@napi-rs/keyring', () => ({
  Entry: class {
    constructor(
      readonly service: string,
      readonly account: string,
    ) {
      if (!keyring.works) {
        const text = 'org.freedesktop.DBus.Error.ServiceUnknown: org.freedesktop.secrets was not provided';
        throw new Error(`Platform secure storage failure: zbus error: ${text}`);
      }
    }
    getPassword = () => keyring.kept.get(this.account) ?? null;
    setPassword = (secret: string) => keyring.kept.set(this.account, secret);
    deletePassword = () => keyring.kept.delete(this.account);
  },
}));

const { comem, place } = useAccount();
const files = () => ({
  settings: join(place.home, 'config/comem/config.json'),
  secrets: join(place.home, 'config/comem/credentials.json'),
});

/** A session whose token ends at the given moment. */
function cookieUntil(end: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `token=${part({ alg: 'none' })}.${part({ exp: Date.parse(end) / 1000 })}.x`;
}

/** Three entries of a list without attributes, a page each as asked. */
const manyEntries: Transport = async ({ url }) => {
  const { pathname, searchParams } = new URL(url);
  const at = Number(searchParams.get('offset') ?? 0);
  const entry = (position: number) => ({
    id: `aaaaaaaa-0000-4000-8000-00000000001${position}`,
    list_id: company,
    title: `${position}`,
    values: {},
    position,
    archived: false,
  });
  const list = { id: company, name: 'L', slug: 'l', list_attributes: [] };
  const body = pathname.endsWith('/entries') ? (at < 3 ? [entry(at)] : []) : list;
  const headers = { 'content-type': 'application/json', 'x-list-total-count': '3' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(body)) };
};

describe('auth login with --api-key-stdin', () => {
  it('checks the key against the catalog, saves it, and takes over its company', async () => {
    const login = await comem(`auth login -p work --base-url ${baseUrl}/ --api-key-stdin`, { stdin: `${key}\n` });
    expect(login).toMatchObject({ code: 0, stdout: '' });
    expect(login.requests.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual([
      ['GET', '/api/metrics/catalog', `Bearer ${key}`],
    ]);
    expect(login.stderr).toMatch(
      /warning: the keyring .* does not work \(no keyring service answers\).*credentials\.json/s,
    );
    expect(login.stderr).not.toMatch(/dbus|freedesktop/i);
    expect(login.stderr).toContain('Commands without -p now use profile "work"');
    expect(login.stderr).not.toContain(key);
    expect(readFileSync(files().settings, 'utf8')).not.toContain(key);
    expect(statSync(files().secrets).mode & 0o777).toBe(0o600);
    const got = await comem('profiles get --json');
    expect(JSON.parse(got.stdout)).toMatchObject({
      name: 'work',
      current: true,
      baseUrl,
      company,
      key: { storage: 'file', origin: baseUrl },
    });
    const used = await comem('metrics catalog --json');
    expect(used).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(used.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  it('takes the row that `server keys create` prints', async () => {
    const stdin = `secret\tid\tkind\n${key}\t${company}\tapi_key\n`;
    expect((await comem(`auth login -p work --base-url ${baseUrl} --stdin key`, { stdin })).code).toBe(0);
    const { requests } = await comem('metrics catalog');
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  it('saves nothing when the API refuses it', async () => {
    const login = await comem(`auth login --base-url ${baseUrl} --api-key-stdin`, { stdin: 'cmk_wrong_key' });
    expect(login.code).toBe(4);
    expect(login.stderr).toMatch(/who are you\?.*401/);
    expect(login.stderr).toContain('nothing was saved; `comem auth login --no-check`');
    expect(JSON.parse((await comem('profiles list --json')).stdout)).toHaveLength(1);
  });

  it('saves without asking the API under --no-check', async () => {
    const line = `auth login --base-url ${baseUrl} --api-key-stdin --no-check --storage file`;
    const login = await comem(line, { stdin: 'cmk_unknown_key' });
    expect(login).toMatchObject({ code: 0, requests: [] });
    expect(login.stderr).not.toContain('warning');
    expect((await comem('profiles list -o id')).stdout).toBe('default\ndemo\n');
  });

  it('uses the keyring where one works, and says so', async () => {
    keyring.works = true;
    try {
      const login = await comem(`auth login --base-url ${baseUrl} --api-key-stdin`, { stdin: key });
      expect(login.stderr).toContain('in the system keyring');
      expect(login.stderr).not.toContain('warning');
      expect([...keyring.kept.values()]).toEqual([key]);
      expect((await comem('auth status --check --json')).code).toBe(0);
      expect((await comem('auth logout')).code).toBe(0);
      expect(keyring.kept.size).toBe(0);
    } finally {
      keyring.works = false;
    }
  });

  it('never falls back silently: not under --quiet, not with --storage keyring', async () => {
    const line = `auth login --base-url ${baseUrl} --api-key-stdin --no-check`;
    for (const more of ['--quiet', '--storage keyring']) {
      const login = await comem(`${line} ${more}`, { stdin: key });
      expect(login.code).toBe(4);
      expect(login.stderr).toMatch(/keyring .* does not work[\s\S]*--storage file/);
    }
    expect((await comem('profiles list -o id')).stdout).toBe('demo\n');
  });
});

describe('auth login with a session', () => {
  it('keeps every sibling of a chunked cookie, beside the key', async () => {
    await comem(`auth login --base-url ${baseUrl} --api-key-stdin`, { stdin: key });
    const login = await comem('auth login --session-stdin', { stdin: `Cookie: ${session}\r\n` });
    expect(login.code).toBe(0);
    expect(login.requests).toMatchObject([
      { path: '/api/lists', query: { companyId: company }, headers: { cookie: session } },
    ]);
    expect((await comem('lists list -o id')).code).toBe(0);
    expect((await comem('metrics catalog -o id')).code).toBe(0);
  });

  it('reads a curl line, and its address when none is known', async () => {
    const curl = `curl '${baseUrl}/api/lists?companyId=${company}' \\\n  -H 'accept: */*' \\\n  -b '${session}' --compressed`;
    const login = await comem(`auth login -p web -c ${company} --session-from-curl`, { stdin: curl });
    expect(login.code).toBe(0);
    expect(login.stderr).toContain(`base URL is taken from the curl line: ${baseUrl}`);
    expect(JSON.parse((await comem('profiles get web --json')).stdout)).toMatchObject({ baseUrl, company });
  });

  it('says that it was not checked when no company is known', async () => {
    const login = await comem(`auth login --base-url ${baseUrl} --session-stdin`, { stdin: session });
    expect(login).toMatchObject({ code: 0, requests: [] });
    expect(login.stderr).toMatch(/session cookie was not checked.*-c/);
  });

  it('shows when it ends, and warns when that is soon', async () => {
    const line = `auth login --base-url ${baseUrl} --session-stdin --no-check`;
    const now = '2026-03-31T09:00:00.000Z';
    const far = await comem(line, { stdin: cookieUntil('2026-04-12T09:00:00Z'), now });
    expect(far.stderr).toContain('The session ends in 12 days (2026-04-12 09:00)');
    const near = await comem(line, { stdin: cookieUntil('2026-03-31T12:00:00Z'), now });
    expect(near.stderr).toMatch(/warning: the session of profile "default" ends in 3 hours/);
    const used = await comem(`entries list ${company} -c ${company} --page-size 1`, { now, transport: manyEntries });
    expect(used.code).toBe(0);
    expect(used.requests.length).toBeGreaterThan(2);
    expect(used.stderr.match(/warning: the session of profile "default" ends in 3 hours/g)).toHaveLength(1);
    const status = await comem('auth status --json', { now: '2026-03-31T13:00:00.000Z' });
    expect(status.stdout).toContain('ended 1 hour ago');
    expect(status.code).toBe(0);
  });
});

describe('auth login with --key-command', () => {
  it('keeps the command, runs it for each use, and no key anywhere', async () => {
    writeFileSync(join(place.home, 'vault'), `${key}\n`);
    const command = `cat '${join(place.home, 'vault')}'`;
    const login = await comem(['auth', 'login', '--base-url', baseUrl, '--key-command', command], {
      env: { PATH: process.env.PATH },
    });
    expect(login.code).toBe(0);
    expect(login.stderr).toMatch(/Saved the command that prints the API key of profile "\S+" for \S+, in \S+\.\n/);
    expect(readFileSync(files().settings, 'utf8')).not.toContain(key);
    expect((await comem('metrics catalog', { env: { PATH: process.env.PATH } })).code).toBe(0);
    writeFileSync(join(place.home, 'vault'), '');
    const broken = await comem('metrics catalog', { env: { PATH: process.env.PATH } });
    expect(broken.code).toBe(4);
    expect(broken.stderr).toContain('printed nothing');
    expect(broken.requests).toEqual([]);
  });
});

describe('auth login refuses', () => {
  it.each<[string, string, string | undefined, RegExp]>([
    [
      'a cookie pasted as a key',
      `--base-url ${baseUrl} --api-key-stdin`,
      'token=abc; b=c',
      /looks like a session cookie[\s\S]*--stdin session/,
    ],
    [
      'a key pasted as a cookie',
      `--base-url ${baseUrl} --session-stdin`,
      key,
      /looks like an API key[\s\S]*--stdin key/,
    ],
    ['a curl line as a cookie', `--base-url ${baseUrl} --session-stdin`, `curl 'x' -b 'a=1'`, /--stdin curl/],
    ['a curl line without a cookie', '--session-from-curl', `curl ${baseUrl}`, /no cookie/],
    ['an empty key', `--base-url ${baseUrl} --api-key-stdin`, '\n', /the API key is empty/],
    ['several words as a key', `--base-url ${baseUrl} --api-key-stdin`, 'my secret key', /one word/],
    [
      'two credentials on one stdin',
      '--api-key-stdin --session-stdin',
      key,
      /--session-stdin is an older name of --stdin/,
    ],
    ['a key given twice', '--api-key-stdin --key-command x', key, /--key-command/],
    ['no address', '--api-key-stdin', key, /no base URL/],
    [
      'plain http to another machine',
      '--base-url http://api.example.com --api-key-stdin',
      key,
      /plain http[\s\S]*--allow-http/,
    ],
    ['an address without a scheme', '--base-url api.example.com --api-key-stdin', key, /https:\/\/api\.example\.com/],
    ['the demo', '-p demo --api-key-stdin', key, /"demo" is built in/],
    ['a name with a slash', `-p a/b --base-url ${baseUrl} --api-key-stdin`, key, /letters, digits/],
    ['no terminal and no credential', '', undefined, /no terminal/],
    ['another storage', `--base-url ${baseUrl} --api-key-stdin --storage cloud`, key, /keyring.*file/],
  ])('%s', async (_, flags, stdin, message) => {
    const login = await comem(`auth login ${flags}`.trim(), { stdin });
    expect(login.code).toBe(2);
    expect(login.stderr).toMatch(message);
    expect(login).toMatchObject({ stdout: '', requests: [] });
    expect((await comem('profiles list -o id')).stdout).toBe('demo\n');
  });

  it('takes plain http to this machine, and to others with --allow-http, which is remembered', async () => {
    expect(
      (await comem('auth login -p local --base-url http://127.0.0.1:4010 --api-key-stdin', { stdin: key })).code,
    ).toBe(0);
    const line = 'auth login -p lan --base-url http://api.example.com --api-key-stdin --allow-http';
    expect((await comem(line, { stdin: key })).code).toBe(0);
    expect((await comem('metrics catalog -p lan')).code).toBe(0);
    expect((await comem('profiles set lan allow-http=false')).code).toBe(0);
    expect((await comem('metrics catalog -p lan')).code).toBe(2);
  });
});

describe('a stored credential', () => {
  it('goes only to the origin that it was saved for', async () => {
    await comem(`auth login --base-url ${baseUrl} --api-key-stdin`, { stdin: key });
    const elsewhere = await comem('metrics catalog --base-url https://evil.example.com');
    expect(elsewhere).toMatchObject({ code: 4, requests: [] });
    expect(elsewhere.stderr).toContain(`saved for ${baseUrl}`);
    const env = { COMEM_API_KEY: key };
    expect((await comem('metrics catalog --base-url https://other.example.com', { env })).code).toBe(0);
    const moved = await comem('profiles set default base-url=https://evil.example.com');
    expect(moved.stderr).toContain(`was saved for ${baseUrl}`);
    expect(await comem('metrics catalog')).toMatchObject({ code: 4, requests: [] });
  });
});
