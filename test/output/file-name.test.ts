import { describe, expect, it } from 'vitest';
import { fileName, namesCompany } from '../../src/cli/show.ts';

const parts = { company: 'acme', date: '2026-01-31', profile: 'prod' };

describe('fileName', () => {
  it.each([
    ['series.csv', 'series.csv'],
    ['series-{company}-{date}.csv', 'series-acme-2026-01-31.csv'],
    ['{profile}/{company}/{company}.xlsx', 'prod/acme/acme.xlsx'],
    ['{{company}.csv', '{company}.csv'],
    ['a{b c}.csv', 'a{b c}.csv'],
  ])('%s is %s', (pattern, expected) => {
    expect(fileName(pattern, parts)).toBe(expected);
  });

  it('never leaves the folder by a value', () => {
    expect(fileName('{profile}.csv', { ...parts, profile: '../../etc/x' })).toBe('.._.._etc_x.csv');
  });

  it('refuses places that there are not, and a company where none is set', () => {
    expect(() => fileName('{month}.csv', parts)).toThrow('{month} is not a placeholder');
    expect(() => fileName('{constructor}.csv', parts)).toThrow('{constructor} is not a placeholder');
    expect(() => fileName('{company}.csv', { ...parts, company: undefined })).toThrow('none is set');
  });
});

it('knows the names that there is one of for each company', () => {
  expect(['{company}.csv', '{{company}.csv', '{date}.csv'].map(namesCompany)).toEqual([true, false, false]);
});
