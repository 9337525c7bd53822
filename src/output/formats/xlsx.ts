/**
 * A workbook (Office Open XML, ECMA-376), written as the rows come. Remarks on the values are on a second sheet. The only
 * file that knows the zip library.
 *
 * Numbers of a spreadsheet are doubles: a number with more digits is written as text, with a warning.
 */
import { Buffer } from 'node:buffer';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { ZipInputFile } from 'fflate';
import { Failure } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import { type Cell, type Column, machineCell } from '../column.ts';
import { minorUnit, unitWord } from '../values.ts';
import { dayOf, doubleOf, microsecondsOf } from './typed-cell.ts';
import type { FileRules, FileWriter, Result } from './writer.ts';

/** Excel's own limits. */
const maxRows = 1_048_576;
const maxColumns = 16_384;
const maxCharacters = 32_767;

/** Rows that decide the widths of columns, which the file has before its first row. */
const widthRows = 512;
const maxBufferedText = 1_000_000;

/** Excel treats 1900 as a leap year, so only later days have the same number everywhere. */
const firstDay = Date.UTC(1900, 2, 1);
const dayZero = Date.UTC(1899, 11, 30);
const dayLength = 24 * 60 * 60 * 1000;

const formats = { date: 'yyyy-mm-dd', datetime: 'yyyy-mm-dd hh:mm:ss' } as const;

export async function xlsxWriter<Row>(result: Result<Row>, rules: FileRules): Promise<FileWriter<Row>> {
  const { columns, header } = result;
  if (columns.length > maxColumns) {
    throw tooLarge(`${columns.length} columns, but a sheet holds ${maxColumns}`, '--fields picks columns');
  }
  const book = await openWorkbook(rules.remarks ?? []);
  const letters = columns.map((_, index) => lettersOf(index));
  const heads = columns.map(({ key, heading }) => (result.headings ? heading : undefined) || key);
  const widths = heads.map((head) => head.length);
  const styles = new Map<string, number>();
  const inexact = { count: 0, first: '' };
  const tooEarly = { count: 0, first: '' };
  /** Rows before the columns' widths are known; undefined afterwards. */
  let early: string[] | undefined = [];
  let earlySize = 0;
  let rowCount = 0;

  const styleOf = (format: string | undefined): number => {
    if (format === undefined) return 0;
    const style = styles.get(format) ?? styles.size + firstFormat;
    styles.set(format, style);
    return style;
  };
  const sheetValue = (column: Column<Row>, row: Row, cell: NonNullable<Cell>, plain: string): SheetValue => {
    if (isNumeric(cell)) {
      const double = doubleOf(cell) ?? (column.computed ? Number(Number(cell).toPrecision(15)) : undefined);
      if (double !== undefined) return { number: double, style: styleOf(numberFormat(column, row)) };
      inexact.count += 1;
      inexact.first ||= `${plain} in ${column.key}`;
      return plain;
    }
    if (typeof cell === 'boolean') return cell;
    const { type } = column;
    const time = type === 'date' || type === 'datetime' ? timeOf(type, plain) : undefined;
    if (time !== undefined && (type === 'date' || type === 'datetime')) {
      if (time >= firstDay) return { number: (time - dayZero) / dayLength, style: styleOf(formats[type]) };
      tooEarly.count += 1;
      tooEarly.first ||= `${plain} in ${column.key}`;
    }
    if (plain.length <= maxCharacters) return plain;
    throw tooLarge(`a text of ${plain.length} characters in ${column.key}, but a cell holds ${maxCharacters}`);
  };
  const add = (cells: string) => {
    rowCount += 1;
    if (rowCount > maxRows) throw tooLarge(`more than ${maxRows - 1} rows, the limit of a sheet`);
    const xml = `<row r="${rowCount}">${cells}</row>`;
    if (early) early.push(xml);
    else book.write(xml);
    earlySize += xml.length;
    if (early && (early.length > widthRows || earlySize > maxBufferedText)) begin();
  };
  const begin = () => {
    if (!early) return;
    book.write(sheetHead(widths, header));
    for (const xml of early) book.write(xml);
    early = undefined;
  };

  if (header) add(heads.map((head, index) => cellXml(`${letters[index]}1`, head, boldStyle)).join(''));
  return {
    rows(rows) {
      for (const row of rows) {
        let cells = '';
        for (const [index, column] of columns.entries()) {
          const cell = column.get(row);
          if (cell === undefined || cell === null) continue;
          const plain = machineCell(cell);
          if (early) widths[index] = Math.max(widths[index] ?? 0, shownLength(column, row, cell, plain));
          cells += cellXml(`${letters[index]}${rowCount + 1}`, sheetValue(column, row, cell, plain));
        }
        add(cells);
      }
      if (book.size > maxBytes) throw tooLarge(`more than ${maxBytes} bytes, the limit of a sheet`);
      return book.taken();
    },
    async close() {
      if (inexact.count > 0) {
        const numbers = inexact.count === 1 ? '1 number has' : `${inexact.count} numbers have`;
        rules.warn(`${numbers} more digits than a spreadsheet keeps, written as text: ${inexact.first}`);
      }
      if (tooEarly.count > 0) {
        const dates = tooEarly.count === 1 ? '1 date is' : `${tooEarly.count} dates are`;
        rules.warn(`${dates} before 1900-03-01, which a spreadsheet cannot hold, written as text: ${tooEarly.first}`);
      }
      begin();
      book.write('</sheetData>');
      book.end([...styles.keys()]);
      return book.taken() ?? new Uint8Array();
    },
  };
}

type SheetValue = string | boolean | { number: number; style: number };

function cellXml(reference: string, value: SheetValue, style = 0): string {
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
  const index = typeof value === 'string' ? style : value.style;
  const styled = index === 0 ? '' : ` s="${index}"`;
  if (typeof value !== 'string') return `<c r="${reference}"${styled}><v>${value.number}</v></c>`;
  const space = /^\s|\s$|\n/.test(value) ? ' xml:space="preserve"' : '';
  return `<c r="${reference}"${styled} t="inlineStr"><is><t${space}>${escapeXml(verbatim(value))}</t></is></c>`;
}

function sheetHead(widths: readonly number[], header: boolean): string {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const columns = widths.map((width, index) => {
    return `<col min="${index + 1}" max="${index + 1}" width="${Math.min(Math.max(width + 2, 8), 60)}" customWidth="1"/>`;
  });
  const view = `<sheetViews><sheetView workbookViewId="0">${header ? pane : ''}</sheetView></sheetViews>`;
  return `${view}${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`;
}

/** `A`, …, `Z`, `AA`, … */
function lettersOf(index: number): string {
  const before = index < 26 ? '' : lettersOf(Math.floor(index / 26) - 1);
  return before + String.fromCharCode(65 + (index % 26));
}

/** Half a surrogate pair is no character. Those that XML cannot hold go as Excel writes them, `_x0001_`, and a text that reads so goes as `_x005F_x0001_`. */
function verbatim(plain: string): string {
  return plain
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/(?![\t\n\u007F-\u009F])\p{Cc}|[\uFFFE\uFFFF]/gu, (found) => {
      return `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
    });
}

/** The number format with the unit. Percentages are not divided by 100. */
function numberFormat<Row>(column: Column<Row>, row: Row): string | undefined {
  const word = unitWord(column, row);
  if (word === undefined || word === '') return undefined;
  const quoted = word.replaceAll('"', '');
  const minor = minorUnit(word);
  if (minor !== undefined) return `#,##0${minor === 0 ? '' : `.${'0'.repeat(minor)}`} "${quoted}"`;
  // Points have the digits of the percentages that they are of.
  const places = word === 'pp' ? 2 : word === '%' ? column.digits : undefined;
  const number = places === undefined ? 'General' : `0.${'0'.repeat(places)}`;
  return word === '%' ? `${number}"%"` : `${number} "${quoted}"`;
}

/** About as many characters as a cell shows: with digits after the point, marks between thousands and a unit. */
function shownLength<Row>(column: Column<Row>, row: Row, cell: NonNullable<Cell>, plain: string): number {
  // A month is shown as its first day.
  if (column.type === 'date' || column.type === 'datetime') return Math.max(plain.length, formats[column.type].length);
  const format = isNumeric(cell) ? numberFormat(column, row) : undefined;
  if (format === undefined) return plain.length;
  const digits = plain.replace(/\..*/, '').length;
  return (
    Math.max(plain.length, digits + Math.floor(digits / 3) + '.00'.length) + format.replace(/.*"(.*)"/, ' $1').length
  );
}

/** Milliseconds since 1970. Spreadsheets keep times to the millisecond; finer ones stay text. */
function timeOf(type: 'date' | 'datetime', plain: string): number | undefined {
  const micros = type === 'datetime' ? microsecondsOf(plain) : undefined;
  return micros !== undefined && micros % 1000n === 0n ? Number(micros / 1000n) : dayOf(plain)?.getTime();
}

function tooLarge(what: string, hint = '-o csv and -o parquet have no such limit'): Failure {
  return new Failure('usage', `-o xlsx: the result has ${what}`, { hint, code: 'too_large' });
}

const maxBytes = 2 ** 32 - 1;

/** Styles of cells: 0 is plain, 1 is bold, and then the number formats. */
const boldStyle = 1;
const firstFormat = 2;
const noteWidth = 60;

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

/** The parts that name the sheets. */
function bookParts(names: readonly string[]): Record<string, string> {
  const sheets = names.map((name, at) => ({ name, id: at + 1, path: `worksheets/sheet${at + 1}.xml` }));
  const types = sheets.map(({ path }) => `<Override PartName="/xl/${path}" ContentType="${sheetType}.worksheet+xml"/>`);
  const links = sheets.map(
    ({ id, path }) => `<Relationship Id="rId${id}" Type="${office}/worksheet" Target="${path}"/>`,
  );
  const named = sheets.map(({ name, id }) => `<sheet name="${name}" sheetId="${id}" r:id="rId${id}"/>`);
  return {
    '[Content_Types].xml': `${head}<Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${sheetType}.styles+xml"/>${types.join('')}</Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${named.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${packages}/relationships">${links.join('')}<Relationship Id="rId${names.length + 1}" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  };
}

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

/** A sheet that is compressed as its rows arrive. */
async function openWorkbook(remarks: readonly string[]) {
  const { part, taken, end } = await openZip();
  const names = ['Data', ...(remarks.length > 0 ? ['Notes'] : [])];
  for (const [name, xml] of Object.entries(bookParts(names))) part(name).add(xml, true);
  const sheet = part('xl/worksheets/sheet1.xml');
  let held = `${head}<worksheet xmlns="${main}">`;
  return {
    write(xml: string) {
      held += xml;
      if (held.length < piece) return;
      sheet.add(held, false);
      held = '';
    },
    taken,
    get size() {
      return sheet.size + held.length;
    },
    /** @param formats the number formats that cells refer to, from style `firstFormat` on */
    end(formats: readonly string[]) {
      sheet.add(`${held}</worksheet>`, true);
      if (remarks.length > 0) {
        const rows = remarks.map((text, at) => `<row r="${at + 1}">${cellXml(`A${at + 1}`, text)}</row>`);
        const xml = `${sheetHead([noteWidth], false)}${rows.join('')}</sheetData></worksheet>`;
        part('xl/worksheets/sheet2.xml').add(`${head}<worksheet xmlns="${main}">${xml}`, true);
      }
      part('xl/styles.xml').add(stylesXml(formats), true);
      end();
    },
  };
}

/** Plain, bold, and then a style for each number format. */
function stylesXml(formats: readonly string[]): string {
  const list = (name: string, items: readonly string[]) =>
    items.length === 0 ? '' : `<${name} count="${items.length}">${items.join('')}</${name}>`;
  const fonts = ['', '<b/>'].map((bold) => `<font>${bold}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`);
  const style = (id: number, font: number, applied = '') =>
    `<xf numFmtId="${id}" fontId="${font}" fillId="0" borderId="0" xfId="0"${applied}/>`;
  const numbers = formats.map((_, at) => style(firstFormatId + at, 0, ' applyNumberFormat="1"'));
  const styles = [style(0, 0), style(0, 1, ' applyFont="1"'), ...numbers];
  const codes = formats.map(
    (code, index) => `<numFmt numFmtId="${firstFormatId + index}" formatCode="${escapeXml(code)}"/>`,
  );
  return `${head}<styleSheet xmlns="${main}">${list('numFmts', codes)}${list('fonts', fonts)}<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>${list('cellXfs', styles)}<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}

const names: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Characters that no XML may hold are left out. */
function escapeXml(text: string): string {
  if (!/[&<>"\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(text)) return text;
  const allowed = text.replace(/(?![\t\n\r\u007F-\u009F])\p{Cc}|[\p{Cs}\uFFFE\uFFFF]/gu, '');
  // Each of the five has a name.
  return allowed.replace(/[&<>"\r]/g, (found) => names[found] ?? '');
}
