/** All entries of a list, read so that nothing that moves meanwhile goes unnoticed. */
import type { Client } from '../../../client/client.ts';
import { type FetchOffset, offsetPages, totalOf } from '../../../client/paging.ts';
import { listEntries } from '../../../contract/entry-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { Failure } from '../../../core/errors.ts';
import type { ReadEntry } from '../../../mirror/entries.ts';
import { moved } from './parts.ts';

/** One less than the API allows: each page begins with the last row of the previous page. */
const mostRows = (listEntries.query.properties?.limit?.maximum ?? 500) - 1;

interface Reading {
  signal: AbortSignal;
  /** Rows of one request; default: as many as the API allows. */
  pageSize: number | undefined;
}

/**
 * The entries in pages. Rows that shift between two pages show where these meet; what came twice, and a total that is not
 * what was read, show at the end.
 * @throws Failure of code `moved`
 */
export async function* steadyEntries(
  client: Client,
  listId: string,
  { signal, pageSize }: Reading,
): AsyncGenerator<readonly ReadEntry[]> {
  const seams = new Seams();
  let total: number | undefined;
  let [came, announced] = [0, 0];
  const fetch: FetchOffset = async ({ offset, limit, withTotal }, abort) => {
    const overlap = offset > 0 ? 1 : 0;
    const page = { offset: offset - overlap, limit: limit + overlap };
    const query = { archived: true, ...page, ...(withTotal ? { withTotal } : {}) };
    const { data, headers } = await client.send(listEntries, { params: { listId }, query });
    void abort;
    const rows = data as readonly CustomListEntry[];
    if (overlap === 1) seams.begins(offset, rows[0]?.id);
    const newRows = rows.slice(overlap);
    if (newRows.length > 0) seams.ends(offset + newRows.length, newRows.at(-1)?.id);
    return { rows: newRows, total: totalOf(headers) };
  };
  const pages = offsetPages(fetch, {
    ...{
      offset: 0,
      size: Math.max(1, Math.min(mostRows, pageSize ?? mostRows)),
      limit: Number.POSITIVE_INFINITY,
      signal,
      withTotal: true,
    },
    broken: (says) => new Failure('rejected', says, { code: 'broken_paging' }),
    onPage: (_, newest, rows) => {
      total = newest;
      came += rows.length;
    },
    onMoved: (before, now) => {
      throw movedFailure(`the number of entries went from ${before} to ${now}`);
    },
  });
  for await (const page of pages) {
    const rows = page as CustomListEntry[];
    if (!rows.every(hasId)) throw new Failure('rejected', 'the server gave an entry without an id');
    announced += rows.length;
    yield rows;
  }
  if (came > announced) throw movedFailure('an entry came twice');
  if (total !== undefined && total !== announced) {
    throw movedFailure(`the server announced ${total} entries, but ${announced} came`);
  }
}

/** Compares the last row of each page with the same row on the next page. */
class Seams {
  private readonly last = new Map<number, string | undefined>();
  private readonly first = new Map<number, string | undefined>();

  begins(offset: number, id: string | undefined): void {
    this.meet(offset, this.last, this.first, id);
  }

  ends(offset: number, id: string | undefined): void {
    this.meet(offset, this.first, this.last, id);
  }

  private meet(
    offset: number,
    other: Map<number, string | undefined>,
    titles: Map<number, string | undefined>,
    id?: string,
  ) {
    if (!other.has(offset)) {
      titles.set(offset, id);
      return;
    }
    const previous = other.get(offset);
    other.delete(offset);
    if (previous !== id) throw movedFailure('entries moved between two pages');
  }
}

function movedFailure(says: string): Failure {
  return new Failure('tryLater', `${says} while they were read`, { code: moved });
}

function hasId(entry: CustomListEntry): entry is ReadEntry {
  return typeof entry.id === 'string';
}
