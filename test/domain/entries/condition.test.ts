import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { checkCondition } from '../../../src/domain/entries/condition.ts';
import { entryNames } from '../../../src/domain/entries/lookup.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import { parseExpression } from '../../../src/domain/expression/expression.ts';

const options = [
  { id: 'o-won', label: 'Won' },
  { id: 'o-lost', label: 'Lost' },
];
const attributes: Attribute[] = [
  { slug: 'stage', attribute_type: 'status', config: { options } },
  { slug: 'tags', attribute_type: 'multi_select', config: { options } },
  { slug: 'size', attribute_type: 'number' },
  { slug: 'hot', attribute_type: 'checkbox' },
  { slug: 'since', attribute_type: 'date' },
  { slug: 'notes', attribute_type: 'text' },
  { slug: 'title', attribute_type: 'rating' },
  // A server that tells no options.
  { slug: 'state', attribute_type: 'select' },
];
const check = (text: string) =>
  checkCondition(parseExpression(text, { names: entryNames(attributes), where: '--where' }), attributes, '--where');
const says = (text: string): string => {
  try {
    check(text);
  } catch (error) {
    if (error instanceof Failure) return `${error.message} / ${error.hint}`;
  }
  return 'nothing';
};

describe('checkCondition', () => {
  it.each([
    'stage = "Won"',
    'stage != "o-lost" and not (stage in ["Won", "o-lost"])',
    'stage = null or empty(stage)',
    'stage > "M"',
    'stage contains "wo"',
    'stage matches "^W"',
    'tags contains "Won" or "Lost" in tags',
    'state = "anything"',
    'size > 5 and size < 1e6 or size = 100 ± 1%',
    'size = -5',
    'size * 2 > position',
    'hot',
    'hot = true and not (archived)',
    'archived or true',
    'since > "2025" and since <= "2025-01" and since = today',
    'created_at >= "2025-01-01T10:00:00.000Z"',
    'length(notes) > 5 and starts(notes, "a")',
    'title = "A" and values.title >= 3',
    'lower(title) = "a"',
    '`size` != size',
  ])('takes %s', (text) => {
    expect(check(text)).toEqual([]);
  });

  it.each([
    ['size', 'size is neither true nor false', 'size = …'],
    ['title and hot', 'title is neither true nor false', 'title = …'],
    ['not (notes)', 'notes is neither true nor false', 'notes = …'],
    ['1', '1 is neither true nor false', 'amount > 100'],
    ['size + 1', 'a result of + is neither', 'amount'],
    ['length(notes)', 'length(…) is neither', 'amount'],
    ['[1]', 'a list is neither', 'amount'],
    ['size = "5"', 'size is a number, and "5" is not', 'without quotes'],
    ['"x" < size', 'size is a number, and "x" is not', 'without quotes'],
    ['size in [1, "2"]', 'size is a number, and "2" is not', 'without quotes'],
    ['values.title = "5"', 'values.title is a number', 'without quotes'],
    ['hot = "true"', 'hot is true or false, and "true" is neither', 'without quotes'],
    ['archived = 1', 'archived is true or false', 'without quotes'],
    ['title = 5', 'title is text, and 5 is not', 'in quotes'],
    ['notes != true', 'notes is text', 'in quotes'],
    ['since > "31.01.2025"', 'since is a date, and "31.01.2025" is not', '"2006-01-31"'],
    ['since = "today"', 'since is a date', 'today without quotes'],
    ['since > 2025', 'since is a date, and 2025 is not', 'in quotes'],
    ['stage = 1', 'stage has options, and 1 is not one of them', ''],
  ])('refuses %s', (text, message, hint) => {
    expect(says(text)).toContain(message);
    expect(says(text)).toContain(hint);
    expect(says(text)).toContain(JSON.stringify(text));
  });

  it.each([
    ['stage = "Wonn"', ['stage Wonn']],
    ['stage != "won"', ['stage won']],
    ['"x" = stage or tags contains "y" and stage in ["Won", "z"]', ['stage x', 'tags y', 'stage z']],
  ])('tells the options that %s names and the list has not', (text, expected) => {
    const found = check(text);
    expect(found.map(({ slug, text: one }) => `${slug} ${one}`)).toEqual(expected);
    expect(found[0]?.failure.message).toContain('it takes one of: Won, Lost');
  });
});

describe('an expression of another language', () => {
  it.each([
    ['size > 1 && hot', 'write `and` for &&'],
    ['size > 1 || hot', 'write `or` for ||'],
    ['size <> 1', 'write != for <>'],
    ['!hot', 'write not (…) for !'],
    ['title ~ "a"', 'write `contains`'],
    ['size is null', 'write = null'],
    ['size is not null', 'write != null'],
    ['title like "a%"', 'write `contains`'],
    ['size > 1 AND hot', 'small letters'],
    ['stage in ("Won", "Lost")', 'square brackets'],
  ])('gets a translation: %s', (text, hint) => {
    expect(says(text)).toContain(hint);
  });

  it('is not seen in quotes', () => {
    expect(says('title = "a && b || !c ~ <> is AND in ("')).toBe('nothing');
    expect(says('title = "a && b" b')).toContain('undefined');
  });
});
