/** A file of rows as it was read, before its columns are matched. */

import type { Rows } from '../../core/spool.ts';

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
  place: 'line' | 'item' | 'row';
  /** Problems found while it was read, such as a row with more cells than the header. */
  issues: readonly ImportIssue[];
  /** How the text was read, where that was a choice nobody made. */
  notes?: readonly ReadNote[];
}

/** Escapes, backslashes and quotes of TSV; the guards before formulas of `--excel`. */
export type ReadNote = 'escapes' | 'backslashes' | 'quotes' | 'guards';

/** Headers of which each stands for one column. */
export function ownHeaders(names: readonly string[]): Required<Pick<SourceTable, 'headers' | 'unnamed'>> {
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
export function placeOf({ line, column }: ImportIssue, place: SourceTable['place'] = 'line'): string {
  return [
    ...(line === undefined ? [] : [`${place} ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
  ].join(', ');
}

/** In the order of the file, issues without a line first. */
export function inFileOrder(issues: readonly ImportIssue[]): ImportIssue[] {
  return [...issues].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
