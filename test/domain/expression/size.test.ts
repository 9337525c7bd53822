import { describe, expect, test } from 'vitest';
import { parse } from '../../../src/domain/expression/parser.ts';
import { pattern } from '../../../src/domain/expression/pattern.ts';

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
    ['words', `a in (${'1,'.repeat(60_000)}1)`, /more than 50000 words and signs/],
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
