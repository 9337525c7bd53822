/** Workbooks typed by hand: the parts as XML, packed. */
import { strToU8, zipSync } from 'fflate';

export interface Parts {
  /** Rows as XML by the name of their sheet. */
  sheets: Readonly<Record<string, string>>;
  texts?: readonly string[];
  /** Codes of number formats: style 1 is the first. */
  formats?: readonly string[];
  from1904?: boolean;
  hidden?: readonly string[];
  /** Parts as they are, in place of those that are made. */
  own?: Readonly<Record<string, string>>;
}

const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export function zipped({ sheets, texts = [], formats = [], from1904 = false, hidden = [], own = {} }: Parts): Buffer {
  const names = Object.keys(sheets);
  const sheet = (name: string, at: number) =>
    `<sheet name="${name}" sheetId="${at + 1}" ${hidden.includes(name) ? 'state="hidden" ' : ''}r:id="r${at}"/>`;
  const relation = (id: string, kind: string, target: string) =>
    `<Relationship Id="${id}" Type="${type}/${kind}" Target="${target}"/>`;
  const relations = (all: readonly string[]) => `<Relationships>${all.join('')}</Relationships>`;
  const parts: Record<string, string> = {
    '_rels/.rels': relations([relation('r', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': `<workbook xmlns:r="r"><workbookPr date1904="${from1904 ? 1 : 0}"/><sheets>${names.map(sheet).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, at) => relation(`r${at}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
      relation('s', 'sharedStrings', 'sharedStrings.xml'),
      relation('f', 'styles', '/xl/styles.xml'),
    ]),
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet><numFmts>${formats.map((code, at) => `<numFmt numFmtId="${at + 164}" formatCode="${code.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_, at) => `<xf numFmtId="${at + 164}"/>`).join('')}<xf numFmtId="14"/></cellXfs></styleSheet>`,
  };
  for (const [at, name] of names.entries()) parts[`xl/worksheets/sheet${at + 1}.xml`] = sheets[name] ?? '';
  const files = Object.entries({ ...parts, ...own }).map(([name, text]) => [name, strToU8(text)]);
  return Buffer.from(zipSync(Object.fromEntries(files)));
}

/** Rows of cells, each text, number or XML, as a sheet. */
export function sheetOf(rows: readonly (readonly (string | number | null)[])[], more = ''): string {
  const cell = (value: string | number | null) => {
    if (value === null) return '<c/>';
    if (typeof value === 'number') return `<c><v>${value}</v></c>`;
    return value.startsWith('<c') ? value : `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  };
  const xml = rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('');
  return `<worksheet><sheetData>${xml}</sheetData>${more}</worksheet>`;
}

/** The same zip file, with all sizes and places where zip64 has them. */
export function zip64(plain: Buffer): Buffer {
  const end = plain.length - 22;
  const [count, length, start] = [
    plain.readUInt16LE(end + 10),
    plain.readUInt32LE(end + 12),
    plain.readUInt32LE(end + 16),
  ];
  const directory: Buffer[] = [];
  for (let at = start; at < start + length; ) {
    const next = at + 46 + plain.readUInt16LE(at + 28);
    const head = Buffer.from(plain.subarray(at, next));
    // A field of another kind comes first.
    const extra = Buffer.from([0x55, 0x54, 1, 0, 9, 1, 0, 24, 0, ...new Array(24).fill(0)]);
    for (const [index, place] of [24, 20, 42].entries()) {
      extra.writeBigUInt64LE(BigInt(head.readUInt32LE(place)), 9 + index * 8);
      head.writeUInt32LE(0xffffffff, place);
    }
    head.writeUInt16LE(extra.length, 30);
    directory.push(head, extra);
    at = next + plain.readUInt16LE(at + 30) + plain.readUInt16LE(at + 32);
  }
  const packed = Buffer.concat(directory);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) record.writeBigUInt64LE(BigInt(count), at);
  record.writeBigUInt64LE(BigInt(packed.length), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + packed.length), 8);
  locator.writeUInt32LE(1, 16);
  const last = Buffer.alloc(22, 0xff);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(0, 20);
  return Buffer.concat([plain.subarray(0, start), packed, record, locator, last]);
}
