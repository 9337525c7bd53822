/** The cells of a sheet of a workbook, read without the library that wrote it. */
import { inflateRawSync } from 'node:zlib';

export interface Sheet {
  /** Values by row and column: numbers as the text in which they are stored. */
  rows: { type: 'text' | 'number' | 'boolean'; text: string; format: string | undefined }[][];
  /** Rows that stay in sight. */
  frozen: number;
  /** Widths of the columns, in characters. */
  widths: number[];
}

export function readWorkbook(bytes: Buffer, number = 1): Sheet {
  const files = unzip(bytes);
  const part = (name: string) => files.get(name) ?? '';
  const strings = [...part('xl/sharedStrings.xml').matchAll(/<si>(.*?)<\/si>/gs)].map(([, si = '']) =>
    [...si.matchAll(/<t[^>]*>(.*?)<\/t>/gs)].map(([, text = '']) => unescaped(text)).join(''),
  );
  const styles = part('xl/styles.xml');
  const formats = new Map(
    [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code = '']) => [
      id,
      unescaped(code),
    ]),
  );
  const xfs = [...(/<cellXfs[^>]*>(.*)<\/cellXfs>/s.exec(styles)?.[1] ?? '').matchAll(/<xf([^>]*)>/g)].map(
    ([, attributes = '']) => formats.get(/numFmtId="(\d+)"/.exec(attributes)?.[1]),
  );
  const sheet = part(`xl/worksheets/sheet${number}.xml`);
  const rows: Sheet['rows'] = [];
  for (const [, number, cells = ''] of sheet.matchAll(/<row r="(\d+)"[^>]*?(?:\/>|>(.*?)<\/row>)/gs)) {
    const row: Sheet['rows'][number] = [];
    for (const [, attributes = '', content = ''] of cells.matchAll(/<c ([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
      const letters = /r="([A-Z]+)/.exec(attributes)?.[1] ?? '';
      const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
      const type = /t="(\w+)"/.exec(attributes)?.[1];
      const value = /<v>(.*?)<\/v>/s.exec(content)?.[1] ?? /<t[^>]*>(.*?)<\/t>/s.exec(content)?.[1] ?? '';
      const text = type === 's' ? (strings[Number(value)] ?? '') : unescaped(value);
      const kind = type === 's' || type === 'inlineStr' ? 'text' : type === 'b' ? 'boolean' : 'number';
      row[column] = { type: kind, text, format: xfs[Number(/ s="(\d+)"/.exec(` ${attributes}`)?.[1] ?? -1)] };
    }
    rows[Number(number) - 1] = row;
  }
  const widths = [...sheet.matchAll(/<col [^>]*? width="([\d.]+)"/g)].map(([, width]) => Number(width));
  return { rows, widths, frozen: Number(/ySplit="(\d+)"[^>]*state="frozen"/.exec(sheet)?.[1] ?? 0) };
}

/** The text of one of its files. */
export function workbookPart(bytes: Buffer, name: string): string {
  return unzip(bytes).get(name) ?? '';
}

function unzip(bytes: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size, nameSize] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
    ];
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(start, start + size);
    const text = (method === 8 ? inflateRawSync(data) : data).toString('utf8');
    files.set(bytes.toString('utf8', at + 46, at + 46 + nameSize), text);
    at += 46 + nameSize + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}

function unescaped(xml: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return xml.replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) =>
    code ? String.fromCodePoint(Number(code)) : (names[name] ?? ''),
  );
}
