/** Computed metrics against quantities: each unit has a size, and a value with its unit is an amount whatever it is written in. */
import { expect, it } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { numeric } from '../../../src/core/json.ts';
import { computedValue, readDefinition, unitOf } from '../../../src/domain/analysis/calc.ts';
import { measureOf, type UnitWords } from '../../../src/domain/series/units.ts';

/** A fraction of whole numbers, reduced, its sign above. */
type Fraction = readonly [bigint, bigint];
const size = (n: bigint) => (n < 0n ? -n : n);
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
const of = (a: bigint, b: bigint): Fraction => {
  const by = (gcd(size(a), size(b)) || 1n) * (b < 0n ? -1n : 1n);
  return [a / by, b / by];
};
const read = (text: string): Fraction => {
  const [, sign, whole = '', digits = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? [];
  const power = Number(exponent) - digits.length;
  const units = BigInt(`${sign}${whole}${digits}`);
  return power < 0 ? of(units, 10n ** BigInt(-power)) : of(units * 10n ** BigInt(power), 1n);
};
const plus = (a: Fraction, b: Fraction) => of(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
const times = (a: Fraction, b: Fraction) => of(a[0] * b[0], a[1] * b[1]);
const over = (a: Fraction, b: Fraction) => of(a[0] * b[1], a[1] * b[0]);
const minus = (a: Fraction, b: Fraction) => plus(a, [-b[0], b[1]]);
const same = (a: Fraction, b: Fraction) => a[0] === b[0] && a[1] === b[1];
const one: Fraction = [1n, 1n];
/** Half up, away from zero, as `round` says. */
const rounded = (a: Fraction, digits: number): Fraction => {
  const power = 10n ** BigInt(digits);
  const whole = (size(a[0]) * power * 2n + a[1]) / (a[1] * 2n);
  return of(a[0] < 0n ? -whole : whole, power);
};

/** No product of these sizes is that of another unit. */
const sizes: Readonly<Record<string, Fraction>> = {
  ...{ USD: [7n, 1n], EUR: [11n, 1n], months: [13n, 1n], learners: [17n, 1n] },
  ...{ percent: [1n, 100n], count: one, ratio: one, number: one },
};
const sizeOf = (unit: string | undefined): Fraction => {
  let [found, divides]: [Fraction, boolean] = [one, false];
  for (const word of unit?.split(' ') ?? []) {
    if (word === '*' || word === '/') divides = word === '/';
    else if (word !== '1') found = (divides ? over : times)(found, sizes[word] ?? one);
  }
  return found;
};

/** How catalogs say each unit, in a company whose currency is USD. */
const words: Readonly<Record<string, readonly UnitWords[]>> = {
  USD: [
    { unit: 'currency' },
    { unit: 'USD' },
    { unitLabel: 'USD' },
    { unit: 'usd' },
    { unit: 'currency', unitLabel: '$' },
  ],
  EUR: [
    { unit: 'EUR' },
    { unitLabel: '€' },
    { unit: 'currency', unitLabel: 'EUR' },
    { unit: 'number', unitLabel: 'eur' },
  ],
  percent: [
    { unit: 'percent' },
    { unit: '%' },
    { unitLabel: '%' },
    { unit: 'Percentage', unitLabel: null },
    { unit: 'number', unitLabel: '%' },
    { unit: 'ratio', unitLabel: '%' },
  ],
  months: [{ unit: 'months' }, { unit: 'month', unitLabel: 'mo.' }, { unitLabel: 'Months' }],
  count: [{ unit: 'count' }, { unitLabel: 'count' }, { unit: 'count', unitLabel: 'people' }],
  learners: [{ unit: 'learners' }, { unit: '', unitLabel: 'learners' }],
};

/** A generator of numbers that are always the same. */
function random(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Metric = { id: string; unit: string; words: UnitWords; values: string[] };
/** An amount; without a size it is a bare number, which takes that of what it is added to. */
interface Quantity {
  amount: Fraction;
  size: Fraction | undefined;
  /** Some percentage is a factor as it is. */
  shares: boolean;
}
/** At a month; undefined where there is no number. */
type At = (month: number) => Quantity | 'mixed' | undefined;
interface Expression {
  text: string;
  at: At;
  /** Made of literals. */
  constant: boolean;
}

const last = 5;

function makeExpression(next: (below: number) => number, metrics: readonly Metric[], depth: number): Expression {
  const inner = () => makeExpression(next, metrics, depth - 1);
  const each = (
    parts: readonly Expression[],
    month: number,
    join: (all: readonly Quantity[]) => Quantity | undefined,
  ) => {
    const all = parts.map(({ at }) => at(month));
    if (all.includes('mixed')) return 'mixed';
    return all.includes(undefined) ? undefined : join(all as Quantity[]);
  };
  /** All in the size of the first that has one. */
  const alike = (all: readonly Quantity[]): readonly Quantity[] | 'mixed' => {
    const known = all.flatMap(({ size }) => (size ? [size] : []));
    if (known.some((other) => !same(other, known[0] ?? one))) return 'mixed';
    return all.map((part) =>
      part.size
        ? part
        : {
            ...part,
            amount: times(part.amount, known[0] ?? one),
            size: known[0],
          },
    );
  };
  const common =
    (parts: readonly Expression[], join: (all: readonly Fraction[]) => Fraction): At =>
    (month) => {
      const all = parts.map(({ at }) => at(month));
      if (all.includes('mixed')) return 'mixed';
      if (all.includes(undefined)) return undefined;
      const found = alike(all as Quantity[]);
      if (found === 'mixed') return 'mixed';
      return {
        amount: join(found.map(({ amount }) => amount)),
        size: found[0]?.size,
        shares: found.some(({ shares }) => shares),
      };
    };
  const kind = depth === 0 ? next(5) : 5 + next(12);
  if (kind === 0) {
    const text = ['2', '100', '0.5', '7', '10%'][next(5)] ?? '2';
    const amount = text === '10%' ? of(1n, 10n) : read(text);
    return {
      text,
      at: () => ({
        amount,
        size: text === '10%' ? one : undefined,
        shares: false,
      }),
      constant: true,
    };
  }
  if (kind < 5) {
    const metric = metrics[next(metrics.length)] as Metric;
    const own = sizes[metric.unit] ?? one;
    const at: At = (month) => {
      const value = metric.values[month];
      return value === undefined ? undefined : { amount: times(read(value), own), size: own, shares: false };
    };
    return { text: metric.id, at, constant: false };
  }
  const [a, b] = [inner(), inner()];
  const constant = a.constant && b.constant;
  const isShare = ({ size }: Quantity) => size !== undefined && same(size, sizes.percent ?? one);
  switch (kind) {
    case 5:
    case 6:
      return {
        text: `(${a.text} + ${b.text})`,
        at: common([a, b], (all) => all.reduce(plus)),
        constant,
      };
    case 7:
      return {
        text: `(${a.text} - ${b.text})`,
        at: common([a, b], ([x = one, y = one]) => minus(x, y)),
        constant,
      };
    case 8:
    case 9: {
      const at: At = (month) =>
        each([a, b], month, ([x, y]) => {
          if (!x || !y) return undefined;
          const shares = x.shares || y.shares || (isShare(x) && !b.constant) || (isShare(y) && !a.constant);
          const size = x.size || y.size ? times(x.size ?? one, y.size ?? one) : undefined;
          return { amount: times(x.amount, y.amount), size, shares };
        });
      return { text: `(${a.text} * ${b.text})`, at, constant };
    }
    case 10:
    case 11: {
      const at: At = (month) =>
        each([a, b], month, ([x, y]) => {
          if (!x || !y || y.amount[0] === 0n) return undefined;
          const shares = x.shares || y.shares || (isShare(y) && !isShare(x));
          // A hundredth of a percentage is its ratio.
          if (isShare(x) && b.text === '100') return { amount: x.amount, size: one, shares };
          const size = x.size || y.size ? over(x.size ?? one, y.size ?? one) : undefined;
          return { amount: over(x.amount, y.amount), size, shares };
        });
      return { text: `(${a.text} / ${b.text})`, at, constant };
    }
    case 12:
      return {
        text: `prev(${a.text})`,
        at: (month) => a.at(month - 1),
        constant: a.constant,
      };
    case 13: {
      if (a.constant) return a;
      const at: At = (month) => {
        const [now, then] = [a.at(month), a.at(month - 2)];
        if (now === 'mixed' || then === 'mixed') return 'mixed';
        if (!now || !then || then.amount[0] === 0n) return undefined;
        const change = minus(now.amount, then.amount);
        return {
          amount: over(change, [size(then.amount[0]), then.amount[1]]),
          size: sizes.percent,
          shares: now.shares,
        };
      };
      return { text: `yoy(${a.text})`, at, constant: a.constant };
    }
    case 14: {
      const mean = next(2) === 0;
      const back = (by: number): Expression => ({
        ...a,
        at: (month) => a.at(month - by),
      });
      const sum = (all: readonly Fraction[]) => all.reduce(plus);
      const at = common([a, back(1), back(2)], (all) => (mean ? over(sum(all), [3n, 1n]) : sum(all)));
      return {
        text: `${mean ? 'avg' : 'sum'}(${a.text}, 3)`,
        at,
        constant: a.constant,
      };
    }
    case 15: {
      const isRounded = next(2) === 0;
      const at: At = (month) => {
        const found = a.at(month);
        if (found === 'mixed' || !found) return found;
        const unit = found.size ?? one;
        const amount: Fraction = isRounded
          ? times(rounded(over(found.amount, unit), 2), unit)
          : [size(found.amount[0]), found.amount[1]];
        return { ...found, amount };
      };
      return {
        text: isRounded ? `round(${a.text}, 2)` : `abs(${a.text})`,
        at,
        constant: a.constant,
      };
    }
    default: {
      const least = next(2) === 0;
      const pick = ([x = one, y = one]: readonly Fraction[]) => (minus(x, y)[0] < 0n === least ? x : y);
      return {
        text: `${least ? 'min' : 'max'}(${a.text}, ${b.text})`,
        at: common([a, b], pick),
        constant,
      };
    }
  }
}

function makeMetric(next: (below: number) => number, unit: string, id: string): Metric {
  const ways = words[unit] ?? [];
  const values = Array.from({ length: last + 1 }, () => `${next(5) === 0 ? '-' : ''}${1 + next(900)}.${next(90) + 10}`);
  return { id, unit, words: ways[next(ways.length)] ?? {}, values };
}

function answer(text: string, metrics: readonly Metric[]) {
  const byId = new Map(metrics.map((metric) => [metric.id, metric]));
  const { node } = readDefinition(`x = ${text}`, '--calc');
  const measure = (id: string) => measureOf({ ...byId.get(id)?.words, currency: 'USD' });
  try {
    const unit = unitOf(node, measure, '--calc x');
    const at = (id: string, month: number) => {
      const value = byId.get(id)?.values[month];
      return value === undefined ? undefined : { value: numeric(value) };
    };
    const held = computedValue(node, last, at, 2, false);
    return { unit, held: held.value === undefined ? undefined : held };
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Closer than quotients of 15 digits can differ, in the size of what was computed. */
function close(a: Fraction, b: Fraction): boolean {
  const apart = minus(a, b);
  return size(apart[0]) * 10n ** 9n <= (size(b[0]) + b[1]) * (apart[1] / b[1] + 1n);
}

it('computes the same amounts as quantities do, or refuses', () => {
  const next = random(25_10);
  const seen = { values: 0, refused: 0 };
  for (let count = 0; count < 4000; count += 1) {
    const metrics = Object.keys(words).map((unit, at) => makeMetric(next, unit, `m${at}`));
    // Few units, so that many expressions go together.
    const some = metrics.filter(
      (_, at) => at === count % metrics.length || at === (count + 1 + next(4)) % metrics.length,
    );
    const { text, at } = makeExpression(next, some, 1 + next(3));
    const expected = at(last);
    const found = answer(text, some);
    const says = `${text} of ${JSON.stringify(some)}`;
    if (found instanceof Failure) {
      seen.refused += 1;
      expect(found.kind, says).toBe('usage');
      continue;
    }
    expect(expected, says).not.toBe('mixed');
    if (expected === undefined || expected === 'mixed') {
      expect(found.held, says).toBeUndefined();
      continue;
    }
    seen.values += 1;
    expect(expected.shares, `${says}: a percentage is a factor`).toBe(false);
    const amount = times(read(String(found.held?.value)), sizeOf(found.unit));
    expect(close(amount, expected.amount), `${says} is ${found.held?.value} ${found.unit}`).toBe(true);
  }
  expect(seen.values).toBeGreaterThan(1000);
  expect(seen.refused).toBeGreaterThan(500);
});

it('refuses no sum, difference, mean, least or rounded value of one unit, however the unit is written', () => {
  const next = random(10_25);
  for (const [unit, ways] of Object.entries(words)) {
    for (const [i, a] of ways.entries()) {
      for (const [j, b] of ways.entries()) {
        const metrics = [makeMetric(next, unit, 'a'), makeMetric(next, unit, 'b')].map((metric, at) => ({
          ...metric,
          words: at === 0 ? a : b,
        }));
        for (const text of ['a + b', 'a - prev(b)', 'min(a, b)', 'max(sum(a, 2), 3 * b)', 'avg(a, 2) + round(b, 1)']) {
          expect(answer(text, metrics), `${text} of ${unit} ${i} ${j}`).toMatchObject({ unit });
        }
        expect(answer('a / b', metrics)).toMatchObject({ unit: 'ratio' });
        if (unit !== 'percent') expect(answer('yoy(a) - yoy(b)', metrics)).toMatchObject({ unit: 'percent' });
      }
    }
  }
});
