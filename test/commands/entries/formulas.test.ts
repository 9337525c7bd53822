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
  expect(result.stderr).toContain('amount 1,250,000.50 EUR → 1,375,000.55 EUR');
  expect(result.stderr).toContain('amount 7.00 EUR → 7.70 EUR');
  expect(result.stderr).not.toContain('digits after the point');
  expect(result.stderr).toContain('2 updated, 2 unchanged');
});

it('names amounts of more digits than their currency has once, with the spelling that rounds them', async () => {
  const result = await update('--all', '--set', 'amount := amount * 1.123', '--dry-run');
  expect(result.stderr).toContain(
    '2 amounts of Amount would have more than 2 digits after the point: --set "amount := round(amount * 1.123, 2)" rounds them.',
  );
  expect(result.stderr).toContain('amount 7.00 EUR → 7.861 EUR');
  const rounded = await update('--all', '--set', 'amount := round(amount * 1.123, 2)', '--dry-run');
  expect(rounded.stderr).not.toContain('digits after the point');
  expect(rounded.stderr).toContain('amount 7.00 EUR → 7.86 EUR');
});

it.each([
  ['size := size + 3', { size: 15 }],
  ['amount := round(amount / 3, 2)', { amount: 416666.83 }],
  ['amount := amount + 10% * amount', { amount: 1375000.55 }],
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
    ['amount=amount*1.1', 'write an expression after :=, as in --set "amount := amount*1.1"'],
    ['amount=round(amount*1.1, 2)', 'as in --set "amount := round(amount*1.1, 2)"'],
    ['amount*=1.1', 'as in --set "amount := amount * 1.1"'],
    ['amount/=2', 'as in --set "amount := amount / 2"'],
    ['amount+=10%', 'write "amount := amount * 1.1"'],
    ['size-=5', 'write "size := size - 5"'],
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

  it.each([
    ['amount=+10%', 'write --set "amount := amount * 1.1"; or write the number: --set amount=0.1'],
    ['amount=-10%', 'write --set "amount := amount * 0.9"; or write the number: --set amount=-0.1'],
    ['amount=10%', 'write --set "amount := amount * 1.1"'],
    ['size=+10%', 'write --set "size := size * 1.1"'],
    ['amount := 10%', '10% is a percentage'],
    ['amount := amount + 10%', 'write a share of an amount: 10% * amount'],
  ])('a percentage that would become a number: %s', async (set, says) => {
    const result = await update('--all', '--set', set, '--yes');
    expect([result.code, writes(result), result.stderr]).toEqual([2, [], expect.stringContaining(says)]);
  });

  it('a percentage in the place of an amount, in conditions and new entries', async () => {
    for (const words of [
      ['count', 'deals', '--where', 'amount = 10%'],
      ['count', 'deals', '--where', 'amount in (5, -10%)'],
      ['count', 'deals', '--filter', 'amount=10%'],
      ['create', 'deals', '--title', 'A', '--set', 'amount=10%'],
    ]) {
      const result = await world.run(['entries', ...words]);
      expect([words, result.code, writes(result), result.stderr]).toEqual([
        words,
        2,
        [],
        expect.stringContaining('percentage'),
      ]);
    }
  });

  it.each([
    ['amount=1,8Mio', 'did you mean 1.8M?'],
    ['amount=€ 2,5 Mrd.', 'did you mean 2.5B?'],
    ['amount=1.800.000', 'did you mean 1800000?'],
    ['amount=275.000,50', 'did you mean 275000.50?'],
    ['position=3', 'use --position'],
    ['archived=true', 'run `comem entries archive`'],
  ])('with the right spelling: %s', async (set, says) => {
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

it('says how an amount with a point and three digits was read, once', async () => {
  const result = await update(ids.acme, '--set', 'amount=275.000');
  expect(result.stderr.match(/amount: 275\.000 is 275 EUR; for 275000, write 275000\./g)).toHaveLength(1);
  const others = await update(ids.acme, '--set', 'amount=275.00', '--set', 'size=1.250', '--dry-run');
  expect(others.stderr).not.toContain(' is ');
});

it('takes the names of attributes, as conditions do', async () => {
  const result = await update(ids.acme, '--set', 'AMOUNT=5', '--set', 'Size := Size + 1');
  expect(result.code).toBe(0);
  expect(writes(result)[0]).toMatchObject({ values: { amount: 5, size: 13 } });
});
