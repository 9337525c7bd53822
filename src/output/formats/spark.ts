/**
 * Formats rows of periods as sparklines: one line for each metric, company and version, with its name, its course from
 * the oldest period to the newest, and its newest value. All lines cover the same periods.
 */

import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import type { PeriodType } from '../../core/periods.ts';
import { isPartial, parsePeriod } from '../../core/periods.ts';
import { sparkline } from '../../domain/analysis/sparkline.ts';
import type { Column } from '../column.ts';
import { cleanLine } from '../terminal-text.ts';
import { displayCell, isNumberColumn } from '../values.ts';
import { width } from '../width.ts';
import type { Result, RowWriter } from './writer.ts';

interface Line {
  name: string;
  grain: PeriodType;
  values: Map<number, Numeric | null>;
  /** Periods of which only some months have data. */
  partial: Set<number>;
  /** The newest value with its unit. */
  newest: { index: number; shown: string } | undefined;
}

/** @throws usage for a result whose rows are not periods with numbers */
export function sparkWriter<Row>(result: Result<Row>, ascii: boolean): RowWriter<Row> {
  const period = result.columns.find(({ series }) => series === 'period');
  // Integer columns are counts of versions and months, not values.
  const numbers = result.columns.filter((column) => isNumberColumn(column) && column.type !== 'integer');
  if (!period || numbers.length === 0) {
    throw usage('-o spark draws rows of periods with numbers, and this result has none', 'use another -o');
  }
  const names = result.columns.filter(({ series }) => series === 'name');
  const lines = new Map<string, Line>();

  const add = (row: Row) => {
    const parsed = parsePeriod(String(period.get(row)));
    if (parsed === undefined) return;
    const { index, type } = parsed;
    for (const column of numbers) {
      const value = column.get(row);
      if (value !== null && !isNumeric(value)) continue;
      const line = lineOf(column, row, type);
      line.values.set(index, value);
      if (isPartial(monthsOf(column, row))) line.partial.add(index);
      if (value === null || (line.newest && line.newest.index > index)) continue;
      line.newest = { index, shown: cleanLine(displayCell({ digits: 2, ...column }, row)) };
    }
  };
  const counts = (['months', 'incomplete'] as const).map((role) =>
    result.columns.find(({ series }) => series === role),
  );
  /** `2/3` of the value, else of the row. */
  const monthsOf = ({ key }: Column<Row>, row: Row): string | undefined => {
    const [months, incomplete] = counts.map((column) => column?.get(row));
    const ofValue = typeof incomplete === 'object' && incomplete !== null ? Reflect.get(incomplete, key) : undefined;
    return [ofValue, months].find((count): count is string => typeof count === 'string');
  };
  const lineOf = (column: Column<Row>, row: Row, grain: PeriodType): Line => {
    const parts = names.map((name) => String(name.get(row) ?? ''));
    const key = JSON.stringify([grain, column.key, ...parts]);
    const words = parts.filter((part, at) => part !== '' && part !== names[at]?.usual);
    const name = [...(column.series === 'value' ? [] : [column.key]), ...words, grain === 'month' ? '' : grain].filter(
      Boolean,
    );
    const line = lines.get(key) ?? {
      name: cleanLine(name.join(' ')),
      grain,
      values: new Map(),
      partial: new Set<number>(),
      newest: undefined,
    };
    lines.set(key, line);
    return line;
  };

  return {
    rows(rows) {
      for (const row of rows) add(row);
      return '';
    },
    close() {
      const all = [...lines.values()];
      if (all.length === 0) return '';
      // Periods of one grain are the same for all of its lines.
      const range = (grain: PeriodType): number[] => {
        const indexes = all.filter((line) => line.grain === grain).flatMap(({ values }) => [...values.keys()]);
        const [first, last] = [indexes.reduce((a, b) => Math.min(a, b)), indexes.reduce((a, b) => Math.max(a, b))];
        return Array.from({ length: last - first + 1 }, (_, step) => first + step);
      };
      const periods = new Map([...new Set(all.map(({ grain }) => grain))].map((grain) => [grain, range(grain)]));
      const widest = Math.max(...all.map(({ name }) => width(name)));
      return all
        .map(({ name, grain, values, partial, newest }) => {
          const indexes = periods.get(grain) ?? [];
          const at = new Set(indexes.flatMap((index, place) => (partial.has(index) ? [place] : [])));
          const line = sparkline(
            indexes.map((index) => values.get(index)),
            { ascii, partial: at },
          );
          return `${name}${' '.repeat(widest - width(name))}  ${line}  ${newest?.shown ?? ''}`.trimEnd();
        })
        .map((line) => `${line}\n`)
        .join('');
    },
  };
}
