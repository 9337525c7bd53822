/** Numbers of changes: those of one quantity have the same decimals. */
import { expect, it } from 'vitest';
import { type ChangeRow, columnsOfChanges } from '../../src/commands/changes/columns.ts';
import { numberChange } from '../../src/domain/analysis/difference.ts';
import { measureOf } from '../../src/domain/series/units.ts';
import { screenColumns } from '../../src/output/screen-column.ts';
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
    ...numberChange(before, after, measureOf({ unit })),
  }) as ChangeRow;
it('have the differences of their sides, with a sign, those of shares in points', () => {
  const rows = [rowOf(100.5, 101, 'USD'), rowOf(2.6, 3.52, '%'), rowOf(15, 12, 'bps'), rowOf(1, 2, '%')];
  const columns = columnsOfChanges(rows).filter(({ key }) => key === 'difference' || key === 'percent');
  const look = { isScreen: true, ascii: true, header: true, scale: 'auto', now: new Date(0) } as const;
  const drawn = screenColumns(columns, rows, { ...look, nameOf: () => undefined });
  expect(rows.map((row) => drawn.map(({ text }) => text(row)))).toEqual([
    ['+0.50 USD', '+0.5%'],
    ['+0.92 pp', '+0.92 pp'],
    ['-3 bps', '-0.03 pp'],
    ['+1.00 pp', '+1.00 pp'],
  ]);
});

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
