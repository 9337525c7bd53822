/** Cells to values: every row of a file as an entry should be, with all that is wrong in it. */
import { isUuid } from '../../contract/validate.ts';
import { Failure } from '../../core/errors.ts';
import { isInteger, isNumeric, type Numeric, plainDecimal } from '../../core/json.ts';
import { KeyIndex } from '../../core/key-index.ts';
import { canonicalText } from '../../core/same.ts';
import type { Attribute } from '../entries/options.ts';
import { typedJson, typedText } from '../entries/values.ts';
import type { ColumnTarget, EntryField, ImportColumn, KeyTarget } from './columns.ts';
import { type ImportIssue, isEmptyCell, type SourceTable } from './table.ts';

/** What an empty cell does to a value that is there: it clears it, or leaves it. */
type EmptyCells = 'clear' | 'keep';

export interface ImportRow {
  line: number;
  /** Place among the rows of the file. */
  index: number;
  /** The key in its canonical text. */
  key: string;
  /** null: the cell is empty and clears. */
  fields: Partial<Record<EntryField, string | Numeric | boolean | null>>;
  /** By slug; null clears. */
  values: Record<string, unknown>;
}

interface RowTyping {
  columns: readonly ImportColumn[];
  key: ImportColumn;
  now: Date;
  empty: EmptyCells;
}

/**
 * The valid rows, as they are asked for, and the problems of the others, which are known when there is no row left.
 * Every row needs a key, and keys must be unique.
 */
export function typedRows(
  table: SourceTable,
  typing: RowTyping,
): { rows: Iterable<ImportRow>; issues: readonly ImportIssue[] } {
  const issues: ImportIssue[] = [];
  return { rows: validRows(table, typing, issues), issues };
}

function* validRows(table: SourceTable, typing: RowTyping, issues: ImportIssue[]): Generator<ImportRow> {
  const { columns, key } = typing;
  const readers = columns.map((column) => ({
    column,
    read: remembering(converting(column, cellReader(column.target, table.json, typing))),
  }));
  const keyReader = readers.filter(({ column }) => column === key);
  const keyAt = (index: number): string | undefined => {
    const row: ImportRow = { line: 0, index, key: '', fields: {}, values: {} };
    for (const { column, read } of keyReader) {
      const result = read(table.rows.at(index)?.cells[column.index]);
      if ('value' in result && result.value !== undefined) put(row, column.target, result.value);
    }
    return keyOf(row, key.target);
  };
  const keys = new KeyIndex();
  let index = 0;
  for (const { line, cells } of table.rows) {
    const before = issues.length;
    const row: ImportRow = { line, index, key: '', fields: {}, values: {} };
    for (const { column, read } of readers) {
      const result = read(cells[column.index]);
      if ('wrong' in result) issues.push({ line, column: column.header, message: result.wrong });
      else if (result.value !== undefined) put(row, column.target, result.value);
    }
    const keyText = keyOf(row, key.target);
    if (keyText !== undefined) row.key = keyText;
    else if (!issues.slice(before).some(({ column }) => column === key.header)) {
      issues.push({ line, column: key.header, message: 'the key is empty; every row needs one' });
    }
    if (keyText !== undefined) {
      const first = keys.find(keyText).find((earlier) => keyAt(earlier) === keyText);
      if (first === undefined) keys.add(keyText, index);
      else {
        const place = `${table.place} ${table.rows.at(first)?.line}`;
        const message = `the key ${JSON.stringify(keyText)} is on ${place} already; keys must be unique in the file`;
        issues.push({ line, column: key.header, message });
      }
    }
    if (issues.length === before) yield row;
    index += 1;
  }
}

type Read = { value: unknown } | { wrong: string };

/** So many texts of a column are remembered. */
const mostRemembered = 1000;

/** Most cells of a column repeat; a text is understood once. */
function remembering(read: (cell: unknown) => Read): (cell: unknown) => Read {
  const known = new Map<unknown, Read>();
  return (cell) => {
    if (typeof cell !== 'string') return read(cell);
    const result = known.get(cell) ?? read(cell);
    if (known.size >= mostRemembered) known.clear();
    known.set(cell, result);
    return result;
  };
}

function converting({ convert }: ImportColumn, read: (cell: unknown) => Read): (cell: unknown) => Read {
  if (!convert) return read;
  return (cell) => {
    try {
      return read(convert(cell));
    } catch (error) {
      if (error instanceof Failure) return { wrong: error.message };
      throw error;
    }
  };
}

function cellReader(target: ColumnTarget, json: boolean, { now, empty }: RowTyping): (cell: unknown) => Read {
  return (cell) => {
    if (cell === undefined) return { value: undefined };
    if (isEmptyCell(cell) && !(json && cell === null && target.field === 'value')) {
      return { value: empty === 'keep' && cell !== null ? undefined : null };
    }
    if (target.field !== 'value') return fieldValue(target.field, json ? cell : ofSheet(target.field, cell));
    try {
      const { attribute } = target;
      return {
        value:
          json || isTyped(attribute, cell)
            ? typedJson(attribute, cell, { now })
            : typedText(attribute, isNumeric(cell) ? plainDecimal(cell) : String(cell), { now }),
      };
    } catch (error) {
      if (error instanceof Failure) return { wrong: [error.message, error.hint].filter((text) => text).join('; ') };
      throw error;
    }
  };
}

/** Numbers and booleans of a sheet, and numbers that a step made, where the attribute takes them. */
function isTyped({ attribute_type: type }: Attribute, cell: unknown): boolean {
  if (isNumeric(cell)) return type === 'number' || type === 'currency' || type === 'rating';
  return typeof cell === 'boolean' && type === 'checkbox';
}

/** Titles and ids are texts, also where a sheet has a number. */
function ofSheet(field: EntryField, cell: unknown): unknown {
  if (field === 'position' || field === 'archived') return isNumeric(cell) ? Number(cell) : cell;
  return isNumeric(cell) ? plainDecimal(cell) : String(cell);
}

function fieldValue(field: EntryField, cell: unknown): Read {
  const wrong = (rule: string): Read => ({ wrong: `${field} must be ${rule}, got ${JSON.stringify(cell)}` });
  switch (field) {
    case 'position': {
      const value = typeof cell === 'string' && /^\s*[+-]?\d+\s*$/.test(cell) ? Number(cell) : cell;
      return isNumeric(value) && isInteger(value) && Number.isSafeInteger(Number(value))
        ? { value: Number(value) }
        : wrong('a whole number');
    }
    case 'archived': {
      const word = typeof cell === 'string' ? cell.trim().toLowerCase() : cell;
      if (word === true || word === 'true' || word === 'yes' || word === '1') return { value: true };
      if (word === false || word === 'false' || word === 'no' || word === '0') return { value: false };
      return wrong('true or false');
    }
    case 'id':
    case 'linked_entity_id':
      return typeof cell === 'string' && isUuid(cell.trim()) ? { value: cell.trim() } : wrong('a UUID');
    default:
      return typeof cell === 'string' ? { value: cell } : wrong('a string');
  }
}

function put(row: ImportRow, target: ColumnTarget, value: unknown): void {
  if (target.field !== 'value') row.fields[target.field] = value as string | Numeric | boolean | null;
  // A slug such as `__proto__` is a key like any other.
  else Object.defineProperty(row.values, target.slug, { value, writable: true, enumerable: true, configurable: true });
}

function keyOf(row: ImportRow, target: ColumnTarget): string | undefined {
  const value =
    target.field === 'value'
      ? Object.hasOwn(row.values, target.slug)
        ? row.values[target.slug]
        : undefined
      : row.fields[target.field];
  if (value === undefined || value === null) return undefined;
  return keyText(target, value);
}

/** The key of a value that an entry or a row holds. */
export function keyText(target: KeyTarget, value: unknown): string {
  const text = canonicalText(value);
  return target.field === 'id' ? text.toLowerCase() : text;
}
