import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { demo } from '../../../src/core/demo.ts';
import { run } from '../../helpers/run.ts';
import { company, useAccount } from '../auth/scripted-account.ts';

const { comem } = useAccount();
const other = 'bbbbbbbb-0000-4000-8000-000000000002';
/** What the profile demo has beside what was added. */
const own = (csv: string) =>
  csv
    .split('\n')
    .filter((line) => !line.includes('c0ffee00') && !line.startsWith('@'))
    .join('\n');

describe('companies', () => {
  it('add, list and remove aliases of a profile', async () => {
    const added = await comem(`companies add acme ${company} -p demo --json`);
    expect(JSON.parse(added.stdout)).toEqual({ alias: 'acme', id: company, default: false });
    await comem(`companies add zeta ${other} -p demo --default`);
    const list = await comem('companies list -p demo -o csv');
    expect(own(list.stdout)).toBe(`alias,name,id,default\nacme,,${company},false\nzeta,,${other},true\n`);
    const used = await comem('auth status -p demo -c acme --jq .[2].value');
    expect(used.stdout).toBe(`${company}\n`);
    expect((await comem('auth status -p demo --jq .[2].note')).stdout).toBe('alias zeta\n');
    expect((await comem('companies remove acme -p demo')).code).toBe(0);
    expect(own((await comem('companies list -p demo -o csv --no-header')).stdout)).toBe(`zeta,,${other},true\n`);
  });

  it('of the demo go by their slugs, and what is added comes before that', async () => {
    const { stdout } = await comem('companies list -p demo -o json');
    const group = { alias: '@portfolio', name: 'lumen, harbor, tessera, fieldwork, quill', default: false };
    const built = Object.entries(demo.companies).map(([slug, id]) => ({
      alias: slug,
      id,
      default: slug === 'northgate',
    }));
    expect(JSON.parse(stdout)).toEqual([...built.sort((a, b) => (a.alias < b.alias ? -1 : 1)), group]);
    expect((await comem('auth status -p demo --jq .[2].note')).stdout).toBe('alias northgate\n');
    expect((await comem('auth status -p demo -c lumen --jq .[2].value')).stdout).toBe(`${demo.companies.lumen}\n`);
    await comem('profiles set demo company=harbor');
    expect((await comem('auth status -p demo --jq .[2].value')).stdout).toBe(`${demo.companies.harbor}\n`);
    await comem(`companies add lumen ${other} -p demo`);
    expect((await comem('auth status -p demo -c lumen --jq .[2].value')).stdout).toBe(`${other}\n`);
    await comem('companies remove lumen -p demo');
    const refused = await comem('companies remove lumen -p demo');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('built in')]);
    expect((await comem('auth status -c lumen')).code).toBe(3);
  });

  it('keep aliases of one profile from another, and say when there are none', async () => {
    await comem(`companies add acme ${company} -p demo`);
    const list = await comem('companies list', { tty: true });
    expect(list).toMatchObject({ code: 0, stdout: '' });
    expect(list.stderr).toContain('comem companies add ALIAS UUID');
    expect((await comem('auth status -c acme')).code).toBe(3);
  });

  it('say where a name is given for a uuid that -c takes it', async () => {
    const { code, stderr } = await comem('companies add acme Acme -p demo');
    expect([code, stderr]).toEqual([2, expect.stringContaining('hint: -c takes the name of a company, too')]);
  });

  it('take the same alias twice only for the same company', async () => {
    await comem(`companies add acme ${company} -p demo`);
    expect((await comem(`companies add acme ${company} -p demo`)).code).toBe(0);
    const taken = await comem(`companies add acme ${other} -p demo`);
    expect(taken.code).toBe(2);
    expect(taken.stderr).toContain(`already means ${company}`);
  });

  it.each([
    [`add ${company} ${company}`, 2, /cannot be a uuid/],
    [`add a/b ${company}`, 2, /letters, digits/],
    ['add acme 123', 2, /uuid of a company, got "123"/],
    ['add acme', 2, /ID/],
    ['list -p demo -c lumn', 3, /did you mean lumen\? its aliases are/],
    ['remove acme', 3, /no company alias "acme"/],
    ['remove constructor', 3, /no company alias/],
    ['list -p nope', 2, /unknown profile "nope"/],
  ])('refuse %s', async (words, code, message) => {
    const found = await comem(`companies ${words}`);
    expect(found.code).toBe(code);
    expect(found.stderr).toMatch(message);
    expect(found.stdout).toBe('');
  });
});

describe('groups of companies', () => {
  const lumen = demo.companies.lumen;

  it('are added to, listed, shrunk and removed', async () => {
    const home = mkdtempSync(join(tmpdir(), 'comem-groups-'));
    try {
      const go = (...argv: string[]) => run(['-p', 'demo', 'companies', ...argv], { home });
      const added = await go('group', 'add', '@saas', 'lumen', 'tessera', '-o', 'json');
      expect(JSON.parse(added.stdout)).toMatchObject({ group: 'saas', names: 'lumen, tessera' });
      await go('group', 'add', 'saas', '@portfolio');
      const list = await go('group', 'list', '-o', 'csv');
      expect(list.stdout).toContain('saas,"lumen, tessera, harbor, fieldwork, quill"');
      await go('group', 'remove', 'saas', 'tessera', 'harbor');
      expect((await go('group', 'list', '-o', 'csv')).stdout).toContain('saas,"lumen, fieldwork, quill"');
      expect((await go('group', 'remove', 'saas')).code).toBe(0);
      expect((await go('group', 'list', '-o', 'csv')).stdout).not.toContain('saas');
    } finally {
      rmSync(home, { recursive: true });
    }
  });

  it.each([
    [['-c', '@saas', 'metrics', 'series'], 3, 'has no group "saas"'],
    [['-c', '@portfoli', 'metrics', 'series'], 3, 'did you mean portfolio?'],
    [['-c', '@portfolio', 'lists', 'list'], 2, 'acts on one'],
    [['companies', 'group', 'add', '@all', 'lumen'], 2, 'choose another name'],
    [['companies', 'group', 'add', 'a b', 'lumen'], 2, 'the name of a group must be'],
    [['companies', 'group', 'add', 'new', 'lumn'], 3, 'did you mean lumen?'],
    [['companies', 'group', 'remove', 'portfolio'], 2, 'is built in'],
    [['companies', 'set', 'lumen', 'fiscal-year-start=13'], 2, 'a month from 1 to 12'],
    [['companies', 'set', 'lumen', 'fiscal=4'], 2, 'the setting is fiscal-year-start=MONTH'],
  ])('%j is exit %i', async (argv, code, says) => {
    const result = await run(['-p', 'demo', ...argv]);
    expect(result.code).toBe(code);
    expect(result.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(result.stderr).toContain(says);
  });

  it('name their companies in a series, @all every one with an alias', async () => {
    const series = ['metrics', 'series', '-m', 'mrr', '--from', '2025-12', '--to', '2025-12', '-o', 'csv'];
    const portfolio = await run(['-p', 'demo', '-c', '@portfolio', ...series, '--fields', 'companyId']);
    expect(portfolio.stdout).toContain(lumen);
    expect(portfolio.stdout.trimEnd().split('\n')).toHaveLength(6);
  });

  it('and the fiscal year of a company is kept', async () => {
    const home = mkdtempSync(join(tmpdir(), 'comem-fiscal-'));
    try {
      const set = (value: string) => run(['-p', 'demo', 'companies', 'set', 'lumen', value, '-o', 'json'], { home });
      expect(JSON.parse((await set('fiscal-year-start=4')).stdout)).toMatchObject({ id: lumen, fiscalYearStart: 4 });
      const list = await run(['-p', 'demo', 'companies', 'list', '-o', 'json'], { home });
      expect(JSON.parse(list.stdout)).toContainEqual(expect.objectContaining({ alias: 'lumen', fiscalYearStart: 4 }));
      expect(JSON.parse((await set('fiscal-year-start=')).stdout)).toMatchObject({ fiscalYearStart: 1 });
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
