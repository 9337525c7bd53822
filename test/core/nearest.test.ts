import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from '../../src/core/nearest.ts';

describe('nearest', () => {
  it.each([
    ['stagee', ['stage', 'status'], 'stage'],
    ['statsu', ['stage', 'status'], 'status'],
    ['STAGE', ['status', 'stage'], 'stage'],
    ['pipeline', ['deal-pipeline', 'hiring'], 'deal-pipeline'],
    ['deal', ['deal-pipeline', 'deal-flow'], undefined],
    ['tpye', ['id', 'attribute_type'], 'attribute_type'],
    ['tpye', ['entity_type', 'context_type'], undefined],
    ['zzz', ['stage'], undefined],
    ['', ['a-long-word'], undefined],
  ])('%s among %j', (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['abc', 'abd', 1],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['kitten', 'sitting', 3],
  ])('%s to %s', (a, b, expected) => {
    expect(editDistance(a, b)).toBe(expected);
  });

  it('is symmetric, and zero only for equal words', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        for (const most of [0, 1, 2, 5]) {
          expect(editDistance(a, b, most)).toBe(Math.min(editDistance(a, b), most + 1));
        }
      }),
    );
  });
});
