/** Numbers of changes: those of one quantity have the same decimals. */
import { expect, it } from 'vitest';
import { type ChangeRow, columnsOfChanges } from '../../src/commands/changes/columns.ts';
import { displayCell } from '../../src/output/values.ts';

const rowOf = (before: number | null, after: number, unit?: string) =>
  ({
    kind: 'value',
    change: 'changed',
    what: 'mrr',
    where: '2026-01',
    field: 'value',
    before,
    after,
    unit,
  }) as ChangeRow;
const sides = (rows: ChangeRow[]) => {
  const columns = columnsOfChanges(rows).filter(({ key }) => key === 'before' || key === 'after');
  return rows.map((row) => columns.map((column) => displayCell(column, row)));
};

it.each([
  [[rowOf(23_235_709.2, 64_000, 'USD')], [['23,235,709.20 USD', '64,000.00 USD']]],
  [
    [rowOf(1, 2, 'EUR'), rowOf(null, 61_819.71, 'EUR'), rowOf(1, 2, 'USD')],
    [
      ['1.00 EUR', '2.00 EUR'],
      ['', '61,819.71 EUR'],
      ['1 USD', '2 USD'],
    ],
  ],
  [[rowOf(1.5, 2, 'JPY')], [['1.5 JPY', '2.0 JPY']]],
  [
    [rowOf(1.25, 2), rowOf(3, 4)],
    [
      ['1.25', '2.00'],
      ['3.00', '4.00'],
    ],
  ],
  [
    [rowOf(1.5, 2.25, 'USD'), { ...rowOf(3, 4, 'USD'), what: 'burn' }],
    [
      ['1.50 USD', '2.25 USD'],
      ['3 USD', '4 USD'],
    ],
  ],
])('%#', (rows, texts) => {
  expect(sides(rows)).toEqual(texts);
});
