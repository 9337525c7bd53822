/** Pages found by offset, several in flight, their rows in order and each id once. */
import type { Failure } from '../core/errors.ts';
import { IdSet } from './id-set.ts';
import { continueAt } from './paging.ts';

interface OffsetPage {
  rows: unknown[];
  /** The exact number of rows, where the server said it. */
  total?: number | undefined;
}

interface OffsetOptions {
  /** The first row's offset. */
  offset: number;
  /** Rows that are asked for in one request. */
  size: number;
  /** At most this many rows in all. */
  limit: number;
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
  page: Promise<OffsetPage>;
}

/** Pages in a row without a new row, after which the server does not obey `offset`. */
const mostRepeats = 10;

/** More requests in flight gain nothing. */
const inFlight = 8;

/**
 * The pages from `offset` on, rows in order and each id once. A page shorter than asked is the end only when it is
 * empty, when the total says so, or when an earlier page had as many rows: a server may cap its pages.
 */
export async function* offsetPages(fetch: FetchOffset, options: OffsetOptions): AsyncGenerator<unknown[]> {
  const flights: Flight[] = [];
  const stop = new AbortController();
  const seen = new IdSet();
  let { offset: next, size, limit: left } = options;
  let window = 1;
  let served = 0;
  let repeats = 0;
  let firstTotal: number | undefined;
  let end = Number.POSITIVE_INFINITY;

  const launch = (offset: number, limit: number, first: boolean): Flight => {
    // The total is counted by the server for each page that asks: the first and the last one do.
    const withTotal = options.withTotal && (offset === options.offset || offset + limit >= end);
    const page = fetch({ offset, limit, withTotal }, stop.signal);
    page.catch(() => undefined);
    const flight = { offset, limit, page };
    if (first) flights.unshift(flight);
    else flights.push(flight);
    return flight;
  };

  try {
    while (left > 0) {
      let planned = flights.reduce((sum, flight) => sum + flight.limit, 0);
      while (flights.length < window && next < end && planned < left) {
        const limit = Math.min(size, left - planned);
        launch(next, limit, false);
        next += limit;
        planned += limit;
      }
      const flight = flights.shift();
      if (!flight) return;
      const { rows, total } = await flight.page.catch((error: unknown) => {
        throw continueAt(error, { offset: flight.offset }, options.offset);
      });
      if (total !== undefined) {
        if (firstTotal !== undefined && total !== firstTotal) options.onMoved?.(firstTotal, total);
        firstTotal = total;
        end = total;
      }
      const after = flight.offset + rows.length;
      const short = rows.length < flight.limit;
      served = Math.max(served, rows.length);
      if (rows.length === 0) end = Math.min(end, flight.offset);
      else if (short && end === Number.POSITIVE_INFINITY && served > rows.length) end = after;
      else if (short && after < end) {
        // What the cap left out of this page comes before all pages in flight.
        if (flights.length === 0) next = after;
        else launch(after, flight.limit - rows.length, true);
        size = Math.min(size, Math.max(rows.length, 1));
      }
      if (end < Number.POSITIVE_INFINITY) window = inFlight;
      else window = short ? 1 : Math.min(inFlight, window * 2);
      const fresh = rows.filter((row) => isNew(row, seen)).slice(0, left);
      left -= fresh.length;
      repeats = fresh.length > 0 ? 0 : repeats + 1;
      if (repeats > mostRepeats) throw options.broken('page after page repeats rows that came before');
      options.onPage?.(after < end && rows.length > 0 ? after : undefined, firstTotal, rows);
      await new Promise(setImmediate);
      if (fresh.length > 0 || flight.offset === options.offset) yield fresh;
      if (rows.length === 0) return;
    }
  } finally {
    stop.abort();
  }
}

function isNew(row: unknown, seen: IdSet): boolean {
  const id = typeof row === 'object' && row !== null ? (row as { id?: unknown }).id : undefined;
  return id === undefined || id === null || seen.add(id);
}
