import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { checkSchemaDocument } from '../../../src/domain/checks/check-file.ts';

it('takes what a run takes and refuses what it refuses', () => {
  const validate = new Ajv2020({ strict: false }).compile(checkSchemaDocument());
  const section = { list: 'deals', expect: ['count > 1', { expect: 'unique(title)', severity: 'warn' }] };
  expect(validate({ version: 1, checks: [section, { metrics: 'x', last: 3, expect: ['live(mrr)'] }] })).toBe(true);
  expect(validate({ version: 1, checks: [{ ...section, archved: true }] })).toBe(false);
  expect(validate({ version: 1, checks: [{ list: 'deals', expect: [] }] })).toBe(false);
  expect(validate({ version: 2, checks: [section] })).toBe(false);
});
