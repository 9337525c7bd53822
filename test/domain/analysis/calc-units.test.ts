/** What may be added, and what a product or a quotient is of. */
import { expect, it } from 'vitest';
import { isLinear, unitOf } from '../../../src/domain/analysis/calc.ts';
import { parse } from '../../../src/domain/expression/parser.ts';

const units: Readonly<Record<string, string>> = {
  ...{ mrr: 'USD', arr: 'USD', churn: 'percent', heads: 'count', customers: 'count' },
};
const of = (text: string) => unitOf(parse(text, '--calc x'), (name) => units[name], '--calc x');

it.each([
  ['mrr + arr', 'USD'],
  ['mrr / heads', 'USD'],
  ['heads * mrr', 'USD'],
  ['heads / customers', 'ratio'],
  ['heads + customers - 1', 'count'],
  ['2 * heads', 'count'],
  ['mrr / arr', 'ratio'],
  ['other + mrr', 'USD'],
  ['1 / 2', undefined],
])('%s is of %s', (text, expected) => {
  expect(of(text)).toBe(expected);
});

it.each(['mrr + heads', 'heads - mrr', 'mrr + churn', 'heads + churn', 'mrr + mrr / arr'])('%s is refused', (text) => {
  expect(() => of(text)).toThrow('cannot be added or compared');
});

it.each([
  ['mrr', true],
  ['arr - prev(arr)', true],
  ['-(mrr + 2 * arr / 3)', true],
  ['sum(mrr, 3) + avg(heads, 12) * 0.5', true],
  ['arr / heads', false],
  ['mrr * heads', false],
  ['mrr - 1', false],
  ['2 / mrr', false],
  ['mrr + churn', false],
  ['max(mrr, arr)', false],
  ['abs(mrr - arr)', false],
  ['round(mrr)', false],
  ['yoy(arr)', false],
  ['7', false],
])('%s of several companies is the sum of theirs: %s', (text, expected) => {
  const adds = new Set(['mrr', 'arr', 'heads']);
  expect(isLinear(parse(text, '--calc x'), (name) => adds.has(name))).toBe(expected);
});
