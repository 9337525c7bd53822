/** A saved export of a series, wide or long, as readings: the input of a comparison. */
import { isNumeric, type Numeric, numeric } from '../../json.ts';
import { parsePeriod } from '../periods.ts';
import type { Reading } from './restatements.ts';

/** Rows of cells under a header, as CSV and TSV hold them. */
export interface SavedTable {
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

/** What is wrong with a saved export: a sentence, with the row (from 1, the header not counted) where there is one. */
export class NotASeries extends Error {
  constructor(
    readonly says: string,
    readonly row?: number,
  ) {
    super(row === undefined ? says : `row ${row}: ${says}`);
    this.name = 'NotASeries';
  }
}

/** Columns of a wide series that are no metric. */
const fixed: ReadonlySet<string> = new Set([
  ...['companyId', 'periodKey', 'periodType', 'version', 'source', 'updatedAt', 'derived', 'months', 'incomplete'],
]);

const number = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The readings of an export.
 * @param saved a table of cells, or parsed JSON: rows of `metrics` (wide), of `metricId` and `value` (long), or the
 *   API's whole answer with `items`
 * @returns `tellsNull` is false where null and absent look alike (empty cells of a wide table)
 * @throws NotASeries
 */
export function readings(saved: SavedTable | unknown): { readings: Reading[]; tellsNull: boolean } {
  if (isTable(saved)) return ofTable(saved);
  const rows = rowsOf(saved);
  return { readings: rows.flatMap((row, index) => ofObject(row, index + 1)), tellsNull: true };
}

function isTable(value: unknown): value is SavedTable {
  return typeof value === 'object' && value !== null && 'header' in value && 'rows' in value;
}

function rowsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const items = typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : undefined;
  if (Array.isArray(items)) return items;
  throw new NotASeries('it holds neither rows of a series nor an answer with items');
}

function ofTable({ header, rows }: SavedTable): { readings: Reading[]; tellsNull: boolean } {
  const at = new Map(header.map((name, index) => [name, index]));
  for (const needed of ['periodKey', 'version']) {
    if (!at.has(needed)) throw new NotASeries(`it has no column ${needed}; its columns are ${header.join(', ')}`);
  }
  const isLong = at.has('metricId') && at.has('value');
  const metrics = isLong ? [] : header.flatMap((name, index) => (fixed.has(name) ? [] : [{ id: bare(name), index }]));
  const all = rows.flatMap((cells, row) => {
    const cell = (name: string) => cells[at.get(name) ?? -1];
    const place = placeOf(cell, row + 1);
    if (isLong) {
      const metricId = cell('metricId') ?? '';
      return [{ ...place, metricId, value: numberIn(cell('value') ?? '', metricId, row + 1) }];
    }
    return metrics.flatMap(({ id, index }) => {
      const value = numberIn(cells[index] ?? '', id, row + 1);
      return value === null ? [] : [{ ...place, metricId: id, value }];
    });
  });
  return { readings: all, tellsNull: isLong };
}

/** A metric named like a column of every series is headed `metrics.NAME`. */
function bare(name: string): string {
  const inner = name.startsWith('metrics.') ? name.slice('metrics.'.length) : name;
  return fixed.has(inner) ? inner : name;
}

function ofObject(row: unknown, at: number): Reading[] {
  if (typeof row !== 'object' || row === null) throw new NotASeries('it is no object', at);
  const get = (name: string): unknown => Reflect.get(row, name);
  const place = placeOf((name) => (typeof get(name) === 'string' ? String(get(name)) : undefined), at);
  const value = (metricId: string, given: unknown): Reading => {
    if (given !== null && given !== undefined && !isNumeric(given)) {
      throw new NotASeries(`the value of ${metricId} is no number`, at);
    }
    return { ...place, metricId, value: given ?? null };
  };
  const metricId = get('metricId');
  if (typeof metricId === 'string') return [value(metricId, get('value'))];
  const metrics = get('metrics');
  if (typeof metrics !== 'object' || metrics === null) {
    throw new NotASeries('it has neither metrics nor a metricId with its value', at);
  }
  return Object.entries(metrics).map(([id, given]) => value(id, given));
}

function placeOf(cell: (name: string) => string | undefined, row: number): Omit<Reading, 'metricId' | 'value'> {
  const text = cell('periodKey') ?? '';
  const period = parsePeriod(text);
  if (!period) throw new NotASeries(`periodKey must be a period such as 2006-01, 2006-Q1 or 2006, got "${text}"`, row);
  const companyId = cell('companyId');
  return {
    ...(companyId && { companyId }),
    periodKey: text,
    periodType: cell('periodType') || period.type,
    version: cell('version') || 'actual',
  };
}

function numberIn(cell: string, metricId: string, row: number): Numeric | null {
  const text = cell.trim();
  if (text === '') return null;
  if (number.test(text)) return numeric(text);
  throw new NotASeries(`the value of ${metricId} is no number: "${text}"`, row);
}
