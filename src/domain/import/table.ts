/** A file of rows as it was read, before its columns are matched. */

import { isUuid } from '../../contract/validate.ts';
import { isNumeric, plainDecimal } from '../../core/json.ts';
import type { Rows } from '../../core/row-store.ts';
import type { TsvEscapes } from '../../core/tsv.ts';
import type { UnitCell, WrongCell } from '../../core/workbook.ts';

export const textFormats = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
export const rowFormats = [...textFormats, 'xlsx'] as const;

/** What happens to rows that are new, to rows that are there, and to entries that the file lacks. */
export const importModes = ['upsert', 'insert', 'update', 'sync'] as const;

export const tsvEscapes = ['backslash', 'none'] as const satisfies TsvEscapes[];

export interface SourceRow {
  /** From 1: the line where the row starts, or its place among the items of a JSON array. */
  line: number;
  /** One for each header; undefined where the row has none. Text, in a JSON table values, of a sheet `SheetCell`s. */
  cells: readonly unknown[];
}

export interface SourceTable {
  headers: readonly string[];
  /** By place, headers that the file leaves empty or repeats; they are called `#2` and so on. */
  unnamed?: ReadonlyMap<number, string>;
  /** What the first line holds where other names were given instead of it. */
  replaced?: readonly string[] | undefined;
  rows: Rows<SourceRow>;
  /** Cells are JSON values and carry their own type. */
  json: boolean;
  /** What `line` counts. */
  lineUnit: 'line' | 'item' | 'row';
  /** Problems found while it was read, such as a row with more cells than the header. */
  issues: readonly ImportIssue[];
  /** How the text was read, where that was a choice nobody made. */
  notes?: readonly ReadNote[];
}

/** Escapes, backslashes and quotes of TSV; the guards before formulas of `--excel`. */
export type ReadNote = 'escapes' | 'backslashes' | 'quotes' | 'guards';

/** Headers of which each stands for one column. */
export function uniqueHeaders(names: readonly string[]): Required<Pick<SourceTable, 'headers' | 'unnamed'>> {
  const known = new Set(['']);
  const isNew = (name: string) => !known.has(name) && known.add(name) !== undefined;
  const unnamed = new Map([...names.entries()].filter(([, name]) => !isNew(name)));
  return { headers: names.map((name, at) => (unnamed.has(at) ? `#${at + 1}` : name)), unnamed };
}

export function isEmptyCell(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

/** What the person who imports may decide about a column, for the command to say how. */
export type Remedy =
  /** The header fits several attributes: say which. */
  | 'choose'
  /** Two columns fill one field: leave one out. */
  | 'leaveOut'
  /** Nothing of the list fits: choose, leave out, or create an attribute. */
  | 'match'
  /** The header is missing or not the only one: name the column by its number. */
  | 'name'
  /** The column is the table's own: another field, or leave it out. */
  | 'own'
  /** No column has the titles: say which does. */
  | 'title';

/** One thing that keeps a file from being imported. */
export interface ImportIssue {
  line?: number;
  /** The header. */
  column?: string | undefined;
  message: string;
  remedy?: Remedy;
}

/** `line 4, column Amount`. */
export function placeOf({ line, column }: ImportIssue, lineUnit: SourceTable['lineUnit'] = 'line'): string {
  return [
    ...(line === undefined ? [] : [`${lineUnit} ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
  ].join(', ');
}

/** In the order of the file, issues without a line first. */
export function inFileOrder(issues: readonly ImportIssue[]): ImportIssue[] {
  return [...issues].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

const exportColumns = ['id', 'title', 'position', 'archived', 'created_at', 'updated_at'];

/**
 * Whether a table is an export of entries that comem wrote, by its columns and ids. `whole`: with every fixed column;
 * `part`: some columns, with the ids; undefined: another program's table.
 */
export function exportKind(
  headers: readonly string[],
  rows: Iterable<{ cells: readonly unknown[] }>,
): 'whole' | 'part' | undefined {
  const id = headers.indexOf('id');
  if (id < 0) return undefined;
  let hasRows = false;
  for (const { cells } of rows) {
    const cell = cells[id];
    if (typeof cell !== 'string' || !isUuid(cell)) return undefined;
    hasRows = true;
  }
  if (!hasRows) return undefined;
  return exportColumns.every((name) => headers.includes(name)) ? 'whole' : 'part';
}

/** A number of a sheet that is shown with a percent sign or a currency. */
export function isUnitCell(cell: unknown): cell is UnitCell {
  return typeof cell === 'object' && cell !== null && 'unit' in cell && 'number' in cell;
}

export function isWrongCell(cell: unknown): cell is WrongCell {
  return typeof cell === 'object' && cell !== null && 'wrong' in cell;
}

/** The cell as text, numbers with a point. */
export function cellText(cell: unknown): string {
  if (cell === undefined || cell === null || isWrongCell(cell)) return '';
  if (isUnitCell(cell)) return plainDecimal(cell.number);
  return isNumeric(cell) ? plainDecimal(cell) : String(cell);
}
