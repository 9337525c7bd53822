/** Files of failed rows: rows of a source with their reasons, which are read again as the source was. */

import { JsonSyntaxError } from '../../core/errors.ts';
import { isObject, parseJson, stringifyJson } from '../../core/json.ts';
import { mapRows } from '../../core/row-store.ts';
import { cellText, type ImportIssue, isWrongCell, reasonColumn, type SourceTable } from './table.ts';

export const placeColumns = ['_line', '_column'];
/** Facts about the source that the texts of a row do not show, as JSON. */
export const sourceColumn = '_source';
export const failureColumns = [...placeColumns, sourceColumn, reasonColumn];

/** The decimal mark or the format of dates of a column, by header. */
export type ColumnFormats = Readonly<Record<string, string>>;

interface SourceNote {
  /** A row of a JSON file is that of a table, whose texts are typed. */
  isTable?: boolean;
  formats?: ColumnFormats | undefined;
  /** The cells of a workbook that are not texts. */
  cells?: Record<string, unknown>;
}

const writtenCell = (cell: unknown, format?: string) => (isWrongCell(cell) ? '#ERROR' : cellText(cell, format));

/** A row of a table for a file of texts. */
export function textRow(cells: Record<string, unknown>, formats: ColumnFormats): Record<string, string> {
  const typed = Object.entries(cells).filter(([, cell]) => typeof cell !== 'string' && cell !== undefined);
  const note: SourceNote = {
    ...(Object.keys(formats).length > 0 && { formats }),
    ...(typed.length > 0 && { cells: Object.fromEntries(typed) }),
  };
  const texts = Object.entries(cells).map(([header, cell]) => [header, writtenCell(cell, formats[header])]);
  return { ...Object.fromEntries(texts), ...(Object.keys(note).length > 0 && { [sourceColumn]: stringifyJson(note) }) };
}

/** The note of rows in a file of JSON. */
export function jsonNote(isTable: boolean, formats: ColumnFormats): Record<string, SourceNote> {
  const note: SourceNote = { ...(isTable && { isTable }), ...(Object.keys(formats).length > 0 && { formats }) };
  return Object.keys(note).length > 0 ? { [sourceColumn]: note } : {};
}

/** A file of failed rows as the table that its rows were in. Other tables stay as they are. */
export function asSource(table: SourceTable): SourceTable {
  const at = table.headers.indexOf(sourceColumn);
  if (at < 0 || !table.headers.includes(reasonColumn)) return table;
  const issues: ImportIssue[] = [...table.issues];
  let formats: ColumnFormats = {};
  let isTable = false;
  for (const { line, cells } of table.rows) {
    const note = noteIn(cells[at]);
    if (note === undefined) {
      issues.push({
        line,
        column: sourceColumn,
        message: 'is not as it was written; restore it, or leave out the row',
      });
    }
    formats = { ...formats, ...note?.formats };
    isTable ||= note?.isTable === true;
  }
  if (table.json) return { ...table, issues, formats, json: !isTable };
  const rows = mapRows(table.rows, ({ line, cells }) => {
    const typed = noteIn(cells[at])?.cells ?? {};
    const restored = cells.map((cell, index) => {
      const header = table.headers[index] ?? '';
      return Object.hasOwn(typed, header) && writtenCell(typed[header], formats[header]) === cell
        ? typed[header]
        : cell;
    });
    return { line, cells: restored };
  });
  return { ...table, issues, formats, rows };
}

/** Undefined for a text that is not such a note. */
function noteIn(cell: unknown): SourceNote | undefined {
  if (cell === undefined || cell === '') return {};
  try {
    const note = typeof cell === 'string' ? parseJson(cell) : cell;
    return isObject(note) ? note : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
