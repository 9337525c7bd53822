import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { seedSchemaDocument } from '../../../src/server/seed/seed.ts';
import { demoSeed } from '../../helpers/demo-seed.ts';

test('it is a JSON Schema that takes the demo and refuses a misspelt key', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  const validate = ajv.compile(seedSchemaDocument());
  expect(validate(JSON.parse(JSON.stringify(demoSeed()))), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ companies: [{ slug: 'a', name: 'A', curency: 'USD' }] })).toBe(false);
  expect(validate({ points: [{ company: 'a', period: '2026-01', metrics: { mrr: '1' } }] })).toBe(false);
});
