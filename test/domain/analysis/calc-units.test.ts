/** What may be added, and what a product or a quotient is of. */
import { expect, it } from 'vitest';
import { unitOf } from '../../../src/domain/analysis/calc-units.ts';
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
