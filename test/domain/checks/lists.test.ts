/** What each expectation of a list takes for right and wrong at its borders, what it says, and what it refuses. */
import { describe, expect, it } from 'vitest';
import { ExactNumber, type Numeric } from '../../../src/core/json.ts';
import { lintListExpectation, listTest, referencesOf } from '../../../src/domain/checks/list-checks.ts';
import { type ListFacts, outcomeOf } from '../../../src/domain/checks/list-test.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import { type Entry, fixedFields } from '../../../src/domain/entries/scope.ts';

const attributes: Attribute[] = [
  {
    slug: 'stage',
    attribute_type: 'select',
    config: {
      options: [
        { id: 'w', label: 'Won' },
        { id: 'l', label: 'Lost' },
      ],
    },
  },
  {
    slug: 'tags',
    attribute_type: 'multi_select',
    config: {
      options: [
        { id: 'ai', label: 'AI' },
        { id: 'bio', label: 'Bio' },
      ],
    },
  },
  {
    slug: 'plan',
    attribute_type: 'select',
    config: { options: [{ id: 'free' }] },
  },
  {
    slug: 'position',
    attribute_type: 'status',
    config: { options: [{ id: 'up', label: 'Up' }] },
  },
  { slug: 'kind', attribute_type: 'select', config: {} },
  { slug: 'amount', attribute_type: 'currency', config: { min: 0 } },
  { slug: 'score', attribute_type: 'number' },
  { slug: 'note', attribute_type: 'text' },
  { slug: 'email', attribute_type: 'email', is_required: true },
  { slug: 'hot', attribute_type: 'checkbox' },
  { slug: 'closed', attribute_type: 'date' },
  { slug: 'raw' },
] as Attribute[];
const now = new Date('2026-03-31T12:00:00Z');
const facts: ListFacts = {
  attributes,
  now,
  cap: 10,
  references: (list, column) =>
    new Set(list === 'people' && column === 'title' ? ['Ann', 'AI'] : [`${list}.${column}`]),
  before: (aggregate) =>
    ({ count: 2, 'sum(amount)': 0, 'max(amount)': 10, 'average(amount)': 9007199254740991 })[aggregate],
};

type Row = Record<string, unknown>;

/** Rows 1, 2, 3 …, each given by its fields and values together. */
function entriesOf(rows: readonly Row[]): Entry[] {
  const isFixed = ([name]: [string, unknown]) => (fixedFields as readonly string[]).includes(name);
  return rows.map((row, index) => {
    const all = Object.entries(row);
    const values = Object.fromEntries(
      all.filter((one) => !isFixed(one)).map(([name, value]) => [name.replace('values.', ''), value]),
    );
    return {
      id: String(index + 1),
      title: `T${index + 1}`,
      ...Object.fromEntries(all.filter(isFixed)),
      values,
    };
  });
}

function run(text: string, rows: readonly Row[], known: ListFacts = facts) {
  const test = listTest(text, known);
  for (const entry of entriesOf(rows)) test.row?.(entry);
  return { ...test.finish(rows.length), aggregates: test.aggregates?.() };
}

const of = (name: string, ...values: unknown[]): Row[] => values.map((value) => ({ [name]: value }));
const amounts = (...values: unknown[]) => of('amount', ...values);

/** What is said about the refused text, with its hint. */
function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return hint ? `${message} (${hint})` : message;
  }
  return 'taken';
}

describe('a bound', () => {
  it.each([
    ['count = 2', 'pass'],
    ['count = 3', 'fail'],
    ['count != 3', 'pass'],
    ['count != 2', 'fail'],
    ['count < 3', 'pass'],
    ['count < 2', 'fail'],
    ['count <= 2', 'pass'],
    ['count <= 1', 'fail'],
    ['count > 1', 'pass'],
    ['count > 2', 'fail'],
    ['count >= 2', 'pass'],
    ['count >= 3', 'fail'],
    ['  count >= 2  ', 'pass'],
    ['sum(amount) = -7', 'pass'],
    ['sum(amount) = 7', 'fail'],
    ['sum(amount) > -0.007k', 'fail'],
  ])('is met or not by two rows whose sum is -7: %s: %s', (text, status) => {
    expect(run(text, amounts(-5, -2)).status).toBe(status);
  });

  it.each([
    'count > 0',
    'count <= 0',
    'count = 0',
    'count != 0',
    'count >= 0.5',
    'change(sum(amount)) = 2.5',
    'change(sum(amount)) != 2.5',
    'sum(amount) >= 0',
  ])('that can decide is taken: %s', (text) => {
    expect(refusal(() => run(text, []))).toBe('taken');
  });
});

describe('an expectation of all rows', () => {
  it.each<[string, string, Row[], string, string, string[]?]>([
    ['the least value, first', 'min(amount) = -2', amounts(-2, 3, 1), 'pass', '-2'],
    ['the least value, later', 'min(amount) = -2', amounts(3, 1, -2, 2), 'pass', '-2'],
    ['the greatest value, first', 'max(amount) = 3', amounts(3, 1, 2), 'pass', '3'],
    ['the greatest value, later', 'max(amount) = 3', amounts(-2, 1, 3, 2), 'pass', '3'],
    ['an average leaves out empty values', 'average(amount) = 2', amounts(1, null, 3, ''), 'pass', '2'],
    ['no values have no average', 'average(amount) <= 2', amounts(null), 'fail', 'no values'],
    ['no values have no least one', 'min(amount) >= -2', [], 'fail', 'no values'],
    ['no rows sum to 0', 'sum(amount) = 0', [], 'pass', '0'],
    ['a sum of groups without rows', 'sum(amount) by stage >= 1', [], 'pass', 'no rows'],
    ['a count of groups without rows', 'count by note >= 1', [], 'pass', 'no rows'],
    [
      'each group has its own sum',
      'sum(amount) by stage <= 3',
      [
        { stage: 'w', amount: 1 },
        { stage: 'w', amount: 2 },
        { stage: 'l', amount: 4 },
      ],
      'fail',
      'Won: 3, Lost: 4',
      ['stage = Lost: sum(amount) is 4'],
    ],
    [
      'a group without values has no least one',
      'min(amount) by stage >= 1',
      [{ stage: 'w' }, { stage: 'l', amount: 1 }],
      'fail',
      'Won: no values, Lost: 1',
      ['stage = Won: min(amount) is empty'],
    ],
    [
      'an option that no row has counts as 0',
      'count by stage >= 1',
      of('stage', 'w', 'w'),
      'fail',
      'Won: 2, Lost: 0',
      ['stage = Lost: count is 0'],
    ],
    ['an option without a label goes by its id', 'count by plan <= 5', [], 'pass', 'free: 0'],
    [
      'an attribute that has the name of a field',
      'count by values.position <= 5',
      of('values.position', 'up'),
      'pass',
      'Up: 1',
    ],
    ['an attribute without options', 'count by kind <= 5', of('kind', 'x', 'x'), 'pass', 'x: 2'],
    ['a field of every row', 'count by title <= 1', [{}, {}], 'pass', 'T1: 1, T2: 1'],
    [
      'a row with several options counts for each',
      'count by tags <= 5',
      of('tags', ['ai', 'bio'], ['ai']),
      'pass',
      'AI: 2, Bio: 1',
    ],
    [
      'rows without a value are one group, however they say it',
      'count by note <= 3',
      of('note', null, '', undefined),
      'pass',
      'empty: 3',
    ],
    [
      'so are rows with an empty list',
      'count by tags <= 1',
      of('tags', [], null),
      'fail',
      'AI: 0, Bio: 0, empty: 2',
      ['tags = empty: count is 2'],
    ],
    [
      'a value in the title of the other list',
      'references(note, people)',
      of('note', 'Ann', 'Bob', null, '', undefined),
      'fail',
      '1 of 2 values',
      ['T2: note = Bob'],
    ],
    [
      'a value in another column of the other list',
      'references(note, people, email)',
      of('note', 'people.email'),
      'pass',
      '1 of 1 values',
    ],
    [
      'each of several values',
      'references(tags, people)',
      of('tags', ['ai', 'bio'], []),
      'fail',
      '1 of 2 values',
      ['T1: tags = Bio'],
    ],
    [
      'archived rows',
      'no_archived',
      [{ archived: true }, { archived: false }],
      'fail',
      '1 of 2 rows hold',
      ['T1: archived = true'],
    ],
  ])('%s: %s', (_, text, rows, status, observed, findings = []) => {
    const outcome = run(text, rows);
    expect(outcome).toMatchObject({ status, observed });
    expect(outcome.findings.map(({ title, detail }) => `${title}: ${detail}`)).toEqual(findings);
  });

  it('shows the first twenty of many groups', () => {
    const rows = Array.from({ length: 21 }, (_, index) => ({
      note: `n${index}`,
      amount: index,
    }));
    for (const text of ['count by note <= 1', 'sum(amount) by note <= 20']) {
      expect(run(text, rows).observed).toMatch(/n19: \d+$/);
    }
  });

  const says = { total: 0, isChosen: false, allowEmpty: false };
  it.each([
    ['unique(note)', says, 'error', 'no rows'],
    ['unique(note)', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['unique(note)', { ...says, isChosen: true, allowEmpty: true }, 'pass', '0 distinct, 0 repeated'],
    ['amount > 1', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['if amount > 1 then hot', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['count by note <= 3', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['sum(amount) = 0', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['no_archived', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['references(note, people)', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['valid()', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['count <= 10', { ...says, isChosen: true }, 'error', 'no row matches where'],
    ['count <= 10', { ...says, isChosen: true, allowEmpty: true }, 'pass', '0'],
    ['count <= 10', says, 'pass', '0'],
    // Only none passes, so that none is what was meant.
    ['count = 0', { ...says, isChosen: true }, 'pass', '0'],
    ['count < 1', { ...says, isChosen: true }, 'pass', '0'],
    ['count >= 1', { ...says, isChosen: true }, 'fail', '0'],
    ['exists', { ...says, isChosen: true }, 'pass', 'exists'],
    ['attribute(note, text)', { ...says, isChosen: true }, 'pass', 'note text'],
    ['unique(note)', { ...says, total: 1, isChosen: true }, 'pass', '0 distinct, 0 repeated'],
    ['if amount > 1 then hot', { ...says, total: 3 }, 'error', '0 of 0 rows where amount > 1'],
    ['if amount > 1 then hot', { ...says, total: 3, allowEmpty: true }, 'pass', '0 of 0 rows where amount > 1'],
    ['references(note, people)', { ...says, total: 3 }, 'error', '0 of 0 values'],
    ['range(amount, 0)', { ...says, total: 3 }, 'error', '0 of 0 rows where amount is not empty'],
  ])('that looked at nothing: %s of %j', (text, taken, status, observed) => {
    expect(outcomeOf(listTest(text, facts), taken)).toMatchObject({ status, observed });
  });

  it.each([
    ['accepted(note, "Café")', 'pass'],
    ['accepted(note, "Cafe")', 'fail'],
    ['unique(note)', 'fail'],
    ['references(note, cafés)', 'pass'],
  ])('takes accents as letters of their own or not: %s', (text, status) => {
    const test = listTest(text, { ...facts, references: () => new Set(['Caf\u00e9']) });
    for (const entry of entriesOf([{ note: 'Cafe\u0301' }, { note: 'Caf\u00e9' }])) test.row?.(entry);
    expect(test.finish(2).status).toBe(status);
  });

  it('asks for the archived rows only where it looks at them', () => {
    expect(listTest('no_archived', facts).archived).toBe(true);
    expect(listTest('count > 1', facts).archived).toBeUndefined();
  });

  it('names the other list and column that must be read', () => {
    expect(referencesOf('references(note, people, email)')).toEqual(['people', 'email']);
    expect(referencesOf('references(note, "a list")')).toEqual(['a list', 'title']);
    expect(referencesOf('unique(note, people)')).toBeUndefined();
    expect(referencesOf('note = "references"')).toBeUndefined();
  });

  it.each([
    ['count(stage = Won) / count >= 50%', 'pass', '50 %'],
    ['count(stage = Won) / count > 50%', 'fail', '50 %'],
    ['sum(score) / count(score) > 50%', 'fail', '33.33 %'],
    ['count(note) = 1', 'pass', '1'],
    ['((count >= 4))', 'pass', '4'],
    ['length(stage, max=3)', 'fail', '2 of 4 rows hold'],
    ['median(amount) = 2', 'pass', '2'],
    ['distinct(stage) = 2', 'pass', '2'],
    ['sum(amount) / count(stage = Won) <= 2', 'pass', '2'],
    ['avg(score) <= 0.333333333333333', 'fail', '0.333333333333333'],
    ['avg(score) > 0.333333333333333', 'pass', '0.333333333333333'],
    ['sum(score) / count(score) <= 0.333333333333333', 'fail', '0.333333333333333'],
    ['sum(score) / (0 - count(score)) >= -0.333333333333333', 'fail', '-0.333333333333333'],
    ['sum(amount) / (count - count) <= 5', 'fail', 'no values'],
  ])('is any aggregate of `entries summarize`, held against the bound exactly: %s: %s', (text, status, observed) => {
    const rows = [
      { stage: 'w', amount: 1, score: 0, note: 'x' },
      { stage: 'l', amount: 2, score: 0 },
      { stage: 'w', amount: 1, score: 1 },
      { stage: 'l', amount: 0 },
    ];
    const known = text.startsWith('median') ? [{ amount: 1 }, { amount: 2 }, { amount: 9 }] : rows;
    expect(run(text, known)).toMatchObject({ status, observed });
  });

  it.each([
    `sum(amount${' '.repeat(100_000)}) >= 1`,
    `sum(amount)${' '.repeat(100_000)}by stage >= 0`,
    `change(sum(amount${' '.repeat(100_000)})) <= 5`,
  ])('takes a time that grows with the length of the text', (text) => {
    expect(run(text, amounts(1, 2)).status).toBe('pass');
  });

  it.each<[string, Row[], string, string, Record<string, Numeric>]>([
    ['change(count) <= 50%', [{}, {}, {}], 'pass', '3, was 2', { count: 3 }],
    ['change(count) < 50%', [{}, {}, {}], 'fail', '3, was 2', { count: 3 }],
    ['change(count) <= 50%', [{}], 'pass', '1, was 2', { count: 1 }],
    ['change(max(amount)) <= 1', amounts(11, 3), 'pass', '11, was 10', { 'max(amount)': 11 }],
    ['change(max(amount)) < 1', amounts(11, 3), 'fail', '11, was 10', { 'max(amount)': 11 }],
    ['change(max(amount)) < 10', [], 'error', 'no values of max(amount)', {}],
    ['change(sum(amount)) <= 10%', amounts(0), 'pass', '0, was 0', { 'sum(amount)': 0 }],
    ['change(sum(amount)) <= 10%', amounts(1), 'fail', '1, was 0', { 'sum(amount)': 1 }],
    ['change(min(amount)) <= 1', amounts(7), 'error', '7, and no baseline to compare with', { 'min(amount)': 7 }],
    [
      'change(average(amount)) <= 1',
      amounts(new ExactNumber('9007199254740993'), new ExactNumber('9007199254740993.0')),
      'fail',
      '9007199254740993, was 9007199254740991',
      { 'average(amount)': new ExactNumber('9007199254740993') },
    ],
  ])('is held against the baseline: %s', (text, rows, status, observed, aggregates) => {
    expect(run(text, rows)).toMatchObject({ status, observed, aggregates });
  });
});

describe('an expectation of each row', () => {
  it.each<[string, string, Row[], string, string, string[]?]>([
    [
      'a value in every row',
      'required(note, email)',
      [{ note: 'a', email: 'b' }, { note: '', email: null }, { email: 'c' }],
      'fail',
      '1 of 3 rows hold',
      ['note = empty, email = empty', 'note = empty, email = c'],
    ],
    [
      'an empty list is no value',
      'required(tags)',
      of('tags', [], ['ai']),
      'fail',
      '1 of 2 rows hold',
      ['tags = empty'],
    ],
    [
      'rows without a value repeat nothing',
      'unique(note)',
      of('note', 'a', null, '', 'b'),
      'pass',
      '2 distinct, 0 repeated, 2 empty',
    ],
    [
      'one empty value of two is a value',
      'unique(note, email)',
      of('note', 'a', 'a'),
      'fail',
      '1 distinct, 1 repeated',
      ['a, empty is also in 1'],
    ],
    [
      'a pattern leaves out empty values',
      'pattern(note, "^a")',
      of('note', 'ab', 'ba', null),
      'fail',
      '1 of 3 rows hold, 1 empty',
      ['note = ba'],
    ],
    [
      'a range leaves out empty values',
      'range(amount, 1, 7)',
      amounts(3, 7, 0.5, null),
      'fail',
      '2 of 3 rows where amount is not empty',
      ['amount = 0.5'],
    ],
    [
      'a length is that of the characters',
      'length(note, 2, 3)',
      of('note', 'ab', '🦉🦉🦉', 'a', 'abcd', null),
      'fail',
      '2 of 5 rows hold, 1 empty',
      ['note = a', 'note = abcd'],
    ],
    [
      'a length of several options',
      'length(tags, max=1)',
      of('tags', ['ai'], ['ai', 'bio']),
      'fail',
      '1 of 2 rows hold',
      ['tags = AI; Bio'],
    ],
    [
      'blanks are no value',
      'required(note)',
      of('note', 'a', ' ', '\t'),
      'fail',
      '1 of 3 rows hold',
      ['note = " "', 'note = "\\t"'],
    ],
    ['a length of none', 'length(tags, min=2)', of('tags', [], ['ai', 'bio']), 'pass', '1 of 2 rows hold, 1 empty'],
    ['today is not in the future', 'not_future(closed)', of('closed', '2026-03-31', null), 'pass', '2 of 2 rows hold'],
    [
      'tomorrow is',
      'not_future(closed)',
      of('closed', '2026-04-01'),
      'fail',
      '0 of 1 rows hold',
      ['closed = 2026-04-01'],
    ],
    [
      'now is not in the future',
      'not_future(updated_at)',
      of('updated_at', '2026-03-31T12:00:00.000Z'),
      'pass',
      '1 of 1 rows hold',
    ],
    [
      'the next moment is',
      'not_future(updated_at)',
      of('updated_at', '2026-03-31T12:00:00.001Z'),
      'fail',
      '0 of 1 rows hold',
      ['updated_at = 2026-03-31T12:00:00.001Z'],
    ],
    [
      'the newest row is new enough',
      'fresh(closed, 2d)',
      of('closed', '2026-03-01', '2026-03-30', '2026-03-02', null),
      'pass',
      'newest closed 2026-03-30',
    ],
    ['a day lasts until its end', 'closed within 12h', of('closed', '2026-03-30'), 'pass', 'newest closed 2026-03-30'],
    ['and not longer', 'closed within 11h', of('closed', '2026-03-30'), 'fail', 'newest closed 2026-03-30'],
    ['no row is never fresh', 'fresh(1y)', [], 'fail', 'no updated_at'],
    [
      'a time to come keeps nothing fresh',
      'closed within 7d',
      of('closed', '2026-12-01', '2026-03-01'),
      'fail',
      'newest closed 2026-03-01, 1 in the future',
    ],
    [
      'nor do only such times',
      'closed within 7d',
      of('closed', '2026-04-01'),
      'fail',
      'no closed up to now, 1 in the future',
    ],
    [
      'beside one that is fresh',
      'closed within 7d',
      of('closed', '2026-12-01', '2026-03-30'),
      'pass',
      'newest closed 2026-03-30, 1 in the future',
    ],
    ['today is no time to come', 'closed within 7d', of('closed', '2026-03-31'), 'pass', 'newest closed 2026-03-31'],
    [
      'values that fit',
      'valid()',
      [{ email: 'a@b.io', amount: 0 }, { email: 'a@b.io', amount: -1 }, {}],
      'fail',
      '1 of 3 rows hold',
      ['amount = -1 is not at least 0', 'email is required and empty'],
    ],
    ['of some attributes only', 'valid(amount)', [{ email: 5, amount: 1 }], 'pass', '1 of 1 rows hold'],
    [
      'a condition says what it looked at',
      'amount > 1 and stage = Won',
      [{ amount: 2, stage: 'w' }, { amount: 1, stage: 'l' }, {}],
      'fail',
      '1 of 3 rows hold',
      ['amount = 1, stage = Lost', 'amount = empty, stage = empty'],
    ],
    ['a row is a condition', 'row(stage = Won)', of('stage', 'w', 'l'), 'fail', '1 of 2 rows hold', ['stage = Lost']],
    [
      'several options are shown apart',
      'tags is empty',
      of('tags', ['ai', 'bio']),
      'fail',
      '0 of 1 rows hold',
      ['tags = AI; Bio'],
    ],
    [
      'an object is shown as JSON',
      'type(raw, number)',
      of('raw', { a: 1 }),
      'fail',
      '0 of 1 rows hold',
      ['raw = {"a":1}'],
    ],
    [
      'a rule of some rows',
      'If  stage = Won  then  amount > 1',
      [{ stage: 'w', amount: 2 }, { stage: 'w', amount: 1 }, { stage: 'l' }],
      'fail',
      '1 of 2 rows where stage = Won',
      ['amount = 1'],
    ],
    [
      'a word within a rule is none of its parts',
      'if note = "if x" then amount > 1',
      [{ note: 'if x', amount: 2 }],
      'pass',
      '1 of 1 rows where note = "if x"',
    ],
  ])('%s: %s', (_, text, rows, status, observed, details = []) => {
    const outcome = run(text, rows);
    expect(outcome).toMatchObject({ status, observed });
    expect(outcome.findings.map(({ detail }) => detail)).toEqual(details);
  });

  it.each([
    ['range(amount, 1, 10)', 'amount >= 1 and amount <= 10'],
    ['range(amount, min=1)', 'amount >= 1'],
    ['range(amount, max=1k)', 'amount <= 1k'],
    ['length(note, 1, max=5e1)', 'length >= 1 and <= 5e1'],
    ['range(amount, -2.5e-1, 12E+2)', 'amount >= -2.5e-1 and amount <= 12E+2'],
    ['not_future(closed)', '(closed is empty or closed <= now)'],
    ['accepted(stage, Won, "Lost")', 'one of Won, Lost'],
    ['if stage = Won  then amount > 1', 'amount > 1'],
    ['references(note, people)', 'in people.title'],
    ['change(count) <= 10%', 'change <= 10%'],
    ['count by stage >= 2', '>= 2'],
    ['fresh(closed, 3mo)', 'within 3mo'],
  ])('says what it asks for: %s: %s', (text, threshold) => {
    expect(run(text, []).threshold).toBe(threshold);
  });

  it('keeps the first findings, and counts all', () => {
    const { failed, findings } = run('required(note)', [{}, {}, {}], {
      ...facts,
      cap: 2,
    });
    expect([failed, findings.length]).toEqual([3, 2]);
  });

  it.each([
    [
      'number',
      ['1', '-1.5', '+.5', '2.', '10.25', '.25', '1e5', '1.5E-10'],
      ['x1', '1x', '1e', 'e5', '1.2.3', '', '.'],
    ],
    ['integer', ['12', '-12', '+1'], ['1.5', 'x1', '1x', '--1']],
    ['year', ['2024'], ['12024', '24', 'year', '2024-01']],
    ['date', ['2024-02-29'], ['2023-02-29', '2024-02']],
    ['datetime', ['2024-02-29T10:00:00Z'], ['2024-02-29']],
    ['uuid', ['c0ffee00-0000-4000-8000-000000000011'], ['c0ffee00']],
    ['url', ['https://a.io/x'], ['a.io/x y']],
    ['email', ['a@b.io'], ['a@']],
    ['boolean', ['true', 'false'], ['yes', 'True']],
  ])('tells texts that are a %s from others', (kind, good, bad) => {
    expect(run(`type(note, ${kind})`, of('note', ...good)).failed).toBe(0);
    const filled = bad.filter((text) => text !== '');
    expect(run(`type(note, ${kind})`, of('note', ...bad)).findings.map(({ detail }) => detail)).toEqual(
      filled.map((text) => `note = ${text}`),
    );
  });

  it.each([
    ['not_future(closed)', { closed: 'soon' }, 'closed is "soon", which cannot be read as a time'],
    [
      'fresh(closed, 1d)',
      { closed: 'soon', title: undefined },
      'closed of "1" is "soon", which cannot be read as a time',
    ],
    ['sum(amount) > 1', { amount: 'five' }, 'amount is "five", which is not a number'],
  ])('ends with a stored value that it cannot read: %s', (text, row, says) => {
    expect(() => run(text, [row])).toThrow(says);
  });
});

it('takes columns that are called like words of the language', () => {
  const names = ['in', 'by', 'not', 'today', 'month', 'true', 'count', 'length', 'first-contact'];
  const known = { ...facts, attributes: names.map((slug) => ({ slug, attribute_type: 'number' })) as Attribute[] };
  for (const name of names) {
    expect([name, run(`range(\`${name}\`, 1, 5)`, of(name, 3, 7), known).failed]).toEqual([name, 1]);
    expect([name, run(`required(\`${name}\`)`, of(name, 3, null), known).failed]).toEqual([name, 1]);
    expect([name, run(`unique(\`${name}\`)`, of(name, 3, 3), known).failed]).toEqual([name, 1]);
    expect([name, run(`accepted(\`${name}\`, 3)`, of(name, 3, 4), known).failed]).toEqual([name, 1]);
    expect([name, run(`sum(\`${name}\`) >= 7`, of(name, 3, 4), known).status]).toEqual([name, 'pass']);
  }
});

describe('accepted values', () => {
  it.each<[string, Row[], string, string[]]>([
    ['accepted(hot, true)', of('hot', true, false, null), '1 of 3 rows hold, 1 empty', ['hot = false']],
    ['accepted(hot, false, true)', of('hot', true, false), '2 of 2 rows hold', []],
    ['accepted(note, a, "b c")', of('note', 'a', 'b c', 'A', ''), '2 of 4 rows hold, 1 empty', ['note = A']],
    ['accepted(raw, 5)', of('raw', 5, '5', 6), '2 of 3 rows hold', ['raw = 6']],
    ['accepted(kind, w, x)', of('kind', 'w'), '1 of 1 rows hold', []],
    ['accepted(closed, 2026)', of('closed', '2025-12-31', '2026-01-01'), '1 of 2 rows hold', ['closed = 2025-12-31']],
    ['accepted(kind, w)', of('kind', 'w', 'Won'), '1 of 2 rows hold', ['kind = Won']],
    ['accepted(tags, AI)', of('tags', ['ai'], ['ai', 'bio'], []), '1 of 3 rows hold, 1 empty', ['tags = Bio']],
    ['accepted(score, 1_500, -.5, 2%)', of('score', 1500, -0.5, 0.02, 0.5), '3 of 4 rows hold', ['score = 0.5']],
    ['accepted(score, 1e3, -2.5e-1)', of('score', 1000, -0.25), '2 of 2 rows hold', []],
    [
      'accepted(closed, 2026-01-31)',
      of('closed', '2026-01-31', '2026-02-01'),
      '1 of 2 rows hold',
      ['closed = 2026-02-01'],
    ],
    [
      'accepted(closed, 2026-01, 2025)',
      of('closed', '2026-01-31', '2025-07-01', '2026-02-01'),
      '2 of 3 rows hold',
      ['closed = 2026-02-01'],
    ],
    [
      'accepted(created_at, 2026-01-31)',
      of('created_at', '2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z'),
      '1 of 2 rows hold',
      ['created_at = 2026-02-01T00:00:00Z'],
    ],
  ])('are read by the type of the column: %s', (text, rows, observed, details) => {
    const outcome = run(text, rows);
    expect(outcome.observed).toBe(observed);
    expect(outcome.findings.map(({ detail }) => detail)).toEqual(details);
  });

  it.each([
    ['accepted(hot, true, yes)', 'hot is true or false, and "yes" is text'],
    ['accepted(score, "5 apples")', 'score is a number, and "5 apples" is text'],
    ['accepted(closed, 2026-01-31, soon)', 'soon is not a date'],
    ['accepted(closed, 2026-02-30)', '2026-02-30 is not a date'],
    ['accepted(stage)', 'accepted needs the values after the column'],
    ['accepted', 'accepted needs a column'],
    ['accepted(stage, Won) >= 3', 'takes nothing after it'],
  ])('that the column cannot have are refused: %s', (text, says) => {
    expect(refusal(() => run(text, []))).toContain(says);
  });

  it('may be options that were removed, where a row has one of several', () => {
    expect(run('accepted(tags, AI, Bio, old)', of('tags', ['ai', 'old'])).status).toBe('pass');
    expect(refusal(() => run('accepted(tags, AI, Bio, old)', of('tags', ['ai'])))).toContain('unknown option "old"');
  });
});

describe('the shape of a list', () => {
  const all = attributes.map(({ slug }) => slug).join(', ');
  it.each([
    ['exists', 'pass', 'exists', 'exists'],
    [`attributes(${all})`, 'pass', all, all],
    [`attributes(${all}, b, a)`, 'fail', 'missing b, a', `${all}, b, a`],
    [`attributes(${all.replace('stage, tags, ', '')}, b)`, 'fail', 'missing b; not expected stage, tags', undefined],
    ['attribute(stage)', 'pass', 'stage select with Won, Lost', 'stage of any type'],
    ['attribute(stage, select)', 'pass', 'stage select with Won, Lost', 'stage select'],
    ['attribute(stage, select, Lost, Won)', 'pass', 'stage select with Won, Lost', 'stage select with Lost, Won'],
    ['attribute(stage, status)', 'fail', 'is select', 'stage status'],
    ['attribute(stage, select, Won, Open)', 'fail', 'without option Open; with unexpected option Lost', undefined],
    ['attribute(stage, text, Won)', 'fail', 'is select; with unexpected option Lost', 'stage text with Won'],
    ['attribute(plan, select, free)', 'pass', 'plan select with free', undefined],
    ['attribute(note, text)', 'pass', 'note text', 'note text'],
    ['attribute(kind, select, a)', 'fail', 'without option a', undefined],
    ['attribute(other, text)', 'fail', 'no attribute other', 'other text'],
  ])('%s: %s', (text, status, observed, threshold) => {
    expect(run(text, [])).toMatchObject({
      status,
      observed,
      ...(threshold && { threshold }),
    });
  });
});

describe('a mistake', () => {
  it.each([
    ['count >= 10%', 'count compares with a number, not with a percentage'],
    ['sum(amount) <= 5%', 'sum(amount) compares with a number, not with a percentage'],
    ['max(closed) >= today - 30d', 'max(closed) must be compared with a number'],
    ['sum(amount)', 'sum(amount) needs an operator and a number after it'],
    ['sum > 5', 'unknown name sum'],
    ['sum(note) > 5', 'note is text, and sum takes a number'],
    ['range(stage, 1, 2)', 'stage is an option, and range takes a number'],
    ['length(amount, 1, 2)', 'amount is a number, and length takes text or an option or options'],
    ['not_future(amount)', 'amount is a number, and not_future takes a date'],
    ['range(closed, 1, 2)', 'closed is a date, and range takes a number'],
    ['range(created_at, 1, 2)', 'created_at is a date, and range takes a number'],
    ['range', 'range needs a column'],
    ['length', 'length needs a column'],
    ['pattern', 'pattern needs a column'],
    ['pattern(note)', 'pattern needs a regular expression after the column'],
    ['type(note)', 'got nothing'],
    ['type(note, phone)', 'got phone'],
    ['type(note, toString)', 'got toString'],
    ['required()', 'required needs a column'],
    ['unique', 'unique needs a column'],
    ['fresh', 'fresh needs a duration such as 12h'],
    ['fresh(closed)', 'fresh needs a duration such as 12h'],
    ['fresh(closed, soon)', 'fresh needs a duration such as 12h'],
    ['references', 'references needs a column'],
    ['references(note)', 'references needs a list after the column'],
    ['change <= 10%', 'change needs count, or an aggregate of a column'],
    ['change(amount) <= 10%', 'unknown aggregate "amount"'],
    ['change(stage) <= 10%', 'unknown aggregate "stage"'],
    ['change(max(closed)) <= 10%', 'max(closed) is not a number'],
    ['change(sum(amont)) <= 10%', 'unknown name amont'],
    ['change(count)', 'change needs an operator and a number after it'],
    ['attributes()', 'attributes needs the slugs'],
    ['attribute', 'attribute needs a slug'],
    ['attribute(stage, list)', 'list is not an attribute type; the types are '],
    ['row', 'row needs one condition'],
    ['row(amount > 1, amount > 2)', 'row takes at most 1 argument'],
    ['row(amount > 1) >= 2', 'row takes nothing after it'],
    ['required(note) by stage', 'it goes with count, sum, average, median, min, max and distinct'],
    ['range(amount, low=1)', 'range takes min= and max=, but not low='],
    ['range(amount, ten)', 'ten is not a number'],
    ['range(amount, "x5")', 'x5 is not a number'],
    ['range(amount, "5x")', '5x is not a number'],
    ['range(amount, 1e999)', 'the number 1e999 is out of range'],
    ['range(amount, "1.2.3")', '1.2.3 is not a number'],
    ['range(amount, 5, 4)', '5 is above 4'],
  ])('is named: %s: %s', (text, says) => {
    expect(refusal(() => run(text, []))).toContain(says);
  });

  it.each([
    ['required(note, x=1)', 'required takes no x='],
    ['count(x=1) > 1', 'unknown name x'],
    ['accepted(stage, Won=Lost)', 'accepted takes no Won='],
    ['sum(amount, score) > 1', 'an operator is expected before ","'],
    ['change(count, 5) <= 1', 'change takes at most 1 argument, and not 5 as well'],
    ['pattern(note, a, b)', 'pattern takes at most 2 arguments, and not b as well'],
    ['type(note, year, date)', 'type takes at most 2 arguments, and not date as well'],
    ['fresh(closed, 5d, 6d)', 'fresh takes at most 2 arguments, and not 6d as well'],
    ['references(note, people, email, x)', 'references takes at most 3 arguments, and not x as well'],
    ['range(amount, 1, 2, 3)', 'range takes at most 3 arguments, and not 3 as well'],
    ['length(note, 1, 2, 3)', 'length takes at most 3 arguments, and not 3 as well'],
    ['range(amount, 5, min=1)', 'min is given twice, 5 and 1'],
    ['range(amount, max=1, max=5)', 'max is given twice, 1 and 5'],
    ['attributes(note) = 3', 'attributes takes nothing after it'],
    ['attribute(note) = 3', 'attribute takes nothing after it'],
    ['exists = 3', 'exists takes nothing after it'],
    ['exists(note)', 'exists takes no arguments'],
    ['no_archived = 3', 'no_archived takes nothing after it'],
    ['no_archived(note)', 'no_archived takes no arguments'],
  ])('is what an expectation would not read: %s: %s', (text, says) => {
    expect(refusal(() => run(text, []))).toContain(says);
  });

  it.each([
    'range(amount, 5, 5)',
    'length(note, 1, 1)',
    'length(note, max=0)',
    'length(note, 0, 5)',
    'length(note, 2)',
  ])('is none where a border is just possible: %s', (text) => {
    expect(refusal(() => run(text, []))).toBe('taken');
  });

  it.each([
    'attribute(x, select, a)',
    'range(anything, 1, 2)',
    'not_future(anything)',
    'change(sum(x)) <= 10%',
    'count by x >= 1',
    'references(a, b, c)',
    'accepted(x, 1, a)',
    'a within 5d',
    'row(a = 1)',
    'updated_at > today - 5d',
  ])('needs no list to be found, and nothing else is one: %s', (text) => {
    expect(refusal(() => lintListExpectation(text))).toBe('taken');
  });
});

it('cuts long titles and values in findings, and keeps the entry that repeats one', () => {
  const long = 'x'.repeat(20_000);
  const rows = [1, 2].map(() => ({ title: long, note: long }));
  for (const text of ['unique(note)', 'row(note = "")', 'accepted(note, a)', 'type(note, email)']) {
    const { status, findings } = run(text, rows);
    expect(status, text).toBe('fail');
    expect(JSON.stringify(findings).length, text).toBeLessThan(1500);
  }
  expect(run('unique(note)', rows).findings[0]?.detail).toMatch(/… is also in 1$/);
});
