/** The XML files in a workbook's zip file, read as streams. */

import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { crc32, createInflateRaw } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { Failure, usage } from './errors.ts';

export interface Bytes {
  readonly size: number;
  read(at: number, length: number): Buffer;
}

interface ZipEntry {
  method: number;
  flags: number;
  crc: number;
  packed: number;
  size: number;
  header: number;
}

export interface Zip {
  has(name: string): boolean;
  /** @throws usage for a damaged file or a zip bomb */
  open(name: string): AsyncGenerator<Uint8Array>;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const end64Signature = 0x06064b50;
const locator64Signature = 0x07064b50;

const pieceLength = 1 << 16;
const mostEntries = 10_000;
/** The limits of an entry: its size, and the compression of one that is larger than `small`. */
const mostBytes = 2 ** 31;
const small = 2 ** 26;
const mostShrunk = 500;

/** @throws usage for bytes that are not a zip file */
export function openZip(bytes: Bytes, name: string): Zip {
  const entries = entriesOf(bytes, name);
  return {
    has: (entry) => entries.has(entry),
    async *open(entry) {
      const zipEntry = entries.get(entry);
      if (zipEntry === undefined) throw damaged(name, `it has no ${entry}`);
      yield* unpacked(bytes, zipEntry, name, entry);
    },
  };
}

function entriesOf(bytes: Bytes, name: string): Map<string, ZipEntry> {
  const tail = bytes.read(Math.max(0, bytes.size - 65_557), 65_557);
  let end = tail.length - 22;
  while (end >= 0 && tail.readUInt32LE(end) !== endSignature) end -= 1;
  if (end < 0) throw damaged(name, 'the end of the zip file is missing');
  const { count, length, start } = directoryOf(bytes, tail, end) ?? {
    count: tail.readUInt16LE(end + 10),
    length: tail.readUInt32LE(end + 12),
    start: tail.readUInt32LE(end + 16),
  };
  if (count > mostEntries) throw usage(`${name} cannot be read: it is a zip file of more than ${mostEntries} files`);
  if (start > bytes.size) throw damaged(name, 'the directory of the zip file is missing');
  const directory = bytes.read(start, Math.min(length, bytes.size));
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let left = count; left > 0; left -= 1) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entrySignature) {
      throw damaged(name, 'the directory of the zip file is incomplete');
    }
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    entries.set(
      directory
        .toString('utf8', at + 46, nameEnd)
        .replaceAll('\\', '/')
        .replace(/^\//, ''),
      {
        flags: directory.readUInt16LE(at + 8),
        method: directory.readUInt16LE(at + 10),
        crc: directory.readUInt32LE(at + 16),
        ...locationOf(directory, at, directory.subarray(nameEnd, nameEnd + directory.readUInt16LE(at + 30))),
      },
    );
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Marks a number of 64 bits in another record (zip64). */
const is64Bit = 0xffffffff;

/** The directory of a zip64 file; undefined for any other. */
function directoryOf(
  bytes: Bytes,
  tail: Buffer,
  end: number,
): { count: number; length: number; start: number } | undefined {
  const locator = end - 20;
  if (locator < 0 || tail.readUInt32LE(locator) !== locator64Signature) return undefined;
  const at = Number(tail.readBigUInt64LE(locator + 8));
  const record = at > bytes.size ? Buffer.alloc(0) : bytes.read(at, 56);
  if (record.length < 56 || record.readUInt32LE(0) !== end64Signature) return undefined;
  const numberAt = (at: number) => Number(record.readBigUInt64LE(at));
  return { count: numberAt(32), length: numberAt(40), start: numberAt(48) };
}

/** The offset and sizes of an entry, with zip64's extra field. */
function locationOf(directory: Buffer, at: number, extra: Buffer): Pick<ZipEntry, 'packed' | 'size' | 'header'> {
  const long = longNumbers(extra);
  const read = (position: number) => {
    const short = directory.readUInt32LE(position);
    return short === is64Bit ? (long.shift() ?? short) : short;
  };
  const size = read(at + 24);
  const packed = read(at + 20);
  return { size, packed, header: read(at + 42) };
}

function longNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const next = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) {
      const field = extra.subarray(at + 4, next);
      return Array.from({ length: Math.floor(field.length / 8) }, (_, index) =>
        Number(field.readBigUInt64LE(index * 8)),
      );
    }
    at = next;
  }
  return [];
}

async function* unpacked(bytes: Bytes, entry: ZipEntry, name: string, inner: string): AsyncGenerator<Uint8Array> {
  const { method, flags, packed, size, crc, header } = entry;
  if (flags & 1) throw usage(`${name} cannot be read: it is encrypted`, 'save it without a password');
  if (method !== 0 && method !== 8) throw damaged(name, `${inner} is packed in an unknown way (${method})`);
  if (size > mostBytes || (size > small && size > packed * mostShrunk)) {
    throw usage(
      `${name} cannot be read: ${inner} has ${size} bytes, packed into ${packed}`,
      'a workbook of this size is not read; save the sheet as CSV',
    );
  }
  const local = header > bytes.size ? Buffer.alloc(0) : bytes.read(header, 30);
  if (local.length < 30 || local.readUInt32LE(0) !== localSignature) throw damaged(name, `${inner} is missing`);
  const start = header + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  function* raw() {
    for (let at = 0; at < packed; at += pieceLength) {
      const piece = bytes.read(start + at, Math.min(pieceLength, packed - at));
      if (piece.length === 0) return;
      yield piece;
    }
  }
  let sum = 0;
  let length = 0;
  try {
    const pieces = Readable.from(raw(), { objectMode: true });
    for await (const piece of method === 0 ? pieces : inflated(pieces)) {
      length += piece.length;
      if (length > size) break;
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (error) {
    if (error instanceof Failure || !(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
    throw damaged(name, `${inner} cannot be unpacked`);
  }
  if (length !== size || sum !== crc) throw damaged(name, `${inner} is not what was packed`);
}

function inflated(pieces: Readable): AsyncIterable<Buffer> {
  const inflate = createInflateRaw();
  pieces.on('error', (error) => inflate.destroy(error));
  return pieces.pipe(inflate);
}

export function damaged(name: string, why: string): Failure {
  return usage(
    `${name} cannot be read: ${why}`,
    'open it in a spreadsheet program and save it again, or save it as CSV',
  );
}

/** Names come without their prefix. */
export interface XmlEvents {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Characters of one text: no workbook holds a longer one. */
const longestText = 1 << 24;

/** Parses XML; after every piece it gives what `taken` has collected. @throws usage, also for a document type */
export async function* readXml<T>(
  pieces: AsyncIterable<Uint8Array>,
  { open, close, text }: XmlEvents,
  { name, part, taken }: { name: string; part: string; taken(): Iterable<T> },
): AsyncGenerator<T> {
  const parser = new SaxesParser({ position: false, xmlns: false });
  const wrong = (why: string) => damaged(name, `${part} ${why}`);
  parser.on('opentag', (tag) => open(bare(tag.name), tag.attributes));
  if (close) parser.on('closetag', (tag) => close(bare(tag.name)));
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  parser.on('doctype', () => {
    throw wrong('has a document type, which a workbook does not have');
  });
  parser.on('error', () => {
    throw wrong('is not well-formed XML');
  });
  let decoder: TextDecoder | undefined;
  let unmarked = 0;
  try {
    for await (const piece of pieces) {
      decoder ??= decoderFor(piece);
      const chunk = decoder.decode(piece, { stream: true });
      unmarked = chunk.includes('<') ? 0 : unmarked + chunk.length;
      if (unmarked > longestText) throw wrong('has a text that is too long');
      parser.write(chunk);
      yield* taken();
    }
    parser.write((decoder ?? decoderFor(new Uint8Array())).decode());
    parser.close();
  } catch (error) {
    if (error instanceof Failure || !(error instanceof TypeError)) throw error;
    throw wrong('is not text in its encoding');
  }
  yield* taken();
}

function decoderFor([a, b]: Uint8Array): TextDecoder {
  const encoding = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true });
}

function bare(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The attribute of a name without regard to its prefix: `r:id` of `id`. */
export function attributeOf(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];
}
