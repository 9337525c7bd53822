import { expect, test } from 'vitest';
import { isObject, parseJson } from '../../src/core/json.ts';

test.each([
  ['{}', true],
  ['{"a":1}', true],
  ['[]', false],
  ['null', false],
  ['"{}"', false],
  ['1', false],
  // It keeps its digits in an object of its own.
  ['1.10', false],
])('%s is an object: %s', (text, is) => {
  expect(isObject(parseJson(text))).toBe(is);
});
