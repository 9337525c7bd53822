/** A workbook of Excel's format (ECMA-376): which sheets it has, and what all of them share. */
import { posix } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { type CellFormat, formatOf } from './formats.ts';
import { Texts } from './texts.ts';
import { attributeOf, readXml, type XmlEvents } from './xml.ts';
import { type Bytes, damaged, openZip, type Zip } from './zip.ts';

export interface Workbook {
  name: string;
  zip: Zip;
  sheets: readonly SheetPart[];
  /** Days count from 1904. */
  from1904: boolean;
  texts: Texts;
  /** By the style that a cell names. */
  formats: readonly CellFormat[];
}

export interface SheetPart {
  name: string;
  part: string;
  isHidden: boolean;
}

/** @throws usage for what is not a workbook, or one that cannot be read */
export async function openWorkbook(bytes: Bytes, name: string): Promise<Workbook> {
  const start = bytes.read(0, 8);
  if (start[0] === 0xd0 && start[1] === 0xcf) {
    throw usage(
      `${name} cannot be read: it has a password, or is of the format before 2007 (.xls)`,
      'save it as .xlsx without a password, or as CSV',
    );
  }
  if (start[0] !== 0x50 || start[1] !== 0x4b) {
    throw usage(`${name} is not a workbook`, 'if only the extension is wrong, give --format FORMAT');
  }
  const zip = openZip(bytes, name);
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
  if (sheets.length === 0) throw damaged(name, 'it has no sheet of cells');
  const target = (type: string) => [...parts.values()].find((part) => part.type === type)?.target;
  return {
    ...{ name, zip, sheets, from1904 },
    texts: await textsOf(zip, name, target('sharedStrings')),
    formats: await formatsOf(zip, name, target('styles')),
  };
}

/** The sheet of a name, or the first that is shown. @throws usage naming the sheets */
export function sheetOf({ sheets, name }: Workbook, wanted: string | undefined): SheetPart {
  if (wanted === undefined) return sheets.find(({ isHidden }) => !isHidden) ?? (sheets[0] as SheetPart);
  const folded = wanted.normalize().trim().toLowerCase();
  const found =
    sheets.find((sheet) => sheet.name === wanted) ??
    sheets.find((sheet) => sheet.name.normalize().trim().toLowerCase() === folded);
  if (found) return found;
  const names = sheets.map((sheet) => sheet.name);
  const near = nearest(wanted, names);
  throw usage(
    `--sheet ${wanted}: ${name} has no such sheet; it has ${names.map((one) => `"${one}"`).join(', ')}`,
    near === undefined ? undefined : `did you mean "${near}"?`,
  );
}

/** Cells hold text in runs; a run that says how to pronounce another is left out. */
export class TextRuns {
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

  /** What was read since the last call. */
  taken(): string {
    const { text = '' } = this;
    this.text = undefined;
    return text.includes('_x') ? unescaped(text) : text;
  }
}

/** Characters that XML cannot hold are written as `_x0001_`. */
function unescaped(text: string): string {
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

async function textsOf(zip: Zip, name: string, part: string | undefined): Promise<Texts> {
  const texts = new Texts();
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

export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

function notWorkbook(zip: Zip, name: string): Failure {
  if (zip.has('content.xml')) return usage(`${name} is a sheet of OpenDocument`, 'save it as .xlsx or CSV');
  if (zip.has('Index/Document.iwa')) return usage(`${name} is a file of Numbers`, 'export it as .xlsx or CSV');
  return usage(`${name} is a zip file, but not a workbook`, 'unpack it first, or save the table as .xlsx or CSV');
}
