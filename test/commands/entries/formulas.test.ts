/** `entries update --set 'SLUG := EXPRESSION'`: values computed from each entry. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ids, listsWorld, type World } from '../../helpers/lists-world.ts';
import type { RunResult } from '../../helpers/run.ts';

let world: World;
beforeEach(async () => {
  world = await listsWorld();
});
afterEach(() => world.close());

const update = (...words: string[]) => world.run(['entries', 'update', 'deals', ...words]);
const writes = ({ requests }: RunResult) => requests.filter(({ method }) => method !== 'GET').map(({ body }) => body);

it('is computed for each entry, exactly, and keeps the value where it is empty', async () => {
  const result = await update('--all', '--set', 'amount := amount * 1.1', '--yes', '-o', 'json');
  expect([result.code, writes(result)]).toEqual([
    0,
    expect.arrayContaining([
      { id: ids.acme, values: { amount: 1375000.55 } },
      { id: ids.borealis, values: { amount: 7.7 } },
    ]),
  ]);
  expect(writes(result)).toHaveLength(2);
  expect(result.stderr).toContain('amount 1,250,000.5 EUR → 1,375,000.55 EUR');
  expect(result.stderr).toContain('2 updated, 2 unchanged');
});

it.each([
  ['size := size + 3', { size: 15 }],
  ['since := since + 1mo', { since: '2024-03-29' }],
  ['hot := amount > 5M', { hot: false }],
  ['notes := lower(site)', { notes: 'https://acme.example' }],
  ['stage := "open"', { stage: 'o-open' }],
  ['notes:=null', { notes: null }],
  ['size:=20M', { size: 20000000 }],
  ['since := today - 1d', { since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) }],
])('of one entry: %s', async (set, values) => {
  const result = await update(ids.acme, '--set', set);
  expect([result.stderr, result.code, writes(result)]).toEqual([expect.anything(), 0, [{ id: ids.acme, values }]]);
});

it('sends nothing for one entry whose value is empty', async () => {
  const result = await update(ids.borealis, '--set', 'size := size + 3');
  expect([result.code, writes(result), result.stderr]).toEqual([0, [], expect.stringContaining('Nothing changes')]);
});

describe('is refused', () => {
  it.each([
    ['size = size + 3', 'write an expression after :=, as in --set "size := size + 3"'],
    ['size := amuont * 2', 'did you mean amount?'],
    ['stage := Won', 'write --set stage=Won for the value'],
    ['amount := site', 'this is text, and amount is of type currency'],
    ['since := amount', 'this is a number, and since is of type date'],
    ['size := (amount', '")" is missing'],
    ['notes := ["a"', 'not JSON'],
    ['nonsense := 1 + 1', 'the list has no attribute "nonsense"'],
  ])('%s', async (set, says) => {
    const result = await update(ids.acme, '--set', set);
    expect([result.code, writes(result), result.stderr]).toEqual([2, [], expect.stringContaining(says)]);
  });

  it('for a new entry, before anything is asked', async () => {
    const result = await world.run(['entries', 'create', 'deals', '--title', 'A', '--set', 'size := amount * 2']);
    expect([result.code, writes(result), result.stderr]).toEqual([
      2,
      [],
      expect.stringContaining('a new entry has no values'),
    ]);
  });
});
