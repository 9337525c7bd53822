/** Reads several sources at once, within bounds on their number and on the items that wait. */
import { Failure } from './errors.ts';

interface ReadAhead {
  inFlight: number;
  /** The number of items of a source that may wait for their turn; one more may be on its way. */
  ahead: number;
}

/** The items of all sources, in their order. The next sources are read while one is being used. */
export async function* inOrder<T>(
  sources: Iterable<() => AsyncIterable<T>>,
  { inFlight, ahead }: ReadAhead,
): AsyncGenerator<T> {
  const rest = sources[Symbol.iterator]();
  const readers: Reader<T>[] = [];
  const fill = () => {
    while (readers.length < inFlight) {
      const next = rest.next();
      if (next.done) return;
      readers.push(new Reader(next.value(), ahead));
    }
  };
  try {
    for (fill(); readers.length > 0; fill()) {
      const [first] = readers as [Reader<T>];
      for (let next = await first.next(); !next.done; next = await first.next()) yield next.value;
      readers.shift();
    }
  } finally {
    // `stop` is not awaited: a pending request ends with its connection.
    for (const reader of readers) reader.stop();
  }
}

/** Reads a source ahead, each item after the one before. */
class Reader<T> {
  private readonly iterator: AsyncIterator<T, undefined>;
  private readonly items: Promise<IteratorResult<T, undefined>>[] = [];
  private isStopped = false;

  constructor(source: AsyncIterable<T>, ahead: number) {
    this.iterator = source[Symbol.asyncIterator]();
    for (let count = 0; count < ahead; count += 1) this.read();
  }

  /** @throws the error of the source, after the items before it */
  next(): Promise<IteratorResult<T, undefined>> {
    this.read();
    return this.items.shift() as Promise<IteratorResult<T, undefined>>;
  }

  stop(): void {
    this.isStopped = true;
    void this.iterator.return?.().then(undefined, () => {});
  }

  private read(): void {
    const next = this.readAfter(this.items.at(-1));
    next.catch(() => {});
    this.items.push(next);
  }

  private async readAfter(before: Promise<IteratorResult<T, undefined>> | undefined) {
    const result = await before;
    return result?.done || this.isStopped ? { done: true as const, value: undefined } : this.iterator.next();
  }
}

/** Runs at most `most` tasks at once, in the order of their calls. */
export function limiter(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** The same items; `look` sees each one first. */
export async function* inspectEach<T>(items: AsyncIterable<T>, look: (item: T) => void): AsyncGenerator<T> {
  for await (const item of items) {
    look(item);
    yield item;
  }
}

export async function* inTurn<T>(items: AsyncIterable<T>, slot: ReturnType<typeof limiter>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (let next = await slot(() => iterator.next()); !next.done; next = await slot(() => iterator.next())) {
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Milliseconds without an event loop turn that a person does not notice. */
const longest = 50;

/** The items, with event loop turns between them, so that signals are handled. @throws interrupted */
export async function* withTurns<T>(items: Iterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began > longest) {
      await new Promise(setImmediate);
      if (signal?.aborted) throw new Failure('interrupted', 'interrupted');
      began = performance.now();
    }
    yield item;
  }
}

/** The value; undefined where it does not come in time. */
export async function within<T>(milliseconds: number, value: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}
