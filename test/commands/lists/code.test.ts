/** Lists as code: pull, plan, apply, against a fresh world each time. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attributeTypes, tones } from '../../../src/contract/lists.ts';
import { readYaml, writeYaml } from '../../../src/core/yaml.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, listsWorld, sent, type World } from '../../helpers/lists-world.ts';
import { type RunResult, run as runPlain } from '../../helpers/run.ts';

let world: World;
let cwd: string;
beforeEach(async () => {
  world = await listsWorld();
  cwd = mkdtempSync(join(tmpdir(), 'comem-lists-'));
});
afterEach(async () => {
  rmSync(cwd, { recursive: true, force: true });
  await world.close();
});

const run = (...argv: string[]) => world.run(['lists', ...argv], { cwd });
const file = (name: string) => join(cwd, 'lists', `${name}.yaml`);
const text = (name: string) => readFileSync(file(name), 'utf8');
const write = (name: string, content: string) => writeFileSync(file(name), content);
const edit = (name: string, from: string | RegExp, to: string) => {
  const before = text(name);
  const after = before.replace(from, to);
  expect(after, `${from} stands in ${name}`).not.toBe(before);
  write(name, after);
};
const plan = async (...argv: string[]) => {
  const result = await run('plan', '-o', 'json', ...argv);
  const notes = /^(?:Lists without a file:|\d+ deletions? needs?) .*\n/gm;
  expect([result.code, result.stderr.replace(notes, '')]).toEqual([0, '']);
  return JSON.parse(result.stdout) as Record<string, unknown>[];
};
const writesOf = (result: RunResult) => sent(result).filter((line) => !line.startsWith('GET'));
const counts = (result: RunResult) => JSON.parse(result.stdout) as Record<string, number>;
const apply = (...argv: string[]) => run('apply', '-o', 'json', '--yes', ...argv);

describe('pull', () => {
  it('writes a file for each list, the schema beside them, and the same again', async () => {
    const first = await run('pull', 'deals', 'empty', '-o', 'json');
    expect(JSON.parse(first.stdout)).toEqual([
      { id: ids.deals, list: 'deals', file: 'lists/deals.yaml', attributes: 12, outcome: 'created' },
      { id: ids.empty, list: 'empty', file: 'lists/empty.yaml', attributes: 0, outcome: 'created' },
    ]);
    expect(readdirSync(join(cwd, 'lists')).sort()).toEqual(['deals.yaml', 'empty.yaml', 'list.schema.json']);
    const { value } = await readYaml(text('deals'), 'deals');
    expect(value).toMatchObject({
      id: ids.deals,
      slug: 'deals',
      name: 'Deals',
      description: 'Companies we look at',
      attributes: [
        {
          slug: 'stage',
          name: 'Stage',
          type: 'status',
          required: false,
          options: [
            { id: 'o-open', label: 'Open', tone: 'sand' },
            { id: 'o-won', label: 'Won' },
          ],
        },
        { slug: 'tags' },
        { slug: 'amount', type: 'currency', currency: 'EUR', min: 0 },
        ...['since', 'site', 'contact', 'hot', 'score', 'size', 'notes', 'sector', 'title'].map((slug) => ({ slug })),
      ],
    });
    const schema = /^# yaml-language-server: \$schema=(.*)\n/.exec(text('deals'))?.[1] ?? '';
    expect(JSON.parse(readFileSync(join(cwd, 'lists', schema), 'utf8'))).toMatchObject({ title: 'comem list' });
    const again = await run('pull', 'deals', '-o', 'json');
    expect(JSON.parse(again.stdout)).toMatchObject([{ outcome: 'unchanged' }]);
  });

  it('keeps the name and the comments of a file that is there', async () => {
    await run('pull', 'deals');
    write('mine', text('deals').replace('    name: "Stage"', '    # the heart of it\n    name: "Stage" # keep'));
    rmSync(file('deals'));
    await world.run(['attrs', 'update', 'deals', 'stage', '--name', 'Phase', '--add-option', 'Lost:taupe']);
    const again = await run('pull', 'deals', '-o', 'json');
    expect(JSON.parse(again.stdout)).toMatchObject([{ file: 'lists/mine.yaml', outcome: 'updated' }]);
    expect(text('mine')).toContain('    # the heart of it\n    name: "Phase" # keep\n');
    expect(text('mine')).toMatch(/label: "Lost"\n\s+tone: "taupe"/);
    expect(existsSync(file('deals'))).toBe(false);
  });

  it('gives each list a plain name of its own, whatever the slugs of another server are', async () => {
    const id = (index: number) => `c0ffee0${index}-0000-4000-8000-000000000000`;
    const slugs = ['..', '', '../../etc/x', 'same', 'Same', 'a/b', 'x'.repeat(300), '.', 'con fig\n', '../../etc/x'];
    const lists = slugs.map((slug, index) => ({ id: id(index), slug, name: `List ${index}`, list_attributes: [] }));
    const transport: typeof world.transport = async ({ url }) => {
      const body = lists.find((list) => new URL(url).pathname.endsWith(list.id)) ?? lists;
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    };
    const result = await world.run(['lists', 'pull', '-d', 'lists', '-o', 'json'], { cwd, transport });
    expect([result.code, result.stderr]).toEqual([
      0,
      `comem: warning: \`lists plan\` does not take the file of "${id(1)}": slug: must not be empty\n`,
    ]);
    const files = (JSON.parse(result.stdout) as { file: string }[]).map(({ file: name }) => name);
    expect(new Set(files.map((name) => name.toLowerCase())).size).toBe(slugs.length);
    for (const name of files) expect(name).toMatch(/^lists\/[\w][\w.-]{0,120}\.yaml$/);
    expect(readdirSync(join(cwd, 'lists')).filter((name) => name.endsWith('.yaml'))).toHaveLength(slugs.length);
  });

  it('does not write over the file of another list', async () => {
    await run('pull', 'empty');
    write('deals', text('empty'));
    rmSync(file('empty'));
    expect(await run('pull', 'deals')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the file of another list (${ids.empty})`),
    });
  });
});

describe('plan', () => {
  it('is empty after a pull, and says 1 under --exit-code when it is not', async () => {
    await run('pull', 'deals', 'empty');
    expect(await plan()).toEqual([]);
    expect((await run('plan', '--exit-code')).code).toBe(0);
    edit('deals', 'name: "Deals"', 'name: "Chances"');
    const result = await run('plan', '--exit-code', '-o', 'json');
    expect([result.code, writesOf(result)]).toEqual([1, []]);
    expect(JSON.parse(result.stdout)).toMatchObject([
      {
        action: 'update',
        kind: 'list',
        target: 'deals',
        field: 'name',
        from: 'Deals',
        to: 'Chances',
        file: 'lists/deals.yaml',
      },
    ]);
  });

  it('shows what a change does to the entries', async () => {
    await run('pull', 'deals');
    edit('deals', / {6}- id: "o-won"\n {8}label: "Won"\n/, '');
    edit('deals', / {2}- id: "\S+"\n {4}slug: "notes"\n {4}name: "Notes"\n {4}type: "text"\n {4}required: false\n/, '');
    edit(
      'deals',
      /(slug: "size"\n {4}name: "Size"\n {4}type: "number"\n {4}required: )false(\n.*\n.*max: )null/,
      '$1true$210',
    );
    expect(await plan()).toMatchObject([
      {
        action: 'delete',
        kind: 'option',
        target: 'stage: Won',
        entries: 1,
        impact: 'removing option Won touches 1 entry',
      },
      { action: 'update', target: 'size', field: 'required', to: true, entries: 4, impact: '4 entries have no value' },
      { action: 'update', target: 'size', field: 'max', to: 10, entries: null, impact: null },
      {
        action: 'delete',
        kind: 'attribute',
        target: 'notes',
        entries: 2,
        impact: 'deleting attribute notes drops 2 values',
      },
    ]);
  });

  it('counts in archived entries, and options of several', async () => {
    await run('pull', 'deals');
    edit('deals', / {6}- id: "o-open"\n {8}label: "Open"\n {8}tone: "sand"\n/, '');
    edit('deals', / {6}- id: "t-climate"\n {8}label: "climate"\n/, '');
    expect((await plan()).map(({ impact }) => impact)).toEqual([
      'removing option Open touches 2 entries',
      'removing option climate touches 1 entry',
    ]);
  });

  it('names every mistake of every file with its line and column', async () => {
    await run('pull', 'deals', 'empty');
    write('empty', 'name: Empty\nattributes:\n  - name: A\n    type: colour\n  - nam: B\n    type: text\n    min: 1\n');
    write(
      'other',
      'name: X\nattributes:\n  - {name: S, type: status, options: [a, {label: a, zzz: 1}], currency: EUR}\n  - {name: N, type: number, min: 3, max: 2}\n',
    );
    write('broken', 'name: [\n');
    const result = await run('plan', '--json');
    expect([result.code, result.stdout, result.requests]).toEqual([2, '', []]);
    const { error } = JSON.parse(result.stderr) as {
      error: { details: { file: string; line: number; column: number }[] };
    };
    expect(error.details).toMatchObject([
      { file: 'lists/broken.yaml', line: 2 },
      {
        file: 'lists/empty.yaml',
        line: 4,
        column: 11,
        message: expect.stringContaining('attributes.0.type: must be one of text, '),
      },
      { file: 'lists/empty.yaml', line: 5, column: 5, message: 'attributes.1.name: is required' },
      {
        file: 'lists/empty.yaml',
        line: 5,
        column: 10,
        message: 'attributes.1.nam: is not known here; did you mean name?',
      },
      {
        file: 'lists/empty.yaml',
        line: 7,
        column: 10,
        message: expect.stringContaining('attributes.1.min: is for attributes of type'),
      },
      { file: 'lists/other.yaml', line: 3, message: 'attributes.0.options.1.label: repeats "a"' },
      {
        file: 'lists/other.yaml',
        line: 3,
        message: 'attributes.0.options.1.zzz: is not known here; known are id, label, tone, color',
      },
      { file: 'lists/other.yaml', line: 3, message: expect.stringContaining('attributes.0.currency: is for') },
      { file: 'lists/other.yaml', line: 4, message: 'attributes.1.max: must not be below min (3), got 2' },
    ]);
  });

  it('refuses what the API cannot do, with the way out, and writes nothing', async () => {
    await run('pull', 'deals');
    edit('deals', /(slug: "size"\n {4}name: "Size"\n {4}type: )"number"/, '$1"text"');
    edit('deals', 'slug: "notes"', 'slug: "remarks"');
    for (const verb of ['plan', 'apply']) {
      const result = await run(verb, ...(verb === 'apply' ? ['--yes'] : []));
      expect([result.code, writesOf(result)]).toEqual([2, []]);
      expect(result.stderr).toMatch(
        /lists\/deals\.yaml:\d+:11: attributes\.8\.type: the API cannot change number to text; keep number here and add an attribute/,
      );
      expect(result.stderr).toMatch(/attributes\.9\.slug: a slug never changes/);
    }
  });

  it('shows a currency or bound that was added since, which the API cannot clear', async () => {
    await world.run(['attrs', 'create', 'deals', 'Cost', '--type', 'currency']);
    await run('pull', 'deals');
    expect(text('deals')).toMatch(/currency: null\n +min: null\n +max: null/);
    const update = ['attrs', 'update', 'deals', 'cost'];
    await world.run([...update, '--currency', 'USD', '--max', '9']);
    const shown = await run('plan', '--exit-code', '-o', 'json');
    expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([
      1,
      [
        { target: 'cost', field: 'currency', from: 'USD', to: null, impact: expect.stringContaining('cannot clear') },
        { target: 'cost', field: 'max', from: 9, to: null },
      ],
    ]);
    expect(shown.stderr).toContain('Lists without a file: empty, same-a, same-b.');
    for (const clearing of [
      ['--currency', 'none'],
      ['--body', 'config:={}'],
      ['--body', 'config:={"currency":"USD"}'],
    ]) {
      const refused = await world.run([...update, ...clearing]);
      expect([refused.code, writesOf(refused)]).toEqual([2, []]);
      expect(refused.stderr).toMatch(/the API cannot clear the (currency|max) of an attribute/);
    }
    const applied = await apply();
    expect([applied.code, writesOf(applied)]).toEqual([2, []]);
  });

  it('knows nothing of a list that another company has, until it is asked to go by slugs', async () => {
    await run('pull', 'deals');
    edit('deals', ids.deals, ids.nothing);
    expect(await run('plan')).toMatchObject({ code: 2, stderr: expect.stringContaining('--by slug') });
    edit('deals', 'name: "Deals"', 'name: "Chances"');
    expect(await plan('--by-slug')).toMatchObject([{ field: 'name', to: 'Chances' }]);
  });

  it('says what to do where there is nothing', async () => {
    expect(await run('plan')).toMatchObject({ code: 2, stderr: expect.stringContaining('comem lists pull') });
    await run('pull', 'deals');
    expect(await run('plan', 'dels')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('did you mean deals?'),
    });
  });
});

describe('apply', () => {
  it('needs --yes without a terminal, and shows the plan first', async () => {
    await run('pull', 'deals');
    edit('deals', 'name: "Deals"', 'name: "Chances"');
    const refused = await run('apply');
    expect([refused.code, refused.stdout, writesOf(refused)]).toEqual([2, '', []]);
    expect(refused.stderr).toContain('~ list deals: name Deals -> Chances');
    const dry = await run('apply', '--dry-run');
    expect([dry.code, writesOf(dry)]).toEqual([0, []]);
    expect(JSON.parse(dry.stdout)).toMatchObject([{ method: 'PATCH', body: { name: 'Chances' } }]);
  });

  it('renames, and the values stay', async () => {
    await run('pull', 'deals');
    edit('deals', 'name: "Stage"', 'name: "Phase"');
    edit('deals', 'label: "Won"', 'label: "Closed"');
    const result = await apply();
    expect(writesOf(result)).toEqual([`PATCH /api/lists/${ids.deals}/attributes`]);
    expect(counts(result)).toMatchObject({ created: 0, updated: 1, unchanged: 12, failed: 0 });
    const { stdout } = await world.run([
      'entries',
      'list',
      'deals',
      '--fields',
      'title,stage',
      '-o',
      'csv',
      '--no-header',
      '--limit',
      '1',
    ]);
    expect(stdout).toBe('"Acme, ""Rockets""",Closed\n');
    expect(await plan()).toEqual([]);
  });

  it('deletes only with --prune, and last', async () => {
    await run('pull', 'deals');
    edit('deals', / {6}- id: "o-won"\n {8}label: "Won"\n/, '');
    edit('deals', / {2}- id: "\S+"\n {4}slug: "notes"\n {4}name: "Notes"\n {4}type: "text"\n {4}required: false\n/, '');
    edit('deals', 'name: "Deals"', 'name: "Chances"');
    const kept = await apply();
    expect(counts(kept)).toMatchObject({ updated: 1, deleted: 0, skipped: 2 });
    expect(writesOf(kept)).toEqual([`PATCH /api/lists/${ids.deals}`]);
    expect((await plan()).map(({ action }) => action)).toEqual(['delete', 'delete']);
    const pruned = await apply('--prune');
    expect(writesOf(pruned)).toEqual([
      `PATCH /api/lists/${ids.deals}/attributes`,
      `DELETE /api/lists/${ids.deals}/attributes`,
    ]);
    expect(counts(pruned)).toMatchObject({ updated: 1, deleted: 2, skipped: 0 });
    expect(await plan()).toEqual([]);
  });

  it('makes a list from a file by hand, and notes its ids in it, comments kept', async () => {
    await run('pull', 'empty');
    write(
      'new',
      '# ours\nname: Über uns\nattributes:\n  - name: A # first\n    type: status\n    options: [x, {label: y, tone: sage}]\n  - {name: B, type: number, min: 0.10}\n',
    );
    const result = await apply('new');
    expect([result.code, counts(result)]).toMatchObject([0, { created: 3, failed: 0 }]);
    expect(text('new')).toMatch(/^# ours\nid: "[-0-9a-f]{36}"\nslug: "uber-uns"\nname: Über uns\n/);
    expect(text('new')).toMatch(/name: A # first\n/);
    expect(text('new')).toMatch(/options: \[\{id: "\S+", label: "x"\}, \{id: "\S+", label: y, tone: sage\}\]/);
    expect(text('new')).toMatch(/name: B, type: number, min: 0\.10\}/);
    expect(await plan()).toEqual([]);
    expect(writesOf(await apply())).toEqual([]);
  });

  it('finds a list by its name when the file has no id, and makes no second one', async () => {
    await run('pull', 'empty');
    write('empty', 'name: Empty\nattributes: [{name: A, type: text}]\n');
    expect(counts(await apply())).toMatchObject({ created: 1 });
    expect(text('empty')).toContain(ids.empty);
    write('same', 'name: Same\n');
    expect(await run('plan')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/same\.yaml:1:7: name: "Same" matches 2 lists/),
    });
  });

  it('puts attributes into the order of the file', async () => {
    await run('pull', 'deals');
    const { value } = await readYaml(text('deals'), 'deals');
    const list = value as { attributes: { slug?: string; name: string; type: string }[] };
    const [first, ...rest] = list.attributes;
    const order = [...rest.slice(0, 3), { name: 'Between', type: 'text' }, ...rest.slice(3), first];
    write('deals', writeYaml({ ...list, attributes: order }));
    expect((await plan()).map(({ field, action }) => field ?? action)).toEqual(['create', 'attribute order']);
    expect((await apply()).code).toBe(0);
    const { stdout } = await world.run(['attrs', 'list', 'deals', '--fields', 'slug', '--no-header', '-o', 'tsv']);
    expect(stdout.trim().split('\n')).toEqual(order.map((one) => one?.slug ?? 'between'));
    expect(await plan()).toEqual([]);
  });

  it('continues after a failure, ends with 7, and the same command does the rest', async () => {
    await run('pull', 'empty');
    write(
      'new',
      'name: New\nattributes:\n  - {name: A, type: text}\n  - {name: B, type: text}\n  - {name: C, type: text}\n',
    );
    let refused = 0;
    const transport: World['transport'] = async (request) => {
      if (request.method === 'POST' && request.body?.includes('"B"') && refused < 1) {
        refused += 1;
        return { status: 422, headers: {}, body: Buffer.from('{"error":"not today","status":422}') };
      }
      return world.transport(request);
    };
    const result = await world.run(['lists', 'apply', 'new', '--yes', '-o', 'json'], { cwd, transport });
    expect([result.code, counts(result)]).toMatchObject([7, { created: 3, failed: 1 }]);
    expect(result.stderr).toContain('the attribute "B" was not written: not today');
    const again = await apply('new');
    expect([again.code, counts(again)]).toMatchObject([0, { created: 1, unchanged: 3 }]);
    expect(await plan()).toEqual([]);
  });

  it('makes one list and one attribute, also when the answers are lost', async () => {
    await run('pull', 'empty');
    write('new', 'name: New\nattributes:\n  - {name: A, type: text}\n');
    const lost = new Set<string>();
    const transport: World['transport'] = async (request) => {
      const answer = await world.transport(request);
      const path = new URL(request.url).pathname.replace(/[-0-9a-f]{36}/, '');
      if (request.method !== 'POST' || lost.has(path)) return answer;
      lost.add(path);
      const { TransportError } = await import('../../../src/core/errors.ts');
      throw new TransportError('the connection was lost', true, 'network');
    };
    const result = await world.run(['lists', 'apply', 'new', '--yes', '-o', 'json'], { cwd, transport });
    expect([result.code, counts(result), lost.size]).toMatchObject([0, { created: 2 }, 2]);
    expect(await world.json(['lists', 'list', '--search', 'new'])).toMatchObject([
      { name: 'New', list_attributes_count: 1 },
    ]);
  });

  it('is a fixed point for every attribute type, whatever is edited', async () => {
    await run('pull', 'empty');
    const name = fc.string({ minLength: 1, maxLength: 12 }).filter((one) => one.trim() === one && one !== '');
    const option = fc.record({ label: name, tone: fc.constantFrom(...tones, null) }, { requiredKeys: ['label'] });
    const options = fc.uniqueArray(option, { selector: ({ label }) => label, maxLength: 4 });
    const bounds = fc.tuple(fc.integer({ min: -50, max: 0 }), fc.double({ min: 0, max: 9, noNaN: true }));
    const attribute = fc
      .tuple(fc.constantFrom(...attributeTypes), name, fc.boolean(), options, bounds)
      .map(([type, label, required, some, [min, max]]) => ({
        name: label,
        type,
        required,
        ...(['select', 'status', 'multi_select'].includes(type) ? { options: some } : {}),
        ...(['number', 'currency'].includes(type) ? { min, max } : {}),
        ...(type === 'currency' ? { currency: 'CHF' } : {}),
      }));
    const list = fc.uniqueArray(attribute, { selector: (one) => one.name, minLength: 1, maxLength: 6 });
    // A name that was in the list before would be that attribute, and another type of it is refused.
    const others = fc
      .uniqueArray(attribute, { selector: (one) => one.name, minLength: 1, maxLength: 6 })
      .map((all) => all.map((one) => ({ ...one, name: `one of the others: ${one.name}` })));
    const every = attributeTypes.map((type) => ({ name: `A ${type}`, type, required: type === 'text' }));
    let count = 0;
    const settles = async (first: object[], second: object[]) => {
      count += 1;
      const call = `random-${count}`;
      write(call, writeYaml({ name: `Random ${count}`, attributes: first }));
      expect((await apply(call)).code).toBe(0);
      expect(await plan(call)).toEqual([]);
      // Every attribute that is there gets another name, and others around it in another order.
      const { value } = await readYaml(text(call), call);
      const made = (value as { attributes: object[] }).attributes;
      const renamed = made.map((one, index) => ({ ...one, name: `renamed ${index}` })).reverse();
      write(
        call,
        writeYaml({
          ...(value as object),
          attributes: [...second.slice(0, 2), ...renamed.slice(1), ...second.slice(2)],
        }),
      );
      expect((await apply(call, '--prune')).code).toBe(0);
      expect(await plan(call)).toEqual([]);
      const pulled = text(call);
      await run('pull', `random-${count}`);
      expect(await plan(call)).toEqual([]);
      expect((await readYaml(pulled, call)).value).toMatchObject({ name: `Random ${count}` });
    };
    await settles(every, []);
    await fc.assert(fc.asyncProperty(list, others, settles), { numRuns: 12 });
  });
});

describe('diff', () => {
  it('compares all lists of two profiles', async () => {
    const home = temporaryFolder();
    const env = { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined };
    const at = (...argv: string[]) => runPlain(argv, { home, cwd, env, network: true });
    for (const name of ['one', 'two']) {
      expect((await at('init', '-p', name, '--company', name, '--dir', join(home, name))).code).toBe(0);
      await at('lists', 'create', 'Deals', '-p', name);
    }
    expect(await at('lists', 'diff', 'one:', 'two:', '--exit-code')).toMatchObject({ code: 0 });
    await at('lists', 'create', 'Rogue', '-p', 'two');
    await at('attrs', 'create', 'deals', 'Stage', '--type', 'text', '-p', 'two');
    const { code, stdout } = await at('lists', 'diff', 'one:', 'two:', '--exit-code', '-o', 'json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      [
        { list: 'deals', action: 'create', kind: 'attribute', target: 'stage' },
        { list: 'rogue', action: 'create', kind: 'list', target: 'rogue' },
      ],
    ]);
    expect((await at('lists', 'diff', 'one', 'two')).stderr).toContain('one: stands for all of its lists');
  });

  it('shows what turns one list into the other, and files and lists alike', async () => {
    await run('pull', 'deals');
    expect((await run('diff', 'deals', 'lists/deals.yaml', '--exit-code')).code).toBe(0);
    edit('deals', 'label: "Won"', 'label: "Closed"');
    const result = await run('diff', 'deals', 'lists/deals.yaml', '--exit-code', '-o', 'json');
    expect(result.code).toBe(1);
    expect(JSON.parse(result.stdout)).toMatchObject([
      { action: 'update', kind: 'option', target: 'stage: Won', field: 'label', from: 'Won', to: 'Closed' },
    ]);
    const back = await run('diff', 'lists/deals.yaml', 'deals', '-o', 'json');
    expect(JSON.parse(back.stdout)).toMatchObject([{ from: 'Closed', to: 'Won' }]);
    const other = await run('diff', 'empty', 'deals', '-o', 'json');
    expect((JSON.parse(other.stdout) as { action: string }[]).filter(({ action }) => action === 'create')).toHaveLength(
      12,
    );
    const nobody = await run('diff', 'deals', 'nobody:deals');
    expect(nobody.code).toBe(3);
    expect(nobody.stderr).toMatch(
      /list "nobody:deals" not found[\s\S]*profile "nobody" not found either; the profiles are .*demo/,
    );
  });
});
