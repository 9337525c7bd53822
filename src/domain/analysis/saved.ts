/** The values of a saved export of a series, in any of its shapes. */

import { isNumeric, isObject, type Numeric, numeric, parseJson, propertyOf } from '../../core/json.ts';
import { isPartial, parsePeriod } from '../../core/periods.ts';
import { shownUnit } from '../series/units.ts';

/** Rows of cells under a header, as CSV and TSV hold them. */
interface SavedTable {
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

export type Row = Record<string, unknown>;

export function isTable(value: unknown): value is SavedTable {
  return isObject(value) && 'header' in value && 'rows' in value;
}

export function rowsOfTable({ header, rows }: SavedTable): Row[] {
  return rows.map((cells) => Object.fromEntries(header.map((column, at) => [column, cells[at]])));
}

/** Why a content is not a saved export, with the row (from 1, without the header) if there is one. */
export class NotASeries extends Error {
  constructor(says: string, row?: number) {
    super(row === undefined ? says : `row ${row}: ${says}`);
  }
}

export interface SavedValue {
  /** Set where exports of several companies are compared. */
  companyId?: string;
  periodKey: string;
  periodType: string;
  version: string;
  metricId: string;
  value: Numeric | null;
  /** As tables show it; exports in the long form have it. */
  unit?: string;
  /** `2/3`: of a period that was not complete. */
  months?: string;
}

export function identity({
  companyId,
  periodType,
  periodKey,
  version,
  metricId,
}: Omit<SavedValue, 'value' | 'unit'>): string {
  return JSON.stringify([companyId, periodType, periodKey, version, metricId]);
}

export interface SavedSeries {
  values: SavedValue[];
  /** False where null and absent look alike: in cells of wide tables. */
  tellsNull: boolean;
}

/** The values of an export. @throws NotASeries */
export function savedSeries(saved: unknown): SavedSeries {
  if (!isTable(saved)) return { values: rowsIn(saved).flatMap(valuesIn(metricsOf)), tellsNull: true };
  const { header } = saved;
  const missing = ['periodKey', 'version'].find((column) => !header.includes(column));
  if (missing) throw new NotASeries(`column ${missing} is missing; the columns are ${header.join(', ')}`);
  const tellsNull = header.includes('metricId') && header.includes('value');
  const all = rowsOfTable(saved).flatMap(valuesIn(tellsNull ? metricsOf : cellsOf));
  return { values: tellsNull ? all : all.filter(({ value }) => value !== null), tellsNull };
}

function rowsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new NotASeries('it has no rows of a series');
}

/** The values of a row by metric; undefined where it is of no series. */
type Values = (row: Row) => [metricId: string, value: unknown][] | undefined;

function metricsOf({ metricId, value, metrics }: Row): ReturnType<Values> {
  if (typeof metricId === 'string') return [[metricId, value]];
  return isObject(metrics) ? Object.entries(metrics) : undefined;
}

/** Columns of a wide series that are not metrics. */
const fixed: ReadonlySet<string> = new Set(
  'company companyId periodKey periodType version source updatedAt derived months incomplete currency'.split(' '),
);

function cellsOf(row: Row): ReturnType<Values> {
  return Object.entries(row).flatMap(([name, cell]) => (fixed.has(name) ? [] : [[bare(name), cell]]));
}

/** A metric with the name of a fixed column has the header `metrics.NAME`; a header may end in its unit, `NAME (USD)`. */
function bare(name: string): string {
  const id = name.replace(/ \([^()]+\)$/, '');
  const inner = id.replace(/^metrics\./, '');
  return fixed.has(inner) ? inner : id;
}

function valuesIn(valuesOf: Values) {
  return (row: unknown, index: number): SavedValue[] => {
    const at = index + 1;
    if (!isObject(row)) throw new NotASeries('it is not an object', at);
    const text = (name: string) => (typeof row[name] === 'string' && row[name] !== '' ? row[name] : undefined);
    const periodKey = text('periodKey') ?? '';
    const period = parsePeriod(periodKey);
    if (!period) {
      throw new NotASeries(`periodKey must be a period such as 2006-01, 2006-Q1 or 2006, got "${periodKey}"`, at);
    }
    const values = valuesOf(row);
    if (!values) throw new NotASeries('it has neither metrics nor a metricId with its value', at);
    // The total of companies has a name and no id.
    const companyId = text('companyId') ?? text('company');
    const [periodType, version] = [text('periodType') ?? period.type, text('version') ?? 'actual'];
    const isLong = typeof row.metricId === 'string';
    const unit = isLong ? shownUnit({ unit: text('unit'), currency: text('currency') }) : undefined;
    const keys = { ...(companyId && { companyId }), periodKey, periodType, version, ...(unit && { unit }) };
    return values.map(([metricId, content]) => {
      const value = numberIn(content);
      if (value === undefined) throw new NotASeries(`the value of ${metricId} is not a number: "${content}"`, at);
      const months = monthsOf(row, metricId);
      return { ...keys, metricId, value, ...(months !== undefined && { months }) };
    });
  };
}

const number = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function numberIn(content: unknown): Numeric | null | undefined {
  if (content === undefined || content === null || isNumeric(content)) return content ?? null;
  const text = String(content).trim();
  if (text === '') return null;
  return number.test(text) ? numeric(text) : undefined;
}

/** The months of a value in a period that was incomplete: those of its metric, else those of the row. */
function monthsOf({ incomplete, months }: Row, metricId: string): string | undefined {
  const counts = typeof incomplete === 'string' && incomplete.startsWith('{') ? parseJson(incomplete) : incomplete;
  const ofMetric = isObject(counts) ? propertyOf(counts, metricId) : undefined;
  const text = [ofMetric, months].map(String).find((words) => /^\d+\/\d+$/.test(words));
  return isPartial(text) ? text : undefined;
}
