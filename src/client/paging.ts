/** Pages found by cursor, the next one on its way while one is being used; and where a read continues. */
import { totalCountHeader } from '../contract/operation.ts';
import { Failure } from '../core/errors.ts';
import type { Headers } from '../core/wire.ts';

export interface PageOptions {
  /** At most this many rows in all; default: all. */
  limit?: number | undefined;
  /** The API's own `limit`; default: the largest that the contract allows. */
  pageSize?: number | undefined;
  /** Start here instead of at the first row. */
  offset?: number | undefined;
  cursor?: string | undefined;
  /** An array of the body that the caller does not look at: it may be left unread, and is then empty. */
  without?: string | undefined;
  /** The array that the caller looks at: where it is empty, the body is read completely. */
  read?: string | undefined;
  /** Where one read takes several calls: what the pages of all of them held. */
  progress?: Progress | undefined;
  /** Called after each page with its parsed body and where the next page starts. */
  onPage?:
    | ((page: { body: unknown; next: { offset?: number; cursor?: string } | undefined; total?: number }) => void)
    | undefined;
}

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

/** A page whose bytes are here. */
export interface Arrived {
  /** Where the next page starts, where that is known before the body is read. */
  next?(): string | undefined;
  read(): unknown;
}

/** A page that was asked for. */
interface Asked {
  cursor: string | undefined;
  page: Promise<Arrived>;
}

/** A page that was read, and the next one if that was asked for before. */
interface Read {
  body: unknown;
  next: Asked | undefined;
}

type FetchCursor = (page: { cursor?: string | undefined; limit: number }, signal: AbortSignal) => Promise<Arrived>;

/** The bodies of the pages, the next one on its way while one is being read and used. */
export async function* cursorPages(fetch: FetchCursor, options: CursorOptions): AsyncGenerator<unknown> {
  const { rowsOf, broken, progress = new Progress() } = options;
  const stop = new AbortController();
  const signal = eitherOf(stop.signal, options.signal);
  let cursor = options.cursor;
  let left = options.limit;
  const ask = (at: string | undefined): Asked => {
    const page = fetch({ cursor: at, limit: Math.min(options.size, left) }, signal);
    page.catch(() => undefined);
    return { cursor: at, page };
  };
  /** Asks for the next page first, where it is certain that it is needed, and as many rows of it. */
  const readPage = async (page: Arrived): Promise<Read> => {
    const after = left >= 2 * options.size ? page.next?.() : undefined;
    const next = after === undefined || progress.hasAsked(after) ? undefined : ask(after);
    if (next) await sent();
    return { body: await page.read(), next };
  };
  try {
    let asked = ask(cursor);
    for (;;) {
      progress.asked(cursor);
      const { body, next } = await asked.page
        .then(unlessAborted(options.signal))
        .then(readPage)
        .catch((error: unknown) => {
          throw continueAt(error, { cursor }, options.cursor);
        });
      const rows = rowsOf(body);
      // Rows that came before are not given a second time.
      const repeats = progress.repeats(rows);
      if (repeats !== undefined) throw broken(repeats);
      left -= rows.length;
      const breach = left > 0 ? progress.breach(body) : undefined;
      cursor = nextCursor(body);
      const isLast = cursor === undefined || left <= 0 || breach !== undefined;
      if (!isLast) asked = next && next.cursor === cursor ? next : ask(cursor);
      options.onPage?.(body, cursor);
      await sent();
      yield body;
      if (breach !== undefined) throw broken(breach);
      if (isLast) return;
    }
  } finally {
    stop.abort();
  }
}

/** A request is on the wire one turn after it was begun; reading and using a page keeps it, and its response, waiting. */
const sent = () => new Promise(setImmediate);

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

  hasAsked(cursor: string): boolean {
    return this.cursors.has(cursor);
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
    if (cursor !== undefined) return this.hasAsked(cursor) ? 'the server repeated a cursor' : undefined;
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

/** Where the page after one starts; undefined: it is the last. */
export function nextCursor(body: unknown): string | undefined {
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
