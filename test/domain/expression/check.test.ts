import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { ExactNumber } from '../../../src/core/json.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import { entryScope, openScope } from '../../../src/domain/entries/scope.ts';
import { checkCondition } from '../../../src/domain/expression/check.ts';
import { evaluate, holds } from '../../../src/domain/expression/evaluate.ts';

const options = [
  { id: 'a', label: 'Open' },
  { id: 'b', label: 'Term sheet' },
  { id: 'c', label: 'Won' },
];
const tags = [
  { id: 't1', label: 'AI' },
  { id: 't2', label: 'B2B' },
];
const attributes: Attribute[] = [
  { slug: 'first-contact', attribute_type: 'date' },
  { slug: 'valuation', attribute_type: 'currency', config: { min: 0 } },
  { slug: 'stage', attribute_type: 'status', config: { options } },
  { slug: 'tags', attribute_type: 'multi_select', config: { options: tags } },
  { slug: 'notes', attribute_type: 'text' },
  { slug: 'hot', attribute_type: 'checkbox' },
  { slug: 'conviction', attribute_type: 'rating' },
  { slug: 'a', attribute_type: 'number' },
  { slug: 'b', attribute_type: 'number' },
  { slug: 'title', attribute_type: 'text' },
  {
    slug: 'level',
    attribute_type: 'select',
    config: {
      options: ['1', 'null', 'true', '2024', 'Caf\u00e9', 'Old', 'OLD'].map((label) => ({ id: `l-${label}`, label })),
    },
  },
];
const scope = entryScope(attributes, () => new Date('2026-03-31T09:00:00Z'));

function refusal(text: string): { message: string; hint: string | undefined } {
  try {
    checkCondition(text, scope, '--where');
  } catch (error) {
    if (error instanceof Failure) return { message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

describe('amounts of two currencies', () => {
  const amounts: Attribute[] = [
    { slug: 'eur', attribute_type: 'currency', config: { currency: 'EUR' } },
    { slug: 'cost', attribute_type: 'currency', config: { currency: 'EUR' } },
    { slug: 'jpy', attribute_type: 'currency', config: { currency: 'JPY' } },
    { slug: 'n', attribute_type: 'number' },
  ];
  const check = (text: string) =>
    checkCondition(
      text,
      entryScope(amounts, () => new Date()),
      '--where',
    );

  it.each([
    ...['eur > jpy', 'eur = jpy', 'eur + jpy > 1', 'eur - jpy > n', 'eur in (1, jpy)', 'jpy between 1 and eur'],
    ...['eur = jpy ± 5', '-eur < jpy', 'abs(eur) < round(jpy)', 'eur + cost > jpy', 'n > (cost - jpy) * 2'],
  ])('%s is refused', (text) => {
    expect(() => check(text)).toThrow(/ is in (EUR|JPY) and \w+ in (EUR|JPY)/);
  });

  it.each([
    ...['eur > cost', 'eur + cost > n', 'eur > 5', 'jpy * 0.006 > eur', 'jpy / n + eur > 5', 'eur = cost ± 1%'],
    ...['eur / jpy > 100', 'eur is empty or jpy > 1', 'n + eur > 1'],
  ])('%s is not', (text) => {
    expect(() => check(text)).not.toThrow();
  });
});

describe('a condition is refused', () => {
  it.each<[string, string, string | undefined]>([
    ['stge = Won', 'unknown name stge at column 1', 'did you mean stage?'],
    ['stage = Term sheet', 'an operator is expected before "sheet" at column 14', 'put a text in quotes'],
    ['valuation > "100"', 'valuation is a number, and "100" is text at column 11', 'write 100 without quotes'],
    ['valuation > Won', 'unknown name Won at column 13', 'valuation is a number: compare it with one, such as 20M'],
    ['valuation > valuatoin', 'unknown name valuatoin at column 13', 'did you mean valuation?'],
    ['first-contact > Won', 'unknown name Won at column 17', 'dates are 2024-01-31'],
    ['notes = foo', 'unknown name foo at column 9', 'put a text in quotes: "foo"'],
    ['notes starts "A"', 'an operator is expected before "starts" at column 7', 'write starts(notes, "TEXT")'],
    ['notes endswith "A"', 'an operator is expected before "endswith"', 'write ends(notes, "TEXT")'],
    ['first-contact > today - 2 years', 'before "years"', 'write 2y'],
    ['first-contact > today - 3 months', 'before "months"', 'write 3mo'],
    ['first-contact in 2020', 'a list such as (a, b) is expected before "2020"', 'write first-contact = 2020'],
    ['year(first-contact) = 2020', 'unknown function year', 'such as 2024-Q1; a group is COLUMN:year'],
    ['notes contains 3M', '3M is a number, not text at column 16', 'put a text in quotes: "3M"'],
    ['notes = 123', 'notes is text, and 123 is a number', 'put a text in quotes: "123"'],
    ['first-contact >= 2024-13-01', '2024-13-01 is not a date at column 18', 'dates are 2024-01-31'],
    ['first-contact >= 2024-02-30', '2024-02-30 is not a date', 'dates are 2024-01-31'],
    ['first-contact >= 2024-1-5', '2024-1-5 is not a date', 'write 2024-01-05'],
    ['first-contact = stage', 'first-contact is a date, and stage is an option', undefined],
    ['updated_at >= today - 30', '30 is not a duration at column 23', 'write 30d for days'],
    ['updated_at within 30', '`within` needs a duration', 'such as 12h, 30d'],
    ['hot = yes', 'hot is true or false, not yes', 'write true'],
    ['hot > true', 'true or false has no order', 'compare with = or !='],
    ['valuation', 'valuation is a number, not a condition', 'compare it: valuation = …'],
    ['valuation > null', 'nothing is less or more than null', 'write `is empty`'],
    ['1 = 1', 'this names no column', 'columns are id, title'],
    ['level = null', 'null is an option of level', 'write "null" for it, or level is empty'],
    ['level = old', 'several options of level are called old', 'give an id: l-Old, l-OLD'],
    ['stage > notes', 'stage and notes have no common order at column 7', 'or with one option'],
    ['notes < stage', 'notes and stage have no common order at column 7', 'or with one option'],
    ['stage = b', 'b is both a column and an option of stage', 'write "b" for the option, `b` for the column'],
    ['notes ~ "x"', 'an operator is expected before "~"', 'write `contains`'],
    ['notes has "x"', 'notes is text', '`has` is for columns with several options'],
    ['a-b > 0', 'unknown name a-b', 'a minus needs blanks: a - b'],
    ['today-first-contact > 30d', 'unknown name today-first-contact', 'a minus needs blanks: today - first-contact'],
    ['"AI" in tags', 'a list such as (a, b) is expected before "tags"', 'write tags has "AI"'],
    ['a > 3,5M', 'an operator is expected before ","', 'did you mean 3.5M?'],
    ['a > median(a)', 'median is of all rows', undefined],
    ['round(a, 99) > 1', 'the digits of round are one whole number from 0 to 15', undefined],
    ['a > b > 1', 'a comparison cannot be compared again', 'join two with `and`'],
    ['count > 1', 'unknown name count', 'columns are'],
    ['foo(notes)', 'unknown function foo', 'functions are lower'],
    ['lenght(notes) > 1', 'unknown function lenght', 'did you mean length?'],
    ['len(notes) > 1', 'unknown function len', 'did you mean length?'],
    ['lower(notes, notes) = "x"', 'lower takes 1 argument, got 2', undefined],
    ['title = "x', 'the quote is not closed at column 9', undefined],
    ['stage = Won by', 'a column is missing at column 15', undefined],
    ['(valuation > 1', '")" is missing', undefined],
    ['valuation > 1)', 'an operator is expected before ")"', undefined],
    ['valuation # 1', 'unexpected "#" at column 11', undefined],
    ['valuation > 10m', 'valuation is a number, and 10m is a duration', '10m is months: write 10M for millions'],
    ['valuation > 1.5bn', '"1.5bn" is not a number, date or duration', 'did you mean 1.5B?'],
    ['valuation > €5', 'unexpected "€"', 'an amount is written without its currency'],
    ['valuation in 0..5', 'unexpected "."', 'write a range as `between 1 and 10`'],
    ['valuation > 12abc', '"12abc" is not a number, date or duration', 'put a text in quotes'],
    ['', 'the expression is empty', undefined],
    ['and', 'a value is expected before "and"', 'a column of this name is written `and`'],
  ])('%s', (text, message, hint) => {
    const found = refusal(text);
    expect(found.message).toContain(message);
    expect(found.message).toMatch(/^--where: /);
    if (hint === undefined) expect(found.hint).toBeUndefined();
    else expect(found.hint).toContain(hint);
  });

  it('without a list given, where no list could make it right', () => {
    const open = openScope(() => new Date(0));
    expect(() => checkCondition('updated_at >= today - 30', open, 'where')).toThrow('30 is not a duration');
    expect(() => checkCondition('created_at >= "soon"', open, 'where')).toThrow('soon is not a date');
    expect(checkCondition('stage = Won and amount > 5', open, 'where').names).toEqual(['stage', 'Won', 'amount']);
  });
});

describe('a condition says', () => {
  it('which options the column does not have', () => {
    const { unknownOptions } = checkCondition('stage = Wonn or tags has Foo', scope, '--where');
    expect(unknownOptions.map(({ column, text }) => [column, text])).toEqual([
      ['stage', 'Wonn'],
      ['tags', 'Foo'],
    ]);
    expect(unknownOptions[0]?.failure()).toMatchObject({ hint: 'did you mean Won?' });
  });
});

const row = {
  id: 'e1',
  title: 'Fixed',
  created_at: '2023-01-31T23:59:59.999Z',
  updated_at: '2026-03-20T09:00:00+02:00',
  values: {
    ...{ 'first-contact': '2024-02-29', valuation: new ExactNumber('5134933.2000'), stage: 'b', tags: ['t1'] },
    ...{ notes: 'A note, with (parens)', hot: true, a: 427911.1, b: 5134933.2, title: 'Own' },
  },
};

describe('a condition holds', () => {
  it.each<[string, boolean | null]>([
    ['b = 12 * a', true],
    ['b = valuation', true],
    ['a * 3 = 1283733.3', true],
    ['0.1 + 0.2 = a - 427910.8', true],
    ['b / 0 > 1', null],
    ['b = a * 12 ± 1%', true],
    ['b = 5.1M ± 34k', false],
    ['b = 5.1M ± 35k', true],
    ['valuation > 5M', true],
    ['valuation > 5_134_933', true],
    ['created_at <= 2023-01', true],
    ['created_at < 2023-02-01', true],
    ['created_at >= 2023-Q1', true],
    ['created_at < 2023-02-01 00:00', true],
    ['created_at > 2023-01-31 23:59:59.998Z', true],
    ['created_at > 2022', true],
    ['first-contact = 2024-Q1', true],
    ['first-contact = 2024Q1', true],
    ['first-contact = Q1-2024', true],
    ['first-contact = 2024-W09', true],
    ['first-contact > 2024-W09', false],
    ['first-contact between 2024-02 and 2024-03', true],
    ['first-contact not between 2024-02 and 2024-03', false],
    ['updated_at within 12d', true],
    ['updated_at within 11d', false],
    ['first-contact - created_at > 390d', true],
    ['first-contact + 1y = 2025-02-28', true],
    // From 2023-01-31T23:59:59.999Z to 2024-02-29: more than a year and 28 days, less than a year and a month.
    ['first-contact - created_at > 1y', true],
    ['first-contact - created_at > 12mo', true],
    ['first-contact - created_at > 13mo', false],
    ['first-contact - created_at < 13mo', true],
    ['created_at - first-contact < 1mo', true],
    ['today - first-contact between 25mo and 26mo', true],
    ['today - first-contact between 25m and 26m', true],
    ['now - updated_at <= 1mo', true],
    ['first-contact = 2024-01 + 1mo', true],
    ['first-contact + 1mo > 2023', true],
    ['2025 > first-contact + 1mo', true],
    ['first-contact + 1mo = "2024-03"', true],
    ['first-contact - 1y in (2021, 2023)', true],
    ['first-contact = month - 25mo', true],
    ['first-contact > now - 300000y', true],
    ['first-contact = "today" - 25mo', true],
    ['first-contact < "today"', true],
    ['first-contact >= "month" - 25', true],
    ['stage = "term sheet"', true],
    ['stage = "b"', true],
    ['stage >= "Term sheet" and stage < Won', true],
    ['stage in (Open, "Term sheet")', true],
    ['stage in ["Open", "Won"]', false],
    ['tags has AI', true],
    ['tags = AI', true],
    ['tags != B2B', true],
    ['tags contains B2B', false],
    ['notes contains "NOTE"', true],
    ['notes like "a note%"', true],
    ['notes like "A note, with (parens_"', true],
    ['notes matches "\\(parens\\)$"', true],
    ['length(notes) = 21', true],
    ['upper(title) = "FIXED"', true],
    ['values.title = "Own"', true],
    ['`values.title` = "Own"', true],
    ['hot && !(a > b) || stage <> Won', true],
    ['conviction is null', true],
    ['conviction = null', true],
    ['conviction != null', false],
    ['conviction > 3', null],
    ['not (conviction > 3)', null],
    ['conviction > 3 or hot', true],
    ['conviction > 3 and hot', null],
    ['conviction > 3 and not hot', false],
    ['if stage = Won then conviction > 3', true],
    ['if hot then conviction > 3', null],
  ])('%s: %s', (text, expected) => {
    const { root, unknownOptions } = checkCondition(text, scope, '--where');
    expect(evaluate(root, row)).toBe(expected);
    expect(holds(root, row)).toBe(expected === true);
    expect(unknownOptions).toEqual([]);
  });

  it('never for a time that cannot be read: that is an error', () => {
    const { root } = checkCondition('created_at < 2024', scope, '--where');
    expect(() => evaluate(root, { ...row, created_at: 'yesterday' })).toThrow('cannot be read as a time');
  });

  it('in time that grows with the text only', () => {
    const { root } = checkCondition('notes matches "^(a+)+$"', scope, '--where');
    expect(evaluate(root, { values: { notes: `${'a'.repeat(50_000)}b` } })).toBe(false);
  });
});

it.each([
  ['level = 1', 'l-1'],
  ['level = "null"', 'l-null'],
  ['level = true', 'l-true'],
  ['level in (2024, false)', 'l-2024'],
  ['level = "Cafe\u0301"', 'l-Caf\u00e9'],
])('reads an option that looks like another literal: %s', (text, id) => {
  const { root } = checkCondition(text, scope, '--where');
  expect(holds(root, { values: { level: id } })).toBe(true);
  expect(holds(root, { values: { level: 'l-other' } })).toBe(false);
});

describe('a column that is called like a date', () => {
  const slugs = ['due', 'today', 'month'];
  const types = { due: 'date', today: 'date', month: 'number' } as const;
  const dated = slugs.map((slug): Attribute => ({ slug, attribute_type: types[slug as keyof typeof types] }));
  const check = (text: string) =>
    checkCondition(
      text,
      entryScope(dated, () => new Date('2026-03-31T09:00:00Z')),
      '--where',
    );

  it.each([
    'due <= today',
    'today <= due',
    'due in (2024, today)',
    'due between 2024 and today',
    'due <= today - 30d',
    'today - due > 30d',
    'due = month',
  ])('is not chosen, nor is the date: %s', (text) => {
    const word = text.includes('month') ? 'month' : 'today';
    expect(() => check(text)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: expect.stringContaining(`${word} is both a column and a date`),
        hint: `write "${word}" for the date, \`${word}\` for the column`,
      }),
    );
  });

  it.each([
    ['due = "today"', true],
    ['due = `today`', false],
    ['`today` = 2025', true],
    ['today = 2025', true],
    ['today is not empty', true],
    ['due - `today` > 1mo', true],
    ['"today" - due = 0d', true],
    ['due > "today" - 1d', true],
    ['due > "month" - 1', true],
    ['month > 4', true],
    ['month - 1 = 4', true],
  ])('is in backticks, and the date in quotes: %s', (text, expected) => {
    const values = { due: '2026-03-31', today: '2025-05-05', month: 5 };
    expect(holds(check(text).root, { values })).toBe(expected);
  });
});

it('`contains` folds case as searches of titles do', () => {
  const { root } = checkCondition('notes contains "οδοσ" or notes contains "STRASSE"', scope, '--where');
  expect(['ΟΔΟΣ', 'Οδός', 'Hauptstraße 1', 'Strasse'].map((notes) => holds(root, { values: { notes } }))).toEqual([
    ...[true, false, true, true],
  ]);
});

it('moves times before 1970 by months of the calendar', () => {
  const { root } = checkCondition('first-contact + 1mo = 1970-01-28', scope, '--where');
  expect(holds(root, { values: { 'first-contact': '1969-12-28T12:00:00Z' } })).toBe(true);
});

it.each(['=', 'contains', 'matches', 'like'])('%s finds a text however its accents are written', (operator) => {
  const composed = { values: { notes: 'Caf\u00e9' } };
  const decomposed = { values: { notes: 'Cafe\u0301' } };
  for (const written of ['Caf\u00e9', 'Cafe\u0301']) {
    const { root } = checkCondition(`notes ${operator} "${written}"`, scope, '--where');
    expect([holds(root, composed), holds(root, decomposed)]).toEqual([true, true]);
  }
});

it.each([
  'today - first-contact < 4y',
  'first-contact - today < 4y',
  'first-contact + 30d > 2020',
  '2020 < first-contact - 1mo',
  'next-step-due - first-contact > 0d',
  'a - b > 0',
  'if stage = Won then today - first-contact > 1d',
  'not (first-contact + 1mo between 2020 and today)',
])('before columns are known, what a row may mean is accepted: %s', (text) => {
  expect(() =>
    checkCondition(
      text,
      openScope(() => new Date('2026-03-31')),
      'expect',
    ),
  ).not.toThrow();
});

it.each([
  'today + first-contact > 1',
  '30d - first-contact > 1',
  'today * first-contact > 1',
  'first-contact + today > 1',
])('and what no row may mean is refused: %s', (text) => {
  expect(() =>
    checkCondition(
      text,
      openScope(() => new Date('2026-03-31')),
      'expect',
    ),
  ).toThrow('not a number');
});
