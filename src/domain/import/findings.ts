/** The findings about a column, as sentences that name a cell. */
import { shorten } from '../../core/errors.ts';
import type { FlagNames, SourceTable } from './table.ts';

export interface CellRef {
  line: number;
  text: string;
}

/** How a column is read; a problem keeps the file from being imported. */
export interface Finding {
  is: 'note' | 'problem';
  line: number;
  says: string;
}

/** The file as messages about a column need it. */
export interface ColumnContext {
  header: string;
  unit: SourceTable['lineUnit'];
  /** Numbers of the file may have a decimal comma; otherwise a point alone is the decimal point. */
  mayHaveCommas: boolean;
  isExport: boolean;
  flags: FlagNames;
}

export function quote(text: string): string {
  return JSON.stringify(shorten(text, 40));
}

export function placeIn({ unit }: ColumnContext, { line, text }: CellRef): string {
  return `${quote(text)} on ${unit} ${line}`;
}

export function problem({ line }: CellRef, says: string): Finding {
  return { is: 'problem', line, says };
}

/** A note with the cell as its example. */
export function note({ header, unit }: ColumnContext, cell: CellRef, says: string, rest = ''): Finding {
  const example = `${unit} ${cell.line}, ${quote(cell.text)}`;
  return { is: 'note', line: cell.line, says: `Column ${header}: ${says} (${example}${rest}.` };
}
