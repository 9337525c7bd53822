import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cursorPages, offsetPages } from '../../src/client/paging.ts';
import { Failure } from '../../src/core/errors.ts';

interface Row {
  id: number;
}

interface Server {
  rows: Row[];
  /** The most rows of one page. */
  cap?: number | undefined;
  /** Whether it says the total when it is asked. */
  total?: boolean;
  /** The total that it says; default: the right one. */
  said?: number;
  fail?(offset: number): void;
}

interface Seen {
  offset: number;
  limit: number;
  withTotal: boolean;
}

function read(
  server: Server,
  options: { offset?: number; size?: number; limit?: number | undefined; withTotal?: boolean } = {},
) {
  const requests: Seen[] = [];
  const moved: [number, number][] = [];
  let open = 0;
  let most = 0;
  const fetch = async (page: Seen, _signal: AbortSignal) => {
    requests.push(page);
    open += 1;
    most = Math.max(most, open);
    await new Promise(setImmediate);
    open -= 1;
    server.fail?.(page.offset);
    const rows = server.rows.slice(page.offset, page.offset + Math.min(page.limit, server.cap ?? page.limit));
    return { rows, ...(server.total !== false && page.withTotal ? { total: server.said ?? server.rows.length } : {}) };
  };
  const pages = offsetPages(fetch, {
    offset: options.offset ?? 0,
    size: options.size ?? 10,
    limit: options.limit ?? Number.POSITIVE_INFINITY,
    withTotal: options.withTotal ?? true,
    broken: (says) => new Failure('rejected', says),
    onMoved: (before, now) => moved.push([before, now]),
  });
  return { pages, requests, moved, most: () => most };
}

async function rowsOf(pages: AsyncIterable<unknown[]>): Promise<number[]> {
  const found: number[] = [];
  for await (const page of pages) found.push(...page.map((row) => (row as Row).id));
  return found;
}

const table = (count: number): Row[] => Array.from({ length: count }, (_, id) => ({ id }));
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

describe('pages by offset', () => {
  test('every row once and in order, whatever the server caps and says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          count: fc.integer({ min: 0, max: 90 }),
          cap: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
          total: fc.boolean(),
          withTotal: fc.boolean(),
          size: fc.integer({ min: 1, max: 12 }),
          offset: fc.integer({ min: 0, max: 20 }),
          limit: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
        }),
        async ({ count, cap, total, ...options }) => {
          const { pages, requests } = read({ rows: table(count), cap, total }, options);
          const expected = numbers(count).slice(options.offset).slice(0, options.limit);
          expect(await rowsOf(pages)).toEqual(expected);
          for (const { limit } of requests) expect(limit).toBeLessThanOrEqual(options.size);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('a total saves the probing: as many requests as pages, several in flight', async () => {
    const { pages, requests, most } = read({ rows: table(199) });
    expect(await rowsOf(pages)).toEqual(numbers(199));
    expect(requests.map(({ offset }) => offset)).toEqual(numbers(20).map((page) => page * 10));
    expect(most()).toBe(8);
    // The first page asks for the total and the last one again, to see whether it moved.
    expect(requests.filter(({ withTotal }) => withTotal).map(({ offset }) => offset)).toEqual([0, 190]);
  });

  test('one page that says that it is all needs one request', async () => {
    const { pages, requests } = read({ rows: table(3) });
    expect(await rowsOf(pages)).toEqual([0, 1, 2]);
    expect(requests).toHaveLength(1);
  });

  test('limit makes the last page smaller and asks for nothing behind it', async () => {
    const { pages, requests } = read({ rows: table(100) }, { limit: 25 });
    expect(await rowsOf(pages)).toEqual(numbers(25));
    expect(requests.map(({ offset, limit }) => [offset, limit])).toEqual([
      [0, 10],
      [10, 10],
      [20, 5],
    ]);
    const none = read({ rows: table(100) }, { limit: 0 });
    expect(await rowsOf(none.pages)).toEqual([]);
    expect(none.requests).toEqual([]);
  });

  test('rows that come twice because the list moved are given once, and the move is reported', async () => {
    const rows = table(30);
    let asked = 0;
    const server: Server = {
      rows,
      fail() {
        asked += 1;
        if (asked === 2) rows.unshift({ id: 99 });
      },
    };
    const { pages, moved } = read(server);
    expect(await rowsOf(pages)).toEqual(numbers(30));
    expect(moved).toEqual([[30, 31]]);
  });

  test('rows added behind while pages are read still come', async () => {
    const rows = table(30);
    const server: Server = {
      rows,
      fail(offset) {
        if (offset === 20 && rows.length === 30) rows.push({ id: 30 }, { id: 31 });
      },
    };
    expect(await rowsOf(read(server).pages)).toEqual(numbers(32));
  });

  test('a failure on a later page says from which offset to continue, and the rows before it came', async () => {
    const server: Server = {
      rows: table(100),
      fail(offset) {
        if (offset === 40) throw new Failure('tryLater', 'broken', { status: 503, hint: 'wait' });
      },
    };
    const found: number[] = [];
    const { pages } = read(server);
    const failed = await (async () => {
      for await (const page of pages) found.push(...page.map((row) => (row as Row).id));
    })().catch((error: unknown) => error);
    expect(found).toEqual(numbers(40));
    expect(failed).toMatchObject({
      kind: 'tryLater',
      status: 503,
      hint: 'wait',
      resume: { offset: 40 },
    });
    const first = await rowsOf(
      read({
        rows: table(5),
        fail: () => {
          throw new Failure('tryLater', 'x');
        },
      }).pages,
    ).catch((error: unknown) => error);
    expect(first).toMatchObject({ resume: undefined });
  });

  test('a server that does not obey offset is refused instead of being read for ever', async () => {
    const fetch = async () => ({ rows: [{ id: 1 }, { id: 2 }] });
    const pages = offsetPages(fetch, {
      offset: 0,
      size: 2,
      limit: Number.POSITIVE_INFINITY,
      withTotal: false,
      broken: (says) => new Failure('rejected', says),
    });
    await expect(rowsOf(pages)).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('repeats'),
    });
  });

  test('what was read explains the newest total, whatever a server leaves out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          count: fc.integer({ min: 0, max: 60 }),
          announced: fc.integer({ min: 0, max: 90 }),
          size: fc.integer({ min: 1, max: 12 }),
          /** How much of each page a server gives, in turns: it ends pages early. */
          parts: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }),
        }),
        async ({ count, announced, size, parts }) => {
          let turn = 0;
          const early = {
            rows: table(count),
            get cap() {
              turn += 1;
              return parts[turn % parts.length];
            },
            said: announced,
          };
          const { pages } = read(early, { size });
          const found = await rowsOf(pages).catch((error: Failure) => error);
          if (announced > count) expect(found).toMatchObject({ kind: 'rejected' });
          else if (announced === count) expect(found).toEqual(numbers(count));
          else if (Array.isArray(found)) expect(found.length).toBeGreaterThanOrEqual(announced);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a total that is too small cuts nothing while pages are full', async () => {
    expect(await rowsOf(read({ rows: table(95), said: 10 }).pages)).toEqual(numbers(95));
    expect(await rowsOf(read({ rows: table(95), said: 0 }).pages)).toEqual(numbers(95));
  });

  test('where rows are long, fewer are asked for', async () => {
    const asked: number[] = [];
    const fetch = async ({ offset, limit }: Seen) => {
      asked.push(limit);
      const rows = table(300).slice(offset, offset + limit);
      return { rows, total: 300, bytes: rows.length * 200_000 };
    };
    const options = { offset: 0, size: 100, limit: Number.POSITIVE_INFINITY, withTotal: true };
    const pages = offsetPages(fetch, { ...options, broken: (says) => new Failure('rejected', says) });
    expect(await rowsOf(pages)).toEqual(numbers(300));
    expect([asked[0], Math.max(...asked.slice(1))]).toEqual([100, 20]);
  });

  test('a total that grows explains no empty page before it', async () => {
    for (const [said, later] of [[10, 30] as const, [0, 12] as const, [5, 11] as const]) {
      const server: Server = {
        rows: table(10),
        said,
        fail(offset) {
          if (offset > 0) server.said = later;
        },
      };
      await expect(rowsOf(read(server).pages), `${said} → ${later}`).rejects.toMatchObject({
        message: expect.stringContaining('announced'),
      });
    }
  });

  test('a server that gives every page the same rows is refused', async () => {
    let sent = 0;
    const answer = (rows: unknown[], total?: number) => async () => {
      sent += 1;
      return { rows, total };
    };
    for (const total of [undefined, 30, 1000]) {
      sent = 0;
      const options = { offset: 0, size: 10, limit: Number.POSITIVE_INFINITY, withTotal: true };
      const pages = offsetPages(answer(table(10), total), {
        ...options,
        broken: (says) => new Failure('rejected', says),
      });
      await expect(rowsOf(pages)).rejects.toMatchObject({ kind: 'rejected' });
      expect(sent).toBeLessThan(40);
    }
  });

  test('rows that were deleted while they were read are not missed', async () => {
    const rows = table(100);
    const server: Server = {
      rows,
      fail(offset) {
        if (offset === 30) rows.splice(60);
      },
    };
    const { pages, moved } = read(server);
    expect(await rowsOf(pages)).toEqual(numbers(60));
    expect(moved).toEqual([[100, 60]]);
  });

  test('a reader that stops early stops what is in flight', async () => {
    const signals: AbortSignal[] = [];
    const fetch = async ({ offset, limit }: Seen, signal: AbortSignal) => {
      signals.push(signal);
      return { rows: numbers(limit, offset).map((id) => ({ id })), total: 1000 };
    };
    const options = { offset: 0, size: 10, limit: Number.POSITIVE_INFINITY, withTotal: true };
    for await (const page of offsetPages(fetch, { ...options, broken: (says) => new Failure('rejected', says) })) {
      if ((page[0] as Row).id === 20) break;
    }
    expect(signals.length).toBeLessThan(15);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });
});

describe('pages by cursor', () => {
  interface Body {
    items: number[];
    nextCursor?: string | null;
    truncated: boolean;
  }
  const options = {
    cursor: undefined as string | undefined,
    size: 10,
    limit: Number.POSITIVE_INFINITY,
    rowsOf: (body: unknown) => (body as Body).items,
    broken: (says: string) => new Failure('rejected', says),
  };
  const asked: { cursor?: string | undefined; limit: number }[] = [];
  const serve = (count: number) => async (page: { cursor?: string | undefined; limit: number }) => {
    asked.push(page);
    const start = Number(page.cursor ?? 0);
    const end = start + page.limit;
    return {
      items: numbers(count).slice(start, end),
      truncated: end < count,
      nextCursor: end < count ? String(end) : null,
    };
  };
  const all = async (pages: AsyncIterable<unknown>) => {
    const found: number[] = [];
    for await (const body of pages) found.push(...(body as Body).items);
    return found;
  };

  test('follows to the end', async () => {
    asked.length = 0;
    expect(await all(cursorPages(serve(35), options))).toEqual(numbers(35));
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '10', '20', '30']);
    expect(await all(cursorPages(serve(0), options))).toEqual([]);
  });

  test('limit makes the last page smaller; a cursor starts in the middle', async () => {
    asked.length = 0;
    expect(await all(cursorPages(serve(35), { ...options, limit: 12, cursor: '5' }))).toEqual(numbers(12, 5));
    expect(asked).toEqual([
      { cursor: '5', limit: 10 },
      { cursor: '15', limit: 2 },
    ]);
  });

  test('the next page is asked for before the first one is used', async () => {
    asked.length = 0;
    for await (const _body of cursorPages(serve(35), options)) {
      expect(asked).toHaveLength(2);
      break;
    }
  });

  test('a page that names itself as the next one is not asked for again', async () => {
    const sent: unknown[] = [];
    const fetch = async ({ cursor = 'a' }: { cursor?: string | undefined }) => {
      sent.push(cursor);
      return { items: [sent.length], nextCursor: 'a', truncated: true };
    };
    await expect(all(cursorPages(fetch, { ...options, cursor: 'a' }))).rejects.toMatchObject({
      message: expect.stringContaining('repeated a cursor'),
    });
    expect(sent).toEqual(['a']);
  });

  test('a cursor that comes again is refused after its rows', async () => {
    const loop: Record<string, string> = { '': 'a', a: 'b', b: 'a' };
    const fetch = async ({ cursor = '' }: { cursor?: string | undefined }) => ({
      items: [`row of ${cursor}`],
      truncated: true,
      nextCursor: loop[cursor],
    });
    const found: unknown[] = [];
    const failed = await (async () => {
      for await (const body of cursorPages(fetch, options)) found.push(body);
    })().catch((error: unknown) => error);
    expect(found).toHaveLength(3);
    expect(failed).toMatchObject({ kind: 'rejected', message: expect.stringContaining('repeated a cursor') });
  });

  test('pages that lead nowhere end after a few', async () => {
    let sent = 0;
    const never = (items: () => unknown[]) => async () => {
      sent += 1;
      return { items: items(), nextCursor: `c${sent}`, truncated: true };
    };
    await expect(
      all(
        cursorPages(
          never(() => [1, 2]),
          options,
        ),
      ),
    ).rejects.toMatchObject({ kind: 'rejected' });
    expect(sent).toBe(2);
    await expect(
      all(
        cursorPages(
          never(() => []),
          options,
        ),
      ),
    ).rejects.toMatchObject({ kind: 'rejected' });
    expect(sent).toBeLessThan(40);
    const odd = async () => ({ items: [1], nextCursor: 7 });
    await expect(all(cursorPages(odd, options))).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('truncated without a cursor is not an end', async () => {
    const fetch = async () => ({ items: [1, 2], truncated: true });
    await expect(all(cursorPages(fetch, options))).rejects.toMatchObject({ kind: 'rejected' });
    expect(await all(cursorPages(fetch, { ...options, limit: 2 }))).toEqual([1, 2]);
  });

  test('a failure on a later page says from which cursor to continue', async () => {
    const fetch = async (page: { cursor?: string | undefined; limit: number }) => {
      if (page.cursor === '20') throw new Failure('tryLater', 'broken');
      return serve(35)(page);
    };
    const failed = await all(cursorPages(fetch, options)).catch((error: unknown) => error);
    expect(failed).toMatchObject({ kind: 'tryLater', resume: { cursor: '20' } });
  });
});
