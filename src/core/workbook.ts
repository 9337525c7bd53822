/** Sheets and cells of a workbook in Excel's format (ECMA-376). */

import { posix } from 'node:path';
import { product } from './decimal.ts';
import { Failure, usage } from './errors.ts';
import { isInRange, NumberRangeError, type Numeric } from './json.ts';
import { maxColumns } from './limits.ts';
import { nearestHint } from './nearest.ts';
import { attributeOf, type Bytes, damagedFile, openZip, readXml, type XmlEvents, type Zip } from './zip.ts';

interface Workbook {
  name: string;
  zip: Zip;
  sheets: readonly SheetPart[];
  /** Days count from 1904. */
  from1904: boolean;
  texts: readonly string[];
  formats: readonly CellFormat[];
}

interface SheetPart {
  name: string;
  part: string;
  isHidden: boolean;
}

/** @throws usage for other files, and for damaged workbooks */
export async function openWorkbook(bytes: Bytes, name: string): Promise<Workbook> {
  const start = bytes.read(0, 8);
  if (start[0] === 0xd0 && start[1] === 0xcf) {
    throw usage(
      `${name} cannot be read: it has a password, or is of the format before 2007 (.xls)`,
      'save it as .xlsx without a password, or as CSV',
    );
  }
  if (start[0] !== 0x50 || start[1] !== 0x4b) {
    throw new Failure('usage', `${name} is not a workbook`, { code: 'not_a_workbook' });
  }
  const zip = await openZip(bytes, name);
  const relations = await relationsOf(zip, name, '_rels/.rels', '');
  const main = [...relations.values()].find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml';
  if (!zip.has(main)) throw notWorkbook(zip, name);
  if (!main.endsWith('.xml')) throw usage(`${name} is a binary workbook (.xlsb)`, 'save it as .xlsx or CSV');
  const folder = posix.dirname(main);
  const parts = await relationsOf(zip, name, posix.join(folder, '_rels', `${posix.basename(main)}.rels`), folder);
  const sheets: SheetPart[] = [];
  let from1904 = false;
  await read(zip, name, main, {
    open(tag, attributes) {
      if (tag === 'workbookPr') from1904 = isTrue(attributes.date1904);
      if (tag !== 'sheet') return;
      const part = parts.get(attributeOf(attributes, 'id') ?? '');
      if (part?.type !== 'worksheet') return;
      const isHidden = (attributes.state ?? 'visible') !== 'visible';
      sheets.push({ name: attributes.name ?? '', part: part.target, isHidden });
    },
  });
  if (sheets.length === 0) throw damagedFile(name, 'it has no sheet of cells');
  const target = (type: string) => [...parts.values()].find((part) => part.type === type)?.target;
  return {
    name,
    zip,
    sheets,
    from1904,
    texts: await textsOf(zip, name, target('sharedStrings')),
    formats: await formatsOf(zip, name, target('styles')),
  };
}

/** The sheet of a name, or the first that is shown. @throws usage naming the sheets */
export function sheetOf({ sheets, name }: Workbook, wanted: string | undefined): SheetPart {
  if (wanted === undefined) return sheets.find(({ isHidden }) => !isHidden) ?? (sheets[0] as SheetPart);
  const folded = wanted.normalize().trim().toLowerCase();
  const sheet =
    sheets.find(({ name }) => name === wanted) ??
    sheets.find((sheet) => sheet.name.normalize().trim().toLowerCase() === folded);
  if (sheet) return sheet;
  const names = sheets.map((sheet) => sheet.name);
  throw usage(
    `${name} has no sheet "${wanted}"; it has ${names.map((sheetName) => `"${sheetName}"`).join(', ')}`,
    nearestHint(wanted, names),
  );
}

/** Joins the text runs of cells, without phonetic ones. */
class TextRuns {
  private text: string | undefined;
  private isText = false;
  private isSound = false;

  open(tag: string): void {
    if (tag === 'rPh') this.isSound = true;
    if (tag === 't' && !this.isSound) {
      this.isText = true;
      this.text ??= '';
    }
  }

  add(text: string): void {
    if (this.isText) this.text += text;
  }

  close(tag: string): void {
    if (tag === 'rPh') this.isSound = false;
    if (tag === 't') this.isText = false;
  }

  taken(): string {
    const { text = '' } = this;
    this.text = undefined;
    return text.includes('_x') ? unescapeText(text) : text;
  }
}

/** Characters that XML cannot hold are written as `_x0001_`. */
function unescapeText(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

interface Relation {
  type: string;
  target: string;
}

async function relationsOf(zip: Zip, name: string, part: string, folder: string): Promise<Map<string, Relation>> {
  const relations = new Map<string, Relation>();
  if (!zip.has(part)) return relations;
  await read(zip, name, part, {
    open(tag, { Id = '', Type = '', Target = '', TargetMode }) {
      if (tag !== 'Relationship' || TargetMode === 'External') return;
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target);
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target });
    },
  });
  return relations;
}

async function textsOf(zip: Zip, name: string, part: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  const runs = new TextRuns();
  if (part === undefined || !zip.has(part)) return texts;
  await read(zip, name, part, {
    open: (tag) => runs.open(tag),
    text: (text) => runs.add(text),
    close(tag) {
      runs.close(tag);
      if (tag === 'si') texts.push(runs.taken());
    },
  });
  return texts;
}

async function formatsOf(zip: Zip, name: string, part: string | undefined): Promise<CellFormat[]> {
  if (part === undefined || !zip.has(part)) return [];
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let isCells = false;
  await read(zip, name, part, {
    open(tag, { numFmtId = '0', formatCode = '' }) {
      if (tag === 'numFmt') codes.set(Number(numFmtId), formatCode);
      if (tag === 'cellXfs') isCells = true;
      if (tag === 'xf' && isCells) ids.push(Number(numFmtId));
    },
    close(tag) {
      if (tag === 'cellXfs') isCells = false;
    },
  });
  return ids.map((id) => formatOf(id, codes));
}

async function read(zip: Zip, name: string, part: string, events: XmlEvents): Promise<void> {
  for await (const _ of readXml(zip.open(part), events, { name, part, taken: () => [] }));
}

function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

function notWorkbook(zip: Zip, name: string): Failure {
  if (zip.has('content.xml')) return usage(`${name} is a sheet of OpenDocument`, 'save it as .xlsx or CSV');
  if (zip.has('Index/Document.iwa')) return usage(`${name} is a file of Numbers`, 'export it as .xlsx or CSV');
  return usage(`${name} is a zip file, but not a workbook`, 'unpack it first, or save the table as .xlsx or CSV');
}

/** The meaning of a number format: a date, a time, a percentage, an amount in a currency. */
interface CellFormat {
  is: 'number' | 'date' | 'datetime' | 'time' | 'duration';
  /** `%`, or a currency as the format shows it: `€`, `USD`. */
  unit?: string | undefined;
}

const plainFormat: CellFormat = { is: 'number' };

/** Formats that a file names by number only (ECMA-376, part 1, 18.8.30). */
const builtin = new Map<number, CellFormat>([
  ...formatRange(14, 17, { is: 'date' }),
  ...formatRange(18, 21, { is: 'time' }),
  [22, { is: 'datetime' }],
  ...formatRange(27, 36, { is: 'date' }),
  ...formatRange(45, 45, { is: 'time' }),
  [46, { is: 'duration' }],
  [47, { is: 'time' }],
  ...formatRange(50, 58, { is: 'date' }),
  ...formatRange(9, 10, { is: 'number', unit: '%' }),
]);

function formatRange(first: number, last: number, format: CellFormat): [number, CellFormat][] {
  return Array.from({ length: last - first + 1 }, (_, at) => [first + at, format]);
}

function formatOf(id: number, codes: ReadonlyMap<number, string>): CellFormat {
  const code = codes.get(id);
  return code === undefined ? (builtin.get(id) ?? plainFormat) : cellFormat(code);
}

/** The signs and codes by which a format names a currency. */
const sign = /\p{Sc}|\b[A-Z]{3}\b|\bFr\.|\bkr\b|zł|Kč/u;

/** The meaning of a format code, from its section for positive numbers. */
export function cellFormat(code: string): CellFormat {
  const section = firstSection(code);
  const quoted = [...section.matchAll(/"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]/gu)].map(
    ([, text, escaped, currency]) => text ?? escaped ?? currency ?? '',
  );
  const elapsed = /\[(h+|m+|s+)\]/i.test(section);
  // Colours and conditions are in brackets; a blank or filling character follows _ and *.
  const bare = section.replace(/"[^"]*"|\\.|\[[^\]]*\]|[_*]./gu, '');
  if (elapsed) return { is: 'duration' };
  if (!/^general$/i.test(bare.trim()) && /[dmyhs]/i.test(bare.replace(/general/gi, ''))) {
    const day = /[dy]/i.test(bare) || /m{3,}/i.test(bare) || !/[hs]/i.test(bare);
    const time = /[hs]/i.test(bare);
    return { is: day ? (time ? 'datetime' : 'date') : 'time' };
  }
  if (bare.includes('%')) return { is: 'number', unit: '%' };
  const unit = sign.exec([...quoted, bare.replace(/general/gi, '')].join(' '))?.[0];
  return unit === undefined ? plainFormat : { is: 'number', unit };
}

/** Up to the first semicolon that is not quoted. */
function firstSection(code: string): string {
  return /^(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\[])*/su.exec(code)?.[0] ?? code;
}

const dayLength = 86_400_000;

/** A cell as its format shows it: `2024-01-31`, `2024-01-31T13:45:00`, `13:45:00`; undefined without a date. */
export function timeText(serial: number, { is }: CellFormat, from1904: boolean): string | undefined {
  const milliseconds = Math.round(serial * dayLength);
  if (is === 'duration' || (is === 'time' && serial >= 0 && serial < 1)) return clock(milliseconds);
  if (is === 'time') return undefined;
  const days = Math.floor(milliseconds / dayLength);
  const zero = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 61 ? 31 : 30);
  // In the 1900 system day 0 is not a date, and day 60 is one that did not exist.
  if (!(days >= (from1904 ? 0 : 1)) || (!from1904 && days === 60)) return undefined;
  const date = new Date(zero + days * dayLength);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return undefined;
  const day = date.toISOString().slice(0, 10);
  const rest = milliseconds - days * dayLength;
  return is === 'date' || rest === 0 ? day : `${day}T${clock(rest)}`;
}

function clock(milliseconds: number): string | undefined {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return undefined;
  const two = (number: number) => String(number).padStart(2, '0');
  const seconds = Math.floor(milliseconds / 1000);
  const fraction = milliseconds % 1000 === 0 ? '' : `.${String(milliseconds % 1000).padStart(3, '0')}`;
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}

/** A number with the percent sign or currency of its format: 0.25 is `25 %`. */
export interface UnitCell {
  number: Numeric;
  unit: string;
}

export interface WrongCell {
  wrong: string;
}

export type SheetCell = string | boolean | Numeric | UnitCell | WrongCell | undefined;

/** An integer of more digits than a spreadsheet keeps: its text in the file, and the double. */
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
export interface MergedCells {
  place: string;
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** The first integer of more than the 15 digits that a spreadsheet keeps. */
const longInteger = 1e15;
const maxMergedCells = 5000;

/** Rows with at least one cell. `merged` has all ranges of merged cells when the last row was given. */
export async function* sheetRows(
  { name, zip, texts, formats, from1904 }: Workbook,
  { part }: SheetPart,
  merged: MergedCells[] = [],
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
        const text = texts[Number(value)];
        if (text === undefined) throw damagedFile(name, `${part} names a text that does not exist`);
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
      if (!(column > 0 && column <= maxColumns)) throw damagedFile(name, `${part} has a cell ${attributes.r}`);
      const { t: type = 'n', s: style = '0' } = attributes;
      cell = { column, type, style: Number(style), value: '', hasValue: false, hasFormula: false };
    } else if (tag === 'row') {
      const line = attributes.r === undefined ? row.line + 1 : Number(attributes.r);
      if (!(line > row.line)) throw damagedFile(name, `${part} has the row ${attributes.r} after the row ${row.line}`);
      row = { line, cells: [], long: [], isHidden: isTrue(attributes.hidden) };
      cell = { ...cell, column: 0 };
    } else if (tag === 'mergeCell') {
      const range = rangeOf(attributes.ref ?? '');
      if (range) merged.push(range);
      if (merged.length > maxMergedCells)
        throw damagedFile(name, `${part} has more than ${maxMergedCells} merged cells`);
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
    const complete = rows;
    rows = [];
    return complete;
  };
  yield* readXml(zip.open(part), { open, text, close }, { name, part, taken });
}

export async function hasRows(book: Workbook, sheet: SheetPart): Promise<boolean> {
  for await (const { cells } of sheetRows(book, sheet)) if (cells.some((cell) => cell !== undefined)) return true;
  return false;
}

/** `AB12` is in column 28. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/i.exec(reference)?.[0].toUpperCase() ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function rangeOf(reference: string): MergedCells | undefined {
  const [, from = '', top, to = '', bottom] = /^([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)$/i.exec(reference) ?? [];
  if (top === undefined || bottom === undefined) return undefined;
  return { place: reference, top: Number(top), bottom: Number(bottom), left: columnOf(from), right: columnOf(to) };
}
