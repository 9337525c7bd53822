/** `comem init`: a profile with a database of one company, or with the address of an API. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownHome } from '../helpers/own-home.ts';

const { path, comem } = ownHome();

describe('a company of its own', () => {
  test('has a database, a profile that is selected, and nothing of the demo', async () => {
    const { code, stdout, stderr } = await comem(['init', '--company', 'My Co', '--currency', 'EUR', '-o', 'json']);
    expect({ code, row: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      row: { profile: 'my-co', company: 'My Co', currency: 'EUR', id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(stderr).toContain('Commands without -p now use profile "my-co".');
    expect(stderr).toContain('Next: `comem lists from-template deal-pipeline`');
    expect((await comem(['lists', 'list', '-o', 'json'])).stdout).toBe('[]\n');
    expect((await comem(['lists', 'create', 'Deals', '-o', 'json'])).code).toBe(0);
    expect((await comem(['lists', 'list', '-o', 'json', '--jq', '.[].name'])).stdout).toBe('Deals\n');
    expect((await comem(['metrics', 'catalog', '-o', 'json'])).code).toBe(0);
  });

  test('in a folder and a profile of choice', async () => {
    expect((await comem(['init', '-p', 'work', '--company', 'My Co', '--dir', 'data'])).code).toBe(0);
    expect(existsSync(join(path(), 'data/comem.db'))).toBe(true);
    expect((await comem(['profiles', 'get', '--jq', '.baseUrl'])).stdout).toBe(`embedded:${join(path(), 'data')}\n`);
    const again = await comem(['init', '-p', 'other', '--company', 'My Co', '--dir', 'data']);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('has a database with companies already') });
    expect((await comem(['profiles', 'list', '-o', 'id'])).stdout).toBe('demo\nwork\n');
  });

  test('is asked for on a terminal', async () => {
    const { code, stderr } = await comem(['init'], {
      tty: true,
      answers: [
        ['Where is the data?', '\r'],
        ['Name of the company:', 'My Co\r'],
        ['Currency (Enter for USD):', '\r'],
      ],
    });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('profile "my-co"') });
  });

  test.each([
    [['init'], 'no terminal to ask on'],
    [['init', '--company', ' '], '--company is empty'],
    [['init', '--company', 'A', '--currency', 'euro'], '--currency'],
    [['init', '--company', 'A', '--api-key-stdin'], 'is for an API'],
    [['init', '--company', 'A', '-p', 'demo'], 'there is a profile "demo" already'],
    [['init', '--company', 'A', '--base-url', 'https://api.example'], '--base-url is of an API'],
  ])('%j is refused, and nothing is made', async (argv, message) => {
    expect(await comem(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect((await comem(['profiles', 'list', '-o', 'id'])).stdout).toBe('demo\n');
  });
});

test('a database without a company leads to init, which takes it', async () => {
  const missing = await comem(['server', 'keys', 'create', '--company', 'New Co', '--dir', 'none']);
  expect({ ...missing, made: existsSync(join(path(), 'none')) }).toMatchObject({ code: 3, made: false });
  expect((await comem(['server', 'reset', '--dir', 'data', '--yes'])).code).toBe(0);
  const { code, stderr } = await comem(['server', 'keys', 'create', '--company', 'New Co', '--dir', 'data']);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`comem init --company 'New Co' --dir ${join(path(), 'data')}`),
  });
  expect((await comem(['init', '--company', 'New Co', '--dir', 'data'])).code).toBe(0);
  expect((await comem(['server', 'keys', 'create', '--company', 'New Co', '--dir', 'data'])).code).toBe(0);
});

test('a folder that is named is not filled with demo data', async () => {
  mkdirSync(join(path(), 'mine'));
  const { code, stderr } = await comem(['lists', 'list', '--base-url', 'embedded:mine']);
  expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringMatching(/no database in .*mine/) });
  expect(stderr).toContain('comem init --company NAME --dir');
  expect(existsSync(join(path(), 'mine/comem.db'))).toBe(false);
});

test('an API leads to flags that log in, not to flags that init lacks', async () => {
  const asked = await comem(['init', '-p', 'api', '--base-url', 'http://127.0.0.1:9']);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('`comem -p api auth login` with --stdin')]);
  const argv = ['init', '-p', 'api', '--base-url', 'http://127.0.0.1:9', '--stdin', 'key', '--retries', '0'];
  const refused = await comem(argv, { stdin: 'cmk_key', network: true });
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('`comem -p api auth login --no-check`')]);
});

test('an API with an address is logged in to, and selected', async () => {
  await comem(['init', '--company', 'First']);
  const { code, stderr } = await comem(['init', '-p', 'acme', '--base-url', 'embedded:', '--api-key-stdin'], {
    stdin: 'cmk_demo_investor_everything\n',
  });
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('profile "acme" instead of "first"'),
  });
  expect(stderr).not.toContain('profiles use');
});

test('the first profile of an API is said to be selected once', async () => {
  const argv = ['init', '-p', 'acme', '--base-url', 'embedded:', '--stdin', 'key'];
  const { stderr } = await comem(argv, { stdin: 'cmk_demo_investor_everything\n' });
  expect(stderr.match(/now use profile "acme"/g)).toHaveLength(1);
});

describe('names of companies in a database of its own', () => {
  const world = async () => {
    const seed = 'companies: [{ name: Lumen Analytics }, { name: Harbor Health }]\n';
    await comem(['server', 'load', '-', '--data-dir', 'data'], { stdin: seed });
    await comem(['profiles', 'set', 'own', `base-url=embedded:${join(path(), 'data')}`]);
    await comem(['profiles', 'use', 'own']);
  };

  test('-c takes one, in any letter case', async () => {
    await world();
    expect((await comem(['lists', 'create', 'Deals', '-c', 'Lumen Analytics'])).code).toBe(0);
    const names = async (company: string) => {
      const { stdout, stderr } = await comem(['lists', 'list', '-c', company, '-o', 'json', '--jq', '.[].name']);
      return stdout + stderr;
    };
    expect([await names('lumen analytics'), await names('Harbor Health')]).toEqual(['Deals\n', '']);
    expect((await comem(['lists', 'list', '-c', 'Nobody'])).code).toBe(3);
  });

  test('so does every argument and flag that names a company', async () => {
    await world();
    for (const argv of [
      ['grants', 'list', '--recipient', 'Harbor Health'],
      ['grants', 'create', '--recipient', 'harbor health', '-m', 'mrr', '--dry-run'],
      ['metrics', 'prefs', 'get', 'Harbor Health'],
      ['companies', 'set', 'Harbor Health', 'fiscal-year-start=4'],
    ]) {
      const { code, stderr } = await comem([...argv, '-c', 'Lumen Analytics']);
      expect([argv, code, stderr]).toEqual([argv, 0, expect.anything()]);
    }
    const { code, stderr } = await comem(['grants', 'list', '--recipient', 'Harbr Health', '-c', 'Lumen Analytics']);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('has no company "Harbr Health"'),
    });
  });

  test('companies list has the companies of the database, and groups', async () => {
    await world();
    await comem(['companies', 'group', 'add', 'all-of-them', 'Lumen Analytics']);
    const { stdout } = await comem(['companies', 'list', '-o', 'json', '--jq', '.[] | [.alias, .name] | @csv']);
    expect(stdout).toContain('"Lumen Analytics"');
    expect(stdout).toContain('"@all-of-them"');
  });

  test('--confirm takes one', async () => {
    await world();
    await comem(['profiles', 'set', 'own', 'protected=true']);
    const create = (name: string) => comem(['lists', 'create', 'Deals', '-c', 'Lumen Analytics', '--confirm', name]);
    expect((await create('Harbor Health')).code).toBe(2);
    expect((await create('Lumen Analytics')).code).toBe(0);
  });
});

test('whoever may read is not the own company', async () => {
  await comem(['init', '--company', 'My Co']);
  await comem(['companies', 'add', 'zebra', '0c0e5a5e-0000-4000-8000-000000000001']);
  const { stderr } = await comem(['grants', 'create'], { tty: true, answers: [['Who may read:', '\u001b']] });
  expect(stderr).toContain('zebra');
  expect(stderr).not.toMatch(/❯ my-co| {2}my-co/);
});
