/** Login, profiles and companies through the binary, against the embedded API on a folder. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import { type CliOptions, cli, temporaryFolder } from '../helpers/cli.ts';
import { fillWithDemo } from '../helpers/demo-folder.ts';

let home: string;
const comem = (argv: string[], options: CliOptions = {}) =>
  // No keyring of the machine that runs the tests is touched.
  cli(argv, { home, ...options, env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', ...options.env } });
const login = (name: string, flags: string[], stdin: string) =>
  comem(['auth', 'login', '-p', name, '--base-url', `embedded:${join(home, 'db')}`, '--storage', 'file', ...flags], {
    stdin,
  });

beforeAll(async () => {
  home = temporaryFolder();
  await fillWithDemo(join(home, 'db'));
});

describe('auth', () => {
  it('login: key and session of a profile, checked by the API, used by the next commands', async () => {
    const key = await login('work', ['--api-key-stdin'], `${demo.apiKey}\n`);
    expect(key).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('profile "work"') });
    const session = await login('work', ['--session-stdin'], demo.session);
    expect(session).toMatchObject({ code: 0, stdout: '' });
    const lists = await comem(['lists', 'list', '-o', 'id']);
    expect(lists).toMatchObject({ code: 0, stderr: '' });
    expect(lists.stdout.trim().split('\n')).toHaveLength(4);
    const catalog = await comem(['metrics', 'catalog', '-o', 'id']);
    expect(catalog.stdout).toContain('mrr\n');
    const folder = join(home, 'config/comem');
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).not.toContain(demo.apiKey);
  });

  it.each([
    ['a revoked key', ['--api-key-stdin'], 'cmk_demo_investor_revoked_key', 4, 'revoked'],
    ['an unknown key', ['--api-key-stdin'], 'cmk_nobody', 4, 'unknown'],
    [
      'an expired session',
      ['--session-stdin', '-c', demo.companyId],
      'comem-auth-token=demo-session-investor-expired',
      4,
      'expired',
    ],
    ['a session as a key', ['--api-key-stdin'], demo.session, 2, 'session cookie'],
  ])('login refuses %s and saves nothing', async (_, flags, stdin, code, says) => {
    expect(await login('refused', flags, stdin)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(says),
    });
    expect(await comem(['profiles', 'get', 'refused'])).toMatchObject({ code: 3, stdout: '' });
  });

  it('status --check: 0 when both are accepted, 4 when one is not', async () => {
    const good = await comem(['auth', 'status', '--check', '-o', 'csv', '-p', 'demo']);
    expect(good.code).toBe(0);
    expect(good.stdout.match(/accepted/g)).toHaveLength(2);
    const bad = await comem(['auth', 'status', '--check'], { env: { COMEM_API_KEY: 'cmk_nobody' } });
    expect(bad).toMatchObject({ code: 4, stdout: expect.stringContaining('unknown') });
  });

  it('a key command is run at use; its failure is exit 4 in its own words', async () => {
    writeFileSync(join(home, 'key'), demo.apiKey);
    const command = `cat '${join(home, 'key')}'`;
    const made = await login('vault', ['--key-command', command], '');
    expect(made.code).toBe(0);
    expect(await comem(['metrics', 'live', '-p', 'vault', '-o', 'json'])).toMatchObject({ code: 0 });
    writeFileSync(join(home, 'key'), '');
    expect(await comem(['metrics', 'live', '-p', 'vault'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('printed nothing'),
    });
  });

  it('logout: the profile is left without credentials', async () => {
    await login('leaving', ['--api-key-stdin'], demo.apiKey);
    expect(await comem(['auth', 'logout', '-p', 'leaving'])).toMatchObject({ code: 0, stdout: '' });
    expect(await comem(['profiles', 'get', 'leaving', '--jq', '.key'])).toMatchObject({ code: 0, stdout: 'null\n' });
    expect(await comem(['auth', 'logout', '-p', 'nobody'])).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('profiles', () => {
  it('written by many processes at once are all kept', async () => {
    const own = temporaryFolder();
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    const done = await Promise.all(
      names.map((name) => comem(['profiles', 'set', name, `base-url=https://${name}.example.com`], { home: own })),
    );
    expect(done.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect((await comem(['profiles', 'list', '-o', 'id'], { home: own })).stdout).toBe(`demo\n${names.join('\n')}\n`);
  });

  it('use, rename, delete; a broken settings file is named', async () => {
    const own = temporaryFolder();
    const run = (...argv: string[]) => comem(['profiles', ...argv], { home: own });
    expect(await run('set', 'a', 'base-url=https://a.example.com')).toMatchObject({ code: 0 });
    expect(await run('use', 'a')).toMatchObject({ code: 0, stdout: '' });
    expect(await run('rename', 'a', 'b')).toMatchObject({ code: 0, stdout: '' });
    expect(await run('get', '--jq', '.name')).toMatchObject({ code: 0, stdout: 'b\n' });
    expect(await run('delete', 'b')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await run('rm', 'b', '--yes')).toMatchObject({ code: 0, stdout: '' });
    const file = join(own, 'config/comem/config.json');
    writeFileSync(file, '{"version":1,');
    expect(await run('list')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(file) });
  });
});

describe('companies', () => {
  it('an alias stands for the company wherever one is named', async () => {
    const run = (...argv: string[]) => comem([...argv, '-p', 'demo']);
    expect(await run('companies', 'add', 'north', demo.companyId)).toMatchObject({ code: 0 });
    expect(await run('lists', 'list', '-c', 'north', '-o', 'id')).toMatchObject({ code: 0 });
    expect(await run('companies', 'list', '-o', 'csv')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`\nnorth,Northgate Ventures,${demo.companyId},true\n`),
    });
    expect(await run('companies', 'remove', 'north')).toMatchObject({ code: 0, stdout: '' });
    expect(await run('lists', 'list', '-c', 'north')).toMatchObject({ code: 3, stdout: '' });
    expect(await run('companies', 'add', 'north')).toMatchObject({ code: 2, stdout: '' });
  });
});
