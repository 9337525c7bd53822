import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/core/json.ts';
import { evaluate, holds, OptionValue } from '../../../src/domain/expression/evaluate.ts';
import { parseExpression } from '../../../src/domain/expression/expression.ts';

const row: Record<string, unknown> = {
  value: 150,
  zero: 0,
  stage: new OptionValue('o1', 'Won'),
  tags: [new OptionValue('t1', 'Seed'), new OptionValue('t2', 'AI')],
  name: "O'Neill & Co",
  'date-added': '2020-02-29',
  mrr: 10,
  arr: 120.5,
  big: new ExactNumber('12345678901234567890'),
  'values.title': 'x',
};
const names = [...Object.keys(row), 'missing'];
const run = (text: string): unknown => evaluate(parseExpression(text, { names }), (name) => row[name]);

describe('expressions', () => {
  it.each([
    ['value > 100 and stage = "Won"', true],
    ["stage = 'o1'", true],
    ['stage != "Won"', false],
    ['stage in ["Lost", "Won"]', true],
    ['tags = "AI"', true],
    ['tags contains "Seed"', true],
    ['tags contains "See"', false],
    ['name contains "o\'NEILL"', true],
    ['name matches "^O.N"', true],
    ['date-added >= "2020-01-01"', true],
    ['value-zero = 150', true],
    ['`date-added` = "2020-02-29"', true],
    ['missing > 1', false],
    ['missing < 1', false],
    ['missing = null', true],
    ['missing = 0', false],
    ['zero = null', false],
    ['zero = 0', true],
    ['not (value > 100)', false],
    ['not empty(missing) or not (value > 100 and zero = 1)', true],
    ['name = "not value"', false],
    ['value > 200 or value < 160 and zero = 0', true],
    ['arr = 12 * mrr ± 1%', true],
    ['arr = 12 * mrr +- 0.4', false],
    ['arr = 12 * mrr ± 0.5', true],
    ['-value = 0 - 150', true],
    ['big = 12345678901234567890', true],
    ['length(name) = 12', true],
    ['empty(missing)', true],
    ['values.title = "x"', true],
  ])('%s → %s', (text, expected) => {
    expect(run(text)).toBe(expected);
  });

  it('keeps arithmetic on an empty value empty', () => {
    expect(run('missing + 1')).toBeNull();
    expect(run('value / zero')).toBeNull();
    expect(run('10% * value')).toBe(15);
  });

  it.each([
    ['value >', /at column \d+/],
    ['value 5', /operator is missing/],
    ['not value > 100', /with parentheses at column 1/],
    ['valeu > 5', /unknown name valeu/],
    ['constructor("x")', /unknown function constructor/],
    ['value = (', /column/],
    ['', /nothing to evaluate/],
    ['name matches "("', /Invalid regular expression/],
    ['stage in "Won"', /needs a list/],
    ['empty(value, 1)', /takes 1 argument/],
  ])('refuses %s', (text, message) => {
    expect(() => parseExpression(text, { names, where: '--where' })).toThrow(message);
  });

  it('never reaches JavaScript: names of prototypes are plain names', () => {
    expect(holds(parseExpression('__proto__ = null'), () => undefined)).toBe(true);
  });
});
