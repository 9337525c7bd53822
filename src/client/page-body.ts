/** The body of a page, of which no more is parsed than is needed. */
import { arraysIn } from '../core/json-scanner.ts';
import { nextCursor } from './paging.ts';

export interface PageParts {
  /** A top-level array that nobody reads: it is empty in the result. */
  without?: string | undefined;
  /** The top-level array of the rows. */
  rows?: string | undefined;
}

export class PageBody {
  private readonly arrays: ReturnType<typeof arraysIn>;

  /** @param bytes JSON in UTF-8 */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly parts: PageParts,
  ) {
    this.arrays = arraysIn(bytes);
  }

  /** Where the next page starts, found without parsing a row; undefined where the rows are not found. */
  nextCursor(): string | undefined {
    const { rows, without } = this.parts;
    if (rows === undefined || !this.arrays.has(rows)) return undefined;
    try {
      return nextCursor(JSON.parse(textOf(this.emptied([rows, without]))));
    } catch {
      return undefined;
    }
  }

  /**
   * The value: complete where there are no rows.
   * @throws what `parse` throws
   */
  read(parse: (text: Uint8Array) => unknown): unknown {
    const { rows, without } = this.parts;
    const hasRows = rows === undefined || this.hasItems(rows);
    return parse(hasRows ? this.emptied([without]) : this.bytes);
  }

  private hasItems(name: string): boolean {
    const { start, end } = this.arrays.get(name) ?? { start: 0, end: 0 };
    return this.bytes.subarray(start, end).some((byte) => byte > 0x20);
  }

  /** The body with empty arrays instead of these. */
  private emptied(names: readonly (string | undefined)[]): Uint8Array {
    const found = names.flatMap((name) => (name === undefined ? [] : (this.arrays.get(name) ?? [])));
    if (found.length === 0) return this.bytes;
    const pieces: Uint8Array[] = [];
    let at = 0;
    for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
      pieces.push(this.bytes.subarray(at, start));
      at = end;
    }
    return Buffer.concat([...pieces, this.bytes.subarray(at)]);
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
