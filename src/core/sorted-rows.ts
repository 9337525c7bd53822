/** Rows in an order: the first N of them in the memory of N rows, all of them in runs that are kept elsewhere. */

export interface Order<Row, Key> {
  key(row: Row): Key;
  /** Negative when `a` comes first. Rows that are equal stay in the order in which they came. */
  compare(a: Key, b: Key): number;
}

/** Sorted runs of rows, outside this process's memory. */
export interface Spill<Row> {
  add(run: readonly Row[]): void;
  /** Each run's rows, in their order. */
  runs(): Iterable<Row>[];
  close(): void;
}

interface Sorting<Row> {
  /** Only the first so many rows. */
  most: number;
  spill(): Promise<Spill<Row>>;
}

interface Item<Row, Key> {
  row: Row;
  key: Key;
}

/** As many rows are sorted at once; more of them become several runs. */
const runLength = 10_000;

export async function* sortedRows<Row, Key>(
  source: Iterable<Row> | AsyncIterable<Row>,
  order: Order<Row, Key>,
  { most, spill }: Sorting<Row>,
): AsyncGenerator<Row> {
  if (most * 2 <= runLength) {
    yield* await firstRows(source, order, most);
    return;
  }
  let held: Item<Row, Key>[] = [];
  let spilled: Spill<Row> | undefined;
  try {
    for await (const row of source) {
      held.push({ row, key: order.key(row) });
      if (held.length < runLength) continue;
      spilled ??= await spill();
      spilled.add(inOrder(held, order).map((item) => item.row));
      held = [];
    }
    const last = inOrder(held, order);
    const runs = spilled?.runs().map((run) => keyed(run, order)) ?? [];
    let left = most;
    for (const { row } of mergedAll([...runs, last], order)) {
      if (left <= 0) return;
      left -= 1;
      yield row;
    }
  } finally {
    spilled?.close();
  }
}

/** Twice as many rows as are wanted are held, and cut when they are that many. */
async function firstRows<Row, Key>(
  source: Iterable<Row> | AsyncIterable<Row>,
  order: Order<Row, Key>,
  most: number,
): Promise<Row[]> {
  let held: Item<Row, Key>[] = [];
  let last: Key | undefined;
  for await (const row of source) {
    const key = order.key(row);
    if (last !== undefined && order.compare(key, last) >= 0) continue;
    held.push({ row, key });
    if (held.length < 2 * most) continue;
    held = inOrder(held, order).slice(0, most);
    last = held.at(-1)?.key;
  }
  return inOrder(held, order)
    .slice(0, most)
    .map(({ row }) => row);
}

function inOrder<Row, Key>(items: Item<Row, Key>[], { compare }: Order<Row, Key>): Item<Row, Key>[] {
  return items.sort((a, b) => compare(a.key, b.key));
}

function* keyed<Row, Key>(rows: Iterable<Row>, { key }: Order<Row, Key>): Generator<Item<Row, Key>> {
  for (const row of rows) yield { row, key: key(row) };
}

function mergedAll<Row, Key>(runs: Iterable<Item<Row, Key>>[], order: Order<Row, Key>): Iterable<Item<Row, Key>> {
  const [only = []] = runs;
  if (runs.length <= 1) return only;
  const half = Math.ceil(runs.length / 2);
  return merged(mergedAll(runs.slice(0, half), order), mergedAll(runs.slice(half), order), order);
}

function* merged<Row, Key>(
  first: Iterable<Item<Row, Key>>,
  second: Iterable<Item<Row, Key>>,
  { compare }: Order<Row, Key>,
): Generator<Item<Row, Key>> {
  const [left, right] = [first[Symbol.iterator](), second[Symbol.iterator]()];
  let [a, b] = [left.next(), right.next()];
  while (!a.done && !b.done) {
    if (compare(b.value.key, a.value.key) < 0) {
      yield b.value;
      b = right.next();
    } else {
      yield a.value;
      a = left.next();
    }
  }
  for (; !a.done; a = left.next()) yield a.value;
  for (; !b.done; b = right.next()) yield b.value;
}
