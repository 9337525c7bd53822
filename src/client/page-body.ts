/** The body of a page, of which no more is read than is needed. */
import { nextCursor } from './paging.ts';

export interface PageParts {
  /** A top-level array that nobody looks at: it may be left unread, and is then empty. */
  without?: string | undefined;
  /** The top-level array of the rows. */
  rows?: string | undefined;
}

export class PageBody {
  /** The text without the array that nobody looks at; undefined where leaving it out might change something else. */
  private readonly short: Buffer | undefined;

  /** @param bytes JSON in UTF-8 */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly parts: PageParts,
  ) {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const around = parts.without === undefined ? undefined : aroundArray(whole, parts.without);
    this.short = parts.without === undefined ? whole : around && Buffer.concat(around);
  }

  /** Where the next page starts, found without reading a row; undefined when that is not certain. */
  nextCursor(): string | undefined {
    const { rows } = this.parts;
    const around = rows === undefined || this.short === undefined ? undefined : aroundArray(this.short, rows);
    if (around === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(around.join(''));
      return this.isShortOf(value) && isEmptied(value, rows) ? nextCursor(value) : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * The value: complete when it is not certain that only the unread array is missing, or when there are no rows.
   * @throws what `parse` throws
   */
  read(parse: (text: Uint8Array) => unknown): unknown {
    if (this.short !== undefined && this.parts.without !== undefined) {
      try {
        const value = parse(this.short);
        if (this.isShortOf(value) && !this.isWithoutRows(value)) return value;
      } catch {
        // What was cut off did not end where it seemed to.
      }
    }
    return parse(this.bytes);
  }

  private isShortOf(value: unknown): boolean {
    return this.parts.without === undefined || isEmptied(value, this.parts.without);
  }

  private isWithoutRows(value: unknown): boolean {
    const { rows } = this.parts;
    return rows !== undefined && !arrayIn(value, rows)?.length;
  }
}

/**
 * The text before and after the content of an array, which has no brackets itself. A bracket in a string would leave a
 * string open, and so no JSON, and so would an array within leave a bracket; quotes within strings are always escaped,
 * hence the mark cannot begin within one either. In UTF-8 no other character holds the bytes of these.
 */
function aroundArray(text: Buffer, name: string): [Buffer, Buffer] | undefined {
  const mark = `"${name}":[`;
  const at = text.indexOf(mark);
  if (at < 0) return undefined;
  const open = at + mark.length;
  const close = text.indexOf(']', open);
  if (close < 0 || text.includes(mark, close)) return undefined;
  return [text.subarray(0, open), text.subarray(close)];
}

function isEmptied(value: unknown, name: string | undefined): boolean {
  return name !== undefined && arrayIn(value, name)?.length === 0;
}

function arrayIn(value: unknown, name: string): unknown[] | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const found: unknown = Reflect.get(value, name);
  return Array.isArray(found) ? found : undefined;
}
