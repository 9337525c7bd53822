import { describe, expect, it } from 'vitest';
import { array, integer, number, object, string } from '../../src/contract/schema.ts';
import { issues } from '../../src/contract/validate.ts';
import { parseJson } from '../../src/core/json.ts';

describe('numbers that keep their literal', () => {
  it.each([
    ['1.10', number(), []],
    ['12345678901234567890', integer(), []],
    ['3.0', integer(), []],
    ['1.5e3', integer(), []],
    ['1.50', integer(), ['must be an integer']],
    ['1e400', number({ maximum: 10 }), ['must be at most 10']],
    ['-0.10', number({ minimum: 0 }), ['must be at least 0']],
    ['5.0', integer({ minimum: 1, maximum: 5 }), []],
    ['1.10', string(), ['must be a string']],
    ['1.10', object({}), ['must be an object']],
    ['1.10', array(number()), ['must be an array']],
  ] as const)('%s', (text, schema, messages) => {
    expect(issues(schema, parseJson(text)).map(({ message }) => message)).toEqual(messages);
  });
});
