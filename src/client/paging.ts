/** Reads pages by cursor or by offset, some of them ahead, and checks that none is missing. */
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
  /** The array of the body that the caller looks at; default: the one that the contract names. */
  rowsAt?: readonly string[] | undefined;
  /** An array of the body that the caller does not look at where the other one has rows: it is then empty. */
  without?: { array: string; where: string } | undefined;
  /** The progress of earlier calls of the same read. */
  progress?: Progress | undefined;
  /** Called after each page with its parsed body and where the next page starts. */
  onPage?:
    | ((page: { body: unknown; next: { offset?: number; cursor?: string } | undefined; total?: number }) => void)
    | undefined;
}

/** The options of both kinds of paging. */
interface PagedRead {
  /** The number of rows of one request. */
  size: number;
  /** At most this many rows in all. */
  limit: number;
  /** The failure of an answer that breaks the rules of paging. */
  broken(says: string): Failure;
  /** No page is yielded after it has aborted, although several may have arrived. */
  signal?: AbortSignal | undefined;
}

interface CursorOptions extends PagedRead {
  cursor: string | undefined;
  rowsOf(body: unknown): unknown[];
  onPage?: ((body: unknown, next: string | undefined) => void) | undefined;
  /** The progress of earlier calls of the same read; default: none. */
  progress?: Progress | undefined;
}

/** Gives the body of a page. */
export type FetchCursor = (
  page: { cursor?: string | undefined; limit: number },
  signal: AbortSignal,
) => Promise<unknown>;

/** The bodies of the pages, the next one on its way while one is being used. */
export async function* cursorPages(fetch: FetchCursor, options: CursorOptions): AsyncGenerator<unknown> {
  const { rowsOf, broken, progress = new Progress() } = options;
  const stop = new AbortController();
  const signal = eitherOf(stop.signal, options.signal);
  let cursor = options.cursor;
  let left = options.limit;
  const request = (at: string | undefined): Promise<unknown> => {
    const page = fetch({ cursor: at, limit: Math.min(options.size, left) }, signal);
    page.catch(() => undefined);
    return page;
  };
  try {
    for (let page = request(cursor); ; ) {
      progress.request(cursor);
      const body = await page.then(unlessAborted(options.signal)).catch((error: unknown) => {
        throw continueAt(error, { cursor }, options.cursor);
      });
      const rows = rowsOf(body);
      // Repeated rows are left out.
      const repeats = progress.repeats(rows);
      if (repeats !== undefined) throw broken(repeats);
      left -= rows.length;
      const breach = left > 0 ? progress.breach(body) : undefined;
      cursor = nextCursor(body);
      const isLast = cursor === undefined || left <= 0 || breach !== undefined;
      if (!isLast) page = request(cursor);
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

/** Lets the next request reach the wire before the page is used, which takes time. */
const sent = () => new Promise(setImmediate);

/** Aborts when one of the two does. One serves all pages of a read, because its listeners live long. */
export function eitherOf(internal: AbortSignal, external: AbortSignal | undefined): AbortSignal {
  return external ? AbortSignal.any([internal, external]) : internal;
}

/** Passes a page on. @throws interrupted */
function unlessAborted<T>(signal: AbortSignal | undefined): (page: T) => T {
  return (page) => {
    if (signal?.aborted) throw new Failure('interrupted', 'interrupted while pages were read');
    return page;
  };
}

/** The number of pages in a row without a new row after which a read fails. */
const maxIdlePages = 20;

/** Checks that pages lead to an end and repeat no rows. */
export class Progress {
  private readonly cursors = new Set<string>();
  private readonly pages = new Set<string>();
  private idle = 0;

  /** Takes note of a requested page. */
  request(cursor: string | undefined): void {
    if (cursor !== undefined) this.cursors.add(cursor);
  }

  /** Why the rows of a page cannot be used. */
  repeats(rows: readonly unknown[]): string | undefined {
    this.idle = rows.length === 0 ? this.idle + 1 : 0;
    if (this.idle > maxIdlePages) return `${this.idle} pages in a row hold no rows, and name a next one`;
    if (rows.length === 0) return undefined;
    // Pages that share their length, first and last row hold the same rows.
    const print = JSON.stringify([rows.length, rows[0], rows.at(-1)]);
    if (this.pages.has(print)) return 'a page repeats the rows of an earlier one';
    this.pages.add(print);
    return undefined;
  }

  /** Why the pages cannot be followed to their end, which would make an incomplete result look complete. */
  breach(body: unknown): string | undefined {
    const { nextCursor: value, truncated } = (body ?? {}) as { nextCursor?: unknown; truncated?: unknown };
    const cursor = nextCursor(body);
    if (cursor !== undefined) return this.cursors.has(cursor) ? 'the server repeated a cursor' : undefined;
    if (value !== undefined && value !== null && value !== '') return 'nextCursor is not a text';
    // docs/api.md, "Series rules" 4.
    return truncated === true ? 'the answer is truncated, but carries no nextCursor' : undefined;
  }
}

/** The array under the keys of a body; without one there are no rows. */
export function rowsAt(body: unknown, path: readonly string[]): unknown[] {
  const rows = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
  return Array.isArray(rows) ? rows : [];
}

/** The cursor of the next page; undefined after the last one. */
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
export function missingRows(headers: Headers, body: unknown, data: unknown): string | undefined {
  const total = totalOf(headers);
  if (total !== undefined && Array.isArray(data) && total > data.length) return totalMismatch(total, data.length);
  const truncated = typeof body === 'object' && body !== null && 'truncated' in body && body.truncated === true;
  if (!truncated && nextCursor(body) === undefined) return undefined;
  return 'the answer is a part of several, but this endpoint has no pages';
}

/** The message about an answer that is shorter than its total. */
function totalMismatch(total: number, came: number): string {
  return `the server announced ${total} rows, but ${came} came`;
}

/** The failure of a page after the first, with where to continue. */
function continueAt(
  error: unknown,
  at: { offset?: number; cursor?: string | undefined },
  start: number | string | undefined,
) {
  const position = at.offset ?? at.cursor;
  if (!(error instanceof Failure) || position === undefined || position === start) return error;
  return error.with({ resume: at });
}

interface OffsetPage {
  rows: unknown[];
  /** The exact number of rows, where the answer has it. */
  total?: number | undefined;
  bytes?: number | undefined;
}

interface OffsetOptions extends PagedRead {
  /** The first row's offset. */
  offset: number;
  /** Whether a total may be requested. */
  withTotal: boolean;
  onPage?: ((next: number | undefined, total: number | undefined, rows: unknown[]) => void) | undefined;
  /** Called when the total differs from that of an earlier page. */
  onMoved?: ((before: number, now: number) => void) | undefined;
}

export type FetchOffset = (
  page: { offset: number; limit: number; withTotal: boolean },
  signal: AbortSignal,
) => Promise<OffsetPage>;

interface Flight {
  offset: number;
  limit: number;
  withTotal: boolean;
  page: Promise<OffsetPage>;
}

/** More requests in flight gain nothing. */
const inFlight = 8;
/** Bytes of a page. Of longer rows fewer are requested: several pages are in memory at once. */
const longPage = 4 * 1024 * 1024;

/**
 * The pages from `offset` on, rows in order and each id once. A server may end any page early, and its total may be
 * wrong: pages are read while they are full, and what was read must explain the newest total. Without a total the end
 * is an empty page.
 */
export async function* offsetPages(fetch: FetchOffset, options: OffsetOptions): AsyncGenerator<unknown[]> {
  const flights: Flight[] = [];
  const stop = new AbortController();
  const signal = eitherOf(stop.signal, options.signal);
  const tally = new Tally(options);
  let { size } = options;
  let { offset: next, limit: left } = options;
  let window = 1;
  let end = Number.POSITIVE_INFINITY;
  let isBelieved = true;

  const launch = (offset: number, limit: number, edge: 'first' | 'last', ask = false) => {
    // The total is counted by the server for each page that asks: the first and the last one do, all after a wrong one.
    const withTotal = options.withTotal && (ask || !isBelieved || offset === options.offset || offset + limit >= end);
    const page = fetch({ offset, limit, withTotal }, signal);
    page.catch(() => undefined);
    const flight = { offset, limit, withTotal, page };
    if (edge === 'first') flights.unshift(flight);
    else flights.push(flight);
  };

  try {
    while (left > 0) {
      let planned = flights.reduce((sum, flight) => sum + flight.limit, 0);
      while (flights.length < window && next < end && planned < left) {
        const limit = Math.min(size, left - planned);
        launch(next, limit, 'last');
        next += limit;
        planned += limit;
      }
      const flight = flights.shift();
      if (!flight) break;
      const {
        rows,
        total,
        bytes = 0,
      } = await flight.page.then(unlessAborted(options.signal)).catch((error: unknown) => {
        throw continueAt(error, { offset: flight.offset }, options.offset);
      });
      const after = flight.offset + rows.length;
      if (total !== undefined) {
        tally.announce(total);
        if (isBelieved) end = total;
      }
      // More rows than there can be: from now on the end is an empty page.
      if (after > end) {
        isBelieved = false;
        end = Number.POSITIVE_INFINITY;
      }
      const isFull = rows.length >= flight.limit;
      if (bytes > longPage) size = Math.min(size, Math.max(1, Math.floor((rows.length * longPage) / bytes)));
      window = end < Number.POSITIVE_INFINITY ? inFlight : isFull ? Math.min(inFlight, window * 2) : 1;
      const fresh = tally.fresh(rows).slice(0, left);
      left -= fresh.length;
      let ended = false;
      if (rows.length === 0) {
        // Announced rows that are missing may have been deleted: the newest total shows it.
        if (end < Number.POSITIVE_INFINITY && flight.offset < end && options.withTotal && !flight.withTotal) {
          launch(flight.offset, flight.limit, 'first', true);
          continue;
        }
        // New rows do not explain an empty page whose own total is beyond it.
        if (total !== undefined && flight.offset < total) tally.contradicted = true;
        ended = true;
      } else if (!isFull && after < end) {
        // Rows that this page leaves out precede all pages in flight.
        if (flights.length === 0) next = after;
        else launch(after, flight.limit - rows.length, 'first');
      } else if (flights.length === 0 && isFull && left > 0) {
        // A total may be too small: full pages are followed by another one.
        next = Math.max(next, after);
        if (next >= end) launch(next, Math.min(size, left), 'last');
      }
      options.onPage?.(after < end && rows.length > 0 ? after : undefined, tally.newest, rows);
      await new Promise(setImmediate);
      if (fresh.length > 0 || flight.offset === options.offset) yield fresh;
      if (ended) break;
    }
    if (left > 0) tally.explain();
  } finally {
    stop.abort();
  }
}

/** Compares the rows that were read, each of which has an id, with the total that the server announced. */
class Tally {
  newest: number | undefined;
  /** An empty page had a total beyond it. */
  contradicted = false;
  private first: number | undefined;
  private read = 0;
  private repeats = 0;
  private readonly ids = new Set<unknown>();

  constructor(private readonly options: OffsetOptions) {}

  announce(total: number): void {
    if (this.newest !== undefined && total !== this.newest) this.options.onMoved?.(this.newest, total);
    this.first ??= total;
    this.newest = total;
  }

  /** The rows that did not come before. @throws when pages do not lead to an end */
  fresh(rows: unknown[]): unknown[] {
    const fresh = rows.filter((row) => this.isNew((row as { id?: unknown }).id));
    this.read += fresh.length;
    this.repeats = fresh.length > 0 || rows.length === 0 ? 0 : this.repeats + 1;
    if (this.repeats > maxIdlePages) throw this.options.broken('page after page repeats rows that came before');
    return fresh;
  }

  private isNew(id: unknown): boolean {
    const { size } = this.ids;
    return this.ids.add(id).size > size;
  }

  /** Rows that were added or deleted during the read explain a moved total. @throws for other missing rows */
  explain(): void {
    if (this.newest === undefined || this.first === undefined) return;
    const expected = Math.min(this.first, this.newest) - this.options.offset;
    if (this.read >= expected && !(this.contradicted && this.options.offset + this.read < this.newest)) return;
    throw this.options.broken(totalMismatch(this.newest, this.options.offset + this.read));
  }
}
