/**
 * Items in the order in which they came, in bounded memory: a few are kept as they are, more go to a temporary file
 * that has no name, so that nothing of it is left when the process ends in any way.
 */
import { closeSync, readSync } from 'node:fs';
import { parseJson, stringifyJson } from './json.ts';
import { temporaryFile, writeAll } from './temporary-file.ts';

/** What can be read any number of times; an array is one. */
export interface Rows<T> extends Iterable<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

/** Rows that grow; an array is one. */
export interface GrowingRows<T> extends Rows<T> {
  push(item: T): void;
}

interface Codec<T> {
  encode(item: T): string;
  decode(text: string): T;
}

/** Of items without numbers that a double would change. */
export const plainCodec = { encode: JSON.stringify, decode: JSON.parse };

/** So many items stay in memory, where it is not said, and so many bytes are written and read at once. */
const fewItems = 2000;
const blockBytes = 1 << 16;

export class Spool<T> implements GrowingRows<T> {
  private items: T[] | undefined = [];
  private file: number | undefined;
  /** Where each item ends. */
  private ends = new Float64Array(fewItems * 2);
  private count = 0;
  private written = 0;
  private pending: string[] = [];
  private pendingBytes = 0;
  /** The part of the file that was read last. */
  private window: Buffer | undefined;
  private windowStart = 0;
  private windowEnd = 0;

  /** @param few items that stay in memory */
  constructor(
    private readonly codec: Codec<T> = { encode: stringifyJson, decode: (text) => parseJson(text) as T },
    private readonly few = fewItems,
  ) {}

  get length(): number {
    return this.items?.length ?? this.count;
  }

  push(item: T): void {
    if (this.items && this.items.length < this.few) {
      this.items.push(item);
      return;
    }
    const kept = this.items ?? [];
    this.items = undefined;
    for (const one of kept) this.append(one);
    this.append(item);
  }

  at(index: number): T | undefined {
    if (this.items) return this.items[index];
    if (index < 0 || index >= this.count) return undefined;
    const start = index === 0 ? 0 : (this.ends[index - 1] as number);
    return this.codec.decode(this.text(start, this.ends[index] as number));
  }

  *[Symbol.iterator](): Generator<T> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index) as T;
  }

  /** Its items are gone. */
  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.items = [];
  }

  private append(item: T): void {
    const text = this.codec.encode(item);
    const bytes = Buffer.byteLength(text);
    if (this.count === this.ends.length) {
      const more = new Float64Array(this.count * 2);
      more.set(this.ends);
      this.ends = more;
    }
    this.ends[this.count] = this.written + this.pendingBytes + bytes;
    this.count += 1;
    this.pending.push(text);
    this.pendingBytes += bytes;
    if (this.pendingBytes >= blockBytes) this.flush();
  }

  private flush(): void {
    if (this.pendingBytes === 0) return;
    const bytes = Buffer.from(this.pending.join(''));
    this.file ??= temporaryFile();
    writeAll(this.file, bytes, this.written);
    this.written += bytes.length;
    this.pending = [];
    this.pendingBytes = 0;
  }

  private text(start: number, end: number): string {
    if (end > this.written) this.flush();
    if (end - start > blockBytes) return this.read(Buffer.allocUnsafe(end - start), start).toString();
    this.window ??= Buffer.allocUnsafe(blockBytes);
    if (start < this.windowStart || end > this.windowEnd) {
      this.windowStart = start;
      this.windowEnd = start + this.read(this.window, start).length;
    }
    return this.window.toString('utf8', start - this.windowStart, end - this.windowStart);
  }

  private read(into: Buffer, start: number): Buffer {
    let length = 0;
    for (let read = -1; read !== 0 && length < into.length; length += read) {
      read = readSync(this.file as number, into, length, into.length - length, start + length);
    }
    return into.subarray(0, length);
  }
}

/** The same rows, each turned into another when it is read. */
export function mapRows<A, B>(rows: Rows<A>, turn: (row: A, index: number) => B): Rows<B> {
  return {
    get length() {
      return rows.length;
    },
    at(index) {
      const row = rows.at(index);
      return row === undefined ? undefined : turn(row, index);
    },
    *[Symbol.iterator]() {
      let index = 0;
      for (const row of rows) {
        yield turn(row, index);
        index += 1;
      }
    },
  };
}
