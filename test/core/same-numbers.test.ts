/** Numbers of one size are one number, whatever their digits, wherever values are told apart. Sizes are whole numbers of 10^-30. */
import { describe, expect, it } from 'vitest';
import { compare, quotient } from '../../src/core/decimal.ts';
import { ExactNumber, type Numeric, numeric } from '../../src/core/json.ts';
import { numberKey, sameValue } from '../../src/core/same.ts';
import { fieldChanges } from '../../src/domain/analysis/difference.ts';
import { gaps } from '../../src/domain/analysis/gaps.ts';
import { listTest } from '../../src/domain/checks/list-checks.ts';
import type { ListFacts } from '../../src/domain/checks/list-test.ts';
import { likenessKeys } from '../../src/domain/entries/duplicates.ts';
import type { Attribute } from '../../src/domain/entries/options.ts';
import { type Entry, entryScope } from '../../src/domain/entries/scope.ts';
import { checkCondition } from '../../src/domain/expression/check.ts';
import { holds } from '../../src/domain/expression/evaluate.ts';
import { keyText } from '../../src/domain/import/cells.ts';
import { aggregates } from '../../src/domain/query/aggregates.ts';
import { Groups, groupKeys } from '../../src/domain/query/groups.ts';

/** A generator of numbers that are always the same. */
function random(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const next = random(5_50);

/** In units of 10^-30. */
function sizeOf(value: Numeric): bigint {
  const [, sign, whole = '', digits = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value)) ?? [];
  const power = 30 + Number(exponent) - digits.length;
  const size = BigInt(`${whole}${digits}`) * 10n ** BigInt(Math.max(0, power));
  return (sign === '-' ? -1n : 1n) * (power < 0 ? size / 10n ** BigInt(-power) : size);
}

/** The same number in one of its spellings. */
function spelled(text: string): Numeric {
  const zeros = '0'.repeat(next(4));
  const long = text.includes('.') ? text + zeros : zeros === '' ? text : `${text}.${zeros}`;
  if (next(4) > 0) return numeric(long);
  const power = next(9) - 4;
  const [whole = '', digits = ''] = long.replace('-', '').split('.');
  const shifted = shift(whole, digits, -power);
  return numeric(
    `${text.startsWith('-') ? '-' : ''}${shifted}${next(2) ? 'e' : 'E'}${power >= 0 && next(2) ? '+' : ''}${power}`,
  );
}

/** Moves the point. */
function shift(whole: string, digits: string, by: number): string {
  const all = `${'0'.repeat(8)}${whole}${digits}${'0'.repeat(8)}`;
  const point = 8 + whole.length + by;
  return `${all.slice(0, point).replace(/^0+(?=\d)/, '')}.${all.slice(point)}`;
}

const texts = ['0', '5', '-5', '50', '0.5', '-0.05', '9007199254740992', '9007199254740993', '9007199254740993.5'];
const more = ['0.12345678901234567', '0.12345678901234568', '123456.78', '1200', '1.2', '-9007199254740993'];
const values = Array.from(
  { length: 400 },
  (_, at): Numeric =>
    at === 0 ? new ExactNumber('-0.0') : spelled([...texts, ...more][next(texts.length + more.length)] ?? '0'),
);
const distinct = new Set(values.map(sizeOf)).size;

const attributes = [{ slug: 'score', attribute_type: 'number' }, { slug: 'raw' }] as Attribute[];
const entries = values.map((score, at): Entry => ({ id: String(at), title: `T${at}`, values: { score, raw: score } }));
const facts: ListFacts = {
  ...{ attributes, now: new Date('2026-01-01'), cap: Number.POSITIVE_INFINITY },
  ...{ references: () => new Set(['5', '0']), before: () => undefined },
};
const scope = entryScope(attributes, () => facts.now);
function outcome(text: string, rows: readonly Entry[] = entries) {
  const test = listTest(text, facts);
  for (const entry of rows) test.row?.(entry);
  return test.finish(rows.length);
}

it('one key for each size', () => {
  for (const a of values) {
    for (const b of values) {
      const isOne = sizeOf(a) === sizeOf(b);
      if ((numberKey(a) === numberKey(b)) !== isOne) expect([`${a}`, `${b}`]).toEqual(['one key', isOne]);
      if (sameValue(a, b) !== isOne) expect([`${a}`, `${b}`]).toEqual(['the same', isOne]);
      if (sameValue([a], [b]) !== isOne) expect([[`${a}`], [`${b}`]]).toEqual(['the same', isOne]);
      if (sameValue({ a: [a] }, { a: [b] }) !== isOne) expect([`${a}`, `${b}`]).toEqual(['the same within', isOne]);
      if ((compare(a, b) === 0) !== isOne) expect([`${a}`, `${b}`]).toEqual(['equal', isOne]);
    }
  }
  expect(numberKey(new ExactNumber('-0.0'))).toBe('0');
  expect(numberKey(new ExactNumber(`5.${'0'.repeat(2_000_000)}`))).toBe('5');
  expect(numberKey(new ExactNumber(`0.${'0'.repeat(2_000_000)}1`))).toHaveLength(2_000_003);
});

describe('numbers are told apart by their size', () => {
  it('in unique, type, accepted, references and groups of checks', () => {
    expect(outcome('unique(score)').observed).toBe(`${distinct} distinct, ${400 - distinct} repeated`);
    expect(outcome('unique(score, raw)').observed).toBe(`${distinct} distinct, ${400 - distinct} repeated`);
    expect(outcome('unique(raw)').observed).toBe(`${distinct} distinct, ${400 - distinct} repeated`);
    const whole = (value: Numeric) => sizeOf(value) % 10n ** 30n === 0n;
    expect(outcome('type(score, integer)').failed).toBe(values.filter((value) => !whole(value)).length);
    expect(outcome('type(score, number)').failed).toBe(0);
    const isOneOf =
      (...all: string[]) =>
      (value: Numeric) =>
        all.some((one) => sizeOf(numeric(one)) === sizeOf(value));
    for (const column of ['score', 'raw']) {
      const wrong = values.filter((value) => !isOneOf('5', '0', '1200')(value));
      expect(outcome(`accepted(${column}, 5.0, 0, 12e2)`).failed).toBe(wrong.length);
    }
    expect(outcome('references(score, other)').failed).toBe(values.filter((value) => !isOneOf('5', '0')(value)).length);
    expect(outcome('count by score >= 1').observed.split(', ')).toHaveLength(distinct);
    expect(outcome('sum(raw) by score >= 0').findings.length).toBe(
      new Set(values.map(sizeOf).filter((size) => size < 0n)).size,
    );
  });

  it('in --by, --pivot, distinct and in (…)', () => {
    const groups = new Groups(groupKeys('score', scope, '--by'), aggregates('count', scope, '--agg'));
    const counted = aggregates<Entry>('distinct(score)', scope, '--agg')[0]?.fold();
    for (const entry of entries) {
      groups.add(entry);
      counted?.add(entry);
    }
    expect(groups.rows()).toHaveLength(distinct);
    expect(counted?.value().value).toBe(distinct);
    for (const text of ['5', '9007199254740993', '0']) {
      const condition = checkCondition(`score in (${text}.0, 77)`, scope, '--where');
      const found = entries.filter((entry) => holds(condition.root, entry));
      expect(found).toHaveLength(values.filter((value) => sizeOf(value) === sizeOf(numeric(text))).length);
    }
  });

  it('in keys of an import and of duplicates, and in differences of a history', () => {
    const [key] = likenessKeys(['score'], attributes);
    const isWritten = ({ values: own }: Entry) => own?.score !== undefined;
    expect(new Set(entries.filter(isWritten).map((entry) => key?.read({ ...entry, id: `${entry.id}` })))).toHaveLength(
      distinct,
    );
    expect(new Set(values.map((value) => keyText({ field: 'value', slug: 'score' }, value))).size).toBe(distinct);
    for (const [at, value] of values.entries()) {
      const other = values[(at * 7 + 1) % values.length] ?? 0;
      const isOne = sizeOf(value) === sizeOf(other);
      const [before, after] = [value, other].map((score) => ({ values: { score }, config: { min: score } }));
      expect(fieldChanges(before ?? {}, after ?? {}, ['values'])).toHaveLength(isOne ? 0 : 2);
    }
  });

  it('in gaps --repeated', () => {
    const now = new Date('2026-01-01');
    for (let start = 0; start + 40 <= values.length; start += 40) {
      const points = values.slice(start, start + 40).flatMap((value, at) =>
        [0, 1].map((twice) => {
          const spelling =
            twice === 1 && next(2) === 0
              ? new ExactNumber(`${numberKey(value)}${numberKey(value).includes('.') ? '0' : '.0'}`)
              : value;
          return { index: at * 2 + twice, value: spelling };
        }),
      );
      let [expected, length] = [0, 1];
      for (let at = 1; at <= points.length; at += 1) {
        const [here, before] = [points[at]?.value, points[at - 1]?.value ?? 0];
        if (here !== undefined && sizeOf(here) === sizeOf(before)) length += 1;
        else {
          if (length >= 2 && sizeOf(before) !== 0n) expected += 1;
          length = 1;
        }
      }
      const found = gaps(points, { from: 0, to: points.length - 1, now, repeatedFrom: 2 });
      expect(found.filter(({ kind }) => kind === 'repeated')).toHaveLength(expected);
    }
  });
});

describe('exactly', () => {
  it('bounds of checks', () => {
    for (let count = 0; count < 100; count += 1) {
      const [min, max] = [values[next(400)] ?? 0, values[next(400)] ?? 0].sort(compare) as [Numeric, Numeric];
      const wrong = values.filter((value) => sizeOf(value) < sizeOf(min) || sizeOf(value) > sizeOf(max));
      expect(outcome(`range(score, ${min}, ${max})`).failed, `${min} ${max}`).toBe(wrong.length);
      const few = entries.slice(next(300), 300 + next(100));
      const held = few.map(({ values: own }) => sizeOf(own?.score as Numeric));
      const [low, high] = [held.reduce((a, b) => (b < a ? b : a)), held.reduce((a, b) => (b > a ? b : a))];
      const total = held.reduce((a, b) => a + b);
      const passes = (text: string) => outcome(text, few).status === 'pass';
      expect(passes(`min(score) >= ${min}`)).toBe(low >= sizeOf(min));
      expect(passes(`max(score) < ${max}`)).toBe(high < sizeOf(max));
      expect(passes(`sum(score) <= ${max}`)).toBe(total <= sizeOf(max));
      expect(passes(`average(score) > ${min}`)).toBe(total > sizeOf(min) * BigInt(held.length));
      expect(passes(`average(score) <= ${max}`)).toBe(total <= sizeOf(max) * BigInt(held.length));
    }
  });

  it('medians that are a stored value', () => {
    for (let count = 0; count < 200; count += 1) {
      const own = Array.from({ length: 1 + next(9) }, () => values[next(400)] ?? 0);
      const fold = aggregates<Entry>('median(score)', scope, '--agg')[0]?.fold();
      for (const score of own) fold?.add({ id: '', values: { score } });
      const sorted = own.map(sizeOf).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const half = Math.floor(sorted.length / 2);
      const [low = 0n, high = 0n] =
        sorted.length % 2 === 1 ? [sorted[half], sorted[half]] : sorted.slice(half - 1, half + 1);
      const shown = sizeOf(fold?.value().value as Numeric);
      if (low === high) expect(shown).toBe(low);
      else {
        const apart = shown * 2n - low - high;
        const size = low + high < 0n ? -low - high : low + high;
        expect((apart < 0n ? -apart : apart) * 10n ** 14n <= size, `${own.map(String)}: ${shown}`).toBe(true);
      }
    }
  });

  it('what is divided by one', () => {
    for (const value of values) expect(sizeOf(quotient(value, 1) as Numeric)).toBe(sizeOf(value));
  });
});
