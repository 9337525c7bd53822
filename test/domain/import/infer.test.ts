import { describe, expect, test } from 'vitest';
import { asAttribute, newAttributes } from '../../../src/domain/import/infer.ts';
import type { SourceTable } from '../../../src/domain/import/table.ts';

const times = (count: number, words: string[]) =>
  Array.from({ length: count }, (_, index) => words[index % words.length]);

/** The type of an attribute for a column with these cells. */
function inferType(cells: readonly unknown[]) {
  const rows = cells.map((cell, index) => ({ line: index + 1, cells: [cell] }));
  const table = { headers: ['x'], rows, json: true, lineUnit: 'item' as const, issues: [] };
  return newAttributes(table, [{ index: 0, header: 'x', name: 'x' }], [])[0]?.attribute_type;
}

describe('the type of a new attribute', () => {
  test.each([
    ['number', ['1', '-2.5', '1e+3', '1.5E10', '+5']],
    ['number', [1, 2.5]],
    ['text', ['007', '008']],
    ['text', ['+4930123456', '+493098765432']],
    ['text', ['12345678901234567', '12345678901234568']],
    ['number', ['123456789012345', '-999999999999999']],
    ['text', ['1e5', '2e7']],
    ['number', ['1700000000000', '9783161484101']],
    ['text', ['1.10.2', '1.9.0']],
    ['text', ['1,5', '2,5']],
    ['number', ['0', '0.5']],
    ['date', ['2024-02-29', '2023-01-01']],
    ['text', ['2023-02-29']],
    ['url', ['https://a.example', 'http://b.example/x']],
    ['email', ['a@b.example']],
    ['checkbox', ['true', 'No', 'YES']],
    ['checkbox', [true, false]],
    ['select', times(30, ['Won', 'Lost', 'Open'])],
    ['text', ['Won', 'Lost', 'Open']],
    [
      'text',
      times(
        90,
        Array.from({ length: 30 }, (_, index) => `w${index}`),
      ),
    ],
    ['multi_select', [['a', 'b'], ['b']]],
    ['text', [{ a: 1 }]],
    ['text', ['1', 2]],
    ['text', []],
  ])('%s for %j', (type, cells) => {
    expect(inferType(cells)).toBe(type);
  });
});

describe('newAttributes', () => {
  const table: SourceTable = {
    headers: ['Stage', 'Größe', 'grosse', 'stage!'],
    rows: times(12, ['Won', 'Lost']).map((stage, index) => ({
      line: index + 2,
      cells: [stage, String(index), '', 'x'],
    })),
    json: false,
    lineUnit: 'line',
    issues: [],
  };
  const unmatched = table.headers.map((header, index) => ({ index, header, name: header }));

  test('gives names, types, options in the order met, and slugs that do not repeat', () => {
    const types = new Map([['stage!', 'multi_select' as const]]);
    const attributes = newAttributes(table, unmatched, [{ slug: 'grosse' }], { types });
    expect(attributes.map(({ column: _, ...attribute }) => attribute)).toEqual([
      {
        name: 'Stage',
        slug: 'stage',
        attribute_type: 'select',
        config: { options: [{ label: 'Won' }, { label: 'Lost' }] },
      },
      { name: 'Größe', slug: 'gro-e', attribute_type: 'number' },
      { name: 'grosse', slug: 'grosse-2', attribute_type: 'text' },
      { name: 'stage!', slug: 'stage-2', attribute_type: 'multi_select', config: { options: [{ label: 'x' }] } },
    ]);
  });

  test('their options go by label until the server has given ids', () => {
    const [stage] = newAttributes(table, unmatched, []);
    expect(stage && asAttribute(stage).config?.options).toEqual([
      { id: 'Won', label: 'Won' },
      { id: 'Lost', label: 'Lost' },
    ]);
  });
});

test.each([
  ['ZIP', ['10115', '80331'], 'text'],
  ['Phone (work)', [4930123456, 493098765432], 'text'],
  ['Version', ['1.9', '1.10'], 'text'],
  ['Zipped files', ['1', '2'], 'number'],
  ['Conversion', ['1.9', '1.10'], 'number'],
] as const)('a column %s of %j is %s', (name, cells, type) => {
  const rows = cells.map((cell, at) => ({ line: at + 2, cells: [cell] }));
  const table = { headers: [name], rows, json: false, lineUnit: 'line' as const, issues: [] };
  const columns = [{ index: 0, header: name, name }];
  expect(newAttributes(table, columns, [])[0]?.attribute_type).toBe(type);
  // JSON says its own types.
  if (typeof cells[0] === 'number') {
    expect(newAttributes({ ...table, json: true }, columns, [])[0]?.attribute_type).toBe('number');
  }
});

test.each([
  ['currency', ['1.234.567,50 €', '89.000,00 €', '€ 5.000', '']],
  ['currency', ['$1,234.50', '(12.00)', 'USD 7']],
  ['number', ['12,5', '3,0', '7']],
  ['number', ['45 %', '5,5 %', '100%']],
  ['number', ['1.234,5', '1234']],
  ['currency', [1234.5, '1.000 €']],
  ['text', ['12,5', '12.5.1']],
  ['text', ['1,234.5', '1.234,5']],
  ['text', ['030 123 456', '40 123 456']],
  ['text', ['40 123 456', '41 123 456']],
  ['text', ['12,00 €', 'n/a']],
  ['date', ['31.12.2025', '1.2.2026', '2026-03-01']],
  ['date', ['12/31/2025', '1/2/2026']],
  ['date', ['5 May 2026', '31 Dec 2025']],
  ['text', ['31.12.2025', '31.02.2026']],
  ['checkbox', ['ja', 'Nein', '']],
  ['checkbox', ['✓', '✗']],
  ['text', ['x', 'n']],
] as const)('a new attribute is %s for %j as people write it', (type, cells) => {
  const rows = cells.map((cell, at) => ({ line: at + 2, cells: [cell] }));
  const table = { headers: ['a'], rows, json: false, lineUnit: 'line' as const, issues: [] };
  expect(newAttributes(table, [{ index: 0, header: 'a', name: 'a' }], [])[0]?.attribute_type).toBe(type);
});
