import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { ExactNumber, type Numeric } from '../../../src/core/json.ts';
import {
  computedValue,
  inOrderOfUse,
  namesIn,
  reach,
  readDefinition,
  unitOf,
} from '../../../src/domain/analysis/calc.ts';

/** Values by month, from index 0; undefined: there is none. */
const series: Record<string, (Numeric | null | undefined)[]> = {
  arr: [100, 110, new ExactNumber('0.10'), 90],
  cost: [10, 20, 30, -40],
  held: [1, null, 3, 4],
  gone: [1, undefined, 3, 4],
  zero: [0, 0, 0, 0],
};
const incomplete: Record<string, string> = { 'cost 2': '1/3' };

function value(expression: string, index = 3, partial = false) {
  const { node } = readDefinition(`x = ${expression}`, '--calc');
  const at = (name: string, place: number) => {
    const found = series[name]?.[place];
    if (found === undefined) return undefined;
    const months = incomplete[`${name} ${place}`];
    return { value: found, ...(months !== undefined && { incomplete: months }) };
  };
  const held = computedValue(node, index, at, 2, partial);
  if (held.value === undefined) return 'missing';
  return held.value === null ? null : String(held.value) + (held.incomplete ? ` (${held.incomplete})` : '');
}

async function refusal(work: () => unknown): Promise<string> {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return `${error.kind}: ${error.message} (${error.hint ?? ''})`;
    throw error;
  }
  return 'accepted';
}

describe('the value of a computed metric', () => {
  test.each([
    ['arr + cost', '50'],
    ['arr - cost', '130'],
    ['arr * 2', '180'],
    ['arr / 4', '22.5'],
    ['-arr', '-90'],
    ['1 + 2 * 3', '7'],
    ['prev(arr)', '0.10'],
    ['prev(arr, 2)', '110'],
    // Against the size of the value a year before.
    ['yoy(arr)', '-18.1818181818182'],
    ['yoy(cost)', '-300'],
    ['sum(arr, 3)', '200.1'],
    ['avg(arr, 2)', '45.05'],
    ['sum(cost, 1)', '-40'],
    ['abs(cost)', '40'],
    ['round(arr / 7)', '13'],
    ['round(arr / 7, 2)', '12.86'],
    ['min(arr, cost, 7)', '-40'],
    ['max(arr, cost, 7)', '90'],
    ['min(7, cost, arr)', '-40'],
    ['max(7, cost, arr)', '90'],
    ['prev(arr + cost, 3)', '110'],
    // What needs a missing value is missing, and what needs a null is null.
    ['prev(gone, 2)', 'missing'],
    ['gone + prev(gone, 2)', 'missing'],
    ['prev(held, 2)', null],
    ['held + prev(held, 2)', null],
    ['prev(held, 2) + prev(gone, 2)', 'missing'],
    ['sum(held, 3)', null],
    ['avg(gone, 3)', 'missing'],
    ['max(held, prev(held, 2))', null],
    ['-prev(held, 2)', null],
    ['abs(prev(held, 2))', null],
    ['prev(arr, 9)', 'missing'],
    ['nothing', 'missing'],
    // There is no number for it.
    ['arr / zero', 'missing'],
    ['yoy(zero)', 'missing'],
  ])('%s is %s', (expression, expected) => {
    expect(value(expression)).toBe(expected);
  });

  test('is not made of complete and incomplete periods, unless that is allowed', () => {
    expect(value('cost', 2)).toBe('30 (1/3)');
    expect(value('cost + arr', 2)).toBe('missing');
    expect(value('cost + arr', 2, true)).toBe('30.1 (1/3)');
    expect(value('cost + cost', 2)).toBe('60 (1/3)');
    expect(value('cost - prev(cost)', 3)).toBe('missing');
    expect(value('cost - prev(cost)', 3, true)).toBe('-70 (1/3)');
  });
});

describe('a definition', () => {
  test('is a name and an expression', () => {
    expect(readDefinition(' net.new-arr_2 =  arr - prev(arr) ', '--calc')).toMatchObject({
      name: 'net.new-arr_2',
      text: 'arr - prev(arr)',
    });
    expect(readDefinition('größe = arr', '--calc').name).toBe('größe');
  });

  test.each([['arr'], ['= arr'], ['x ='], ['2x = arr'], ['a b = arr']])('is not %j', async (text) => {
    expect(await refusal(() => readDefinition(text, '--calc'))).toBe(
      `usage: --calc must be NAME = EXPRESSION such as net_new_arr = arr - prev(arr), got "${text}" ()`,
    );
  });

  test.each([
    ['prev()', 'prev takes 1 to 2 arguments, got 0'],
    ['yoy(arr, 1)', 'yoy takes 1 arguments, got 2'],
    ['sum(arr)', 'sum takes 2 arguments, got 1'],
    ['min(arr)', 'min takes 2 to 9 arguments, got 1'],
    ['prve(arr)', 'unknown function prve'],
    ['mom(arr)', 'unknown function mom (m / prev(m) - 1 is the change from the period before)'],
    ['prev(arr, 0)', 'the second argument of prev must be a whole number from 1 to 999'],
    ['prev(arr, 1.5)', 'the second argument of prev must be a whole number from 1 to 999'],
    ['prev(arr, cost)', 'the second argument of prev must be a whole number from 1 to 999'],
    ['sum(arr, 1000)', 'the second argument of sum must be a whole number from 1 to 999'],
    ['round(arr, -1)', 'the second argument of round must be a whole number from 0 to 999'],
    ['1 + prve(arr)', 'unknown function prve'],
    ['-prve(arr)', 'unknown function prve'],
    ['abs(prve(arr))', 'unknown function prve'],
    ['arr > 1', 'a computed metric is made of numbers, metrics, + - * / and functions'],
    ["'text'", 'a computed metric is made of numbers, metrics, + - * / and functions'],
  ])('with %s is refused', async (expression, says) => {
    expect(await refusal(() => readDefinition(`x = ${expression}`, '--calc'))).toContain(`--calc: ${says}`);
  });

  test.each([
    ['prev(arr, 999)', []],
    ['round(arr, 0)', []],
    ['min(1,2,3,4,5,6,7,8,9)', []],
  ])('with %s is accepted', async (expression) => {
    expect(await refusal(() => readDefinition(`x = ${expression}`, '--calc'))).toBe('accepted');
  });

  test.each([
    ['arr + cost * -zero', ['arr', 'cost', 'zero'], 0],
    ['7', [], 0],
    ['prev(arr)', ['arr'], 1],
    ['prev(prev(arr, 3), 2)', ['arr'], 5],
    ['yoy(prev(arr))', ['arr'], 13],
    ['sum(arr, 3) + prev(cost)', ['arr', 'cost'], 2],
    ['prev(arr) - avg(cost, 4)', ['arr', 'cost'], 3],
    ['-prev(arr, 2)', ['arr'], 2],
    ['max(arr, prev(cost, 6))', ['arr', 'cost'], 6],
    ['round(arr, 2)', ['arr'], 0],
  ])('%s names %j and reaches back %i months', (expression, names, months) => {
    const { node } = readDefinition(`x = ${expression}`, '--calc');
    expect(namesIn(node)).toEqual(names);
    expect(reach(node, 12)).toBe(months);
  });
});

describe('definitions that name each other', () => {
  const all = (...texts: string[]) =>
    new Map(texts.map((text) => readDefinition(text, '--calc')).map((one) => [one.name, one]));
  const known = new Set(['arr', 'cost']);

  test('come after those that they name, each once', () => {
    const found = inOrderOfUse(['c', 'b'], all('a = arr', 'b = a + cost', 'c = a + b', 'd = nothing'), known);
    expect(found.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(inOrderOfUse(['arr'], all('a = arr'), known)).toEqual([]);
  });

  test('are refused in a circle, and with a name that nobody knows', async () => {
    expect(await refusal(() => inOrderOfUse(['a'], all('a = b', 'b = c', 'c = a'), known))).toBe(
      'usage: computed metrics name each other in a circle: a, b, c, a ()',
    );
    expect(await refusal(() => inOrderOfUse(['a'], all('a = arrr'), known))).toBe(
      'notFound: a: the catalog has no metric "arrr" (did you mean arr?)',
    );
    await expect(async () => inOrderOfUse(['a'], all('a = something_else'), known)).rejects.toMatchObject({
      code: 'unknown_metric',
      hint: undefined,
    });
  });
});

describe('units', () => {
  const units: Record<string, string | undefined> = {
    arr: 'USD',
    eur: 'EUR',
    heads: 'count',
    churn: 'percent',
    r: 'ratio',
  };
  const unit = (expression: string) =>
    unitOf(readDefinition(`x = ${expression}`, '--calc').node, (name) => units[name], '--calc');

  test.each([
    ['arr + arr', 'USD'],
    ['arr + 1', 'USD'],
    ['-arr', 'USD'],
    ['prev(arr)', 'USD'],
    ['yoy(arr)', 'percent'],
    ['yoy(arr) - yoy(heads)', 'percent'],
    ['yoy(arr) / 100', 'ratio'],
    ['arr * 2', 'USD'],
    ['2 * arr', 'USD'],
    ['arr * heads', 'USD'],
    ['heads * arr', 'USD'],
    ['arr * r', 'USD'],
    ['arr * eur', 'EUR * USD'],
    ['arr / arr', 'ratio'],
    ['arr / eur', 'USD / EUR'],
    ['arr / eur * eur', 'USD'],
    ['eur * (arr / eur)', 'USD'],
    ['arr / heads', 'USD'],
    ['1 / arr', '1 / USD'],
    ['churn / 100', 'ratio'],
    ['churn / 10', 'percent'],
    ['arr / 100', 'USD'],
    ['1 + 1', undefined],
    ['heads * heads', 'count'],
  ])('of %s are %s', (expression, expected) => {
    expect(unit(expression)).toBe(expected);
  });

  test.each([
    [
      'arr + eur',
      'usage: --calc: USD and EUR cannot be added or compared (divide one by a value of the same unit first)',
    ],
    ['max(arr, eur)', 'USD and EUR cannot be added or compared'],
    ['arr * churn', 'usage: --calc: a percentage is multiplied (write it as a ratio, such as churn / 100)'],
    ['churn * arr', 'a percentage is multiplied'],
    ['yoy(churn)', 'a percentage changes in points (write it as a difference, such as churn - prev(churn, 12))'],
  ])('of %s are refused', async (expression, says) => {
    expect(await refusal(() => unit(expression))).toContain(says);
  });
});
