/** A saved export of a series, in any of its shapes, as readings: the input of a comparison. */

import { isNumeric, type Numeric, numeric, parseJson } from '../../core/json.ts';
import { isPartial, parsePeriod } from '../../core/periods.ts';
import { sameValue } from '../../core/same.ts';
import { numberChange, pairsOf } from './difference.ts';

/** Rows of cells under a header, as CSV and TSV hold them. */
interface SavedTable {
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Why a text is not a saved export, with the row (from 1, without the header) if there is one. */
export class NotASeries extends Error {
  constructor(
    readonly says: string,
    readonly row?: number,
  ) {
    super(row === undefined ? says : `row ${row}: ${says}`);
    this.name = 'NotASeries';
  }
}

/** Columns of a wide series that are not metrics. */
const fixed: ReadonlySet<string> = new Set([
  'company',
  'companyId',
  'periodKey',
  'periodType',
  'version',
  'source',
  'updatedAt',
  'derived',
  'months',
  'incomplete',
  'currency',
]);

const number = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The readings of an export.
 * @param saved a table of cells, or parsed JSON: rows of `metrics` (wide), of `metricId` and `value` (long), or a
 *   response of the API with `items`
 * @returns `tellsNull` is false where null and absent look alike (empty cells of tables other than long ones)
 * @throws NotASeries
 */
export function readings(saved: SavedTable | unknown): { readings: Reading[]; tellsNull: boolean } {
  if (isTable(saved)) return ofTable(saved);
  const rows = rowsOf(saved);
  const get = (row: unknown) => (name: string) => Reflect.get(row as object, name);
  const all = rows.flatMap((row, index) => ofObject(row, index + 1).map((reading) => withMonths(reading, get(row))));
  return { readings: all, tellsNull: true };
}

function isTable(value: unknown): value is SavedTable {
  return typeof value === 'object' && value !== null && 'header' in value && 'rows' in value;
}

function rowsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const items = typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : undefined;
  if (Array.isArray(items)) return items;
  throw new NotASeries('it has neither rows of a series nor a response with items');
}

type Cells = (name: string) => string | undefined;

function ofTable({ header, rows }: SavedTable): { readings: Reading[]; tellsNull: boolean } {
  for (const needed of ['periodKey', 'version']) {
    if (!header.includes(needed)) {
      throw new NotASeries(`column ${needed} is missing; the columns are ${header.join(', ')}`);
    }
  }
  const isLong = header.includes('metricId') && header.includes('value');
  const metrics = header.filter((name) => !fixed.has(name)).map((name) => ({ name, id: bare(name) }));
  const at = new Map(header.map((name, index) => [name, index]));
  const all = rows.flatMap((cells, index) => {
    const row = index + 1;
    const cell: Cells = (name) => cells[at.get(name) ?? -1];
    const keys = keysOf(cell, row);
    const values = isLong ? [{ name: 'value', id: cell('metricId') ?? '' }] : metrics;
    return values.map(({ name, id }) =>
      withMonths({ ...keys, metricId: id, value: numberIn(cell(name) ?? '', id, row) }, cell),
    );
  });
  return { readings: isLong ? all : all.filter(({ value }) => value !== null), tellsNull: isLong };
}

/** A metric with the name of a fixed column has the header `metrics.NAME`; a header may end in its unit, `NAME (USD)`. */
function bare(name: string): string {
  const id = name.replace(/ \([^()]+\)$/, '');
  const inner = id.startsWith('metrics.') ? id.slice('metrics.'.length) : id;
  return fixed.has(inner) ? inner : id;
}

function ofObject(row: unknown, at: number): Reading[] {
  if (typeof row !== 'object' || row === null) throw new NotASeries('it is not an object', at);
  const get = (name: string): unknown => Reflect.get(row, name);
  const keys = keysOf((name) => (typeof get(name) === 'string' ? String(get(name)) : undefined), at);
  const value = (metricId: string, content: unknown): Reading => {
    if (content !== null && content !== undefined && !isNumeric(content)) {
      throw new NotASeries(`the value of ${metricId} is not a number`, at);
    }
    return { ...keys, metricId, value: content ?? null };
  };
  const metricId = get('metricId');
  if (typeof metricId === 'string') return [value(metricId, get('value'))];
  const metrics = get('metrics');
  if (typeof metrics !== 'object' || metrics === null) {
    throw new NotASeries('it has neither metrics nor a metricId with its value', at);
  }
  return Object.entries(metrics).map(([id, content]) => value(id, content));
}

function keysOf(cell: Cells, row: number): Omit<Reading, 'metricId' | 'value'> {
  const text = cell('periodKey') ?? '';
  const period = parsePeriod(text);
  if (!period) throw new NotASeries(`periodKey must be a period such as 2006-01, 2006-Q1 or 2006, got "${text}"`, row);
  // The total of companies has a name and no id.
  const company = cell('company');
  const companyId = cell('companyId') || company;
  return {
    ...(companyId && { companyId }),
    ...(company && { company }),
    periodKey: text,
    periodType: cell('periodType') || period.type,
    version: cell('version') || 'actual',
  };
}

/** The reading with its months, where the period was incomplete. */
function withMonths(reading: Reading, get: (name: string) => unknown): Reading {
  const months = [valueOfMetric(get('incomplete'), reading.metricId), get('months')].find((text) =>
    /^\d+\/\d+$/.test(`${text}`),
  );
  return typeof months === 'string' && isPartial(months) ? { ...reading, months } : reading;
}

/** The value under a key of an object, or of JSON in a cell. */
function valueOfMetric(value: unknown, key: string): unknown {
  const json = typeof value === 'string' && value.startsWith('{');
  const object = json ? parseJson(value) : value;
  return typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? Reflect.get(object, key)
    : undefined;
}

function numberIn(cell: string, metricId: string, row: number): Numeric | null {
  const text = cell.trim();
  if (text === '') return null;
  if (number.test(text)) return numeric(text);
  throw new NotASeries(`the value of ${metricId} is not a number: "${text}"`, row);
}

/** One value with its key. */
export interface Reading {
  /** Set where exports of several companies are compared. */
  companyId?: string;
  /** Its name, where the readings say it. */
  company?: string;
  periodKey: string;
  periodType: string;
  version: string;
  metricId: string;
  value: Numeric | null;
  /** `2/3`: of a period that was not complete. */
  months?: string;
}

type RestatementKind = 'added' | 'removed' | 'changed';

export interface Restatement {
  kind: RestatementKind;
  companyId?: string;
  company?: string;
  periodKey: string;
  periodType: string;
  version: string;
  metricId: string;
  before: Numeric | null | undefined;
  after: Numeric | null | undefined;
  difference: Numeric | null;
  percent: Numeric | null;
}

/** Differing readings in the order of `before`, then new ones. 1.10 equals 1.1. */
export function restatements(before: Iterable<Reading>, after: Iterable<Reading>): Restatement[] {
  return [...pairsOf(before, after, identity)].flatMap((pair): Restatement[] => {
    if (pair.before && pair.after && sameValue(pair.before.value, pair.after.value)) return [];
    const kind = pair.before === undefined ? 'added' : pair.after === undefined ? 'removed' : 'changed';
    const { value: _, months: __, ...reading } = pair.before ?? (pair.after as Reading);
    const [old, now] = [pair.before?.value, pair.after?.value];
    return [{ kind, ...reading, before: old, after: now, ...numberChange(old, now) }];
  });
}

export function identity({ companyId, periodType, periodKey, version, metricId }: Omit<Reading, 'value'>): string {
  return JSON.stringify([companyId, periodType, periodKey, version, metricId]);
}
