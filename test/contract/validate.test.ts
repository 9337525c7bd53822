import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { versions } from '../../src/contract/metrics.ts';
import { resources } from '../../src/contract/openapi.ts';
import type { JsonSchema } from '../../src/contract/schema.ts';
import { isDate, isDateTime, issues } from '../../src/contract/validate.ts';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Every schema of the contract, by name. */
const schemas: [string, JsonSchema][] = [
  ...Object.entries(operations).flatMap(([id, op]): [string, JsonSchema][] =>
    (['params', 'query', 'body', 'result'] as const).flatMap((part): [string, JsonSchema][] => {
      const schema = (op as Record<typeof part, JsonSchema | undefined>)[part];
      return schema ? [[`${id}.${part}`, schema]] : [];
    }),
  ),
  ...Object.entries(resources),
];

/** Values on both sides of a schema's rules: valid, nearly valid and arbitrary. With `valid`, none that breaks a rule. */
function near(schema: JsonSchema, valid = false): fc.Arbitrary<unknown> {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['object']);
  const right = fc.oneof(...types.map((type) => ofType(type, schema, valid)));
  if (valid) return right;
  const wrong = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom([], {}, 0, '', 'x'.repeat(501), 1.5),
  );
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

function ofType(type: string, schema: JsonSchema, valid: boolean): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum, ...(valid ? [] : ['none of these']));
  const over = valid ? 0 : 2;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.integer({ min: (schema.minimum ?? -5) - over, max: (schema.maximum ?? 5) + over }),
        ...(valid ? [] : [fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 0, 2.5)]),
      );
    case 'string':
      return valid ? validText(schema) : text(schema);
    case 'array': {
      const items = fc.array(schema.items ? near(schema.items, valid) : fc.jsonValue(), { maxLength: 3 });
      const { contains } = schema;
      if (contains?.const === undefined) return items;
      const whole = items.map((all) => [...all, contains.const]);
      return valid ? whole : fc.oneof(items, whole);
    }
    default:
      return objectOf(schema, valid);
  }
}

function text(schema: JsonSchema): fc.Arbitrary<unknown> {
  const anything = fc.string({ unit: 'grapheme', maxLength: 5 });
  if (schema.format === 'uuid')
    return fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
      anything,
    );
  if (schema.format === 'date-time') {
    const date = fc.date({ noInvalidDate: true, min: new Date('1900-01-01'), max: new Date('2100-01-01') });
    return fc.oneof(
      date.map((at) => at.toISOString()),
      date.map((at) => at.toISOString().replace(/\.\d+Z/, '+02:00')),
      fc.constantFrom('2006-02-30T00:00:00Z', '2006-01-01T25:00:00Z', '2006-01-01', '2006-01-01T00:00:00'),
    );
  }
  if (schema.format === 'date')
    return fc.constantFrom('2006-02-28', '2004-02-29', '2006-02-29', '2006-1-1', '', '2006-13-01');
  if (schema.pattern !== undefined) {
    return fc.constantFrom('2006', '2006-01', '2006-13', '2006-Q1', '2006-q4', '2006-Q5', '06', '2006-01-01', '');
  }
  const most = schema.maxLength ?? 3;
  return fc.oneof(anything, fc.constantFrom('', '😀'.repeat(most), '😀'.repeat(most + 1)));
}

function validText(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time') return fc.constantFrom('2006-01-31T09:00:00Z', '2006-01-31T09:00:00.5+02:00');
  if (schema.format === 'date') return fc.constantFrom('2006-02-28', '2004-02-29');
  if (schema.pattern !== undefined) {
    const matching = ['2006', '2006-01', '2006-Q1'].filter((period) => new RegExp(schema.pattern ?? '').test(period));
    return fc.constantFrom(...matching);
  }
  return fc.string({ unit: 'grapheme-ascii', minLength: schema.minLength ?? 0, maxLength: schema.maxLength ?? 5 });
}

function objectOf(schema: JsonSchema, valid: boolean): fc.Arbitrary<unknown> {
  const known = fc.record(
    Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, own]) => [name, near(own, valid)])),
    { requiredKeys: valid ? [...(schema.required ?? [])] : [] },
  );
  if (valid) return known;
  const free = schema.additionalProperties;
  const others = fc.dictionary(
    fc.constantFrom('a', 'b', 'constructor', 'toString'),
    typeof free === 'object' ? near(free) : fc.jsonValue(),
    {
      maxKeys: 2,
    },
  );
  const required = fc.record(
    Object.fromEntries((schema.required ?? []).map((name) => [name, near(schema.properties?.[name] ?? {})])),
  );
  return fc
    .tuple(known, others, fc.oneof({ weight: 6, arbitrary: required }, { weight: 1, arbitrary: fc.constant({}) }))
    .map(([a, b, c]) => ({ ...b, ...a, ...c }));
}

describe('the validator agrees with ajv', () => {
  test.each(schemas)('on %s', (_name, schema) => {
    const check = ajv.compile(schema);
    let right = 0;
    let wrong = 0;
    fc.assert(
      fc.property(fc.oneof(near(schema), near(schema, true)), (value) => {
        const expected = check(value);
        const found = issues(schema, value);
        if (expected) right += 1;
        else wrong += 1;
        expect(found.length === 0, JSON.stringify({ value, found, ajv: check.errors })).toBe(expected);
      }),
      { numRuns: 150 },
    );
    // Values on one side only would prove nothing.
    expect(wrong).toBeGreaterThan(0);
    expect(right).toBeGreaterThan(0);
  });

  test('names the place of what is wrong', () => {
    const { createAttribute } = operations;
    const value = { name: '', attribute_type: 'select', config: { options: [{ label: 'A' }, { tone: 'pink' }] } };
    expect(issues(createAttribute.body, value)).toEqual([
      { path: 'name', message: 'must not be empty' },
      { path: 'config.options.1.label', message: 'is required' },
      { path: 'config.options.1.tone', message: expect.stringContaining('must be one of charcoal') },
    ]);
  });
});

describe('a date', () => {
  test.each(['2024-01-31', '2024-02-29', '2000-02-29', '2023-12-01', '0000-02-29', '2023-04-30'])(
    '%s is one',
    (text) => {
      expect([isDate(text), isDateTime(`${text}T00:00:00Z`)]).toEqual([true, true]);
    },
  );

  test.each([
    '2023-02-29',
    '1900-02-29',
    '2023-04-31',
    '2023-00-10',
    '2023-13-01',
    '2023-01-00',
    '2023-1-1',
    '2023-01-32',
  ])('%s is none', (text) => {
    expect([isDate(text), isDateTime(`${text}T00:00:00Z`)]).toEqual([false, false]);
  });

  test.each<[string, boolean]>([
    ['23:59:59Z', true],
    // A leap second.
    ['23:59:60Z', true],
    ['00:00:00.123+02:00', true],
    ['24:00:00Z', false],
    ['10:60:00Z', false],
    ['10:00:61Z', false],
    ['10:00:00', false],
  ])('at %s is a time: %s', (time, is) => {
    expect(isDateTime(`2024-01-31T${time}`)).toBe(is);
  });
});

test('has the versions of series in the order of databases', () => {
  expect(versions).toEqual([...versions].sort());
});
