import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeType, ListAttributeConfig } from '../../../src/contract/lists.ts';
import { Failure } from '../../../src/core/errors.ts';
import { ExactNumber, plainDecimal, stringifyJson } from '../../../src/core/json.ts';
import { type Attribute, optionText } from '../../../src/domain/entries/options.ts';
import {
  type Assignment,
  missingRequired,
  parseNumber,
  typedText,
  typedValues,
  writtenNumber,
} from '../../../src/domain/entries/values.ts';
import { countedOptions } from '../../helpers/counted-options.ts';

const now = new Date('2026-03-05T23:30:00Z');
const typing = { source: '--set', now };

function attribute(attribute_type: AttributeType, config: ListAttributeConfig = {}): Attribute {
  return { slug: 'x', name: 'The X', attribute_type, config };
}

const options = [
  { id: 'o1', label: 'Won' },
  { id: 'o2', label: 'Lost' },
  { id: 'o3', label: 'lost' },
  { id: 'o4', label: 'On hold; waiting' },
];
const select = attribute('select', { options });
const multi = attribute('multi_select', { options });

function set(of: Attribute, ...texts: string[]): unknown {
  return typedValues(
    [of],
    texts.map((text) => ({ slug: 'x', text })),
    typing,
  ).x;
}

function json(of: Attribute, value: unknown): unknown {
  return typedValues([of], [{ slug: 'x', json: value }], typing).x;
}

function refusal(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('text of --set', () => {
  it.each<[string, Attribute, string, unknown]>([
    ['text is taken as it is', attribute('text'), ' 5 = five ', ' 5 = five '],
    ['text may be empty', attribute('text'), '', ''],
    ['number', attribute('number'), '12.5', 12.5],
    ['number with blanks', attribute('number'), ' -3 ', -3],
    ['number with plus', attribute('number'), '+7', 7],
    ['number without whole part', attribute('number'), '-.5', -0.5],
    ['number with leading zeros', attribute('number'), '007', 7],
    ['currency', attribute('currency', { currency: 'EUR' }), '1250000', 1250000],
    ['rating', attribute('rating'), '5', 5],
    ['rating of nothing', attribute('rating'), '0', 0],
    ['number at its smallest', attribute('number', { min: 3 }), '3', 3],
    ['number at its largest', attribute('number', { max: 3 }), ' 3 ', 3],
    ['checkbox between blanks', attribute('checkbox'), ' no ', false],
    ['rating above five where the attribute allows it', attribute('rating', { max: 10 }), '7', 7],
    ['checkbox true', attribute('checkbox'), 'true', true],
    ['checkbox yes', attribute('checkbox'), 'Yes', true],
    ['checkbox 0', attribute('checkbox'), '0', false],
    ['date', attribute('date'), '2024-02-29', '2024-02-29'],
    ['today is the UTC day of now', attribute('date'), 'today', '2026-03-05'],
    ['url', attribute('url'), 'https://example.com/a?b=c', 'https://example.com/a?b=c'],
    ['email', attribute('email'), 'ada@example.com', 'ada@example.com'],
    ['select by id', select, 'o2', 'o2'],
    ['select by label', select, 'Lost', 'o2'],
    ['select by label in its own case', select, 'lost', 'o3'],
    ['select by label in other case', select, 'WON', 'o1'],
    ['status by label', { ...select, attribute_type: 'status' }, 'Won', 'o1'],
    ['multi_select, one', multi, 'Won', ['o1']],
    ['multi_select, several', multi, 'Won; Lost;o1', ['o1', 'o2']],
    ['multi_select, a label with a semicolon', multi, 'On hold; waiting', ['o4']],
    ['a type of a later API', { slug: 'x', attribute_type: 'place' as AttributeType }, '1', '1'],
    ['a select whose options are not told', { slug: 'x', attribute_type: 'select' }, 'anything', 'anything'],
  ])('%s', (_, of, text, expected) => {
    expect(set(of, text)).toEqual(expected);
  });

  it('takes several assignments of a multi_select, each option once, in their order', () => {
    expect(set(multi, 'Lost', 'Won', 'o2')).toEqual(['o2', 'o1']);
    expect(set(multi, 'Won; On hold; waiting;Lost')).toEqual(['o1', 'o4', 'o2']);
  });

  it.each<[string, Attribute, string, RegExp]>([
    ['words for a number', attribute('number'), 'many', /--set: x must be a number such as 12.5, got "many"/],
    [
      'thousands separators',
      attribute('currency'),
      '1,000',
      /without currency sign or thousands separators, got "1,000"/,
    ],
    ['hexadecimal', attribute('number'), '0x10', /must be a number/],
    ['nothing for a number', attribute('number'), '', /must be a number/],
    ['infinity', attribute('number'), '1e309', /database can hold, got 1e309/],
    ['an exponent beyond the bound', attribute('number'), '1e999999999', /x: the number 1e999999999 is out of range/],
    ['below min', attribute('number', { min: 3 }), '2.9', /x must be at least 3, got 2.9/],
    ['above max', attribute('currency', { max: 3 }), '3.01', /x must be at most 3, got 3.01/],
    ['a rating above its own limit', attribute('rating', { max: 5 }), '6', /x must be at most 5, got 6/],
    ['maybe', attribute('checkbox'), 'maybe', /true or false .*got "maybe"/],
    ['constructor', attribute('checkbox'), 'constructor', /true or false .*got "constructor"/],
    [
      'a date that does not exist',
      attribute('date'),
      '2023-02-29',
      /a date that exists, as YYYY-MM-DD, or today, got "2023-02-29"/,
    ],
    ['a date in another form', attribute('date'), '05.03.2026', /YYYY-MM-DD/],
    ['a url of one word', attribute('url'), 'none', /an address such as/],
    ['a url with blanks', attribute('url'), 'https://exa mple.com', /http/],
    ['an address without a dot', attribute('email'), 'ada@example', /an e-mail address/],
    [
      'an unknown option',
      select,
      'Wom',
      /unknown option "Wom" of x; it takes one of: Won, Lost, lost, On hold; waiting/,
    ],
    ['an ambiguous label', select, 'LOST', /"LOST" matches 2 options of x: Lost \(o2\), lost \(o3\)/],
    ['an unknown option among several', multi, 'Won;Draw', /unknown option "Draw" of x/],
    ['an option where there are none', attribute('select', { options: [] }), 'A', /x has no options yet/],
  ])('refuses %s', (_, of, text, says) => {
    const failure = refusal(() => set(of, text));
    expect(failure.kind).toBe('usage');
    expect(failure.message).toMatch(says);
  });

  it('suggests the nearest option and says how to clear', () => {
    expect(refusal(() => set(select, 'Wom')).hint).toBe('did you mean Won?');
    const empty = () => typedText(attribute('date'), '', { ...typing, asWritten: true });
    expect(refusal(empty).hint).toBe('to clear the value use --set x:=null');
    expect(refusal(() => set(attribute('date'), 'soon')).hint).toBeUndefined();
    expect(refusal(() => set(select, 'nothing like it')).hint).toBeUndefined();
  });
});

describe('JSON of --set', () => {
  it.each<[string, Attribute, unknown, unknown]>([
    ['a number', attribute('number'), 12, 12],
    ['null', attribute('number'), null, null],
    ['false', attribute('checkbox'), false, false],
    ['a string', attribute('text'), '12', '12'],
    ['an option by label', select, 'Won', 'o1'],
    ['options by label and id', multi, ['Won', 'o2', 'o1'], ['o1', 'o2']],
    ['no options', multi, [], []],
    [
      'an object under a type of a later API',
      { slug: 'x', attribute_type: 'place' as AttributeType },
      { a: 1 },
      { a: 1 },
    ],
  ])('%s', (_, of, value, expected) => {
    expect(json(of, value)).toEqual(expected);
  });

  it.each<[string, Attribute, unknown, RegExp]>([
    ['a string for a number', attribute('number'), '12', /must be a number such as 12.5, got "12"/],
    ['a number for text', attribute('text'), 12, /must be a string, got 12/],
    ['a number for a checkbox', attribute('checkbox'), 1, /true or false/],
    ['an object for a select', select, { id: 'o1' }, /id or label of an option, got \{"id":"o1"\}/],
    ['an unknown option', multi, ['Won', 'Draw'], /unknown option "Draw" of x/],
    ['a number among options', multi, [1], /ids or labels of options/],
    ['null for a required one', { ...attribute('text'), is_required: true }, null, /required, so it cannot be null/],
  ])('refuses %s', (_, of, value, says) => {
    expect(refusal(() => json(of, value)).message).toMatch(says);
  });
});

describe('several values', () => {
  const attributes: Attribute[] = [
    { slug: 'amount', name: 'Amount', attribute_type: 'currency' },
    { slug: 'note', name: 'Note', attribute_type: 'text', is_required: true },
    { slug: '__proto__', name: 'Odd', attribute_type: 'text' },
  ];
  const typed = (assignments: Assignment[]) => typedValues(attributes, assignments, typing);

  it('keeps the order given and clears with null', () => {
    const values = typed([
      { slug: 'note', text: 'n' },
      { slug: 'amount', json: null },
    ]);
    expect(Object.entries(values)).toEqual([
      ['note', 'n'],
      ['amount', null],
    ]);
  });

  it('takes a slug that JavaScript holds for special', () => {
    const values = typed([{ slug: '__proto__', text: 'p' }]);
    expect(JSON.stringify(values)).toBe('{"__proto__":"p"}');
  });

  it.each<[string, () => unknown, RegExp, RegExp?]>([
    [
      'an unknown slug',
      () => typed([{ slug: 'amuont', text: '1' }]),
      /no attribute "amuont"; it has: amount, note/,
      /amount/,
    ],
    [
      'one slug twice',
      () =>
        typed([
          { slug: 'note', text: 'a' },
          { slug: 'note', text: 'b' },
        ]),
      /note is given twice/,
    ],
    [
      'null beside other values',
      () => {
        const tags = [{ slug: 'tags', attribute_type: 'multi_select' as const, config: { options } }];
        const given = [
          { slug: 'tags', text: 'Won' },
          { slug: 'tags', json: null },
        ];
        return typedValues(tags, given, typing);
      },
      /tags cannot be null beside other values/,
    ],
    ['clearing a required one', () => typed([{ slug: 'note', json: null }]), /note is required, so it cannot be null/],
    ['any slug of an empty list', () => typedValues([], [{ slug: 'a', text: '1' }], { now }), /has no attributes/],
  ])('refuses %s', (_, run, says, hint = /./s) => {
    const failure = refusal(run);
    expect(failure.kind).toBe('usage');
    expect(failure.message).toMatch(says);
    expect(failure.hint ?? ' ').toMatch(hint);
  });

  it('finds required attributes without a value', () => {
    expect(missingRequired(attributes, { amount: 1 })).toEqual(['note']);
    expect(missingRequired(attributes, { note: null })).toEqual(['note']);
    expect(missingRequired(attributes, { note: [] })).toEqual(['note']);
    expect(missingRequired(attributes, { note: 'x' })).toEqual([]);
    expect(missingRequired(attributes, { note: ['x'] })).toEqual([]);
  });
});

describe('parseNumber', () => {
  it('loses no digit of any decimal', () => {
    const digits = fc.stringMatching(/^\d{1,30}$/);
    fc.assert(
      fc.property(fc.boolean(), digits, fc.option(digits, { nil: undefined }), (minus, whole, fraction) => {
        const text = `${minus ? '-' : ''}${whole}${fraction === undefined ? '' : `.${fraction}`}`;
        const number = parseNumber(text);
        const expected = text.replace(/^(-?)0+(?=\d)/, '$1');
        expect(number === undefined ? undefined : plainDecimal(number)).toBe(
          expected === '-0' ? plainDecimal(number ?? 0) : expected,
        );
        expect(JSON.parse(stringifyJson(number))).toBeCloseTo(Number(text), 5);
      }),
    );
  });

  it('sends what a double cannot hold as it was written', () => {
    expect(parseNumber('12345678901234567890')).toEqual(new ExactNumber('12345678901234567890'));
    expect(stringifyJson({ a: parseNumber('1.10') })).toBe('{"a":1.10}');
  });

  it.each(['', ' ', '.', '-', '1.2.3', '1 000', 'NaN', 'Infinity', '1e', '٣'])('refuses %j', (text) => {
    expect(parseNumber(text)).toBeUndefined();
  });
});

describe('a number as in an expression', () => {
  it.each([
    ['20M', 20_000_000],
    ['1.5k', 1500],
    ['-3B', -3_000_000_000],
    ['+2K', 2000],
    ['1_500', 1500],
    ['2.5%', 0.025],
    ['.5', 0.5],
    [' 12 ', 12],
  ])('%s', (text, expected) => {
    expect(Number(writtenNumber(text))).toBe(expected);
    const given = [{ slug: 'amount', text }];
    const own = [{ slug: 'amount', attribute_type: 'number' as const }];
    expect(Number(typedValues(own, given, { ...typing, asWritten: true }).amount)).toBe(expected);
  });

  it.each(['', 'M', '20m', '1,5', '--5', '5 M', '20MM', '0x10', '1e', '€5'])('refuses %j', (text) => {
    expect(writtenNumber(text)).toBeUndefined();
  });

  it('is not one of a file', () => {
    const own = [{ slug: 'amount', attribute_type: 'number' as const }];
    expect(() => typedValues(own, [{ slug: 'amount', text: '20M' }], typing)).toThrow('must be a number');
  });
});

it('never gives a value that its own attribute refuses as JSON', () => {
  const types: AttributeType[] = [
    'text',
    'number',
    'currency',
    'rating',
    'checkbox',
    'date',
    'url',
    'email',
    'select',
    'multi_select',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...types),
      fc.oneof(fc.string(), fc.constantFrom('Won', 'o2', '3', 'yes', 'today', '2026-01-01')),
      (type, text) => {
        const of = attribute(type, { options });
        let value: unknown;
        try {
          value = set(of, text);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
          return;
        }
        expect(json(of, value)).toEqual(value);
      },
    ),
  );
});

describe('several options in one text', () => {
  const options = ['a', 'b', 'c; d'].map((label, at) => ({ id: `t${at}`, label }));
  const tags: Attribute = { slug: 'tags', attribute_type: 'multi_select', config: { options } };
  const read = (text: string) => typedText(tags, text, { now: new Date(0) });

  it.each([
    ['a;b', ['t0', 't1']],
    ['a; b;', ['t0', 't1']],
    ['c; d;a', ['t2', 't0']],
  ])('%s', (text, ids) => {
    expect(read(text)).toEqual(ids);
  });

  it('of any length cost no more than their parts, and a message cuts them', () => {
    expect(() => read(`${';'.repeat(200_000)}x`)).toThrow(/unknown option "x"/);
    expect(() => read('y'.repeat(200_000))).toThrow(/unknown option "y{60}…" of tags/);
  });
});

it('labels of a value are found and written with a few reads of each option', () => {
  const { reads, options } = countedOptions(2000);
  const many = attribute('multi_select', { options });
  const texts = options.map((_, n) => `label ${n}`).join('; ');
  const ids = set(many, texts) as string[];
  expect(ids).toEqual(options.map((_, n) => `o${n}`));
  expect(optionText(many, ids)).toBe(texts.replaceAll('label', 'Label'));
  expect(reads.count).toBeLessThan(20 * 2000);
});
