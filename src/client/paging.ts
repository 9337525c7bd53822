/** Pages found by cursor, the next one on its way while one is being used; and where a read continues. */
import { Failure } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';

interface CursorOptions {
  cursor: string | undefined;
  size: number;
  limit: number;
  rowsOf(body: unknown): unknown[];
  onPage?: ((body: unknown, next: string | undefined) => void) | undefined;
  /** The failure of an answer that breaks the rules of paging. */
  broken(says: string): Failure;
}

type FetchCursor = (page: { cursor?: string | undefined; limit: number }, signal: AbortSignal) => Promise<unknown>;

/** The bodies of the pages, the next one on its way while one is being used. */
export async function* cursorPages(fetch: FetchCursor, options: CursorOptions): AsyncGenerator<unknown> {
  const stop = new AbortController();
  const seen = new Set<string>();
  let cursor = options.cursor;
  let left = options.limit;
  const launch = () => {
    const page = fetch({ cursor, limit: Math.min(options.size, left) }, stop.signal);
    page.catch(() => undefined);
    return page;
  };
  try {
    let page: Promise<unknown> | undefined = launch();
    while (page) {
      const body: unknown = await page.catch((error: unknown) => {
        throw continueAt(error, { cursor }, options.cursor);
      });
      if (cursor !== undefined) seen.add(detached(cursor));
      left -= options.rowsOf(body).length;
      cursor = nextCursor(body);
      const broken = left > 0 ? breach(body, cursor, seen) : undefined;
      page = cursor !== undefined && left > 0 && broken === undefined ? launch() : undefined;
      options.onPage?.(body, cursor);
      await new Promise(setImmediate);
      yield body;
      if (broken !== undefined) throw options.broken(broken);
    }
  } finally {
    stop.abort();
  }
}

function nextCursor(body: unknown): string | undefined {
  const { nextCursor: next } = body as { nextCursor?: unknown };
  return typeof next === 'string' && next !== '' ? next : undefined;
}

/** Why the pages cannot be followed to their end, which would make an incomplete result look complete. */
function breach(body: unknown, cursor: string | undefined, seen: Set<string>): string | undefined {
  if (cursor !== undefined) return seen.has(cursor) ? 'the server repeated a cursor' : undefined;
  // docs/api.md, "Series rules" 4.
  const { truncated } = body as { truncated?: unknown };
  return truncated === true ? 'the answer is truncated, but carries no nextCursor' : undefined;
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
 * @throws JsonSyntaxError as parseJson does
 */
export function parseWithout(text: string, name: string, parse = parseJson): unknown {
  const short = cut(text, `"${name}":[`);
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
 * string open, and so no JSON: quotes within strings are always escaped, hence `mark` cannot begin within one either.
 */
function cut(text: string, mark: string): string | undefined {
  const at = text.indexOf(mark);
  if (at < 0 || text.indexOf(mark, at + 1) >= 0) return undefined;
  const open = at + mark.length;
  const close = text.indexOf(']', open);
  return close < 0 ? undefined : text.slice(0, open) + text.slice(close);
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
