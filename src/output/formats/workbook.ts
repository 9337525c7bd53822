/**
 * The parts of a workbook (Office Open XML, ECMA-376) in their zip, written as they come: nothing of the sheet is held
 * but what is not compressed yet. The only file that knows the zip library.
 */
import { Buffer } from 'node:buffer';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { ZipInputFile } from 'fflate';

interface Workbook {
  /** Adds XML to the sheet. */
  write(xml: string): void;
  /** Takes the bytes that are ready. */
  taken(): Uint8Array | undefined;
  /** The bytes of XML in the sheet; a zip without extensions takes `mostBytes`. */
  readonly size: number;
  /** Ends the file. @param formats the number formats that cells refer to, from style `firstFormat` on */
  end(formats: readonly string[]): void;
}

export const mostBytes = 2 ** 32 - 1;

/** Styles of cells: 0 is plain, 1 is bold, and then the number formats. */
export const boldStyle = 1;
export const firstFormat = 2;

/** XML of one piece that is compressed at once. */
const piece = 64 * 1024;
const deflated = 8;
/** Numbers below are the built-in formats. */
const firstFormatId = 164;

/** The same rows make the same bytes. */
const mtime = new Date(1980, 0, 1);

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const fixedParts = {
  '[Content_Types].xml': `${head}<Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${sheetType}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${sheetType}.worksheet+xml"/></Types>`,
  '_rels/.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
};

/** A zip whose parts are written one after the other. */
async function openZip() {
  const { Zip } = await import('fflate');
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  const part = (filename: string) => {
    const file: ZipInputFile = { filename, mtime, compression: deflated, crc: 0, size: 0 };
    zip.add(file);
    return {
      get size() {
        return file.size;
      },
      // Node's own compression is far faster than one in JavaScript; a flushed piece can precede another.
      add(xml: string, last: boolean) {
        const bytes = Buffer.from(xml);
        file.crc = crc32(bytes, file.crc);
        file.size += bytes.length;
        const finishFlush = last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
        file.ondata?.(null, deflateRawSync(bytes, { finishFlush }), last);
      },
    };
  };
  const taken = () => {
    if (ready.length === 0) return undefined;
    const bytes = Buffer.concat(ready);
    ready = [];
    return bytes;
  };
  return { part, taken, end: () => zip.end() };
}

/** One of several sheets. */
interface NamedSheet {
  name: string;
  /** The content of `<worksheet>`. */
  xml: string;
  /** Rows and columns that every printed page repeats, as a formula of places: `$A:$B,$1:$3`. */
  titles: string;
}

/** A workbook of several sheets, complete in memory. @param styles the part of the styles */
export async function sheetsWorkbook(sheets: readonly NamedSheet[], styles: string): Promise<Uint8Array> {
  const { part, taken, end } = await openZip();
  const put = (name: string, xml: string) => part(name).add(xml, true);
  const each = (of: (sheet: NamedSheet, number: number) => string) =>
    sheets.map((sheet, at) => of(sheet, at + 1)).join('');
  const sheetPart = (number: number) => `worksheets/sheet${number}.xml`;
  const quoted = (name: string) => `'${name.replaceAll("'", "''")}'`;
  const titles = each(({ name, titles }, number) => {
    const places = titles.split(',').map((place) => `${quoted(name)}!${place}`);
    const at = `localSheetId="${number - 1}"`;
    return `<definedName name="_xlnm.Print_Titles" ${at}>${escaped(places.join(','))}</definedName>`;
  });
  const override = (number: number) =>
    `<Override PartName="/xl/${sheetPart(number)}" ContentType="${sheetType}.worksheet+xml"/>`;
  const types = fixedParts['[Content_Types].xml'];
  put(
    '[Content_Types].xml',
    types.replace(
      override(1),
      each((_, number) => override(number)),
    ),
  );
  put('_rels/.rels', fixedParts['_rels/.rels']);
  const listed = each(({ name }, number) => `<sheet name="${escaped(name)}" sheetId="${number}" r:id="rId${number}"/>`);
  put(
    'xl/workbook.xml',
    `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${listed}</sheets><definedNames>${titles}</definedNames></workbook>`,
  );
  const relation = (number: number, type: string, target: string) =>
    `<Relationship Id="rId${number}" Type="${office}/${type}" Target="${target}"/>`;
  const relations = each((_, number) => relation(number, 'worksheet', sheetPart(number)));
  const toStyles = relation(sheets.length + 1, 'styles', 'styles.xml');
  put(
    'xl/_rels/workbook.xml.rels',
    `${head}<Relationships xmlns="${packages}/relationships">${relations}${toStyles}</Relationships>`,
  );
  for (const [at, { xml }] of sheets.entries()) {
    put(`xl/${sheetPart(at + 1)}`, `${head}<worksheet xmlns="${main}">${xml}</worksheet>`);
  }
  put('xl/styles.xml', styles);
  end();
  return taken() ?? new Uint8Array();
}

export async function openWorkbook(): Promise<Workbook> {
  const { part, taken, end } = await openZip();
  for (const [name, xml] of Object.entries(fixedParts)) part(name).add(xml, true);
  const sheet = part('xl/worksheets/sheet1.xml');
  let held = `${head}<worksheet xmlns="${main}">`;
  return {
    write(xml) {
      held += xml;
      if (held.length < piece) return;
      sheet.add(held, false);
      held = '';
    },
    taken,
    get size() {
      return sheet.size + held.length;
    },
    end(formats) {
      sheet.add(`${held}</worksheet>`, true);
      const plain = [{}, { bold: true }];
      part('xl/styles.xml').add(stylesXml([...plain, ...formats.map((format) => ({ format }))]), true);
      end();
    },
  };
}

/** The style of a cell; its number is its index in the list. */
export interface CellStyle {
  /** The number format. */
  format?: string;
  bold?: boolean;
  /** The color of the text: `C0392B`. */
  color?: string;
  centered?: boolean;
  /** A heading over numbers. */
  right?: boolean;
  /** Text beside a number. */
  indented?: boolean;
}

export function stylesXml(styles: readonly CellStyle[]): string {
  const codes = [...new Set(styles.flatMap(({ format }) => format ?? []))];
  const fontOf = ({ bold = false, color = '' }: CellStyle) =>
    `<font>${bold ? '<b/>' : ''}<sz val="11"/>${color && `<color rgb="FF${color}"/>`}<name val="Calibri"/><family val="2"/></font>`;
  const fonts = [...new Set([{}, ...styles].map(fontOf))];
  const own = styles.map((style) => {
    const { format, centered, right, indented } = style;
    const id = format === undefined ? 0 : firstFormatId + codes.indexOf(format);
    const font = fonts.indexOf(fontOf(style));
    const applied = `${id > 0 ? ' applyNumberFormat="1"' : ''}${font > 0 ? ' applyFont="1"' : ''}`;
    const attributes = `numFmtId="${id}" fontId="${font}" fillId="0" borderId="0" xfId="0"${applied}`;
    const side = centered ? 'center' : right ? 'right' : indented ? 'left" indent="1' : undefined;
    if (side === undefined) return `<xf ${attributes}/>`;
    return `<xf ${attributes} applyAlignment="1"><alignment horizontal="${side}"/></xf>`;
  });
  const list = (name: string, items: readonly string[]) =>
    items.length === 0 ? '' : `<${name} count="${items.length}">${items.join('')}</${name}>`;
  const numFmts = codes.map(
    (code, index) => `<numFmt numFmtId="${firstFormatId + index}" formatCode="${escaped(code)}"/>`,
  );
  return `${head}<styleSheet xmlns="${main}">${list('numFmts', numFmts)}${list('fonts', fonts)}<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>${list('cellXfs', own)}<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}

const names: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Characters that no XML may hold are left out. */
export function escaped(text: string): string {
  if (!/[&<>"\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(text)) return text;
  const allowed = text.replace(/(?![\t\n\r\u007F-\u009F])\p{Cc}|[\p{Cs}\uFFFE\uFFFF]/gu, '');
  // Each of the five has a name.
  return allowed.replace(/[&<>"\r]/g, (found) => names[found] ?? '');
}
