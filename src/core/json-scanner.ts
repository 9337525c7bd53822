/** Scans a JSON text in UTF-8 as its bytes arrive, before it is parsed. */
import { mostLevels } from './limits.ts';

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [dot, zero, nine] = [0x2e, 0x30, 0x39];

/** The byte order mark of UTF-8, which may precede the text. */
const mark = [0xef, 0xbb, 0xbf];

const kinds = { none: 0, text: 1, open: 2, close: 3, number: 4, separator: 5 } as const;
const kindOf = new Uint8Array(256);
/** Bytes in memory of the value that a byte opens or separates, as measured. Keys are shared by objects of one form. */
const weightOf = new Int8Array(256);
function define(bytes: string, kind: number, weight: number): void {
  for (const byte of Buffer.from(bytes)) {
    kindOf[byte] = kind;
    weightOf[byte] = weight;
  }
}
define('"', kinds.text, 24);
define('{', kinds.open, 56);
define('[', kinds.open, 48);
define(']}', kinds.close, 0);
define(',', kinds.separator, 16);
define(':', kinds.separator, -24);
define('-0123456789', kinds.number, 0);

/** No value that the API stores is longer; a longer text is copied when it is decoded and when it is parsed. */
const longText = 1024 * 1024;
const longTextWeight = 3;

/** Bytes of a key that are compared: array names are shorter. */
const longestKey = 200;

/** Callbacks for the arrays of a top-level object. `at` is an index in the piece that is being scanned. */
interface ArrayEvents {
  /** @param at after the bracket */
  open(name: string, at: number): void;
  /** @param at of the comma between two items */
  separator(at: number): void;
  /** @param at of the bracket */
  close(at: number): void;
}

export class JsonScanner {
  /** Whether `JSON.parse` keeps every digit, for a text that is scanned in one piece. */
  isExact = true;
  /** Whether arrays and objects are nested deeper than data is. */
  isTooDeep = false;
  /** The first byte that is not blank: in HTML, quotes and brackets have another meaning. */
  private first: number | undefined;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  private textLength = 0;
  private key = '';
  private isInArray = false;
  private weight = 0;
  private copies = 0;

  constructor(private readonly events?: ArrayEvents) {}

  /** Bytes that the values take in memory, beside ordinary texts: `[{},{},…]` takes twenty times its length. */
  get memory(): number {
    return this.isData ? this.weight + this.copies : 0;
  }

  private get isData(): boolean {
    return kindOf[this.first ?? 0] === kinds.open;
  }

  write(bytes: Uint8Array): void {
    this.first ??= bytes.find((byte) => byte > 0x20 && !mark.includes(byte));
    const deepest = this.isData ? mostLevels : Number.POSITIVE_INFINITY;
    let at = this.isInText ? this.skipText(bytes, 0) + 1 : 0;
    let { depth, weight } = this;
    const { length } = bytes;
    for (; at < length; at += 1) {
      const byte = bytes[at] as number;
      const kind = kindOf[byte];
      if (kind === kinds.none) continue;
      weight += weightOf[byte] as number;
      if (kind === kinds.text) {
        // Most texts are short, end in this piece, and are no keys of the top level.
        const end = endOfText(bytes, at + 1);
        if (end < length && end - at <= longText && depth !== 1) {
          at = end;
          continue;
        }
        this.textLength = 0;
        this.key = '';
        this.depth = depth;
        at = this.skipText(bytes, at + 1);
      } else if (kind === kinds.open) {
        depth += 1;
        if (depth > deepest) this.isTooDeep = true;
        if (depth === 2 && this.events && byte === 0x5b && this.first === 0x7b) {
          this.isInArray = true;
          this.events.open(this.key, at + 1);
        }
      } else if (kind === kinds.close) {
        depth -= 1;
        if (depth === 1 && this.isInArray) {
          this.isInArray = false;
          this.events?.close(at);
        }
      } else if (kind === kinds.number) {
        const end = endOfNumber(bytes, at);
        if (this.isExact && isChanged(bytes, at, end)) this.isExact = false;
        at = end - 1;
      } else if (depth === 2 && this.isInArray && byte !== colon) this.events?.separator(at);
    }
    this.depth = depth;
    this.weight = weight;
  }

  /** The index of the closing quote, or the end of the piece. */
  private skipText(bytes: Uint8Array, start: number): number {
    const at = endOfText(bytes, this.isEscaped ? start + 1 : start);
    const end = Math.min(at, bytes.length);
    this.isInText = at >= bytes.length;
    this.isEscaped = at > bytes.length;
    if (this.events && this.depth === 1) this.key += latin1(bytes, start, Math.min(end, start + longestKey));
    const excess = this.textLength + end - start - longText;
    this.textLength += end - start;
    if (excess > 0) this.copies += longTextWeight * Math.min(excess, end - start);
    return end;
  }
}

/** Scans a text in one piece. */
export function scanJson(bytes: Uint8Array): JsonScanner {
  const scanner = new JsonScanner();
  scanner.write(bytes);
  return scanner;
}

/** The index of the closing quote; the length, or one more after a backslash, where the text goes on. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

function endOfNumber(json: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < json.length && isOfNumber(json[at] as number)) at += 1;
  return at;
}

function isOfNumber(byte: number): boolean {
  return (byte >= zero && byte <= nine) || byte === dot || (byte | 0x20) === 0x65 || byte === 0x2b || byte === 0x2d;
}

/** Numbers of at most so many digits and decimals are exact doubles. */
const mostDigits = 15;
const mostDecimals = 6;

/** Whether a double prints other digits than the literal. Short literals, which most are, need no parsing. */
function isChanged(json: Uint8Array, from: number, end: number): boolean {
  const first = json[from] === 0x2d ? from + 1 : from;
  let point = -1;
  for (let at = first; at < end; at += 1) {
    const byte = json[at] as number;
    if (byte >= zero && byte <= nine) continue;
    if (byte !== dot || point >= 0) return isPrintedOtherwise(json, from, end);
    point = at;
  }
  const isShort = end - first <= mostDigits + (point < 0 ? 0 : 1);
  const isPlain =
    point < 0 ? first === from || json[first] !== zero : end - point - 1 <= mostDecimals && json[end - 1] !== zero;
  return !(isShort && isPlain) && isPrintedOtherwise(json, from, end);
}

function isPrintedOtherwise(json: Uint8Array, from: number, end: number): boolean {
  const literal = latin1(json, from, end);
  return String(Number(literal)) !== literal;
}

function latin1(bytes: Uint8Array, from: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('latin1');
}

/** The byte ranges of the arrays in a top-level object, by name. Duplicate names are left out. */
export function arraysIn(json: Uint8Array): Map<string, { start: number; end: number }> {
  const arrays = new Map<string, { start: number; end: number }>();
  const names: string[] = [];
  let start = 0;
  const scanner = new JsonScanner({
    open(name, at) {
      names.push(name);
      start = at;
    },
    separator() {},
    close: (end) => arrays.set(names.at(-1) ?? '', { start, end }),
  });
  scanner.write(json);
  for (const [index, name] of names.entries()) if (names.indexOf(name) !== index) arrays.delete(name);
  return arrays;
}

/**
 * Splits a JSON text, as it arrives, into the items of the named arrays of its top-level object and the rest, where these
 * arrays are empty. The pieces are not validated.
 */
export class JsonItems {
  private readonly rest: Uint8Array[] = [];
  /** Pieces of the current item, or of the rest. */
  private gathered = this.rest;
  private readonly scanner: JsonScanner;
  private name: string | undefined;
  private isFirst = true;
  private piece: Uint8Array = new Uint8Array();
  private start = 0;

  constructor(
    names: readonly string[],
    private readonly take: (item: string, name: string) => void,
  ) {
    this.scanner = new JsonScanner({
      open: (name, at) => {
        if (!names.includes(name)) return;
        this.gather(at);
        this.gathered = [];
        this.name = name;
        this.isFirst = true;
      },
      separator: (at) => {
        if (this.name === undefined) return;
        this.gather(at);
        this.start = at + 1;
        this.endItem(this.name);
      },
      close: (at) => {
        if (this.name === undefined) return;
        this.gather(at);
        const isNone = this.isFirst && textOf(this.gathered).trim() === '';
        if (!isNone) this.endItem(this.name);
        this.name = undefined;
        this.gathered = this.rest;
      },
    });
  }

  write(piece: Uint8Array): void {
    this.piece = piece;
    this.start = 0;
    this.scanner.write(piece);
    this.gather(piece.length);
  }

  left(): string {
    return textOf(this.name === undefined ? this.rest : [...this.rest, ...this.gathered]);
  }

  private gather(end: number): void {
    this.gathered.push(this.piece.subarray(this.start, end));
    this.start = end;
  }

  private endItem(name: string): void {
    this.take(textOf(this.gathered), name);
    this.gathered = [];
    this.isFirst = false;
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString('utf8');
}
