/** The product-limit estimator against published values and against exact fractions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Observed, quantile, survivalSteps } from '../../../src/domain/history/funnel.ts';

const observed = (text: string): Observed[] =>
  text.split(' ').map((word) => ({ time: Number.parseFloat(word), ended: !word.endsWith('+') }));

/** Weeks of remission of Freireich et al. (1963), as in Cox and Oakes (1984); `+` was not over. */
const treated = observed('6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+');
const control = observed('1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23');

it('gives the published survival of the leukaemia trial', () => {
  const steps = survivalSteps(treated).map(({ time, atRisk, survival }) => [time, atRisk, survival.toFixed(3)]);
  expect(steps).toEqual([
    [6, 21, '0.857'],
    [7, 17, '0.807'],
    [10, 15, '0.753'],
    [13, 12, '0.690'],
    [16, 11, '0.627'],
    [22, 7, '0.538'],
    [23, 6, '0.448'],
  ]);
  expect(quantile(survivalSteps(treated), treated, 0.5)).toEqual({ time: 23, beyond: null });
  expect(quantile(survivalSteps(treated), treated, 0.9)).toEqual({ time: null, beyond: 35 });
  expect(quantile(survivalSteps(control), control, 0.5)).toEqual({ time: 8, beyond: null });
});

it('has no quantile of nothing', () => {
  expect(survivalSteps([])).toEqual([]);
  expect(quantile([], [], 0.5)).toEqual({ time: null, beyond: null });
});

/** The definition, with fractions of whole numbers. */
function exact(all: readonly Observed[]): { time: number; numerator: bigint; denominator: bigint }[] {
  const times = [...new Set(all.filter(({ ended }) => ended).map(({ time }) => time))].sort((a, b) => a - b);
  let [numerator, denominator] = [1n, 1n];
  return times.map((time) => {
    const risk = all.filter((each) => each.time >= time).length;
    const ended = all.filter((each) => each.ended && each.time === time).length;
    numerator *= BigInt(risk - ended);
    denominator *= BigInt(risk);
    return { time, numerator, denominator };
  });
}

it('is the product of the shares that last, for any observations', () => {
  const one = fc.record({ time: fc.integer({ min: 0, max: 12 }), ended: fc.boolean() });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 60 }), (all) => {
      const [steps, truth] = [survivalSteps(all), exact(all)];
      expect(steps.map(({ time }) => time)).toEqual(truth.map(({ time }) => time));
      for (const [index, { numerator, denominator }] of truth.entries()) {
        expect(steps[index]?.survival).toBeCloseTo(Number((numerator * 10n ** 15n) / denominator) / 1e15, 12);
      }
      for (const [share, tenths] of [[0.5, 5n] as const, [0.9, 1n] as const]) {
        const first = truth.find(({ numerator, denominator }) => numerator * 10n <= tenths * denominator);
        expect(quantile(steps, all, share).time).toBe(first?.time ?? null);
      }
    }),
    { numRuns: 500 },
  );
});
