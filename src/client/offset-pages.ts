/** Pages found by offset, several in flight, their rows in order and each id once. */
import type { Failure } from '../core/errors.ts';
import { IdSet } from '../core/id-set.ts';
import { announced, continueAt, eitherOf, fingerprint, mostIdle, unlessAborted } from './paging.ts';

interface OffsetPage {
  rows: unknown[];
  /** The exact number of rows, where the server said it. */
  total?: number | undefined;
  /** How large the response was. */
  bytes?: number | undefined;
}

interface OffsetOptions {
  /** The first row's offset. */
  offset: number;
  /** Rows that are asked for in one request. */
  size: number;
  /** At most this many rows in all. */
  limit: number;
  /** No page is given after it has aborted, although several may have arrived. */
  signal?: AbortSignal | undefined;
  /** Whether a total may be asked for. */
  withTotal: boolean;
  onPage?: ((next: number | undefined, total: number | undefined, rows: unknown[]) => void) | undefined;
  /** The failure of an answer that breaks the rules of paging. */
  broken(says: string): Failure;
  /** The total is not what it was when the first page came. */
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
/** Bytes of a page. Where rows are long, fewer are asked for: several pages are in memory at once. */
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
  const sizes = new PageSize(options.size);
  let { offset: next, limit: left } = options;
  let window = 1;
  let end = Number.POSITIVE_INFINITY;
  let isBelieved = true;

  const launch = (offset: number, limit: number, place: 'first' | 'last', ask = false) => {
    // The total is counted by the server for each page that asks: the first and the last one do, all after a wrong one.
    const withTotal = options.withTotal && (ask || !isBelieved || offset === options.offset || offset + limit >= end);
    const page = fetch({ offset, limit, withTotal }, signal);
    page.catch(() => undefined);
    const flight = { offset, limit, withTotal, page };
    if (place === 'first') flights.unshift(flight);
    else flights.push(flight);
  };

  try {
    while (left > 0) {
      let planned = flights.reduce((sum, flight) => sum + flight.limit, 0);
      while (flights.length < window && next < end && planned < left) {
        const limit = Math.min(sizes.next, left - planned);
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
        tally.said(total);
        if (isBelieved) end = total;
      }
      // More rows than there can be: from now on the end is an empty page.
      if (after > end) {
        isBelieved = false;
        end = Number.POSITIVE_INFINITY;
      }
      const isFull = rows.length >= flight.limit;
      sizes.saw(rows.length, flight.limit, bytes);
      window = end < Number.POSITIVE_INFINITY ? inFlight : isFull ? Math.min(inFlight, window * 2) : 1;
      const fresh = tally.fresh(rows, flight.limit).slice(0, left);
      left -= fresh.length;
      let ended = false;
      if (rows.length === 0) {
        // What was announced and does not come may have been deleted since: the newest total says it.
        if (end < Number.POSITIVE_INFINITY && flight.offset < end && options.withTotal && !flight.withTotal) {
          launch(flight.offset, flight.limit, 'first', true);
          continue;
        }
        // Rows that came meanwhile do not explain an empty page: the same answer announces more.
        if (total !== undefined && flight.offset < total) tally.contradicted = true;
        ended = true;
      } else if (!isFull && after < end) {
        // What this page leaves out comes before all pages in flight.
        if (flights.length === 0) next = after;
        else launch(after, flight.limit - rows.length, 'first');
      } else if (flights.length === 0 && isFull && left > 0) {
        // A total may be too small: full pages are followed by another one.
        next = Math.max(next, after);
        if (next >= end) launch(next, Math.min(sizes.next, left), 'last');
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

/** What has been read, held against what the server announced. */
class Tally {
  newest: number | undefined;
  /** An empty page came with a total that is beyond it. */
  contradicted = false;
  private first: number | undefined;
  private read = 0;
  private repeats = 0;
  private alikes = 0;
  private readonly seen = new IdSet();
  private readonly prints = new Set<string>();

  constructor(private readonly options: OffsetOptions) {}

  said(total: number): void {
    if (this.newest !== undefined && total !== this.newest) this.options.onMoved?.(this.newest, total);
    this.first ??= total;
    this.newest = total;
  }

  /** The rows that did not come before. @throws when pages do not lead to an end */
  fresh(rows: unknown[], limit: number): unknown[] {
    const fresh = rows.filter((row) => {
      const id = idOf(row);
      return id === undefined || this.seen.add(id);
    });
    this.read += fresh.length;
    this.repeats = fresh.length > 0 || rows.length === 0 ? 0 : this.repeats + 1;
    if (this.repeats > mostIdle) throw this.options.broken('page after page repeats rows that came before');
    if (rows.length > 0 && rows.every((row) => idOf(row) === undefined)) this.withoutIds(rows, limit);
    return fresh;
  }

  /** Rows without ids cannot be told apart: whole pages are. */
  private withoutIds(rows: unknown[], limit: number): void {
    const print = fingerprint(rows);
    if (this.prints.has(print) && rows.length > 1) {
      throw this.options.broken('a page repeats the rows of an earlier one, which have no ids');
    }
    this.alikes = this.prints.has(print) ? this.alikes + 1 : 0;
    if (this.alikes > mostIdle) throw this.options.broken('page after page repeats rows that came before');
    this.prints.add(print);
    if (rows.length > limit && this.prints.size > 1) {
      throw this.options.broken(`a page of ${limit} rows holds ${rows.length}, which have no ids`);
    }
  }

  /** Rows that came or went meanwhile explain as many as the total moved. @throws where announced rows did not come */
  explain(): void {
    if (this.newest === undefined || this.first === undefined) return;
    const expected = Math.min(this.first, this.newest) - this.options.offset;
    if (this.read >= expected && !(this.contradicted && this.options.offset + this.read < this.newest)) return;
    throw this.options.broken(announced(this.newest, this.options.offset + this.read));
  }
}

function idOf(row: unknown): unknown {
  const id = typeof row === 'object' && row !== null ? (row as { id?: unknown }).id : undefined;
  return id ?? undefined;
}

/** How many rows are worth asking for: a server may cap its pages, or end one early because its rows are long. */
class PageSize {
  next: number;
  private lastShort: number | undefined;
  private isCap = false;

  constructor(private most: number) {
    this.next = most;
  }

  saw(rows: number, asked: number, bytes: number): void {
    if (rows === 0) return;
    if (bytes > longPage) this.most = Math.min(this.most, Math.max(1, Math.floor((rows * longPage) / bytes)));
    this.next = Math.min(this.next, this.most);
    if (rows >= asked) {
      if (!this.isCap && asked >= this.next) this.next = Math.min(this.most, this.next * 2);
      return;
    }
    this.isCap = rows === this.lastShort;
    this.lastShort = rows;
    this.next = Math.min(this.most, rows);
  }
}
