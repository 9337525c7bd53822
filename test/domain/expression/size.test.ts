import { describe, expect, test } from 'vitest';
import { numeric } from '../../../src/core/json.ts';
import { entryScope } from '../../../src/domain/entries/scope.ts';
import { checkCondition } from '../../../src/domain/expression/check.ts';
import { evaluate } from '../../../src/domain/expression/evaluate.ts';
import { pattern } from '../../../src/domain/expression/literals.ts';
import { parse } from '../../../src/domain/expression/parser.ts';

describe('an expression that is too deep or too long', () => {
  test.each([
    ['parentheses', `${'('.repeat(500)}a = 1${')'.repeat(500)}`, /more than 200 levels at column 201/],
    ['negations', `${'not '.repeat(20_000)}a = 1`, /more than 200 levels/],
    ['exclamation marks', `${'!'.repeat(20_000)}(a = 1)`, /more than 200 levels/],
    ['signs', `a = ${'-'.repeat(20_000)}1`, /more than 200 levels/],
    ['operations', `a = 1${' + 1'.repeat(20_000)}`, /more than 200 levels/],
    ['calls', `${'abs('.repeat(20_000)}1`, /more than 200 levels/],
    ['lists', `a in ${'['.repeat(20_000)}1`, /more than 200 levels/],
    ['operations in parentheses', `${'(1 + '.repeat(150)}1`, /is missing|levels/],
    ['words', `a in (${'1,'.repeat(60_000)}1)`, /more than 50000 tokens/],
  ])('is refused: %s', (_, text, message) => {
    expect(() => parse(text, '--where')).toThrow(message);
  });

  test('is not one with 200 levels, or many conditions beside each other', () => {
    const deep = `${'('.repeat(199)}a = 1${')'.repeat(199)}`;
    expect(parse(deep, '--where')).toMatchObject({ kind: 'compare' });
    const wide = Array.from({ length: 5000 }, (_, n) => `a = ${n}`).join(' or ');
    expect(parse(wide, '--where')).toMatchObject({ kind: 'or' });
  });

  test('shows the beginning of a long text', () => {
    const message = (text: string) => {
      try {
        parse(text, '--where');
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message(`${'!'.repeat(100_000)}`).length).toBeLessThan(400);
  });
});

test('a pattern has at most 4,000 characters', () => {
  expect(pattern('(a{500}){2}'.repeat(800))).toEqual({
    wrong: '8800 characters of a pattern, and the limit is 4000',
  });
  expect(pattern('a'.repeat(4000))).toHaveProperty('test');
});

describe('a long condition', () => {
  const attributes = [
    { slug: 'name', attribute_type: 'text' as const },
    { slug: 'amount', attribute_type: 'number' as const },
  ];
  const scope = entryScope(attributes, () => new Date());
  const entry = (values: Record<string, unknown>) => ({ id: '1', values });

  test('computes its constants once', () => {
    const text = `amount < ${Array.from({ length: 150 }, (_, n) => 1_234_567_890 + n).join(' * ')}`;
    const { root } = checkCondition(text, scope, '--where');
    expect(root).toMatchObject({ kind: 'order', right: { kind: 'constant' } });
    expect(evaluate(root, entry({ amount: 5 }))).toBe(true);
  });

  test('looks up a value among many constants', () => {
    const words = Array.from({ length: 15_000 }, (_, n) => `"w${n}"`);
    const { root } = checkCondition(`name in (${words.join(', ')})`, scope, '--where');
    const begin = performance.now();
    for (let n = 0; n < 20_000; n += 1) evaluate(root, entry({ name: `v${n}` }));
    expect(performance.now() - begin).toBeLessThan(2000);
    expect(evaluate(root, entry({ name: 'w14999' }))).toBe(true);
    expect(evaluate(root, entry({ name: null }))).toBeNull();
  });

  test.each([
    ['amount in (1, 2.5)', { amount: 2.5 }, true],
    ['amount in (1, 2.5)', { amount: numeric('2.50') }, true],
    ['amount in (1, 2.50)', { amount: 2.5 }, true],
    ['amount in (1, 0)', { amount: numeric('-0.0') }, true],
    ['amount in (1, 9007199254740993)', { amount: numeric('9007199254740993') }, true],
    ['amount in (1, 9007199254740992)', { amount: numeric('9007199254740993') }, false],
    ['amount not in (1, 2)', { amount: null }, null],
  ])('%s of %o is %s', (text, values, expected) => {
    expect(evaluate(checkCondition(text, scope, '--where').root, entry(values))).toBe(expected);
  });
});
