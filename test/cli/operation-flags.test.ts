import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Flag } from '../../src/cli/define.ts';
import { bodyFlags, fieldsOf, queryFlags } from '../../src/cli/operation-flags.ts';
import { operations } from '../../src/contract/index.ts';

describe('flags of an operation', () => {
  test('limits, choices and patterns come from the contract, names from the command', () => {
    const flags = queryFlags(operations.getMetricSeries, {
      periodType: { flag: 'grain' },
      fromPeriod: { flag: 'from', value: 'PERIOD', says: 'a period such as 2006-01' },
      limit: { flag: 'pageSize' },
    });
    expect(flags.grain).toMatchObject({ kind: 'text', choices: ['month', 'quarter', 'year'], field: 'periodType' });
    expect(flags.from).toMatchObject({ value: 'PERIOD', pattern: { says: 'a period such as 2006-01' } });
    expect(flags.pageSize).toMatchObject({ kind: 'integer', minimum: 1, maximum: 100 });
    expectTypeOf(flags.grain).toExtend<Flag<'month' | 'quarter' | 'year'>>();
    expectTypeOf(flags.pageSize).toExtend<Flag<number>>();
  });

  test('a snake-case field becomes a camel-case key and goes back under its own name', () => {
    const flags = bodyFlags(operations.createList, { entity_type: {}, description: { value: 'TEXT' }, position: {} });
    expect(Object.keys(flags)).toEqual(['entityType', 'description', 'position']);
    const body = fieldsOf(flags, { entityType: 'deal', position: 3, other: 1 });
    expect(body).toEqual({ entity_type: 'deal', position: 3 });
    expectTypeOf(body).toExtend<{ entity_type?: string; description?: string; position?: number }>();
  });

  test('an array of the API is a flag that repeats', () => {
    expect(bodyFlags(operations.createGrant, { metric_ids: {} }).metricIds.kind).toBe('list');
  });

  test('a field that the contract does not have is refused', () => {
    // @ts-expect-error the contract has no such field
    expect(() => queryFlags(operations.listEntries, { nope: {} })).toThrow('nope');
  });
});
