/** Undos that do not bring everything back at once: what `history` says of them, and how the next one goes on. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../src/core/wire.ts';
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
const undo = (options: RunOptions = {}) => run(['undo', '-y', '-o', 'json'], options);
const posts = (requests: readonly { method: string; path: string }[]) =>
  requests.filter(({ method }) => method === 'POST').map(({ path }) => path);

/** The server refuses what the test says, and takes the rest. */
const refusing =
  (refused: (request: WireRequest) => boolean): World['transport'] =>
  async (request) =>
    refused(request)
      ? { status: 422, headers: {}, body: Buffer.from('{"error":"not today","status":422}') }
      : world.transport(request);

const bare = (all: Row[]) => all.map(({ title, values, archived }) => ({ title, values, archived }));
const attributesOf = async (list: string) =>
  (await rows('attrs', 'list', list)).map(({ name, attribute_type, is_required }) => ({
    name,
    attribute_type,
    is_required,
  }));

describe('a list that is made anew', () => {
  it.each([
    ['an attribute', (request: WireRequest) => /"name":"Since"/i.test(request.body ?? ''), 'the attribute "Since"'],
    ['some entries', (request: WireRequest) => /"title":"Twin"/.test(request.body ?? ''), '2 of 5 entries: not today'],
  ])('without %s is told by history as it is, and the next undo goes on with it', async (_, refused, says) => {
    const entries = bare(await rows('entries', 'list', 'deals', '--archived'));
    const attributes = await attributesOf('deals');
    await run(['lists', 'delete', 'deals', '-y', '--keep-undo']);
    const broken = await undo({ transport: refusing((one) => one.method === 'POST' && refused(one)) });
    expect([broken.code, JSON.parse(broken.stdout)]).toMatchObject([
      7,
      [{ outcome: 'partly', error: expect.stringContaining(says) }],
    ]);
    const [{ id }] = JSON.parse(broken.stdout);
    const [run1] = (await rows('history')).filter(({ command }) => command === 'lists delete');
    expect(run1).toMatchObject({ undo: 'partly', why: expect.stringMatching(`re-created as ${id}, but without`) });
    expect(run1?.why).toContain(says);
    expect(await rows('history', String(run1?.number))).toMatchObject([{ outcome: 'partly' }]);
    const whole = await undo();
    expect([whole.code, JSON.parse(whole.stdout)]).toMatchObject([0, [{ outcome: 'recreated', id, error: null }]]);
    expect(posts(whole.requests)).not.toContain('/api/lists');
    expect((await rows('lists', 'list')).filter(({ name }) => name === 'Deals')).toHaveLength(1);
    expect(bare(await rows('entries', 'list', id, '--archived'))).toEqual(expect.arrayContaining(entries));
    expect(await rows('entries', 'list', id, '--archived')).toHaveLength(entries.length);
    expect(await attributesOf(id)).toEqual(expect.arrayContaining(attributes));
    expect(await attributesOf(id)).toHaveLength(attributes.length);
    expect((await rows('history')).find(({ number }) => number === run1?.number)).toMatchObject({ undo: 'undone' });
  });

  it('is gone on with after the undo itself was broken off', async () => {
    await run(['lists', 'delete', 'deals', '-y', '--keep-undo']);
    let left = 16;
    const dying: World['transport'] = async (request) => {
      if (request.method === 'POST') left -= 1;
      if (left < 0) throw new TypeError('as if killed');
      return world.transport(request);
    };
    expect((await undo({ transport: dying })).code).not.toBe(0);
    expect((await rows('history')).find(({ command }) => command === 'lists delete')).toMatchObject({
      undo: 'partly',
      why: expect.stringContaining('an interrupted undo did not reach'),
    });
    expect((await undo()).code).toBe(0);
    expect((await rows('entries', 'list', 'deals', '--archived')).map(({ title }) => title).sort()).toEqual(
      ['Acme, "Rockets"', 'Børealis', 'Old deal', 'Twin', 'Twin'].sort(),
    );
    expect((await rows('lists', 'list')).filter(({ name }) => name === 'Deals')).toHaveLength(1);
  });

  it('is made once more when what was begun is gone', async () => {
    await run(['lists', 'delete', 'deals', '-y', '--keep-undo']);
    await undo({ transport: refusing(({ method, body }) => method === 'POST' && /"title":"Twin"/.test(body ?? '')) });
    const half = (await rows('lists', 'list')).find(({ name }) => name === 'Deals');
    await run(['api', 'DELETE', `/api/lists/${half?.id}`, '-y']);
    const number = (await rows('history')).find(({ command }) => command === 'lists delete')?.number;
    expect((await run(['undo', String(number), '-y'])).code).toBe(0);
    expect(await rows('entries', 'list', 'deals', '--archived')).toHaveLength(5);
  });

  it('has entries without a value that is required by now', async () => {
    await run(['attrs', 'update', 'deals', 'size', '--required']);
    await run(['lists', 'delete', 'deals', '-y', '--keep-undo']);
    const { code, stdout } = await undo();
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ outcome: 'recreated', error: null }]]);
    expect(await rows('entries', 'list', 'deals', '--archived')).toHaveLength(5);
    expect((await attributesOf('deals')).find(({ name }) => name === 'Size')).toMatchObject({ is_required: true });
  });
});

describe('an attribute that is made anew', () => {
  it('without some of its values is told so, and gets them with the next undo', async () => {
    await run(['attrs', 'delete', 'deals', 'amount', '-y', '--keep-undo']);
    const broken = await undo({
      transport: refusing(({ method, body }) => method === 'PATCH' && (body ?? '').includes(ids.acme)),
    });
    expect([broken.code, JSON.parse(broken.stdout)]).toMatchObject([
      7,
      [{ outcome: 'partly', error: expect.stringMatching(/^without 1 of 3 values: not today/) }],
    ]);
    // What somebody wrote since stays.
    await run(['entries', 'update', 'deals', 'Børealis', '--set', 'amount=99', '-y']);
    const number = (await rows('history')).find(({ command }) => command === 'attrs delete')?.number;
    const whole = await run(['undo', String(number), '-y', '-o', 'json']);
    expect([whole.code, JSON.parse(whole.stdout)]).toMatchObject([0, [{ outcome: 'recreated' }]]);
    const amounts = (await rows('entries', 'list', 'deals', '--archived')).map(({ values }) => (values as Row).amount);
    expect(amounts).toEqual([1250000.5, 99, 1, undefined, undefined]);
    expect((await rows('attrs', 'list', 'deals')).filter(({ name }) => name === 'Amount')).toHaveLength(1);
  });
});

it('notes each entry that came back at once, so that an undo that was broken off makes none twice', async () => {
  await run(['entries', 'delete', 'deals', ids.acme, ids.borealis, ids.old, '-y', '--keep-undo']);
  let left = 2;
  const dying: World['transport'] = async (request) => {
    if (request.method === 'POST') left -= 1;
    if (left < 0) throw new TypeError('as if killed');
    return world.transport(request);
  };
  await undo({ transport: dying });
  expect((await undo()).code).toBe(0);
  expect((await rows('entries', 'list', 'deals', '--archived')).map(({ title }) => title).sort()).toEqual(
    ['Acme, "Rockets"', 'Børealis', 'Old deal', 'Twin', 'Twin'].sort(),
  );
});

describe('several undos, one after the other', () => {
  const ok = async (...argv: string[]) => {
    const { code, stderr } = await run([...argv, '-y', '--keep-undo']);
    expect([code, stderr]).toEqual([0, stderr]);
  };
  const walkBack = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      const open = (await rows('history')).find(({ command, undo: state }) => command !== 'undo' && state !== 'undone');
      const { code, stderr } = await run(['undo', String(open?.number), '-y']);
      expect([code, stderr]).toEqual([0, stderr]);
    }
  };

  it('take back what was done to an entry before it was deleted, twice', async () => {
    await ok('entries', 'update', 'deals', ids.borealis, '--set', 'amount=8');
    await ok('entries', 'delete', 'deals', ids.borealis);
    await walkBack(1);
    await ok('entries', 'update', 'deals', 'Børealis', '--set', 'amount=9');
    await ok('entries', 'delete', 'deals', 'Børealis');
    const amount = async () =>
      ((await rows('entries', 'list', 'deals')).find(({ title }) => title === 'Børealis')?.values as Row)?.amount;
    await walkBack(1);
    expect(await amount()).toBe(9);
    await walkBack(1);
    expect(await amount()).toBe(8);
    await walkBack(1);
    expect(await amount()).toBe(7);
  });

  it('take back what was done to a list, its attributes and entries before it was deleted', async () => {
    await ok('entries', 'update', 'deals', ids.acme, '--set', 'amount=8');
    await ok('attrs', 'update', 'deals', 'size', '--name', 'Heads');
    await ok('attrs', 'delete', 'deals', 'notes');
    await ok('lists', 'update', 'deals', '--description', 'other');
    await ok('lists', 'delete', 'deals');
    await walkBack(5);
    const list = (await rows('lists', 'list')).find(({ name }) => name === 'Deals');
    expect(list).toMatchObject({ description: 'Companies we look at' });
    expect((await rows('attrs', 'list', 'deals')).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Size', 'Notes']),
    );
    const acme = (await rows('entries', 'list', 'deals')).find(({ title }) => title === 'Acme, "Rockets"');
    expect(acme?.values).toMatchObject({ amount: 1250000.5, notes: 'first\nsecond' });
  });
});
