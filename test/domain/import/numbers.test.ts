import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flagNames as flags } from '../../../src/commands/entries/import/flags.ts';
import { canonicalText } from '../../../src/core/same.ts';

import {
  type DecimalMark,
  decimalMarkOf,
  localeOf,
  NumberColumn,
  readNumber,
} from '../../../src/domain/import/numbers.ts';

const read = (text: string, mark: DecimalMark) => {
  const number = readNumber(text, mark);
  return number && canonicalText(number.value);
};
const seed = Number(process.env.COMEM_TEST_SEED ?? 20);

describe('a number with a decimal mark', () => {
  it.each([
    ['1.234,56', '1234.56'],
    ['1.234', '1234'],
    ['12.345.678', '12345678'],
    ['-1.234,5', '-1234.5'],
    ['\u22121,5', '-1.5'],
    ['1,5-', '-1.5'],
    ['(1.234)', '-1234'],
    ['€ (1,5)', '-1.5'],
    ['(1,5 €)', '-1.5'],
    ['1 234,5', '1234.5'],
    ['1\u00a0234,5', '1234.5'],
    ['1\u202f234\u202f567', '1234567'],
    ["1'234,5", '1234.5'],
    ['12,5 %', '12.5'],
    ['12.500,00 €', '12500'],
    ['EUR 7', '7'],
    ['CHF 1’234,5', '1234.5'],
    ['1,5E+03', '1500'],
    ['007', '7'],
    ['1,5 k', '1500'],
    ['1,6 Mio. €', '1600000'],
    ['12 Tsd', '12000'],
    ['-2 Mrd.', '-2000000000'],
    ['0,123456789012345678901', '0.123456789012345678901'],
    ['-0', '0'],
  ])('with a comma: %s is %s', (text, value) => {
    expect(read(text, ',')).toBe(value);
  });

  it.each([
    '1.5',
    '1.2345',
    '1234.567',
    '0.123',
    '1..234',
    '1.23.456',
    '1,2,3',
    '1.234,567,8',
    '1,234.5',
    ',',
    '.',
    '',
    '-',
    '€',
    '1 23',
    '1 2345',
    '--1',
    '-1-',
    '(-1)',
    '(1',
    '1)',
    '€1€',
    '5 XXY',
    '5% €',
    '1.234 567',
    'Infinity',
    'NaN',
    '0x10',
    '1_000',
    '１２',
    '1,5 kg',
    '1,5 k %',
    '12:30',
    '1/2',
    '$-',
  ])('with a comma: %s is not a number', (text) => {
    expect(read(text, ',')).toBeUndefined();
  });

  it.each([
    ['de', '1.234,5'],
    ['fr', '1 234,5'],
    ['fr', '1\u202f234,5'],
    ['ch', '1’234.5'],
    ['ch', "1'234.5"],
    ['en', '1,234.5'],
    ['es', '1.234,5'],
    ['at', '1.234,5'],
    ['it', '1.234,5'],
    ['pt-BR', '1.234,5'],
    ['sv', '1 234,5'],
  ])('of %s: %s', (name, text) => {
    expect(read(text, decimalMarkOf(localeOf(name) ?? ''))).toBe('1234.5');
  });

  it('may have groups of two after the first comma, as in India', () => {
    expect([read('12,34,567.5', '.'), read('1,23,45,678', '.'), read('12,34,56', '.'), read('12.34.567', ',')]).toEqual(
      ['1234567.5', '12345678', undefined, undefined],
    );
  });

  it.each(['xx', 'klingon', '', '-', 'd e'])('%j is not a language', (name) => {
    expect(localeOf(name)).toBeUndefined();
  });

  it('is what Intl wrote, in every language, with each digit', () => {
    const locales = ['de', 'fr', 'de-CH', 'en', 'es', 'it', 'nl', 'pl', 'sv', 'pt-BR', 'en-IN', 'ja', 'ru', 'cs'];
    const number = fc.double({ min: -1e12, max: 1e12, noNaN: true }).map((value) => Number(value.toFixed(4)) + 0);
    fc.assert(
      fc.property(fc.constantFrom(...locales), number, (locale, value) => {
        const text = new Intl.NumberFormat(locale, { maximumFractionDigits: 4, numberingSystem: 'latn' }).format(value);
        expect(Number(read(text, decimalMarkOf(locale)))).toBe(value);
      }),
      { numRuns: 300, seed },
    );
  });
});

const context = { header: 'x', unit: 'line' as const, mayHaveCommas: false, isExport: false, flags };
const kinds = {
  ambiguous: /with a decimal point and|read as the decimal point/,
  comma: /have a decimal comma/,
  mixed: /has a decimal point and/,
  currencies: /^mixes currencies/,
  currency: /the currency of the attribute$/,
  percent: /the percent sign is ignored/,
  'partly percent': /has a percent sign and/,
};

function kindOf(text: string): string | undefined {
  return Object.entries(kinds).find(([, pattern]) => pattern.test(text))?.[0];
}

describe('a column of numbers', () => {
  const column = (cells: string[], currency?: string) => {
    const found = new NumberColumn(undefined, currency);
    for (const [index, cell] of cells.entries()) found.add(cell, index + 2);
    return { said: found.findings(context).map(({ says }) => kindOf(says)), decimal: found.mark };
  };
  it.each([
    [['1.234'], ['ambiguous'], '.'],
    [['1,234'], ['ambiguous'], '.'],
    [['€1.234'], ['ambiguous'], '.'],
    [['1.234', '1.5'], [], '.'],
    [['1.234', '0.123'], [], '.'],
    [['1.234', '1234.567'], [], '.'],
    [['1.234', '7'], ['ambiguous'], '.'],
    [['1.234,56', '1.234'], ['comma'], ','],
    [['1,5'], ['comma'], ','],
    [['1.234.567', '1.234'], ['comma'], ','],
    [['1,234.50', '1,234'], [], '.'],
    [['1,5', '1.5'], ['mixed'], '.'],
    [['1.234,5', '1,234.5'], ['mixed'], '.'],
    [['1 234', '12'], [], '.'],
    [['n/a', ''], [], '.'],
    [['€1', '$1'], ['currencies'], '.'],
    [['$1', 'USD 1'], [], '.'],
    [['CHF 1', '1 EUR'], ['currencies'], '.'],
    [['kr 1', 'SEK 1', 'NOK 1'], ['currencies'], '.'],
    [['5%', '6%'], ['percent'], '.'],
    [['5%', '0.06'], ['partly percent'], '.'],
    [['5%', '0'], ['percent'], '.'],
  ])('%j: %j', (cells, said, decimal) => {
    expect(column(cells)).toEqual({ said, decimal });
  });

  it('of a currency takes its own sign only', () => {
    expect(column(['$5', '6'], 'EUR').said).toEqual(['currency']);
    expect(column(['€5', '6 EUR'], 'EUR').said).toEqual([]);
    expect(column(['$5'], 'CAD').said).toEqual([]);
  });

  it('never has two readings without saying so', () => {
    const digits = fc.integer({ min: 0, max: 9_999_999 });
    const cell = fc
      .tuple(digits, fc.integer({ min: 0, max: 4 }), fc.constantFrom('de', 'en'))
      .map(([value, places, locale]) =>
        new Intl.NumberFormat(locale, { minimumFractionDigits: places }).format(value / 10 ** places),
      );
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
        const fits = (['.', ','] as const).map((mark) => cells.map((text) => read(text, mark)));
        const complete = fits.filter((values) => values.every((value) => value !== undefined));
        const several = complete.length === 2 && JSON.stringify(complete[0]) !== JSON.stringify(complete[1]);
        const { said } = column(cells);
        if (several || complete.length === 0) expect(said).not.toEqual([]);
      }),
      { numRuns: 300, seed },
    );
  });
});

it.each([
  ['a bracket', '(', 'x'],
  ['a sign', '+', 'x'],
  ['digits', '1', 'x'],
  ['a currency', '$', '1'],
])('reads a text of %s and many blanks in a time that grows with its length', (_, before, after) => {
  expect(readNumber(`${before}${' '.repeat(100_000)}${after}`, '.')?.value).toBe(before === '$' ? 1 : undefined);
});
