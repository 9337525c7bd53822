/** Rows of totals, recognised by their numbers. */
import { propertyOf } from '../../core/json.ts';
import type { ImportColumn } from './columns.ts';

/** Values from which on a sum is no accident. */
const leastSummed = 3;

/** Sums of the columns of numbers, by which a row of totals is recognised. */
export class ColumnSums {
  private readonly sums: { header: string; slug: string; count: number; sum: number }[];

  constructor(columns: readonly ImportColumn[]) {
    this.sums = columns.flatMap(({ header, target }) => {
      if (target.field !== 'value') return [];
      const { slug, attribute } = target;
      const isAmount = attribute.attribute_type === 'number' || attribute.attribute_type === 'currency';
      return isAmount ? [{ header, slug, count: 0, sum: 0 }] : [];
    });
  }

  /** Adds a row. @returns the columns whose value is the sum of the rows before, if that is no accident */
  add(values: Record<string, unknown>): string[] {
    let count = 0;
    const summed: string[] = [];
    for (const column of this.sums) {
      const value = Number(propertyOf(values, column.slug) ?? 0);
      if (value === 0) continue;
      count += 1;
      const isSum = Math.abs(value - column.sum) <= Math.abs(value) * 1e-9;
      if (isSum && column.count >= leastSummed) summed.push(column.header);
      column.count += 1;
      column.sum += value;
    }
    return summed.length * 2 >= count ? summed : [];
  }
}
