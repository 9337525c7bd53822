import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { listSchemaDocument } from '../../../src/domain/list-code/spec.ts';

test('it takes what a file may say, and refuses a misspelt key, type or tone', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  const validate = ajv.compile(listSchemaDocument());
  const list = (attribute: object) => ({
    name: 'Deals',
    attributes: [{ name: 'Stage', type: 'status', ...attribute }],
  });
  expect(validate(list({ required: true, options: ['Open', { label: 'Won', tone: 'sage', color: null }] }))).toBe(true);
  expect(validate(list({ type: 'currency', currency: 'EUR', min: 0, max: 1.5 }))).toBe(true);
  expect(validate({ name: 'Deals' })).toBe(true);
  for (const wrong of [
    { requird: true },
    { type: 'colour' },
    { options: [{ label: 'A', tone: 'red' }] },
    { currency: 'eur' },
  ]) {
    expect([wrong, validate(list(wrong))]).toEqual([wrong, false]);
  }
  expect(validate({ attributes: [] })).toBe(false);
});
