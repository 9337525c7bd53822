import { describe, expect, it } from 'vitest';
import { demo } from '../../../src/core/demo.ts';
import { baseUrl, company, key, useAccount } from '../auth/scripted-account.ts';

const { comem } = useAccount();
const login = (name: string) =>
  comem(`auth login -p ${name} --base-url ${baseUrl} --api-key-stdin --storage file`, { stdin: key });
const names = async () => (await comem('profiles list -o id')).stdout.trim().split('\n');

describe('a mistyped word', () => {
  it.each([
    ['profiles get deno', 3, /unknown profile "deno".*\n.*did you mean demo\?/],
    ['profiles set demo readnly=true', 2, /did you mean readonly\? the settings are/],
  ])('of %s gets a suggestion', async (words, code, says) => {
    const found = await comem(words);
    expect([found.code, found.stderr]).toEqual([code, expect.stringMatching(says)]);
  });
});

describe('profiles list and get', () => {
  it('show the built-in demo on a machine that has seen nothing', async () => {
    const list = await comem('profiles list --json');
    expect(list.code).toBe(0);
    expect(JSON.parse(list.stdout)).toEqual([
      {
        name: 'demo',
        current: false,
        baseUrl: 'embedded:',
        readonly: false,
        protected: false,
        allowHttp: false,
        companies: demo.companies,
      },
    ]);
    expect((await comem('profiles list', { tty: true, columns: 120 })).stdout).toMatch(/demo +no +embedded:/);
  });

  it('names the company of each profile by its own alias', async () => {
    for (const name of ['first', 'second']) await login(name);
    await comem(`companies add acme ${company} -p first`);
    for (const name of ['first', 'second']) await comem(`profiles set ${name} company=${company}`);
    await comem('profiles use second');
    const { stdout } = await comem('profiles list -o table --fields name,company');
    expect(stdout).toMatch(/^first +acme$/m);
    expect(stdout).toMatch(new RegExp(`^second +${company}$`, 'm'));
  });

  it('get: exit 3 for a name that matches nothing, exit 2 for -p', async () => {
    expect(await comem('profiles get nope')).toMatchObject({ code: 3, stdout: '' });
    const flag = await comem('profiles get -p dmo');
    expect(flag.code).toBe(2);
    expect(flag.stderr).toContain('did you mean "demo"');
  });

  it('get --jq gives one value', async () => {
    expect((await comem('profiles get demo --jq .baseUrl')).stdout).toBe('embedded:\n');
  });
});

describe('profiles set', () => {
  it('sets and takes away what a profile holds', async () => {
    await login('work');
    await comem(`companies add acme ${company} -p work`);
    const set = await comem('profiles set work output=json readonly=yes timeout=2.5 retries=0 company=acme --json');
    expect(JSON.parse(set.stdout)).toMatchObject({ output: 'json', readonly: true, timeout: 2.5, retries: 0, company });
    const rare = await comem('profiles set work max-response=10 concurrency=2 keep-undo=true pager=off --json');
    expect(JSON.parse(rare.stdout)).toMatchObject({ maxResponse: 10, concurrency: 2, keepUndo: true, pager: 'off' });
    const unset = await comem('profiles set work output= readonly=false company=');
    expect(unset.code).toBe(0);
    const now = JSON.parse((await comem('profiles get work --json')).stdout);
    expect(now).toMatchObject({ readonly: false, key: { storage: 'file' } });
    expect(now).not.toHaveProperty('output');
    expect(now).not.toHaveProperty('company');
  });

  it('makes a profile from only an address', async () => {
    expect((await comem(`profiles set ci base-url=${baseUrl}/`)).code).toBe(0);
    expect(await names()).toEqual(['ci', 'demo']);
    const env = { COMEM_PROFILE: 'ci', COMEM_API_KEY: key };
    expect((await comem('metrics catalog', { env })).code).toBe(0);
  });

  it.each([
    ['work colour=red', 2, /unknown setting "colour".*\n.*base-url, company, output, pager, readonly, protected/],
    ['work readonly', 2, /key=value.*"readonly"/],
    ['work readonly=maybe', 2, /readonly must be true or false, got "maybe"/],
    ['work output=exel', 2, /unknown output format "exel"/],
    ['work timeout=0', 2, /timeout/],
    ['work retries=-1', 2, /retries/],
    ['work concurrency=65', 2, /concurrency must be a whole number from 1 to 64/],
    ['work max-response=501', 2, /max-response must be a whole number of mebibytes from 1 to 500/],
    ['work base-url=example.com', 2, /base-url must start with/],
    ['work company=acmee', 3, /has no company "acmee"/],
    ['work output=json retries=x', 2, /retries/],
    ['demo base-url=https://example.com', 2, /cannot be changed/],
    ['demo base-url=', 2, /cannot be changed/],
    ['nope output=json', 3, /unknown profile "nope"/],
    ['a/b base-url=https://example.com', 2, /letters, digits/],
    ['work', 2, /KEY=VALUE/],
  ])('refuses %s and changes nothing', async (words, code, message) => {
    await login('work');
    const before = (await comem('profiles list --json')).stdout;
    const set = await comem(`profiles set ${words}`);
    expect(set.code).toBe(code);
    expect(set.stdout).toBe('');
    expect(set.stderr).toMatch(message);
    expect((await comem('profiles list --json')).stdout).toBe(before);
  });

  it('lets the demo keep settings of its own', async () => {
    expect((await comem('profiles set demo readonly=true')).code).toBe(0);
    const write = await comem('lists create X -p demo');
    expect(write).toMatchObject({ code: 2, requests: [] });
    expect(write.stderr).toContain('read-only');
  });
});

describe('profiles use', () => {
  it('chooses the profile of commands without -p', async () => {
    await login('work');
    await comem(`profiles set other base-url=https://other.example.com`);
    expect((await comem('profiles use other')).code).toBe(0);
    expect((await comem('profiles get --jq .name')).stdout).toBe('other\n');
    expect((await comem('profiles use nope')).code).toBe(3);
    const shadowed = await comem('profiles use work', { env: { COMEM_PROFILE: 'other' } });
    expect(shadowed.stderr).toContain('COMEM_PROFILE is set to "other"');
  });
});

describe('profiles rename', () => {
  it('keeps credentials and follows the choice', async () => {
    await login('work');
    expect((await comem('profiles rename work home')).code).toBe(0);
    expect(await names()).toEqual(['demo', 'home']);
    expect((await comem('metrics catalog')).code).toBe(0);
  });

  it.each([
    ['demo x', 2, /built in/],
    ['work demo', 2, /profile "demo" already exists/],
    ['work other', 2, /profile "other" already exists/],
    ['nope x', 3, /unknown profile "nope"/],
    ['work a/b', 2, /letters, digits/],
  ])('refuses %s', async (words, code, message) => {
    await login('work');
    await login('other');
    const renamed = await comem(`profiles rename ${words}`);
    expect(renamed.code).toBe(code);
    expect(renamed.stderr).toMatch(message);
    expect(await names()).toEqual(['demo', 'other', 'work']);
  });
});

describe('profiles delete', () => {
  it('needs --yes without a terminal, and takes the secret along', async () => {
    await login('work');
    const unsure = await comem('profiles delete work');
    expect(unsure.code).toBe(2);
    expect(unsure.stderr).toContain('--yes');
    expect((await comem('profiles delete work --yes')).code).toBe(0);
    expect(await names()).toEqual(['demo']);
    expect((await comem('metrics catalog')).code).toBe(2);
  });

  it('refuses the demo and names that do not exist', async () => {
    expect((await comem('profiles delete demo --yes')).code).toBe(2);
    expect((await comem('profiles delete nope --yes')).code).toBe(3);
  });
});
