/** The XML files in a workbook's zip file, read as streams. */

import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { crc32 } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { Failure, usage } from './errors.ts';

export interface Bytes {
  readonly size: number;
  read(at: number, length: number): Buffer;
}

export interface Zip {
  has(name: string): boolean;
  /** @throws usage for a damaged file or a zip bomb */
  open(name: string): AsyncGenerator<Uint8Array>;
}

const pieceLength = 1 << 16;
const maxEntries = 10_000;
/** The limits of an entry: its size, and the compression of one that is larger than `small`. */
const maxBytes = 2 ** 31;
const small = 2 ** 26;
const maxCompression = 500;

class BytesReader extends RandomAccessReader {
  constructor(private readonly bytes: Bytes) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end), { objectMode: false });
  }

  private *pieces(start: number, end: number): Generator<Buffer> {
    for (let at = start; at < end; at += pieceLength) yield this.bytes.read(at, Math.min(pieceLength, end - at));
  }
}

/** @throws usage for bytes that are not a zip file */
export async function openZip(bytes: Bytes, name: string): Promise<Zip> {
  const entries = new Map<string, Entry>();
  const options = { autoClose: false, lazyEntries: true, decodeStrings: false };
  const file = await fromRandomAccessReaderPromise(new BytesReader(bytes), bytes.size, options).catch((error) => {
    throw failureOf(error, name, 'it is not a whole zip file');
  });
  if (file.entryCount > maxEntries) {
    throw usage(`${name} cannot be read: it is a zip file of more than ${maxEntries} files`);
  }
  try {
    for await (const entry of file.eachEntry()) entries.set(pathOf(entry), entry);
  } catch (error) {
    throw failureOf(error, name, 'the directory of the zip file is incomplete');
  }
  return {
    has: (entry) => entries.has(entry),
    async *open(inner) {
      const entry = entries.get(inner);
      if (entry === undefined) throw damagedFile(name, `it has no ${inner}`);
      refuseEntry(entry, name, inner);
      try {
        yield* unpack(file, entry);
      } catch (error) {
        throw failureOf(error, name, `${inner} is not what was packed`);
      }
    },
  };
}

function pathOf(entry: Entry): string {
  return entry.fileNameRaw.toString('utf8').replaceAll('\\', '/').replace(/^\//, '');
}

function refuseEntry(entry: Entry, name: string, inner: string): void {
  if (entry.isEncrypted()) throw usage(`${name} cannot be read: it is encrypted`, 'save it without a password');
  const { uncompressedSize: size, compressedSize: packed } = entry;
  if (size > maxBytes || (size > small && size > packed * maxCompression)) {
    throw usage(
      `${name} cannot be read: ${inner} has ${size} bytes, packed into ${packed}`,
      'a workbook of this size is not read; save the sheet as CSV',
    );
  }
}

/** The stream ends with an error where the entry is longer or shorter than the directory says. */
async function* unpack(file: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let sum = 0;
  for await (const piece of await file.openReadStreamPromise(entry)) {
    sum = crc32(piece, sum);
    yield piece;
  }
  if (sum !== entry.crc32) throw new Error('the checksum differs');
}

/** Errors of the system, as of a disk, have a code that is not of the unpacking. */
function failureOf(error: unknown, name: string, why: string): unknown {
  if (error instanceof Failure) return error;
  const { code = 'Z_' } = error as NodeJS.ErrnoException;
  return code.startsWith('Z_') ? damagedFile(name, why) : error;
}

export function damagedFile(name: string, why: string): Failure {
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
const maxTextLength = 1 << 24;

/** Parses XML; after every piece it gives what `taken` has collected. @throws usage, also for a document type */
export async function* readXml<T>(
  pieces: AsyncIterable<Uint8Array>,
  { open, close, text }: XmlEvents,
  { name, part, taken }: { name: string; part: string; taken(): Iterable<T> },
): AsyncGenerator<T> {
  const parser = new SaxesParser({ position: false, xmlns: false });
  const wrong = (why: string) => damagedFile(name, `${part} ${why}`);
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
      if (unmarked > maxTextLength) throw wrong('has a text that is too long');
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
