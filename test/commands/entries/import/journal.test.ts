/** The journal of an import: what a kill at any byte of it leaves to continue with. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../../../src/cli/context.ts';
import {
  beginJournal,
  continueJournal,
  findJournal,
  hasJournal,
  type UnfinishedImport,
} from '../../../../src/commands/entries/import/journal.ts';
import type { StoredPlan } from '../../../../src/commands/entries/import/plan.ts';
import { temporaryFolder } from '../../../helpers/cli.ts';

const id = '00000000-0000-4000-8000-000000000001';
const create = { do: 'create', line: 2, key: 'x', title: 'x', cells: { a: 'x' }, body: { title: 'x' } };
const plan = {
  ...{ comem: 'import-plan', version: 1, baseUrl: 'https://memory.example', list: { id }, mode: 'create', state: '' },
  ...{ source: { name: 'a.csv', hash: '', rows: 3, json: false, place: 'line', formats: {} }, key: { field: 'title' } },
  ...{ headers: ['a'], attributes: [], unchanged: 0, skipped: 0 },
  ...{ actions: [create, create, { do: 'archive', title: 'y', id, before: {} }], refused: [] },
} as unknown as StoredPlan;
const asArrays = (found: UnfinishedImport | undefined) =>
  found && { ...found, plan: { ...found.plan, actions: [...found.plan.actions], refused: [...found.plan.refused] } };

let ctx: Context;
let folder: string;
beforeEach(() => {
  const state = temporaryFolder();
  ctx = { folders: { state }, runtime: {} } as unknown as Context;
  folder = join(state, 'imports');
});
const only = () => join(folder, readdirSync(folder)[0] ?? '');

describe('journal', () => {
  it('is read back as it was written, only by its owner, and goes when all is done', async () => {
    const journal = await beginJournal(ctx, 'a', plan);
    for (const action of [0, 12]) journal.sent(action);
    journal.done(0);
    journal.close(false);
    expect(asArrays(await findJournal(ctx, 'a'))).toEqual({
      plan,
      done: new Set([0]),
      sent: new Set([0, 12]),
    });
    expect([statSync(only()).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    continueJournal(ctx, 'a').close(true);
    expect([hasJournal(ctx, 'a'), await findJournal(ctx, 'a')]).toEqual([false, undefined]);
  });

  it('cut anywhere, never says that something is done that is not', async () => {
    const journal = await beginJournal(ctx, 'a', plan);
    for (const action of [1, 10, 100]) {
      journal.sent(action);
      journal.done(action);
    }
    journal.close(false);
    const whole = readFileSync(only(), 'utf8');
    for (let length = 0; length < whole.length; length += 1) {
      writeFileSync(only(), whole.slice(0, length));
      const cut = await findJournal(ctx, 'a');
      if (length < whole.indexOf('\n}') + 2) expect(cut).toBeUndefined();
      else {
        const next = continueJournal(ctx, 'a');
        next.done(7);
        next.close(false);
        const found = await findJournal(ctx, 'a');
        expect([1, 7, 10, 100]).toEqual(expect.arrayContaining([...(found?.done ?? [])]));
        expect(found?.done.has(7)).toBe(true);
        expect([...(found?.done ?? [])].filter((one) => one !== 7).every((one) => found?.sent.has(one))).toBe(true);
      }
    }
  });

  it('is kept for fifty imports at most', async () => {
    for (let n = 0; n < 60; n += 1) (await beginJournal(ctx, `${n}`, plan)).close(false);
    expect(readdirSync(folder)).toHaveLength(50);
    expect(hasJournal(ctx, '59')).toBe(true);
  });
});
