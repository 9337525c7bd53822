/** Which alias a company is called by. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aliasesById, firstAlias, resolveCompany } from '../../src/config/companies.ts';

const [cedar, birch] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const aliases = { cedar, birch, 'cedar-old': cedar };

test('the first alias of several is the name of a company, wherever it is looked up', () => {
  expect([firstAlias(aliases, cedar), firstAlias(aliases, birch)]).toEqual(['cedar', 'birch']);
  expect(firstAlias(aliases, '33333333-3333-4333-8333-333333333333')).toBeUndefined();
  expect(firstAlias(aliases, undefined)).toBeUndefined();
  expect([...aliasesById(aliases)].sort()).toEqual([
    [cedar, 'cedar'],
    [birch, 'birch'],
  ]);
});

test('companies of one name are told apart by it', () => {
  const names = { [cedar]: { name: 'Cedar', at: '' }, [birch]: { name: 'CEDAR', at: '' } };
  expect(() => resolveCompany('Cedar', { birch, other: birch }, '--company', 'work', () => names)).toThrow(
    `2 companies are named "Cedar": ${cedar}, birch (${birch})`,
  );
});

test('no other module looks an alias up by the id', () => {
  const src = join(import.meta.dirname, '../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const looking = /aliases\)\s*\.find\(/;
  expect(files.filter((file) => looking.test(readFileSync(join(src, file), 'utf8')))).toEqual(['config/companies.ts']);
});
