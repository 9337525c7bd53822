/** Writes rows in the chosen format, as they arrive where the format allows it. */
import { Failure, usage } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { type FileFormat, fileWriterFor, isFileFormat, writerFor } from '../formats/choose.ts';
import type { Result } from '../formats/writer.ts';

import type { Target } from './target.ts';

/** Rows in batches, such as pages: each step through a generator costs a turn of the event loop. */
export class Batches<Row> implements AsyncIterable<Row> {
  constructor(readonly batches: AsyncIterable<readonly Row[]>) {}

  /** The rows, one at a time. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    for await (const rows of this.batches) for (const row of rows) yield row;
  }
}

export type Source<Row> = Iterable<Row> | AsyncIterable<Row>;

/** Wraps each row in a batch of its own. */
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
  const turn = turning(target, result.reports);
  const writer = await writerFor(format, result, settings, { ...target.table, turn });
  let count = 0;
  await target.writing(
    target.clean,
    async (sink) => {
      let before = writer.open?.() ?? '';
      const rows = pump(source, limit, result, async (part, isPause) => {
        const text = await writer.rows(part);
        await sink.write(before + text);
        before = '';
        if (isPause) await sink.flush();
        await turn();
        return !sink.closed;
      });
      count = await rows.catch(async (error) => {
        await sink.write((await writer.broken?.()) ?? '');
        // The unfinished file is removed, so there is nothing to resume.
        throw error instanceof Failure && target.toFile ? error.with({ resume: undefined }) : error;
      });
      await sink.write(before + ((await writer.close?.(count === 0)) ?? ''));
    },
    format === 'table',
  );
  return count;
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
    const { messages, remarks } = target;
    const writer = await fileWriterFor(kind, result, { warn: messages.warn, remarks });
    const count = await pumpTogether(source, limit, result, async (part) => {
      const ready = writer.rows(part);
      if (ready) await sink.writeBytes(ready);
      await turn();
      return true;
    });
    await sink.writeBytes(await writer.close());
    await sink.end();
    return count;
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** Gives all rows to jq as one array. */
export async function writeRowsToJq<Row>(
  target: Target,
  source: Source<Row>,
  result: Result<Row>,
  limit: number,
): Promise<number> {
  const parts: string[] = [];
  const turn = turning(target, result.reports);
  const count = await pumpTogether(source, limit, result, async (part) => {
    for (const row of part) parts.push(stringifyJson(result.json(row)));
    await turn();
    return true;
  });
  await target.writeJq(`[${parts.join(',\n')}]`);
  return count;
}

/**
 * Lets the event loop handle signals between parts. The report of writes is printed to its end,
 * even after a signal.
 */
function turning({ runtime }: Target, reports: boolean | undefined): () => Promise<void> {
  const { signal } = runtime;
  if (signal?.aborted || reports) return () => new Promise(setImmediate);
  return async () => {
    await new Promise(setImmediate);
    if (signal?.aborted) throw new Failure('interrupted', 'interrupted while rows were written');
  };
}

/** `pump` for formats that need all rows: a failure has nothing to resume from. */
export const pumpTogether: typeof pump = (source, limit, result, take) =>
  pump(source, limit, result, take).catch((error) => {
    throw error instanceof Failure ? error.with({ resume: undefined }) : error;
  });

export function noFile(format: FileFormat): Failure {
  return usage(`-o ${format} is for rows, and this command prints none`, 'another --out extension or -o writes text');
}

/** More rows are given in parts: between them the event loop turns. */
const batchSize = 512;
const maxCells = 20_000;
const firstPart = 16;
/** Milliseconds that a part should take: rows of long texts are given in smaller parts. */
const [quick, slow] = [20, 100];

/** Rows of many columns are given in smaller parts. */
function rowsAtOnce({ columns }: { columns: readonly unknown[] }): number {
  return Math.min(Math.max(Math.floor(maxCells / Math.max(columns.length, 1)), 1), batchSize);
}

/**
 * Reads `source` and gives its rows to `take` in order, a part at a time. Stops after `limit` rows, or when `take` says
 * so, and then lets the source clean up. When the source fails, the rows before the failure are given first.
 * @param take gives false when no more rows are wanted; `isPause`: the source pauses, and a reader wants to see the rows
 * @returns how many rows were given
 */
export async function pump<Row>(
  source: Source<Row>,
  limit: number,
  result: { columns: readonly unknown[] },
  take: (rows: readonly Row[], isPause: boolean) => Promise<boolean>,
): Promise<number> {
  const most = rowsAtOnce(result);
  let size = Math.min(firstPart, most);
  let count = 0;
  if (limit <= 0) return 0;
  for await (const batch of source instanceof Batches ? source.batches : inBatches(source, most, limit)) {
    const rows = batch.slice(0, limit - count);
    let end = 0;
    for (let at = 0; at < rows.length; at = end) {
      end = Math.min(at + size, rows.length);
      const began = performance.now();
      const isWanted = await take(rows.slice(at, end), end === rows.length && rows.length < most);
      count += end - at;
      if (!isWanted) return count;
      const spent = performance.now() - began;
      if (spent < quick) size = Math.min(2 * size, most);
      else if (spent > slow) size = Math.max(Math.ceil(size / 4), 1);
    }
    if (count >= limit) break;
  }
  return count;
}

async function* inBatches<Row>(source: Source<Row>, most: number, limit: number): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  let left = limit;
  try {
    for await (const row of source) {
      rows.push(row);
      left -= 1;
      if (rows.length < most && left > 0) continue;
      yield rows;
      rows = [];
      if (left <= 0) return;
    }
  } catch (error) {
    if (rows.length > 0) yield rows;
    throw error;
  }
  if (rows.length > 0) yield rows;
}
