/** Pages found by cursor, the next one on its way while one is being used; and where a read continues. */
import { totalCountHeader } from '../contract/operation.ts';
import { Failure } from '../core/errors.ts';
import type { Headers } from '../core/wire.ts';

interface CursorOptions {
  cursor: string | undefined;
  size: number;
  limit: number;
  rowsOf(body: unknown): unknown[];
  onPage?: ((body: unknown, next: string | undefined) => void) | undefined;
  /** The failure of an answer that breaks the rules of paging. */
  broken(says: string): Failure;
  /** No page is given after it has aborted, although several may have arrived. */
  signal?: AbortSignal | undefined;
  /** What the pages before held, where several reads are parts of one; default: nothing. */
  progress?: Progress | undefined;
}

type FetchCursor = (page: { cursor?: string | undefined; limit: number }, signal: AbortSignal) => Promise<unknown>;

/** The bodies of the pages, the next one on its way while one is being used. */
export async function* cursorPages(fetch: FetchCursor, options: CursorOptions): AsyncGenerator<unknown> {
  const { rowsOf, broken, progress = new Progress() } = options;
  const stop = new AbortController();
  const signal = eitherOf(stop.signal, options.signal);
  let cursor = options.cursor;
  let left = options.limit;
  const launch = () => {
    const page = fetch({ cursor, limit: Math.min(options.size, left) }, signal);
    page.catch(() => undefined);
    return page;
  };
  try {
    let page: Promise<unknown> | undefined = launch();
    while (page) {
      const body: unknown = await page.then(unlessAborted(options.signal)).catch((error: unknown) => {
        throw continueAt(error, { cursor }, options.cursor);
      });
      const rows = rowsOf(body);
      // Rows that came before are not given a second time.
      const repeats = progress.repeats(rows);
      if (repeats !== undefined) throw broken(repeats);
      progress.asked(cursor);
      left -= rows.length;
      const breach = left > 0 ? progress.breach(body) : undefined;
      cursor = nextCursor(body);
      page = cursor !== undefined && left > 0 && breach === undefined ? launch() : undefined;
      options.onPage?.(body, cursor);
      await new Promise(setImmediate);
      yield body;
      if (breach !== undefined) throw broken(breach);
    }
  } finally {
    stop.abort();
  }
}

/** Aborts when one of the two does. A read has one for all of its pages: each that is made lives for long. */
export function eitherOf(own: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given ? AbortSignal.any([own, given]) : own;
}

/** Gives a page on. @throws interrupted */
export function unlessAborted<T>(signal: AbortSignal | undefined): (page: T) => T {
  return (page) => {
    if (signal?.aborted) throw new Failure('interrupted', 'interrupted while pages were read');
    return page;
  };
}

/** Pages without a row, or with rows that came before, after which a server is not followed any further. */
export const mostIdle = 20;

/** Whether pages lead to an end: without it a server could be followed for ever, and its rows be given twice. */
export class Progress {
  private readonly cursors = new Set<string>();
  private readonly pages = new Set<string>();
  private idle = 0;

  asked(cursor: string | undefined): void {
    if (cursor !== undefined) this.cursors.add(detached(cursor));
  }

  /** Why the rows of a page cannot be used. */
  repeats(rows: readonly unknown[]): string | undefined {
    this.idle = rows.length === 0 ? this.idle + 1 : 0;
    if (this.idle > mostIdle) return `${this.idle} pages in a row hold no rows, and name a next one`;
    if (rows.length === 0) return undefined;
    const print = fingerprint(rows);
    if (this.pages.has(print)) return 'a page repeats the rows of an earlier one';
    this.pages.add(print);
    return undefined;
  }

  /** Why the pages cannot be followed to their end, which would make an incomplete result look complete. */
  breach(body: unknown): string | undefined {
    const { nextCursor: given, truncated } = (body ?? {}) as { nextCursor?: unknown; truncated?: unknown };
    const cursor = nextCursor(body);
    if (cursor !== undefined) return this.cursors.has(cursor) ? 'the server repeated a cursor' : undefined;
    if (given !== undefined && given !== null && given !== '') return 'nextCursor is not a text';
    // docs/api.md, "Series rules" 4.
    return truncated === true ? 'the answer is truncated, but carries no nextCursor' : undefined;
  }
}

/** Two numbers for the first and the last row: pages that share them and their length hold the same rows. */
export function fingerprint(rows: readonly unknown[]): string {
  const text = `${JSON.stringify(rows[0])}${JSON.stringify(rows.at(-1))}`;
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + at;
  }
  return `${rows.length} ${a >>> 0} ${b >>> 0}`;
}

/** The array under the keys of a body; without one there are no rows. */
export function rowsAt(body: unknown, path: readonly string[]): unknown[] {
  const rows = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
  return Array.isArray(rows) ? rows : [];
}

function nextCursor(body: unknown): string | undefined {
  const { nextCursor: next } = (body ?? {}) as { nextCursor?: unknown };
  return typeof next === 'string' && next !== '' ? next : undefined;
}

/** The total that a response announces. Undefined when it is not a number. */
export function totalOf(headers: Headers): number | undefined {
  const text = headers[totalCountHeader]?.trim();
  const total = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(total) ? total : undefined;
}

/** Why a response that has no pages is not all there is: it announces more rows, or a next page. */
export function unexplained(headers: Headers, body: unknown, data: unknown): string | undefined {
  const total = totalOf(headers);
  if (total !== undefined && Array.isArray(data) && total > data.length) return announced(total, data.length);
  const truncated = typeof body === 'object' && body !== null && 'truncated' in body && body.truncated === true;
  if (!truncated && nextCursor(body) === undefined) return undefined;
  return 'the answer is a part of several, but this endpoint has no pages';
}

/** What a response says that is shorter than its total. */
export function announced(total: number, came: number): string {
  return `the server announced ${total} rows, but ${came} came`;
}

/** The failure of a page after the first, with where to continue. */
export function continueAt(
  error: unknown,
  at: { offset?: number; cursor?: string | undefined },
  start: number | string | undefined,
) {
  const place = at.offset ?? at.cursor;
  if (!(error instanceof Failure) || place === undefined || place === start) return error;
  return error.with({ resume: at });
}

/** A string of its own. One that was cut out of a page would keep the whole page in memory. */
export function detached(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/**
 * The value of a JSON text whose top-level array `name` is left unread, and so is empty; the complete value when the text
 * is not of the plain form for which that is certain to change nothing else.
 * @throws what `parse` throws
 */
export function parseWithout(text: Uint8Array, name: string, parse: (text: Uint8Array) => unknown): unknown {
  const short = cut(Buffer.from(text.buffer, text.byteOffset, text.byteLength), `"${name}":[`);
  if (short !== undefined) {
    try {
      const value = parse(short);
      if (isEmptied(value, name)) return value;
    } catch {
      // What was cut off did not end where it seemed to.
    }
  }
  return parse(text);
}

/**
 * The text without the content of the brackets, which has no brackets itself. A bracket in a string would leave a
 * string open, and so no JSON, and so would an array within leave a bracket; quotes within strings are always escaped,
 * hence `mark` cannot begin within one either. In UTF-8 no other character holds the bytes of these.
 */
function cut(text: Buffer, mark: string): Buffer | undefined {
  const at = text.indexOf(mark);
  if (at < 0) return undefined;
  const open = at + mark.length;
  const close = text.indexOf(']', open);
  if (close < 0 || text.includes(mark, close)) return undefined;
  return Buffer.concat([text.subarray(0, open), text.subarray(close)]);
}

function isEmptied(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
  const found: unknown = Reflect.get(value, name);
  return Array.isArray(found) && found.length === 0;
}

/** Whether the body has no rows under the name. */
export function isWithoutRows(body: unknown, name: string): boolean {
  const rows: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  return !Array.isArray(rows) || rows.length === 0;
}
