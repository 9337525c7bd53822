import { describe, expect, test } from 'vitest';
import { actualsAreMonthly, publishedRules, seriesRules } from '../../src/contract/rules.ts';
import { baseType, choices, type JsonSchema } from '../../src/contract/schema.ts';
import { type Issue, isDate, issues, maxIssues } from '../../src/contract/validate.ts';
import { ExactNumber } from '../../src/core/json.ts';

const at = (path: string, message: string): Issue[] => [{ path, message }];
const says = (message: string) => at('', message);

describe('what a value breaks of a schema', () => {
  const rows: [JsonSchema, unknown, Issue[]][] = [
    [{ type: 'string' }, 1, says('must be a string')],
    [{ type: 'integer' }, 1.5, says('must be an integer')],
    [{ type: ['string', 'null'] }, 1, says('must be a string or null')],
    [{ type: ['string', 'null'] }, null, []],
    [{ type: 'number' }, Number.NaN, says('must be a number')],
    [{ type: 'number' }, 'x', says('must be a number')],
    [{ type: 'number' }, new ExactNumber('1.10'), []],
    [{ type: 'object' }, [], says('must be an object')],
    [{ type: 'object' }, null, says('must be an object')],
    [{ type: 'object' }, new ExactNumber('1.10'), says('must be an object')],
    [{ enum: ['a', 'b', null] }, 'c', says('must be one of a, b')],
    [{ enum: ['a', null] }, null, []],
    [{ const: 'x' }, 'y', says('must be "x"')],
    [{ const: 'x' }, 'x', []],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 1.5, says('matches none of the allowed forms')],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 1, []],
    [{ type: 'string', minLength: 1 }, '', says('must not be empty')],
    [{ type: 'string', minLength: 2 }, 'a', says('must have at least 2 characters')],
    [{ type: 'string', minLength: 2 }, 'ab', []],
    [{ type: 'string', maxLength: 2 }, 'abc', says('must have at most 2 characters')],
    // Code points count, not UTF-16 units.
    [{ type: 'string', maxLength: 2 }, '😀😀', []],
    [{ type: 'string', pattern: '^a$' }, 'b', says('must match ^a$')],
    [{ type: 'string', pattern: '^a$', says: 'an a' }, 'b', says('must be an a')],
    [{ type: 'string', pattern: '^a$' }, 'a', []],
    [{ type: 'string', format: 'date' }, '2026-02-30', says('must be a date (YYYY-MM-DD)')],
    [{ type: 'string', format: 'uuid' }, 'x', says('must be a UUID')],
    [{ type: 'string', format: 'date-time' }, '2026-02-03', says('must be an ISO 8601 timestamp')],
    [{ type: 'integer', minimum: 1 }, 0, says('must be at least 1')],
    [{ type: 'integer', minimum: 1 }, 1, []],
    [{ type: 'integer', maximum: 5 }, 6, says('must be at most 5')],
    [{ type: 'integer', maximum: 5 }, 5, []],
    [{ type: 'array', minItems: 1 }, [], says('must not be empty')],
    [{ type: 'array', minItems: 2 }, [1], says('must have at least 2 items')],
    [{ type: 'array', minItems: 2 }, [1, 2], []],
    [{ type: 'array', maxItems: 1 }, [1, 2], says('must have at most 1 items')],
    [{ type: 'array', maxItems: 2 }, [1, 2], []],
    [{ type: 'array', contains: { const: 'x' } }, ['y'], says('must contain "x"')],
    [{ type: 'array', contains: { type: 'integer' } }, ['y'], says('must contain {"type":"integer"}')],
    [{ type: 'array', contains: { const: 'x' } }, ['y', 'x'], []],
    [{ type: 'array' }, ['anything', 1], []],
    [{ type: 'array', items: { type: 'string' } }, ['a', 1], at('1', 'must be a string')],
    [{ type: 'object', required: ['a'] }, {}, at('a', 'is required')],
    [{ type: 'object', properties: {}, additionalProperties: false }, { a: 1 }, at('a', 'is not known here')],
    [{ type: 'object', properties: {} }, { a: 1 }, []],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 1 }, at('a', 'must be a string')],
    // Every object has a constructor.
    [
      { type: 'object', properties: {}, additionalProperties: false },
      { constructor: 1 },
      at('constructor', 'is not known here'),
    ],
    [
      { type: 'object', properties: { a: { type: 'array', items: { type: 'object', required: ['b'] } } } },
      { a: [{ b: 1 }, {}] },
      at('a.1.b', 'is required'),
    ],
  ];

  test.each(rows)('%j of %j', (schema, value, expected) => {
    expect(issues(schema, value)).toEqual(expected);
  });

  test('is not read on once so much of it is wrong', () => {
    const many = Array.from({ length: 3 * maxIssues }, () => 1);
    expect(issues({ type: 'array', items: { type: 'string' } }, many)).toHaveLength(maxIssues);
    const named = Object.fromEntries(many.map((value, index) => [`f${index}`, value]));
    expect(issues({ type: 'object', properties: {}, additionalProperties: false }, named)).toHaveLength(maxIssues);
  });
});

test.each([
  ['2026-00-10', false],
  ['2026-13-10', false],
  ['2026-12-31', true],
  ['2026-01-01', true],
  ['2026-01-00', false],
  ['2026-04-31', false],
  ['2000-02-29', true],
  ['1900-02-29', false],
  ['2024-02-29', true],
  ['2026-02-29', false],
])('%s is a date: %s', (text, expected) => {
  expect(isDate(text)).toBe(expected);
});

describe('what a series query breaks of the rules', () => {
  const broken = (query: Record<string, unknown>) => seriesRules.flatMap((rule) => rule.check(query));

  test.each([
    [{ versions: 'budget , forecast' }, []],
    [{ versions: ' ' }, at('versions', 'must name at least one of actual, budget, forecast')],
    [{ versions: 'actual,plan' }, at('versions', 'must be one or more of actual, budget, forecast, got "plan"')],
    [{ versions: 'actual,' }, at('versions', 'must be one or more of actual, budget, forecast, got ""')],
    [{ versions: 'budget', periodType: 'quarter' }, []],
    [{ versions: 'actual', periodType: 'month' }, []],
    [{ versions: 'actual' }, []],
    [
      { versions: 'budget,actual', periodType: 'year' },
      at('periodType', 'must be month when versions contain actual, got year'),
    ],
    // Without versions, actuals are asked for.
    [{ periodType: 'quarter' }, at('periodType', 'must be month when versions contain actual, got quarter')],
    [{ metricIds: 'mrr,' }, at('metricIds', 'must not hold an empty id')],
    [{ metricIds: '' }, []],
    [{ metricIds: Array(50).fill('a').join() }, []],
    [{ metricIds: Array(51).fill('a').join() }, at('metricIds', 'must name at most 50 metrics, got 51')],
    [{ periodType: 'month', fromPeriod: '2026-Q1' }, at('fromPeriod', 'must be a month such as 2006-01, got 2026-Q1')],
    [{ periodType: 'month', toPeriod: '2026' }, at('toPeriod', 'must be a month such as 2006-01, got 2026')],
    [{ periodType: 'month', toPeriod: 'soon' }, at('toPeriod', 'must be a month such as 2006-01, got soon')],
    // What is not a grain is refused by its own schema.
    [{ periodType: 'toString', fromPeriod: 'x', versions: 'budget' }, []],
    [{ fromPeriod: '2026-Q1' }, []],
    [{ periodType: 'month', fromPeriod: '2021-01', toPeriod: '2025-12' }, []],
    [
      { periodType: 'month', fromPeriod: '2021-01', toPeriod: '2026-01' },
      at('toPeriod', 'the window may hold at most 60 periods, got 61'),
    ],
    [{ periodType: 'month', fromPeriod: '2026-02', toPeriod: '2026-02' }, []],
    [
      { periodType: 'month', fromPeriod: '2026-02', toPeriod: '2026-01' },
      at('toPeriod', 'must not be before fromPeriod (2026-02), got 2026-01'),
    ],
    [{ periodType: 'month', fromPeriod: '2010-01' }, []],
    [{ periodType: 'month', toPeriod: '2010-01' }, []],
  ])('%j', (query, expected) => {
    expect(broken(query)).toEqual(expected);
  });

  test('a grain that is not a text is left to its schema', () => {
    expect(actualsAreMonthly.check({ periodType: undefined })).toEqual([]);
    expect(broken({ periodType: 7, versions: 'budget', fromPeriod: '2026-Q1' })).toEqual([]);
  });
});

describe('the bounds of published metrics', () => {
  const broken = (query: Record<string, unknown>) => publishedRules.flatMap((rule) => rule.check(query));

  test.each([
    [{ from: '2026-01', to: '2026-01' }, []],
    [{ from: '2026-02', to: '2026-01' }, at('to', 'must not be before from (2026-02), got 2026-01')],
    // The last month of a period counts.
    [{ from: '2026-03', to: '2026-Q1' }, []],
    [{ from: '2026-04', to: '2026-Q1' }, at('to', 'must not be before from (2026-04), got 2026-Q1')],
    [{ from: '2026-04' }, []],
    [{ to: '2026-04' }, []],
    [{ from: 'soon', to: '2026-04' }, []],
    [{ from: '2026-04', to: 'soon' }, []],
  ])('%j', (query, expected) => {
    expect(broken(query)).toEqual(expected);
  });
});

test('what is derived from schemas', () => {
  expect(baseType({ type: 'string' })).toBe('string');
  expect(baseType({ type: ['null', 'number'] })).toBe('number');
  expect(baseType({})).toBeUndefined();
  expect(choices({ enum: ['a', null, 'b'] })).toEqual(['a', 'b']);
  expect(choices({ type: 'string' })).toBeUndefined();
});
