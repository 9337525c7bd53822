/** The rows of a sheet, as they come: text, numbers, booleans, dates by their format, and what is not a value. */

import { product } from '../decimal.ts';
import type { Numeric } from '../json.ts';
import { isInRange, NumberRangeError } from '../json.ts';
import { timeText } from './formats.ts';
import { isTrue, type SheetPart, TextRuns, type Workbook } from './workbook.ts';
import { readXml } from './xml.ts';
import { damaged } from './zip.ts';

/** A number that its format shows with a percent sign or a currency, as it is shown: 0.25 is `25 %`. */
export interface UnitCell {
  number: Numeric;
  unit: string;
}

/** A cell without a value that could be read, and why. */
export interface WrongCell {
  wrong: string;
}

export type SheetCell = string | boolean | Numeric | UnitCell | WrongCell | undefined;

/** An integer of more digits than a spreadsheet keeps, as the file has it and as the double that it is. */
export interface LongNumber {
  /** From 1. */
  column: number;
  text: string;
  number: number;
}

interface SheetRow {
  /** From 1, as the spreadsheet numbers it. */
  line: number;
  cells: SheetCell[];
  long: LongNumber[];
  isHidden: boolean;
}

/** `B2:C4` in numbers, from 1. */
export interface Merged {
  place: string;
  top: number;
  bottom: number;
  left: number;
  right: number;
}

const mostColumns = 16_384;
/** From here on an integer has more than the 15 digits that a spreadsheet keeps. */
const longInteger = 1e15;
const mostMerged = 5000;

/** Rows with at least one cell. `merged` has all ranges of merged cells when the last row was given. */
export async function* sheetRows(
  { name, zip, texts, formats, from1904 }: Workbook,
  { part }: SheetPart,
  merged: Merged[] = [],
): AsyncGenerator<SheetRow> {
  const runs = new TextRuns();
  let rows: SheetRow[] = [];
  let row: SheetRow = { line: 0, cells: [], long: [], isHidden: false };
  let cell = { column: 0, type: 'n', style: 0, value: '', hasValue: false, hasFormula: false };
  let isValue = false;

  const valueIn = (): SheetCell => {
    const { type, value, style, hasValue, hasFormula } = cell;
    if (type === 'inlineStr') return runs.taken();
    if (!hasValue || (value === '' && type !== 'str')) {
      return hasFormula ? { wrong: 'holds a formula without a stored result; open the file and save it' } : undefined;
    }
    switch (type) {
      case 's': {
        const text = texts.at(Number(value));
        if (text === undefined) throw damaged(name, `${part} names a text that does not exist`);
        return text;
      }
      case 'str':
        return value;
      case 'b':
        return isTrue(value.trim());
      case 'e':
        return { wrong: `holds the error ${value}` };
      case 'd':
        return value.replace(/T00:00:00(\.0+)?Z?$/, '');
      default:
        return numberCell(value, style);
    }
  };
  const numberCell = (text: string, style: number): SheetCell => {
    const number = Number(text);
    if (!isInRange(text)) return { wrong: new NumberRangeError(text).message };
    if (!Number.isFinite(number)) return { wrong: `holds ${JSON.stringify(text)}, which is not a number` };
    const format = formats[style] ?? { is: 'number' };
    if (format.is !== 'number') {
      return (
        timeText(number, format, from1904) ?? {
          wrong: `holds ${number}, formatted as a ${format.is} that does not exist`,
        }
      );
    }
    if (Math.abs(number) >= longInteger) row.long.push({ column: cell.column, text, number });
    if (format.unit === undefined) return number;
    return { number: format.unit === '%' ? product(number, 100) : number, unit: format.unit };
  };

  const open = (tag: string, attributes: Readonly<Record<string, string>>) => {
    runs.open(tag);
    if (tag === 'v') isValue = true;
    else if (tag === 'f') cell.hasFormula = true;
    else if (tag === 'c') {
      const column = attributes.r === undefined ? cell.column + 1 : columnOf(attributes.r);
      if (!(column > 0 && column <= mostColumns)) throw damaged(name, `${part} has a cell ${attributes.r}`);
      const { t: type = 'n', s: style = '0' } = attributes;
      cell = { column, type, style: Number(style), value: '', hasValue: false, hasFormula: false };
    } else if (tag === 'row') {
      const line = attributes.r === undefined ? row.line + 1 : Number(attributes.r);
      if (!(line > row.line)) throw damaged(name, `${part} has the row ${attributes.r} after the row ${row.line}`);
      row = { line, cells: [], long: [], isHidden: isTrue(attributes.hidden) };
      cell = { ...cell, column: 0 };
    } else if (tag === 'mergeCell') {
      const range = rangeOf(attributes.ref ?? '');
      if (range) merged.push(range);
      if (merged.length > mostMerged) throw damaged(name, `${part} has more than ${mostMerged} merged cells`);
    }
  };
  const text = (piece: string) => {
    runs.add(piece);
    if (isValue) {
      cell.value += piece;
      cell.hasValue = true;
    }
  };
  const close = (tag: string) => {
    runs.close(tag);
    if (tag === 'v') {
      isValue = false;
      cell.hasValue = true;
    } else if (tag === 'c') {
      const value = valueIn();
      if (value !== undefined) row.cells[cell.column - 1] = value;
    } else if (tag === 'row' && row.cells.length > 0) rows.push(row);
  };
  const taken = () => {
    const found = rows;
    rows = [];
    return found;
  };
  yield* readXml(zip.open(part), { open, text, close }, { name, part, taken });
}

/** Whether the sheet has any cell with a value. */
export async function hasRows(book: Workbook, sheet: SheetPart): Promise<boolean> {
  for await (const { cells } of sheetRows(book, sheet)) if (cells.some((cell) => cell !== undefined)) return true;
  return false;
}

/** `AB12` is in column 28. */
function columnOf(place: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/i.exec(place)?.[0].toUpperCase() ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function rangeOf(place: string): Merged | undefined {
  const [, from = '', top, to = '', bottom] = /^([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)$/i.exec(place) ?? [];
  if (top === undefined || bottom === undefined) return undefined;
  return { place, top: Number(top), bottom: Number(bottom), left: columnOf(from), right: columnOf(to) };
}
