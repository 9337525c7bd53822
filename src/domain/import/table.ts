/** A file as a table of rows, before its columns are matched. */

import { isUuid } from '../../contract/validate.ts';
import { isNumeric, plainDecimal } from '../../core/json.ts';
import type { Rows } from '../../core/row-store.ts';
import type { UnitCell, WrongCell } from '../../core/workbook.ts';

export const textFormats = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
export const rowFormats = [...textFormats, 'xlsx'] as const;

/** Modes: which of creating, updating and archiving an import does. */
export const importModes = ['upsert', 'insert', 'update', 'sync'] as const;

export interface SourceRow {
  /** Line where the row starts, or its number among the items of a JSON array; from 1. */
  line: number;
  /** A cell for each header; undefined if the row has none. Texts, JSON values or `SheetCell`s. */
  cells: readonly unknown[];
}

export interface SourceTable {
  headers: readonly string[];
  /** Empty and repeated headers by index; their columns are called `#2` and so on. */
  unnamed?: ReadonlyMap<number, string>;
  rows: Rows<SourceRow>;
  /** Cells are JSON values and carry their own type. */
  json: boolean;
  lineUnit: 'line' | 'item' | 'row';
  /** The delimiter of a CSV text. */
  delimiter?: string;
  /** Problems of reading, such as a row with more cells than the header. */
  issues: readonly ImportIssue[];
  /** Assumptions about the text. */
  notes?: readonly ReadNote[];
}

/** Escapes, backslashes and quotes of TSV; the guards before formulas of `--excel`; a title above the header. */
export type ReadNote = 'escapes' | 'backslashes' | 'quotes' | 'guards' | 'title';

/** Whether the first row is a title: it has one cell, and the row below it several. */
export function isTitle(first: readonly string[], second: readonly unknown[]): boolean {
  return first.filter((cell) => cell !== '').length === 1 && second.filter((cell) => !isEmptyCell(cell)).length > 1;
}

/** Makes headers unique: empty and repeated ones become `#2` and so on. */
export function uniqueHeaders(names: readonly string[]): Required<Pick<SourceTable, 'headers' | 'unnamed'>> {
  const known = new Set(['']);
  const isNew = (name: string) => !known.has(name) && known.add(name) !== undefined;
  const unnamed = new Map([...names.entries()].filter(([, name]) => !isNew(name)));
  return { headers: names.map((name, at) => (unnamed.has(at) ? `#${at + 1}` : name)), unnamed };
}

export function isEmptyCell(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

/** A remedy for an issue; the command names the flags. */
export type Remedy =
  /** The header matches several attributes: choose one. */
  | 'choose'
  /** Two columns fill one field: leave one out. */
  | 'leaveOut'
  /** Nothing of the list fits: choose, leave out, or create an attribute. */
  | 'match'
  /** The header is empty or repeated: name the column by its number. */
  | 'name'
  /** The attribute lacks the option: add it. */
  | 'option'
  /** The column belongs to another program: map it to an attribute, or leave it out. */
  | 'own'
  /** No column has the titles: name it. */
  | 'title';

/** A problem that keeps a row or the file from being imported. */
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

/** Sorts issues by line; those without a line come first. */
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

/** Whether a sheet shows the number with a percent sign or a currency. */
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
