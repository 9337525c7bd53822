/** Cells to values: every row of a file as an entry should be, with all that is wrong in it. */
import { isUuid } from '../../contract/validate.ts';
import { Failure } from '../../core/errors.ts';
import { isInteger, isNumeric, type Numeric } from '../../core/json.ts';
import { canonicalText } from '../../core/same.ts';
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

/** The valid rows, and the problems of the others. Every row needs a key, and keys must be unique. */
export function typedRows(table: SourceTable, typing: RowTyping): { rows: ImportRow[]; issues: ImportIssue[] } {
  const { columns, key } = typing;
  const issues: ImportIssue[] = [];
  const rows: ImportRow[] = [];
  const readers = columns.map((column) => ({
    column,
    read: remembering(cellReader(column.target, table.json, typing)),
  }));
  const lines = new Map<string, number>();
  for (const [index, { line, cells }] of table.rows.entries()) {
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
    const first = keyText === undefined ? undefined : lines.get(keyText);
    if (first !== undefined) {
      const message = `the key ${JSON.stringify(keyText)} is on ${table.place} ${first} already; keys must be unique in the file`;
      issues.push({ line, column: key.header, message });
    } else if (keyText !== undefined) lines.set(keyText, line);
    if (issues.length === before) rows.push(row);
  }
  return { rows, issues };
}

type Read = { value: unknown } | { wrong: string };

/** Most cells of a column repeat; a text is understood once. */
function remembering(read: (cell: unknown) => Read): (cell: unknown) => Read {
  const known = new Map<unknown, Read>();
  return (cell) => {
    if (typeof cell !== 'string') return read(cell);
    const result = known.get(cell) ?? read(cell);
    known.set(cell, result);
    return result;
  };
}

function cellReader(target: ColumnTarget, json: boolean, { now, empty }: RowTyping): (cell: unknown) => Read {
  return (cell) => {
    if (cell === undefined) return { value: undefined };
    if (isEmptyCell(cell) && !(json && cell === null && target.field === 'value')) {
      return { value: empty === 'keep' && cell !== null ? undefined : null };
    }
    if (target.field !== 'value') return fieldValue(target.field, cell);
    try {
      const { attribute } = target;
      return {
        value:
          typeof cell === 'string' && !json ? typedText(attribute, cell, { now }) : typedJson(attribute, cell, { now }),
      };
    } catch (error) {
      if (error instanceof Failure) return { wrong: [error.message, error.hint].filter((text) => text).join('; ') };
      throw error;
    }
  };
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
