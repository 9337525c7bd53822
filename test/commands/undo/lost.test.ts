/** Writes whose answers are lost: an undo creates nothing twice, and counts what history and imports count. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/core/errors.ts';
import type { Transport, WireRequest } from '../../../src/core/wire.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, listsWorld, type World } from '../../helpers/lists-world.ts';
import type { RunOptions } from '../../helpers/run.ts';

let world: World;
let home: string;
beforeEach(async () => {
  world = await listsWorld();
  home = temporaryFolder();
});
afterEach(() => world.close());

type Row = Record<string, unknown>;
const run = (argv: string[], options: RunOptions = {}) => world.run(argv, { home, ...options });
const rows = async (...argv: string[]): Promise<Row[]> => JSON.parse((await run([...argv, '-o', 'json'])).stdout);
const undo = async (argv: string[] = [], transport = world.transport) => {
  const { code, stdout, stderr } = await run(['undo', ...argv, '-y', '-o', 'json', '--retries', '0'], { transport });
  return { code, rows: stdout === '' ? [] : (JSON.parse(stdout) as Row[]), stderr };
};
const titles = async () => (await rows('entries', 'list', 'deals', '--archived')).map(({ title }) => title).sort();
const all = ['Acme, "Rockets"', 'Børealis', 'Old deal', 'Twin', 'Twin'].sort();
const isPost = ({ method }: WireRequest) => method === 'POST';
const lost = () => new TransportError('the connection was reset', true, 'network');

/** Carries out such requests and drops their answers; `deaf`: and answers nothing afterwards. */
function dropping(fits: (request: WireRequest) => boolean, deaf = false): Transport {
  let dropped = 0;
  return async (request) => {
    if (deaf && dropped > 0 && !fits(request)) throw lost();
    if (!fits(request)) return world.transport(request);
    dropped += 1;
    await world.transport(request);
    throw lost();
  };
}

/** Answers nothing to such requests and carries none of them out. */
const refusing =
  (fits: (request: WireRequest) => boolean): Transport =>
  async (request) => {
    if (fits(request)) throw lost();
    return world.transport(request);
  };

async function deleteAll(): Promise<void> {
  const entries = await rows('entries', 'list', 'deals', '--archived');
  const { code } = await run([
    'entries',
    'delete',
    'deals',
    ...entries.map(({ id }) => String(id)),
    '-y',
    '--keep-undo',
  ]);
  expect(code).toBe(0);
  expect(await titles()).toEqual([]);
}

describe('entries that are created again', () => {
  it('are found in the same run when answers are lost', async () => {
    await deleteAll();
    const result = await undo([], dropping(isPost));
    expect([result.code, result.rows.map(({ outcome }) => outcome)]).toEqual([0, Array(5).fill('recreated')]);
    expect(await titles()).toEqual(all);
    expect(await rows('history')).toMatchObject([
      { command: 'undo', changed: '5 entries created', undo: 'yes' },
      { changed: '5 entries deleted', undo: 'undone' },
    ]);
    expect((await undo(['2'])).rows).toHaveLength(5);
    expect(await titles()).toEqual([]);
  });

  it('are found by the next run when nothing answered any more', async () => {
    await deleteAll();
    const broken = await undo([], dropping(isPost, true));
    expect(broken.code).toBe(5);
    expect((await titles()).length).toBeGreaterThan(0);
    const whole = await undo();
    expect([whole.code, whole.rows.map(({ outcome }) => outcome)]).toEqual([0, Array(5).fill('recreated')]);
    expect(await titles()).toEqual(all);
    expect(whole.rows.every(({ id }) => typeof id === 'string')).toBe(true);
    expect((await rows('history')).find(({ number }) => number === 1)).toMatchObject({ undo: 'undone' });
    expect(await undo(['1'])).toMatchObject({ code: 1, rows: [] });
    expect(await titles()).toEqual(all);
  });

  it('are sent again when the requests never arrived', async () => {
    await deleteAll();
    expect((await undo([], refusing(isPost))).code).toBe(5);
    expect(await titles()).toEqual([]);
    expect((await undo()).code).toBe(0);
    expect(await titles()).toEqual(all);
  });

  it('are waited for when the requests are on their way', async () => {
    await run(['entries', 'delete', 'deals', ids.acme, '-y', '--keep-undo']);
    const late: Transport = async (request) => {
      if (!isPost(request)) return world.transport(request);
      setTimeout(() => world.transport({ ...request, signal: undefined }), 400);
      throw lost();
    };
    let deaf = false;
    await undo([], async (request) => {
      if (deaf) throw lost();
      deaf = isPost(request);
      return late(request);
    });
    expect((await undo()).code).toBe(0);
    await new Promise((done) => setTimeout(done, 500));
    expect(await titles()).toEqual(all);
  });

  it('are noted although the process ends between the answer and the note', async () => {
    await run(['entries', 'delete', 'deals', ids.acme, ids.borealis, '-y', '--keep-undo']);
    const { code } = await undo();
    expect(code).toBe(0);
    const folder = join(home, 'state/comem/history');
    const file = join(folder, String(readdirSync(folder)[0]), '000001.ndjson');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.filter((line) => !line.includes('"undone"')).join('\n'));
    const again = await undo(['1']);
    expect([again.code, again.rows.map(({ outcome }) => outcome)]).toEqual([0, ['recreated', 'recreated']]);
    expect(await titles()).toEqual(all);
  });

  it.each([
    ['the title', ['title=Acme, "Rockets"', 'amount=3'], 'has the title'],
    ['the values', ['title=Other', 'amount=1250000.5'], 'has values and position'],
  ])('are refused when something with %s may be it, but for --force', async (_, [title = '', amount = '']) => {
    await run(['entries', 'delete', 'deals', ids.acme, '-y', '--keep-undo']);
    await undo([], dropping(isPost, true));
    const [made] = (await rows('entries', 'list', 'deals')).filter((row) => String(row.title).startsWith('Acme'));
    const change = ['entries', 'update', 'deals', String(made?.id), '--title', title.slice(6), '--set', amount, '-y'];
    expect((await world.run(change)).code).toBe(0);
    const refused = await undo(['1']);
    expect([refused.code, refused.rows]).toMatchObject([
      1,
      [
        {
          outcome: 'skipped',
          error: expect.stringContaining(`whether it was re-created is unknown: "${title.slice(6)}" (${made?.id})`),
        },
      ],
    ]);
    expect(await titles()).toHaveLength(5);
    expect((await undo(['1', '--force'])).code).toBe(0);
    expect(await titles()).toHaveLength(6);
  });
});

describe('changes and removals without an answer', () => {
  const isWrite = ({ method }: WireRequest) => method !== 'GET';
  const outcomes = (result: { rows: Row[] }) => result.rows.map(({ outcome }) => outcome);
  const changes = {
    'entries are restored': [
      ['entries', 'update', 'deals', '--all', '--set', 'amount=5'],
      ['entries', 'list', 'deals', '--archived'],
      ['restored', 'restored', 'restored', 'restored'],
    ],
    'a list is restored': [['lists', 'update', 'deals', '--name', 'Other'], ['lists', 'get', ids.deals], ['restored']],
    'an attribute is restored': [
      ['attrs', 'update', 'deals', 'amount', '--name', 'Other'],
      ['attrs', 'list', ids.deals],
      ['restored'],
    ],
    'an entry is deleted': [
      ['entries', 'create', 'deals', '--title', 'New'],
      ['entries', 'list', 'deals', '--archived'],
      ['deleted'],
    ],
  } satisfies Record<string, [string[], string[], string[]]>;

  it.each(Object.entries(changes))('%s where the API shows it afterwards', async (_, [change, read, all]) => {
    const state = async () =>
      JSON.stringify(await rows(...read), (name, value) => (name === 'updated_at' ? '' : value));
    const before = await state();
    expect((await run([...change, '-y', '--keep-undo'])).code).toBe(0);
    const missed = await undo([], refusing(isWrite));
    expect([missed.code, outcomes(missed)]).toEqual([5, all.map(() => 'failed')]);
    const result = await undo([], dropping(isWrite));
    expect([result.code, outcomes(result)]).toEqual([0, all]);
    expect(await state()).toBe(before);
    const [redone, , undone] = await rows('history');
    expect([redone?.changed, undone?.undo]).toEqual([expect.not.stringContaining('without an answer'), 'undone']);
  });
});

describe('lists and attributes that are created again', () => {
  it.each([
    ['answers are lost', (one: WireRequest) => one.method === 'POST'],
    ['the answer to the list is lost', (one: WireRequest) => isPost(one) && new URL(one.url).pathname === '/api/lists'],
    ['answers to attributes are lost', (one: WireRequest) => isPost(one) && one.url.includes('/attributes')],
    ['answers to entries are lost', (one: WireRequest) => isPost(one) && one.url.includes('/entries')],
  ])('are there once when %s', async (_, fits) => {
    for (const deaf of [false, true]) {
      const entries = (await rows('entries', 'list', 'deals', '--archived')).map(({ title, values }) => [
        title,
        values,
      ]);
      const attributes = (await rows('attrs', 'list', 'deals')).map(({ name }) => name);
      await run(['lists', 'delete', 'deals', '-y', '--keep-undo']);
      const first = await undo([], dropping(fits, deaf));
      if (deaf) expect((await undo()).code).toBe(0);
      else expect([first.code, first.stderr]).toEqual([0, first.stderr]);
      expect((await rows('lists', 'list')).filter(({ name }) => name === 'Deals')).toHaveLength(1);
      expect((await rows('attrs', 'list', 'deals')).map(({ name }) => name)).toEqual(attributes);
      const now = (await rows('entries', 'list', 'deals', '--archived')).map(({ title, values }) => [title, values]);
      expect(now.sort()).toEqual(entries.sort());
    }
  });

  it('an attribute is there once, with its values', async () => {
    await run(['attrs', 'delete', 'deals', 'amount', '-y', '--keep-undo']);
    expect((await undo([], dropping(isPost, true))).code).not.toBe(0);
    const again = await undo();
    expect([again.code, again.rows]).toMatchObject([0, [{ outcome: 'recreated' }]]);
    const found = (await rows('attrs', 'list', 'deals')).filter(({ name }) => name === 'Amount');
    expect(found).toHaveLength(1);
    const slug = String(found[0]?.slug);
    const values = (await rows('entries', 'list', 'deals', '--archived')).map(({ values }) => (values as Row)[slug]);
    expect(values.filter((value) => value !== undefined && value !== null)).toEqual([1250000.5, 7, 1]);
  });
});

describe('creations without an answer', () => {
  it('are found by their content and deleted; what was there before stays', async () => {
    await run(['entries', 'create', 'deals', '--title', 'Twin', '--retries', '0'], {
      transport: dropping(isPost, true),
    });
    expect(await rows('history')).toMatchObject([{ changed: '1 without an answer', undo: 'yes' }]);
    expect(await titles()).toHaveLength(6);
    expect(await undo()).toMatchObject({ code: 0, rows: [{ outcome: 'deleted' }] });
    expect(await titles()).toEqual(all);
  });

  it('are not deleted when others are like them, or have changed since', async () => {
    await run(['entries', 'create', 'deals', '--title', 'New', '--retries', '0'], {
      transport: dropping(isPost, true),
    });
    await world.run(['entries', 'create', 'deals', '--title', 'New']);
    expect(await undo()).toMatchObject({
      code: 1,
      rows: [{ outcome: 'skipped', error: expect.stringContaining('whether it was created is unknown: "New"') }],
    });
    expect(await titles()).toHaveLength(7);
  });

  it.each([
    ['created an hour later', { created_at: '2026-03-05T13:00:00.000Z' }],
    ['of another user', { created_by: '00000000-0000-4000-8000-0000000000ff' }],
  ])('are not taken for what is %s', async (_, fields) => {
    // One that is known to be ours tells who we are.
    expect((await run(['entries', 'create', 'deals', '--title', 'Known'])).code).toBe(0);
    await run(['entries', 'create', 'deals', '--title', 'New', '--retries', '0'], { transport: refusing(isPost) });
    await world.run(['entries', 'create', 'deals', '--title', 'New']);
    const theirs: Transport = async (request) => {
      const answer = await world.transport(request);
      if (request.method !== 'GET' || !request.url.includes('/entries')) return answer;
      const changed = (_: string, value: Row | null) => (value?.title === 'New' ? { ...value, ...fields } : value);
      const body = JSON.stringify(JSON.parse(Buffer.from(answer.body).toString(), changed));
      return { ...answer, body: Buffer.from(body) };
    };
    expect(await undo([], theirs)).toMatchObject({
      code: 1,
      rows: [{ outcome: 'skipped', error: expect.stringContaining('whether it was created is unknown: "New"') }],
    });
    expect(await titles()).toContain('New');
  });

  it('that never arrived need no request', async () => {
    await run(['entries', 'create', 'deals', '--title', 'New', '--retries', '0'], { transport: refusing(isPost) });
    expect(await undo()).toMatchObject({ code: 0, rows: [{ outcome: 'unchanged', error: 'it was not created' }] });
  });

  it.each([
    ['a list', ['lists', 'create', 'Fresh'], ['lists', 'list']],
    ['an attribute', ['attrs', 'create', 'empty', 'Fresh', '--type', 'text'], ['attrs', 'list', 'empty']],
  ])('of %s are found too', async (_, argv, list) => {
    const before = await rows(...list);
    await run([...argv, '--retries', '0', '-y'], { transport: dropping(isPost, true) });
    expect(await rows(...list)).toHaveLength(before.length + 1);
    expect((await undo()).code).toBe(0);
    expect(await rows(...list)).toHaveLength(before.length);
  });
});

it('a write that went to another company is known, and not undone', async () => {
  const other = 'c0ffee00-0000-4000-8000-0000000000ee';
  const elsewhere: Transport = async (request) => {
    const answer = await world.transport(request);
    if (!isPost(request)) return answer;
    const text = Buffer.from(answer.body).toString();
    const list = JSON.parse(text) as Row;
    return { ...answer, body: Buffer.from(JSON.stringify({ ...list, company_id: other })) };
  };
  const { code, stderr } = await run(['lists', 'create', 'Fresh', '--retries', '0'], { transport: elsewhere });
  expect([code, stderr]).toEqual([6, expect.stringContaining('was written to the company')]);
  expect(await rows('history')).toMatchObject([{ changed: '1 list created', undo: 'no' }]);
  expect((await undo()).stderr).toContain('it went to another company');
});

describe('an import', () => {
  const file = ['title', ...Array.from({ length: 60 }, (_, n) => `Row ${n}`)].join('\n');
  const argv = ['entries', 'import', 'empty', '-', '--format', 'csv', '-y', '-o', 'json', '--retries', '0'];
  const count = async () => (await rows('entries', 'list', 'empty', '--archived')).length;

  it.each([1, 4, 16])('whose answers are lost, %i in flight, counts as history and undo do', async (concurrency) => {
    let n = 0;
    const some = (one: WireRequest) => isPost(one) && n++ % 7 === 3;
    const transport = dropping(some);
    const done = await run([...argv, '--concurrency', String(concurrency)], { stdin: file, transport });
    expect([done.code, JSON.parse(done.stdout).created]).toEqual([0, 60]);
    expect(await rows('history')).toMatchObject([{ changed: '60 entries created', undo: 'yes' }]);
    const undone = await undo(
      [],
      dropping(({ method }) => method === 'DELETE'),
    );
    expect(undone.rows).toHaveLength(60);
    expect(await count()).toBe(0);
  });

  it('that is resumed counts as history and undo do', async () => {
    let posts = 0;
    const broken: Transport = async (request) => {
      if (isPost(request)) posts += 1;
      if (posts > 30 && !isPost(request)) throw lost();
      const answer = await world.transport(request);
      if (posts > 30) throw lost();
      return answer;
    };
    const first = await run(argv, { stdin: file, transport: broken });
    expect(first.code).toBe(7);
    const done = await run([...argv, '--resume'], { stdin: file });
    expect([done.code, JSON.parse(done.stdout).created, await count()]).toEqual([0, 60, 60]);
    const counts = (await rows('history')).map(({ changed }) => String(changed));
    expect(counts.join()).not.toContain('without an answer');
    expect(counts.map((text) => Number.parseInt(text, 10)).reduce((sum, one) => sum + one, 0)).toBe(60);
    const deleted = [];
    for (const { number } of await rows('history')) deleted.push(...(await undo([String(number)])).rows);
    expect(deleted.map(({ outcome }) => outcome)).toEqual(Array(60).fill('deleted'));
    expect(await count()).toBe(0);
  });
});

it('says nothing under --quiet, but prints the rows that are asked for', async () => {
  await run(['entries', 'delete', 'deals', ids.acme, '-y', '--keep-undo']);
  expect(await run(['undo', '-y', '--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  await run(['entries', 'delete', 'deals', ids.borealis, '-y', '--keep-undo']);
  const asked = await run(['undo', '-y', '--quiet', '-o', 'json']);
  expect([asked.code, asked.stderr, JSON.parse(asked.stdout)]).toMatchObject([0, '', [{ outcome: 'recreated' }]]);
});
