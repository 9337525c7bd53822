/** A result that keeps what an interrupted run wrote, so that the next run continues it. */
import { Buffer } from 'node:buffer';
import { fstatSync, ftruncateSync } from 'node:fs';
import { open, rename, stat, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Failure, usage } from '../../core/errors.ts';
import { isFileFormat, writerFor } from '../formats/choose.ts';
import type { Result, RowWriter } from '../formats/writer.ts';
import type { Resume, Written } from '../output.ts';
import { refused } from './file-sink.ts';
import { noFile, pump, type Source } from './rows.ts';
import type { Target } from './target.ts';

interface Place {
  /** Undefined: stdout. */
  file: string | undefined;
  cwd: string;
  stdout: NodeJS.WritableStream;
}

interface Sink {
  readonly closed: boolean;
  readonly bytes: number;
  /** Resolves when the text is out of this process's hands. */
  write(text: string): Promise<void>;
  end(): Promise<void>;
  abort(): Promise<void>;
}

/** Continues the output of an interrupted run. @returns how many rows there are in all */
export async function writeOn<Row>(
  target: Target,
  source: Source<Row>,
  result: Result<Row>,
  limit: number,
  resume: Resume<Row>,
): Promise<number> {
  const { format, settings, runtime } = target;
  if (isFileFormat(format)) throw noFile(format);
  const writer = await writerFor(format, result, settings, target.table);
  const place = { file: target.fileName(), cwd: runtime.cwd, stdout: runtime.stdout };
  return writeResumable(source, limit, { ...result, writer }, place, resume);
}

/** @returns how many rows there are in all, those of earlier runs included */
async function writeResumable<Row>(
  source: Iterable<Row> | AsyncIterable<Row>,
  limit: number,
  { writer, columns }: Pick<Result<Row>, 'columns'> & { writer: RowWriter<Row> },
  target: Place,
  resume: Resume<Row>,
): Promise<number> {
  const { before } = resume;
  const sink =
    target.file === undefined ? streamSink(target.stdout, before) : await partialFile(target.file, target.cwd, before);
  const held: Row[] = [];
  let rows = before?.rows ?? 0;
  let opening = rows > 0 ? '' : (writer.open?.() ?? '');
  if (rows > 0) writer.goOn?.();
  let begun = before !== undefined;
  const give = async (some: readonly Row[]) => {
    if (!begun) await resume.keep(undefined, { bytes: sink.bytes, rows });
    begun = true;
    await sink.write(opening + (some.length > 0 ? await writer.rows(some) : ''));
    opening = '';
    rows += some.length;
  };
  try {
    await pump(source, limit - rows, { columns }, async (some) => {
      held.push(...some);
      const whole = held.findLastIndex(resume.endsWhole) + 1;
      const ready = held.splice(0, whole);
      const last = ready.at(-1);
      if (last === undefined) return true;
      await give(ready);
      await resume.keep(last, { bytes: sink.bytes, rows });
      return !sink.closed;
    });
    // --limit may cut after the last complete row.
    await give(held);
    await sink.write((await writer.close?.(rows === 0)) ?? '');
    await sink.end();
  } catch (error) {
    await sink.abort();
    // The checkpoint is more exact than the bounds that the source would name.
    throw error instanceof Failure ? error.with({ resume: undefined }) : error;
  }
  if (!sink.closed) await resume.finished();
  return rows;
}

/** stdout. If it is a file (`>> out.csv`), what an earlier run wrote after its last checkpoint is cut off. */
function streamSink(stream: NodeJS.WritableStream & { fd?: unknown }, before: Written | undefined): Sink {
  const { fd } = stream;
  const stat = typeof fd === 'number' ? fstatSync(fd) : undefined;
  let bytes = before?.bytes ?? 0;
  if (typeof fd === 'number' && stat?.isFile()) {
    if (before && stat.size < before.bytes) {
      throw usage(
        `the checkpoint is of an output of ${before.bytes} bytes, but stdout is a file of ${stat.size} bytes`,
        'append to the output of the previous run: >> FILE',
      );
    }
    if (before && stat.size > before.bytes) ftruncateSync(fd, before.bytes);
    else bytes = stat.size;
  }
  let closed = false;
  stream.on('error', () => {
    closed = true;
  });
  return {
    get closed() {
      return closed;
    },
    get bytes() {
      return bytes;
    },
    async write(text) {
      if (closed || text === '') return;
      await new Promise<void>((done) => stream.write(text, () => done()));
      bytes += Buffer.byteLength(text);
    },
    async end() {},
    async abort() {},
  };
}

/** `FILE.partial`, which becomes FILE when it is complete. */
async function partialFile(file: string, cwd: string, before: Written | undefined): Promise<Sink> {
  const target = resolve(cwd, file);
  const partial = `${target}.partial`;
  const found = await stat(target).catch(() => undefined);
  if (found && !found.isFile()) {
    const what = found.isDirectory() ? 'a folder' : 'a device or a pipe';
    throw usage(`--out ${file} is ${what}, and a checkpoint continues a file`, 'name a file, or omit --checkpoint');
  }
  const handle = await open(partial, before && before.bytes > 0 ? 'r+' : 'w').catch((error: NodeJS.ErrnoException) => {
    const missing = before !== undefined && error.code === 'ENOENT';
    const why = missing ? 'it does not exist, but the checkpoint continues it' : (error.code ?? error.message);
    throw usage(
      `${file}.partial cannot be written: ${why}`,
      missing ? 'delete the checkpoint to start again' : undefined,
    );
  });
  const { size } = await handle.stat();
  let bytes = before?.bytes ?? 0;
  if (size < bytes) {
    await handle.close();
    throw usage(
      `${file}.partial has ${size} bytes, but the checkpoint continues after ${bytes}`,
      'delete the checkpoint to start again',
    );
  }
  const unwritable = (error: unknown): never => {
    throw refused(`${file}.partial`, error);
  };
  await handle.truncate(bytes).catch(async (error) => {
    await handle.close();
    unwritable(error);
  });
  return {
    closed: false,
    get bytes() {
      return bytes;
    },
    async write(text) {
      const data = Buffer.from(text);
      for (let at = 0; at < data.length; ) {
        const { bytesWritten } = await handle.write(data, at, data.length - at, bytes).catch(unwritable);
        at += bytesWritten;
        bytes += bytesWritten;
      }
    },
    async end() {
      await handle.sync().catch(unwritable);
      await handle.close().catch(unwritable);
      await rename(partial, target).catch(unwritable);
    },
    async abort() {
      await handle.close().catch(() => {});
      // There is nothing to continue.
      if (bytes === 0) await unlink(partial).catch(() => {});
    },
  };
}
