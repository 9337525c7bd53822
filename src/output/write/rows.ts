/** Rows in the format that was chosen: as they come where it can be, and counted. */
import { Failure, usage } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { type FileFormat, fileWriterFor, isFileFormat, writerFor } from '../formats/choose.ts';
import type { Result } from '../formats/writer.ts';

import type { Target } from './target.ts';

/** Rows that come several at a time, such as a page: each hand-over from one generator to the next costs a turn. */
export class Batches<Row> implements AsyncIterable<Row> {
  constructor(readonly batches: AsyncIterable<readonly Row[]>) {}

  /** One by one, for who needs them so. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    for await (const rows of this.batches) for (const row of rows) yield row;
  }
}

export type Source<Row> = Iterable<Row> | AsyncIterable<Row>;

/** Batches of one row each, for what takes batches. */
export async function* alone<Row>(rows: Source<Row>): AsyncGenerator<readonly Row[]> {
  for await (const row of rows) yield [row];
}

/** Writes them as they come, a batch at a time. @returns how many there were */
export async function writeRows<Row>(
  target: Target,
  source: Source<Row>,
  result: Result<Row>,
  limit: number,
): Promise<number> {
  const { format, settings } = target;
  if (isFileFormat(format)) return writeFile(target, format, result, source, limit);
  const writer = await writerFor(format, result, settings, target.table);
  const turn = turning(target, result.reports);
  let given = 0;
  await target.writing(
    target.clean,
    async (sink) => {
      let before = writer.open?.() ?? '';
      const rows = pump(source, limit, result, async (some) => {
        const text = await writer.rows(some);
        await sink.write(before + text);
        before = '';
        // The pump gives what there is when its source pauses: that is when a reader wants to see it.
        if (some.length < rowsAtOnce(result, batchSize)) await sink.flush();
        await turn();
        return !sink.closed;
      });
      given = await rows.catch(async (error) => {
        await sink.write((await writer.broken?.()) ?? '');
        // A file that failed is gone, and so are its rows.
        throw error instanceof Failure && target.toFile ? error.with({ resume: undefined }) : error;
      });
      await sink.write(before + ((await writer.close?.(given === 0)) ?? ''));
    },
    format === 'table',
  );
  return given;
}

async function writeFile<Row>(
  target: Target,
  kind: FileFormat,
  result: Result<Row>,
  source: Source<Row>,
  limit: number,
): Promise<number> {
  const sink = await target.openFile();
  const turn = turning(target, result.reports);
  try {
    const writer = await fileWriterFor(kind, result, { warn: target.messages.warn });
    const given = await pumpTogether(source, limit, result, async (some) => {
      const ready = writer.rows(some);
      if (ready) await sink.writeBytes(ready);
      await turn();
      return true;
    });
    await sink.writeBytes(await writer.close());
    await sink.end();
    return given;
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** All of them as one array. */
export async function writeRowsToJq<Row>(
  target: Target,
  source: Source<Row>,
  result: Result<Row>,
  limit: number,
): Promise<number> {
  const parts: string[] = [];
  const turn = turning(target, result.reports);
  const given = await pumpTogether(source, limit, result, async (some) => {
    for (const row of some) parts.push(stringifyJson(result.json(row)));
    await turn();
    return true;
  });
  await target.writeJq(`[${parts.join(',\n')}]`);
  return given;
}

/**
 * Lets signals in, which rows that are ready and a file that takes them at once would keep out. What is said of work that
 * a signal ended is said to its end.
 */
function turning({ runtime }: Target, reports: boolean | undefined): () => Promise<void> {
  const { signal } = runtime;
  if (signal?.aborted || reports) return () => new Promise(setImmediate);
  return async () => {
    await new Promise(setImmediate);
    if (signal?.aborted) throw new Failure('interrupted', 'interrupted while rows were written');
  };
}

/** `pump` for rows that are shown only together: a failure has nothing to resume from. */
export const pumpTogether: typeof pump = (source, limit, result, take) =>
  pump(source, limit, result, take).catch((error) => {
    throw error instanceof Failure ? error.with({ resume: undefined }) : error;
  });

export function noFile(format: FileFormat): Failure {
  return usage(`-o ${format} is for rows, and this command prints none`, 'another --out extension or -o writes text');
}

/** As many rows as are given at once while the source has more ready. */
const batchSize = 128;

/** Cells of rows that are given at once: between them the event loop turns. */
const mostCells = 20_000;

/** Rows of many columns are given in smaller parts. */
function rowsAtOnce({ columns }: { columns: readonly unknown[] }, most: number): number {
  return Math.min(Math.max(Math.floor(mostCells / Math.max(columns.length, 1)), 1), most);
}

/**
 * Reads `source` and gives its rows to `take` in order, a batch at a time; what is there when the source pauses (the
 * end of a page) is given at once. Stops after `limit` rows, or when `take` says so, and then lets the source clean up.
 * When the source fails, the rows before the failure are given first.
 * @param take gives false when no more rows are wanted
 * @returns how many rows were given
 */
export async function pump<Row>(
  source: Iterable<Row> | AsyncIterable<Row>,
  limit: number,
  result: { columns: readonly unknown[] },
  take: (rows: readonly Row[]) => Promise<boolean>,
): Promise<number> {
  let rows: Row[] = [];
  let given = 0;
  let wanted = true;
  const give = async () => {
    const now = rows;
    rows = [];
    if (now.length === 0 || !wanted) return;
    wanted = await take(now);
    given += now.length;
  };
  const most = rowsAtOnce(result, batchSize);
  if (limit <= 0) return 0;
  if (Symbol.iterator in source) {
    let count = 0;
    for (const row of source) {
      rows.push(row);
      count += 1;
      if (count >= limit) break;
      if (rows.length >= most) await give();
      if (!wanted) break;
    }
    await give();
    return given;
  }

  if (source instanceof Batches) return pumpBatches(source, limit, result, take);

  // A source that has rows ready gives them without letting the event loop turn: when it turns, the source pauses.
  let waiting = false;
  let early: Promise<void> | undefined;
  let watch: NodeJS.Immediate | undefined;
  const onTurn = () => {
    watch = undefined;
    if (waiting && rows.length > 0) {
      early = give();
      early.catch(() => {});
    }
  };
  const iterator = source[Symbol.asyncIterator]();
  let count = 0;
  let ended = false;
  try {
    while (wanted && count < limit) {
      waiting = true;
      const next = await iterator.next();
      waiting = false;
      if (early) {
        await early;
        early = undefined;
      }
      if (next.done) {
        ended = true;
        break;
      }
      rows.push(next.value);
      count += 1;
      if (rows.length >= most) await give();
      else watch ??= setImmediate(onTurn);
    }
  } catch (error) {
    ended = true;
    waiting = false;
    await early;
    await give();
    throw error;
  } finally {
    waiting = false;
    clearImmediate(watch);
    if (!ended) await iterator.return?.();
  }
  await give();
  return given;
}

/** More rows are given in parts: between them the event loop turns. */
const mostAtOnce = 512;

/** Batches are given as they come. */
async function pumpBatches<Row>(
  { batches }: Batches<Row>,
  limit: number,
  result: { columns: readonly unknown[] },
  take: (rows: readonly Row[]) => Promise<boolean>,
): Promise<number> {
  const most = rowsAtOnce(result, mostAtOnce);
  let given = 0;
  for await (const rows of batches) {
    const some = rows.length > limit - given ? rows.slice(0, limit - given) : rows;
    for (let at = 0; at < some.length; at += most) {
      const part = some.length > most ? some.slice(at, at + most) : some;
      given += part.length;
      if (!(await take(part))) return given;
    }
    if (given >= limit) break;
  }
  return given;
}
