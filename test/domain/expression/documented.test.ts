/** The sentences of docs/query.md on letter case, on what is unknown, and on digits. */
import { describe, expect, it } from 'vitest';
import { average, quotient } from '../../../src/core/decimal.ts';
import { numeric, plainDecimal } from '../../../src/core/json.ts';
import { checkTree } from '../../../src/domain/expression/check.ts';
import { evaluate, type Value } from '../../../src/domain/expression/evaluate.ts';
import { parse } from '../../../src/domain/expression/parser.ts';
import type { Column, Scope } from '../../../src/domain/expression/typed.ts';

type Row = Record<string, unknown>;
const options = ['Won', 'Lost'].map((label) => ({ id: label.slice(0, 1), label }));
const column = (name: string, rest: Omit<Column<Row>, 'get'>): Column<Row> => ({ ...rest, get: (row) => row[name] });
const columns = new Map([
  ['a', column('a', { type: 'text' })],
  ['b', column('b', { type: 'text' })],
  ['amount', column('amount', { type: 'number' })],
  ['size', column('size', { type: 'number' })],
  ['stage', column('stage', { type: 'option', options })],
]);
const scope: Scope<Row> = { now: () => new Date(0), names: [...columns.keys()], column: (name) => columns.get(name) };
function answer(text: string, row: Row): Value {
  const source = { text, where: 'the test' };
  return evaluate(checkTree(parse(text, 'the test'), scope, source).root, row);
}

describe('letter case', () => {
  it.each([
    ['counts in =', 'a = "acme"', 'Acme', false],
    ['counts in !=', 'a != "acme"', 'Acme', true],
    ['counts in in', 'a in ("acme", "x")', 'Acme', false],
    ['counts in <', 'a < "a"', 'Z', true],
    ['counts in starts', 'starts(a, "ac")', 'Acme', false],
    ['counts in ends', 'ends(a, "ME")', 'Acme', false],
    ['counts in matches', 'a matches "^acme"', 'Acme', false],
    ['does not count in matches with (?i)', 'a matches "(?i)CM"', 'Acme', true],
    ['does not count in like', 'a like "AC%"', 'Acme', true],
    ['does not count in contains', 'a contains "CM"', 'Acme', true],
    ['of ß is folded by contains', 'a contains "SS"', 'Hauptstraße', true],
    ['of ß is not folded by like', 'a like "%STRASSE"', 'Hauptstraße', false],
    ['of a like is that of the whole text', 'a like "cm"', 'Acme', false],
  ])('%s', (_, text, value, wanted) => {
    expect(answer(text, { a: value })).toBe(wanted);
  });

  it('does not count in options', () => {
    expect(['stage = won', 'stage in (LOST)'].map((text) => answer(text, { stage: 'W' }))).toEqual([true, false]);
  });

  it.each(['a = "é"', 'a in ("é")', 'starts(a, "é")', 'a like "é"', 'a contains "É"', 'a matches "^é$"'])(
    'accents count, written as one character or as two: %s',
    (text) => {
      for (const sent of [text.normalize('NFC'), text.normalize('NFD')]) {
        for (const form of ['NFC', 'NFD'] as const) expect(answer(sent, { a: 'é'.normalize(form) })).toBe(true);
        expect(answer(sent, { a: 'e' })).toBe(false);
      }
    },
  );

  it('texts are in the order of their code units', () => {
    const words = ['Z', 'a', 'z', 'é', '\u{1f600}', '\uffee'];
    for (const [at, word] of words.slice(1).entries()) {
      expect(answer('a < b', { a: words[at], b: word }), word).toBe(true);
      expect(answer(`a between "${words[at]}" and b`, { a: word, b: word }), word).toBe(true);
    }
  });
});

it.each([
  ['if amount < 0 then stage = Lost', { stage: 'W' }, true],
  ['if stage = Won then amount > 0', { stage: 'W' }, null],
  ['if stage = Won then amount > 0', { stage: 'L' }, true],
  ['amount > 0', {}, null],
  ['not (amount > 0)', {}, null],
  ['amount is empty or amount > 0', {}, true],
  ['amount > 0 and stage = Won', { stage: 'L' }, false],
] as const)('what is unknown: %s of %j is %s', (text, row, wanted) => {
  expect(answer(text, row)).toBe(wanted);
});

it.each([
  ['0.1', '3.2', '0.03125'],
  ['12345678901234567890', '8', '1543209862654320986.25'],
  ['1', '32768', '0.000030517578125'],
  ['1', '3', '0.333333333333333'],
  ['2', '3', '0.666666666666667'],
  ['200000000000000000000', '3', '66666666666666666667'],
  ['2', '3000', '0.000666666666666667'],
])('%s / %s is %s', (over, under, wanted) => {
  expect(plainDecimal(quotient(numeric(over), numeric(under)) ?? 0)).toBe(wanted);
  expect(answer(`amount / size = ${wanted}`, { amount: numeric(over), size: numeric(under) })).toBe(true);
});

it('a mean that ends keeps all of its digits', () => {
  const mean = average(['12345678901234567', '12345678901234568'].map(numeric));
  expect(plainDecimal(mean ?? 0)).toBe('12345678901234567.5');
  expect(plainDecimal(average([1, 1, 0].map((one) => numeric(String(one)))) ?? 0)).toBe('0.666666666666667');
});
