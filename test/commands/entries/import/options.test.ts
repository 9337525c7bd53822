/** `entries import` with options, types and currencies that the list does not have, and files that are fixed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../helpers/cli.ts';
import { listsWorld, type World } from '../../../helpers/lists-world.ts';
import type { RunOptions, RunResult } from '../../../helpers/run.ts';

let world: World;
let cwd: string;
beforeEach(async () => {
  world = await listsWorld();
  cwd = temporaryFolder();
});
afterEach(() => world.close());

const file = (name: string, content: string) => {
  writeFileSync(join(cwd, name), content);
  return name;
};
const load = (argv: string[], options: RunOptions = {}) =>
  world.run(['entries', 'import', ...argv], { cwd, home: cwd, ...options });
const counts = ({ stdout }: RunResult) =>
  Object.fromEntries(Object.entries(JSON.parse(stdout) as Record<string, number>).filter(([, count]) => count > 0));
const entries = async (list: string) =>
  (await world.json(['entries', 'list', list])) as { title: string; values: Record<string, unknown> }[];

describe('--add-options', () => {
  const text = 'title,kind,tags\nA,x,"p;q"\nB,y,q\nC,x,\n';
  beforeEach(async () => {
    const flags = ['--create-attrs', '--type', 'kind=select', '--type', 'tags=multi_select', '--yes'];
    const first = await load(['empty', file('a.csv', text), ...flags]);
    expect(first.code).toBe(0);
  });

  it('adds what cells name and the list lacks, and shows it in the plan', async () => {
    const more = file('b.csv', 'title,kind,tags\nD,Z,"p;R"\nE,X,\n');
    const refused = await load(['empty', more, '--yes']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('; add it with --add-options')]);
    const result = await load(['empty', more, '--add-options', '--yes', '-o', 'json']);
    expect([result.code, counts(result)]).toEqual([0, { created: 2 }]);
    expect(result.stderr).toContain('+ 1 option of "kind": Z');
    expect(result.stderr).toContain('+ 1 option of "tags": R');
    const rows = await world.json(['entries', 'list', 'empty', '--fields', 'title,kind,tags', '-o', 'json']);
    expect(rows).toContainEqual({ title: 'D', kind: 'Z', tags: 'p; R' });
    expect(rows).toContainEqual({ title: 'E', kind: 'x' });
    expect(rows).toContainEqual({ title: 'A', kind: 'x', tags: 'p; q' });
    const again = await load(['empty', more, '--add-options', '--yes', '-o', 'json']);
    expect([again.code, counts(again)]).toEqual([0, { unchanged: 2 }]);
  });

  it('adds nothing for rows that are left out', async () => {
    const more = file('b.csv', 'title,kind,tags\nD,Z,\n,W,\n');
    const result = await load(['empty', more, '--add-options', '--on-error', 'skip', '--yes', '-o', 'json']);
    expect(result.code).toBe(7);
    expect(result.stderr).toContain('+ 1 option of "kind": Z');
  });

  it('does not make one option of a multi_select for two words, unless --map says so', async () => {
    const more = file('b.csv', 'title,kind,tags\nD,"x, y","p, q"\n');
    const result = await load(['empty', more, '--add-options', '--yes']);
    expect([result.code, result.stderr]).toEqual([
      2,
      expect.stringContaining(
        `line 2, column tags: "p, q" would be one option; for 2 write --map 'tags=tags|split(",")', for one --map 'tags=tags|trim'`,
      ),
    ]);
    const [two, one] = ['tags=tags|split(",")', 'tags=tags|trim'].map((map) =>
      load(['empty', more, '--add-options', '--map', map, '--dry-run']),
    );
    expect((await two)?.stderr).toContain('+ 1 option of "kind": x, y\n  + create');
    expect((await one)?.stderr).toContain('+ 1 option of "tags": p, q\n');
  });
});

describe('--type', () => {
  it('may be repeated with the same file', async () => {
    const argv = ['empty', file('a.csv', 'title;Betrag\nA;1.234,50\n'), '--create-attrs', '--type', 'Betrag=number'];
    const first = await load([...argv, '--yes', '-o', 'json']);
    expect([first.code, counts(first)]).toEqual([0, { created: 1 }]);
    const again = await load([...argv, '--yes', '-o', 'json']);
    expect([again.code, counts(again)]).toEqual([0, { unchanged: 1 }]);
    const other = await load([...argv.slice(0, -1), 'Betrag=text', '--yes']);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('has this attribute already, of the type number'),
    ]);
  });

  it.each([
    ['€ 1.200,50', 'EUR'],
    ['1200.50 USD', 'USD'],
    ['$1,200.50', 'USD'],
    ['1200 kr', undefined],
    ['1200', undefined],
  ])('currency takes the currency of the cells: %s', async (cell, currency) => {
    const text = `title,Amount\nA,"${cell}"\n`;
    const flags = ['--create-attrs', '--type', 'Amount=currency', '--decimal', cell.includes(',50') ? ',' : '.'];
    const result = await load(['empty', file('a.csv', text), ...flags, '--yes']);
    expect(result.code).toBe(0);
    if (currency) expect(result.stderr).toContain(`+ attribute "Amount", currency in ${currency}`);
    const [attribute] = (await world.json(['attrs', 'list', 'empty'])) as { config?: { currency?: string } }[];
    expect(attribute?.config?.currency).toBe(currency);
  });
});

describe('--on-error skip', () => {
  it('says why it does not apply', async () => {
    const all = await load(['deals', file('a.csv', 'title,amount\n,1\n,2\n'), '--on-error', 'skip', '--yes']);
    expect([all.code, all.stderr]).toEqual([2, expect.stringContaining('so --on-error skip leaves none out')]);
    const column = await load(['deals', file('b.csv', 'title,nonsense\nA,1\n'), '--on-error', 'skip', '--yes']);
    expect([column.code, column.stderr]).toEqual([2, expect.stringContaining('--on-error skip leaves out rows')]);
  });
});

describe('a file of failed rows', () => {
  it('keeps the delimiter and the decimal mark of its source', async () => {
    const text = 'title;amount\nA;1,5\n;1.234\n';
    const name = file('de.csv', text);
    const first = await load(['deals', name, '--on-error', 'skip', '--failed', 'bad.csv', '--yes', '-o', 'json']);
    expect([first.code, counts(first)]).toEqual([7, { created: 1, skipped: 1 }]);
    const bad = readFileSync(join(cwd, 'bad.csv'), 'utf8');
    expect(bad).toMatch(/^title;amount;.*_source/);
    writeFileSync(join(cwd, 'bad.csv'), bad.replace('\n;', '\nFixed;'));
    const fixed = await load(['deals', 'bad.csv', '--yes', '-o', 'json']);
    expect([fixed.code, counts(fixed)]).toEqual([0, { created: 1 }]);
    expect(fixed.stderr).not.toContain('Left out');
    expect((await entries('deals')).find(({ title }) => title === 'Fixed')?.values.amount).toBe(1234);
  });
});

describe('steps', () => {
  it('split at a comma, replace one, and put an address before bare domains', async () => {
    const text = 'title,tags,site,price\nA,"p,q",acme.com,"1,5"\nB,p,http://b.com,2\n';
    const maps = ['tags=tags|split(,)', 'site=site|prefix("https://")', 'price=price|replace(,,.)'];
    const flags = ['--create-attrs', ...maps.flatMap((map) => ['--map', map])];
    const result = await load(['empty', file('a.csv', text), ...flags, '--yes']);
    expect([result.code, result.stderr]).toEqual([0, expect.anything()]);
    const rows = await world.json(['entries', 'list', 'empty', '--fields', 'title,tags,site,price']);
    expect(rows).toEqual([
      { title: 'A', tags: 'p; q', site: 'https://acme.com', price: 1.5 },
      { title: 'B', tags: 'p', site: 'http://b.com', price: 2 },
    ]);
  });

  it.each(['select', 'status', 'multi_select'])('apply to cells of a %s that are options already', async (type) => {
    const text = 'title,kind\nA,Passed\nB,Passed!\nC,Invested\n';
    const flags = ['--create-attrs', '--type', `kind=${type}`, '--map', 'kind=kind|strip(!)', '--yes'];
    expect((await load(['empty', file('a.csv', text), ...flags])).code).toBe(0);
    for (const [steps, expected] of [
      ['replace(Passed,Invested)', 'Invested'],
      ['strip(Passed)|default(Invested)', 'Invested'],
      ['lower', 'Passed'],
    ] as const) {
      const result = await load([
        'empty',
        file('b.csv', 'title,kind\nA,Passed\n'),
        '--map',
        `kind=kind|${steps}`,
        '--yes',
      ]);
      expect([steps, result.code]).toEqual([steps, 0]);
      expect(
        await world.json(['entries', 'list', 'empty', '--fields', 'title,kind', '--where', 'title = "A"']),
      ).toEqual([{ title: 'A', kind: expected }]);
    }
  });
});
