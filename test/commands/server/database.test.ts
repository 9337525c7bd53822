import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { demo } from '../../../src/core/demo.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { run } from '../../helpers/run.ts';

const employment = new URL('../../data/us-employment.csv', import.meta.url).pathname;
const original = readFileSync(employment, 'utf8').trim().split('\n');

let home: string;
let dataDir: string;
beforeEach(() => {
  home = temporaryFolder();
  dataDir = join(home, 'db');
});

const comem = (argv: string[], env: Record<string, string | undefined> = {}) =>
  run(argv, { home, env, cwd: home, network: true });
const file = (name: string, text: string) => {
  writeFileSync(join(home, name), text);
  return name;
};
const own = { COMEM_COMPANY_ID: undefined, COMEM_NOW: undefined };

describe('server load', () => {
  test('the employment file comes back to the digit, 60 months of it', async () => {
    const loaded = await comem(['server', 'load', employment, '--data-dir', dataDir, '-o', 'json']);
    expect(loaded).toMatchObject({ code: 0 });
    expect(JSON.parse(loaded.stdout)).toContainEqual({ section: 'points', created: 2760, updated: 0, unchanged: 0 });
    expect(loaded.stderr).toMatch(/The points belong to us-employment \([0-9a-f-]{36}\)/);
    const keys = /`comem (server keys create --dir \S+ --company \S+)`/.exec(loaded.stderr)?.[1] ?? '';
    expect((await comem(keys.split(' '))).code).toBe(0);
    const header = (original[0] ?? '').split(',').slice(1);
    const metrics = [
      'metrics',
      'series',
      '-m',
      header.join(','),
      '--from',
      '2006-01',
      '--to',
      '2010-12',
      '--order',
      'asc',
    ];
    const env = { ...own, COMEM_BASE_URL: `embedded:${dataDir}` };
    const series = await comem([...metrics, '--fields', ['periodKey', ...header].join(','), '-o', 'csv'], env);
    expect(series).toMatchObject({ code: 0 });
    const expected = original.slice(1, 61).map((line) => line.replace(/^(\d{4}-\d{2})-01/, '$1'));
    expect(series.stdout.trim().split('\n').slice(1)).toEqual(expected);
  });

  test('the same file again changes nothing', async () => {
    await comem(['server', 'load', employment, '--data-dir', dataDir]);
    const again = await comem(['server', 'load', employment, '--data-dir', dataDir, '-o', 'json']);
    const rows = JSON.parse(again.stdout) as { created: number; updated: number }[];
    expect(rows).not.toEqual([]);
    expect(rows.filter(({ created, updated }) => created !== 0 || updated !== 0)).toEqual([]);
  });

  test.each([
    [
      'f.csv',
      'month,a\n2006-01,1\n2006-Q2,2\n',
      [],
      'f.csv, line 3: 2006-Q2 is a quarter, and actuals exist only by month',
    ],
    ['f.csv', 'month,a\n01.02.2006,1\n', [], 'f.csv, line 2: "01.02.2006" is not a date'],
    ['f.yaml', 'companies:\n  - slug: a\n', [], 'f.yaml, line 2, column 5: companies.0.name is required'],
    ['f.yaml', '{}', ['--as-version', 'budget'], '--company, --versions and --map are only for CSV files'],
    ['f.txt', '', [], 'f.txt is not a seed file: its name must end in .yaml, .yml, .json, .ndjson, .csv, .tsv'],
    ['f.csv', 'month,a\n2006-01,1\n', ['--as-version', 'plan'], '--as-version must be actual, budget or forecast'],
  ])('%s %j is refused with exit 2', async (name, text, flags, message) => {
    const result = await comem(['server', 'load', file(name, text), '--data-dir', dataDir, ...flags]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  const given = {
    csv: 'period,mrr\n2024-01,5\n',
    tsv: 'period\tmrr\n2024-01\t5\n',
    json: '{"companies":[{"slug":"acme","name":"Acme"}],"points":[{"company":"acme","period":"2024-01","metrics":{"mrr":5}}]}',
    yaml: '# The file of a test.\ncompanies: [{slug: acme, name: Acme}]\npoints: [{company: acme, period: 2024-01, metrics: {mrr: 5}}]\n',
  };
  test.each(Object.entries(given))('%s from stdin, and from a file without an extension', async (form, text) => {
    const flags = form === 'csv' || form === 'tsv' ? ['-c', 'Acme'] : [];
    const argv = ['server', 'load', '-', '--format', form, '--data-dir', dataDir, ...flags, '-o', 'csv'];
    // Long ones are read while they are loaded.
    const long = form === 'json' || form === 'yaml' ? text.trimEnd().concat('\n'.repeat(600_000)) : text;
    for (const [stdin, counts] of [
      [text, '1,0,0'],
      [long, '0,0,1'],
    ] as const) {
      const loaded = await run(argv, { home, env: {}, cwd: home, network: true, stdin });
      expect([loaded.code, loaded.stdout], loaded.stderr).toEqual([0, expect.stringContaining(`points,${counts}\n`)]);
    }
    const named = await comem([
      'server',
      'load',
      file('noname', text),
      '--data-dir',
      dataDir,
      '--format',
      form,
      ...flags,
    ]);
    expect(named, named.stderr).toMatchObject({ code: 0 });
  });

  test('stdin is refused without a name for a new company, and where it is a terminal or not text', async () => {
    const load = (stdin: string | undefined, format: string) =>
      run(['server', 'load', '-', '--format', format, '--data-dir', dataDir], { home, env: {}, tty: true, stdin });
    expect((await load(given.csv, 'csv')).stderr).toContain('stdin needs --company: the database is empty');
    expect((await load(undefined, 'csv')).stderr).toContain('stdin is a terminal');
    expect((await load('companies:\n  - slug: a\n', 'yaml')).stderr).toContain(
      'stdin, line 2, column 5: companies.0.name is required',
    );
  });

  test('a file that is not there is exit 2', async () => {
    expect(await comem(['server', 'load', 'none.yaml', '--data-dir', dataDir])).toMatchObject({ code: 2, stdout: '' });
  });

  test('renamed columns, a named company, a budget', async () => {
    const csv = file('p.csv', 'when,what,how\n2026-Q1,mrr,5.50\n');
    const renames = ['when=period', 'what=metric', 'how=value'].flatMap((pair) => ['--rename', pair]);
    const flags = ['--data-dir', dataDir, '-c', 'Acme', '--as-version', 'budget', ...renames];
    expect(await comem(['server', 'load', csv, ...flags])).toMatchObject({ code: 0 });
    const dump = await comem(['server', 'dump', '--data-dir', dataDir]);
    expect(dump.stdout).toContain('name: "Acme"\n');
    expect(dump.stdout).toContain('period: "2026-Q1"\n    version: "budget"\n');
    expect(dump.stdout).toContain('mrr: 5.50\n');
  });
});

describe('a folder without a database', () => {
  test.each([['dump'], ['keys', 'list'], ['keys', 'revoke', 'x', '--yes']])(
    'is not found by %s %s',
    async (...words) => {
      const missing = join(temporaryFolder(), 'none');
      const { code, stdout, stderr } = await comem(['server', ...words, '--data-dir', missing]);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain(`no database in ${missing}`);
      expect(existsSync(missing)).toBe(false);
    },
  );

  test('is made with the demo data where it is the demo', async () => {
    const { code, stdout } = await comem(['server', 'keys', 'list', '-p', 'demo', '-o', 'id']);
    expect([code, stdout.trim().split('\n').length > 5]).toEqual([0, true]);
  });
});

describe('server dump and reset', () => {
  test('the demo of the demo profile, as YAML and JSON, without a secret', async () => {
    await comem(['-p', 'demo', 'lists', 'list']);
    const yaml = await comem(['-p', 'demo', 'server', 'dump']);
    expect(yaml).toMatchObject({ code: 0, stderr: '' });
    expect(yaml.stdout).toMatch(/^clock: "2026-03-31T09:00:00.000Z"\ncompanies:\n/);
    expect(yaml.stdout).not.toContain(demo.apiKey);
    const json = await comem(['-p', 'demo', 'server', 'dump', '-O', 'demo.json']);
    expect(json).toMatchObject({ code: 0, stdout: '' });
    expect(Object.keys(JSON.parse(readFileSync(join(home, 'demo.json'), 'utf8')))).toContain('publications');
    expect(await comem(['server', 'load', 'demo.json', '--data-dir', dataDir])).toMatchObject({ code: 0 });
    expect((await comem(['server', 'dump', '--data-dir', dataDir])).stdout).toBe(yaml.stdout);
    expect(await comem(['server', 'dump', '-p', 'demo', '-o', 'csv'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('reset needs --yes here, and the demo is then as at first', async () => {
    await comem(['-p', 'demo', 'lists', 'create', 'Mine']);
    const refused = await comem(['-p', 'demo', 'server', 'reset']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect((await comem(['-p', 'demo', 'lists', 'list', '-o', 'id'])).stdout.trim().split('\n')).toHaveLength(5);
    expect(await comem(['-p', 'demo', 'server', 'reset', '--yes'])).toMatchObject({ code: 0, stdout: '' });
    expect((await comem(['-p', 'demo', 'lists', 'list', '-o', 'id'])).stdout.trim().split('\n')).toHaveLength(4);
  });
});

describe('server credentials and openapi', () => {
  test('shows complete credentials at 80 columns', async () => {
    const { stdout } = await run(['server', 'credentials'], { tty: true, columns: 80 });
    const all = JSON.parse((await run(['server', 'credentials', '--json'])).stdout) as { credential: string }[];
    for (const { credential } of all) expect(stdout).toContain(credential);
  });

  test('the keys and companies of the demo', async () => {
    const { stdout, code } = await comem(['server', 'credentials', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ kind: 'session', credential: demo.session, companyId: demo.companyId }),
    );
  });

  test('the OpenAPI document as JSON and YAML', async () => {
    const json = await comem(['server', 'openapi']);
    expect(JSON.parse(json.stdout)).toMatchObject({ openapi: '3.1.0' });
    expect((await comem(['server', 'openapi', '-o', 'yaml'])).stdout).toMatch(/^openapi: "3\.1\.0"\n/);
    expect(await comem(['server', 'openapi', 'extra'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('server keys', () => {
  test('a key and a session are made, listed by their hints, and revoked', async () => {
    await comem(['server', 'load', file('a.yaml', 'companies: [{ slug: a, name: Acme }]'), '--data-dir', dataDir]);
    const at = ['--data-dir', dataDir, '-o', 'json'];
    const key = JSON.parse(
      (await comem(['server', 'keys', 'create', '--name', 'ci', '--expires', '90d', ...at])).stdout,
    );
    expect(key).toMatchObject({ kind: 'api_key', company: 'Acme', user: 'operator@localhost', status: 'active' });
    expect(key.secret).toMatch(/^cmk_.{20,}$/);
    const session = JSON.parse((await comem(['server', 'keys', 'create', '--session', ...at])).stdout);
    expect(session.secret).toMatch(/^comem-auth-token=.{20,}$/);
    const listed = await comem(['server', 'keys', 'list', ...at]);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ status: 'active' }, { status: 'active' }]);
    expect(listed.stdout).not.toContain(key.secret);

    expect(await comem(['server', 'keys', 'revoke', key.id, '--data-dir', dataDir])).toMatchObject({ code: 2 });
    expect(await comem(['server', 'keys', 'revoke', key.id, '--data-dir', dataDir, '--yes'])).toMatchObject({
      code: 0,
    });
    const after = JSON.parse((await comem(['server', 'keys', 'ls', ...at])).stdout);
    expect(Object.fromEntries(after.map(({ id, status }: Record<string, string>) => [id, status]))).toEqual({
      [key.id]: 'revoked',
      [session.id]: 'active',
    });
    const unknown = await comem(['server', 'keys', 'revoke', demo.companyId, '--data-dir', dataDir, '--yes']);
    expect(unknown).toMatchObject({ code: 3 });
  });

  test('an end in the past is exit 2, and no key is made', async () => {
    await comem(['init', '--company', 'Acme', '--dir', dataDir]);
    const create = ['server', 'keys', 'create', '--dir', dataDir, '--expires'];
    const { code, stderr } = await comem([...create, '2020-01-01']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--expires 2020-01-01 is in the past')]);
    expect((await comem([...create, '6m'])).code).toBe(0);
    const { stdout } = await comem(['server', 'keys', 'list', '--dir', dataDir, '--jq', 'length']);
    expect(stdout).toBe('1\n');
  });

  test('no database is exit 3; a wrong company and a wrong user are exit 2', async () => {
    expect(await comem(['server', 'keys', 'create', '--data-dir', dataDir])).toMatchObject({ code: 3, stdout: '' });
    await comem(['-p', 'demo', 'lists', 'list']);
    const several = await comem(['-p', 'demo', 'server', 'keys', 'create']);
    expect(several).toMatchObject({ code: 2 });
    expect(several.stderr).toContain('--company is needed: the database holds 8 companies');
    const wrong = await comem([
      '-p',
      'demo',
      'server',
      'keys',
      'create',
      '-c',
      'Northgate Ventures',
      '--user',
      'x@y.example',
    ]);
    expect(wrong.stderr).toContain('--user x@y.example is not a member of the company');
  });
});

test.each([
  'mysql://me:hunter2@db.example/x',
  'postgres:me:hunter2@db.example',
  'file:///tmp/hunter2',
  'postgres://me:hunter2@db.example/x',
])('an unknown address is no folder: %s', async (address) => {
  const before = readdirSync(home);
  const refused = await comem(['server', 'dump', '--data-dir', address]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(`--dir does not take an address that begins with ${address.split(':')[0]}:`);
  expect(refused.stderr).not.toContain('hunter2');
  expect(readdirSync(home)).toEqual(before);
});

describe('embedded:DIR of other companies than the demo', () => {
  const seedOf = (...slugs: string[]) =>
    JSON.stringify({
      companies: slugs.map((slug) => ({ slug, name: slug.toUpperCase() })),
      users: [{ email: 'u@acme.example', companies: slugs }],
      lists: [{ company: slugs[0], name: 'Deals', attributes: [{ name: 'Note', attribute_type: 'text' }] }],
    });

  test('acts as its only company: reads, and every kind of write', async () => {
    await comem(['server', 'load', file('own.json', seedOf('acme')), '--data-dir', dataDir]);
    const api = ['--base-url', `embedded:${dataDir}`, '-o', 'json'];
    for (const argv of [
      ['lists', 'list'],
      ['lists', 'create', 'Other'],
      ['attrs', 'create', 'deals', 'Size', '--type', 'number'],
      ['entries', 'create', 'deals', '--title', 'New', '--set', 'note=x'],
      ['entries', 'update', 'deals', 'New', '--set', 'note=y'],
      ['grants', 'create', '--recipient-user', '00000000-0000-4000-8000-000000000001', '--all-metrics'],
      ['metrics', 'catalog'],
      ['lists', 'delete', 'other', '--yes'],
    ]) {
      const { code, stderr } = await comem([...argv, ...api], own);
      expect([argv, code, stderr]).toEqual([argv, 0, expect.not.stringContaining(demo.companyId)]);
    }
  });

  test('names the companies where there are several', async () => {
    await comem(['server', 'load', file('own.json', seedOf('acme', 'birch')), '--data-dir', dataDir]);
    for (const argv of [
      ['lists', 'list'],
      ['metrics', 'catalog'],
      ['lists', 'create', 'X'],
    ]) {
      const { stderr, code } = await comem([...argv, '--base-url', `embedded:${dataDir}`], own);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/holds several companies; name one of ACME \(\S+\), BIRCH \(/);
      expect(stderr).not.toContain('Writing to');
    }
  });

  test('reads and writes for each of several', async () => {
    await comem(['server', 'load', file('own.json', seedOf('acme', 'birch')), '--data-dir', dataDir]);
    const api = ['--base-url', `embedded:${dataDir}`];
    const { stderr: names } = await comem(['lists', 'list', ...api], own);
    const ids = names.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
    expect(ids).toHaveLength(2);
    for (const id of ids) {
      for (const argv of [
        ['lists', 'create', 'Deals'],
        ['entries', 'create', 'deals', '--title', 'Acme'],
        ['entries', 'count', 'deals'],
        ['metrics', 'catalog'],
        ['grants', 'create', '-m', 'mrr', '--recipient-company', id],
        ['grants', 'revoke', '--all', '--yes'],
        ['check', 'entries', 'deals', '--expect', 'count = 1'],
      ]) {
        const { code, stderr } = await comem([...argv, '-c', id, ...api], own);
        expect([argv, code, stderr]).toEqual([argv, 0, expect.not.stringContaining(demo.companyId)]);
      }
    }
  });
});
