import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
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
const ok = async (...argv: string[]) => {
  const result = await run([...argv, '-y']);
  expect([result.code, result.stderr]).toEqual([0, result.stderr]);
  return result.stdout.trim();
};
const rows = async (...argv: string[]) => JSON.parse((await run([...argv, '-o', 'json'])).stdout) as Row[];
const undo = async (...argv: string[]) => {
  const { code, stdout, stderr } = await run(['undo', ...argv, '-y', '-o', 'json']);
  const done = stdout === '' ? [] : (JSON.parse(stdout) as Row[]).map(({ what, outcome }) => `${what} ${outcome}`);
  return { code, done, stderr };
};
const titles = async () => (await rows('entries', 'list', 'deals', '--archived')).map(({ title }) => title).sort();

describe('undo of what a run created', () => {
  it('deletes entries, and creates them again when it is undone itself', async () => {
    const before = await titles();
    await ok('entries', 'create', 'deals', '--title', 'New', '--set', 'stage=Won', '--set', 'amount=1.50');
    expect(await rows('history')).toMatchObject([
      { number: 1, changed: '1 entry created', title: expect.stringMatching(/^entry "/), undo: 'yes' },
    ]);
    expect(await undo()).toMatchObject({ code: 0, done: ['entry "New" deleted'] });
    expect(await titles()).toEqual(before);
    expect(await rows('history', '--limit', '1')).toMatchObject([
      { number: 2, command: 'undo', list: 'deals', title: 'run 1: entry "New"', changed: '1 entry deleted' },
    ]);
    expect(await undo('2')).toMatchObject({ code: 0, done: ['entry "New" recreated'] });
    expect(await titles()).toEqual([...before, 'New'].sort());
    expect(await undo('3')).toMatchObject({ code: 0, done: ['entry "New" deleted'] });
    expect(await titles()).toEqual(before);
  });

  it('deletes all of an import, its attributes too, with names and counts in the question', async () => {
    const file = 'title,extra\nOne,a\nTwo,b\nThree,c\n';
    const argv = ['entries', 'import', 'deals', '-', '--format', 'csv', '--create-attrs', '-y'];
    const done = await run(argv, { stdin: file });
    expect([done.code, done.stderr]).toEqual([0, done.stderr]);
    const no = await run(['undo'], { tty: true, columns: 200, answers: [['Undo run', 'n\r']] });
    expect(no.code).toBe(1);
    expect(no.stderr).toContain('entry "One": delete');
    expect(no.stderr).toContain('attribute "extra": delete');
    expect(no.stderr).toContain('Undo run 1: delete 3 entries, delete 1 attribute?');
    expect((await titles()).length).toBe(8);
    const yes = await run(['undo'], { tty: true, columns: 200, answers: [['Undo run', 'y\r']] });
    expect([yes.code, yes.stderr]).toEqual([0, expect.stringMatching(/^4 deleted, 0 failed\.$/m)]);
    expect((await titles()).length).toBe(5);
    expect((await rows('attrs', 'list', 'deals')).map(({ slug }) => slug)).not.toContain('extra');
  });

  it('continues where it was interrupted', async () => {
    await ok('entries', 'create', 'deals', '--title', 'One');
    const many = ['title', ...Array.from({ length: 20 }, (_, n) => `Row ${n}`)].join('\n');
    await run(['entries', 'import', 'deals', '-', '--format', 'csv', '-y'], { stdin: many });
    let deletions = 0;
    const dies: Transport = async (request) => {
      if (request.method !== 'DELETE') return world.transport(request);
      deletions += 1;
      if (deletions === 8) throw new Error('killed');
      return deletions > 8 ? new Promise(() => {}) : world.transport(request);
    };
    await Promise.race([
      run(['undo', '-y'], { transport: dies }).catch(() => undefined),
      new Promise((done) => setTimeout(done, 1500)),
    ]);
    const left = (await titles()).length - 6;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(20);
    const again = await undo();
    expect(again.code).toBe(0);
    expect(again.done.length).toBeGreaterThanOrEqual(left);
    expect((await titles()).length).toBe(6);
  });

  it('skips what has changed since, and what holds something of others', async () => {
    const id = await ok('entries', 'create', 'deals', '--title', 'Mine', '--set', 'amount=1', '-o', 'id');
    await world.run(['entries', 'update', 'deals', id, '--set', 'amount=2']);
    expect(await undo()).toMatchObject({
      code: 1,
      done: ['entry "Mine" skipped'],
      stderr: expect.stringContaining('changed since then: amount; --force deletes it anyway'),
    });
    expect(await undo('1', '--force')).toMatchObject({ code: 0, done: ['entry "Mine" deleted'] });

    await ok('attrs', 'create', 'deals', 'Phase', '--type', 'select', '--option', 'A', '--option', 'B');
    await world.run(['entries', 'update', 'deals', ids.borealis, '--set', 'phase=A']);
    expect(await undo()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('changed since then: values in 1 entry'),
    });

    await ok('lists', 'create', 'Fresh', '--description', 'x');
    await world.run(['attrs', 'create', 'fresh', 'N', '--type', 'text']);
    await world.run(['entries', 'create', 'fresh', '--title', 'E']);
    const list = await undo();
    expect(list.stderr).toContain('changed since then: 1 attribute, 1 entry; --force deletes it anyway');
    expect(list.code).toBe(1);
  });

  it('deletes lists with what the same run put into them, from a template too, and follows new ids', async () => {
    await ok('lists', 'from-template', 'okrs', '--name', 'Goals');
    expect(await undo()).toMatchObject({ code: 0, done: ['list "Goals" deleted'] });
    await ok('lists', 'create', 'Fresh');
    expect((await rows('history')).map(({ list }) => list)).toEqual(['Fresh', 'Goals', 'Goals']);
    await ok('entries', 'create', 'fresh', '--title', 'E');
    await ok('entries', 'delete', 'fresh', 'E', '--keep-undo');
    await undo();
    expect((await rows('entries', 'list', 'fresh')).map(({ title }) => title)).toEqual(['E']);
    const numbers = (await rows('history')).filter(
      ({ command }) => command === 'entries create' || command === 'lists create',
    );
    for (const { number } of numbers.slice(0, 2)) expect((await undo(String(number))).code).toBe(0);
    expect((await rows('lists', 'list')).map(({ name }) => name)).not.toContain('Fresh');
  });

  it('never takes an older run unasked', async () => {
    await ok('entries', 'create', 'deals', '--title', 'One');
    await ok('entries', 'step', 'deals', ids.acme);
    const step = await undo();
    expect([step.code, step.stderr]).toEqual([1, expect.stringContaining('comem cannot revert this request')]);
    await ok('entries', 'create', 'deals', '--title', 'Two');
    expect((await undo()).code).toBe(0);
    await ok('entries', 'create', 'deals', '--title', 'Three');
    expect((await undo()).code).toBe(0);
    const older = await undo();
    expect([older.code, older.stderr]).toEqual([2, expect.stringContaining('was undone already')]);
    expect(older.stderr).toMatch(/run `comem undo 6` to do it again, or `comem undo 2` to revert entries step/);
    const asked = await run(['undo'], { tty: true, columns: 200, answers: [['Undo run 2', 'n\r']] });
    expect(asked.stderr).toContain('was undone already; this is about run 2.');
    expect(await titles()).toContain('One');
  });

  it('of a list from a template without a name and without an answer is impossible', async () => {
    const lost: Transport = async (request) => {
      if (request.method === 'POST') throw new Error('lost');
      return world.transport(request);
    };
    await run(['lists', 'from-template', 'okrs'], { transport: lost });
    expect(await rows('history')).toMatchObject([{ undo: 'no', why: 'whether it was created is unknown' }]);
  });
});
