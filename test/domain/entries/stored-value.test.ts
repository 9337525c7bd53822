import { expect, it } from 'vitest';
import type { AttributeType } from '../../../src/contract/lists.ts';
import { numeric } from '../../../src/core/json.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import { storedIssue } from '../../../src/domain/entries/values.ts';

const options = [{ id: 'o1', label: 'A' }, { id: 'o2' }];
type Type = AttributeType | undefined;
const issue = (type: Type, value: unknown, config: Attribute['config'] = {}) =>
  storedIssue({ slug: 'x', ...(type && { attribute_type: type }), config }, value);

it.each<[Type, unknown, Attribute['config']?]>([
  ['number', 0],
  ['number', numeric('12345678901234567890')],
  ['currency', 3, { min: 3, max: 3 }],
  ['rating', numeric('4.0')],
  ['checkbox', false],
  ['date', '2024-02-29'],
  ['url', 'https://example.com'],
  ['email', 'ada@example.com'],
  ['select', 'o1', { options }],
  ['status', 'o2', { options }],
  ['status', 'not told'],
  ['multi_select', [], { options }],
  ['multi_select', ['o2', 'o1'], { options }],
  ['text', ''],
  ['place' as Type, { a: 1 }],
  ['number', null],
  ['text', undefined],
])('%s takes %j', (type, value, config) => {
  expect(issue(type, value, config)).toBeUndefined();
});

it.each<[Type, unknown, string, Attribute['config']?]>([
  ['number', '5', 'a number'],
  ['currency', true, 'a number'],
  ['rating', 'four', 'a number'],
  ['rating', 2, 'at least 3', { min: 3 }],
  ['number', 3.01, 'at most 3', { max: 3 }],
  ['checkbox', 0, 'true or false'],
  ['date', '2023-02-29', 'a date (YYYY-MM-DD)'],
  ['date', 20240101, 'a date (YYYY-MM-DD)'],
  ['url', 'none', 'a web address'],
  ['url', 5, 'a web address'],
  ['email', 'ada', 'an e-mail address'],
  ['email', 5, 'an e-mail address'],
  ['select', 'A', 'an option of the attribute', { options }],
  ['status', ['o1'], 'an option of the attribute', { options }],
  ['multi_select', 'o1', 'options of the attribute', { options }],
  ['multi_select', ['o1', 'o3'], 'options of the attribute', { options }],
  ['text', 5, 'text'],
])('%s does not take %j', (type, value, rule, config) => {
  expect(issue(type, value, config)).toBe(`x = ${JSON.stringify(value)} is not ${rule}`);
});

it('an empty value fits unless the attribute is required', () => {
  const required: Attribute = { slug: 'x', attribute_type: 'text', is_required: true };
  expect(storedIssue(required, null)).toBe('x is required and empty');
  expect(storedIssue(required, undefined)).toBe('x is required and empty');
  expect(storedIssue(required, 'a')).toBeUndefined();
});
