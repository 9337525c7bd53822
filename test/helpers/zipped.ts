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
