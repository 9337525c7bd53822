/** Rows in the format that was chosen: as they come where it can be, and counted. */
import { Failure, usage } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import { type FileFormat, fileWriterFor, isFileFormat, writerFor } from './formats/choose.ts';
import type { Result } from './formats/row-writer.ts';
import { handful, pump } from './pump.ts';
import type { Resume } from './resumable.ts';
import type { Target } from './target.ts';

export type Source<Row> = Iterable<Row> | AsyncIterable<Row>;

/** Writes them as they come, a handful at a time. @returns how many there were */
export async function writeRows<Row>(
  target: Target,
  source: Source<Row>,
  result: Result<Row>,
  limit: number,
): Promise<number> {
  const { format, settings, leftOut, messages } = target;
  if (isFileFormat(format)) return writeFile(target, format, result, source, limit);
  const writer = await writerFor(format, result, settings, target.table);
  let given = 0;
  await target.writing(target.clean, async (sink) => {
    let before = writer.open?.() ?? '';
    const rows = pump(source, limit, async (some) => {
      const text = await writer.rows(some);
      await sink.write(before + text);
      before = '';
      // The pump gives what there is when its source pauses: that is when a reader wants to see it.
      if (some.length < handful) await sink.flush();
      return !sink.closed;
    });
    given = await rows.catch(async (error) => {
      await sink.write((await writer.broken?.()) ?? '');
      // A file that failed is gone, and so are its rows.
      throw error instanceof Failure && target.toFile ? error.with({ resume: undefined }) : error;
    });
    await sink.write(before + ((await writer.close?.(given === 0)) ?? ''));
  });
  if (leftOut.length > 0) messages.note(noRoom(leftOut));
  return given;
}

/** Goes on behind what an interrupted run has written. */
export async function writeOn<Row>(
  target: Target,
  source: Source<Row>,
  result: Result<Row>,
  limit: number,
  resume: Resume<Row>,
): Promise<number> {
  const { format, settings, runtime } = target;
  const { writeResumable } = await import('./resumable.ts');
  if (isFileFormat(format)) throw noFile(format);
  const writer = await writerFor(format, result, settings, target.table);
  const place = { file: target.fileName(), cwd: runtime.cwd, stdout: runtime.stdout };
  return writeResumable(source, limit, writer, place, resume);
}

async function writeFile<Row>(
  { messages, openFile }: Target,
  kind: FileFormat,
  result: Result<Row>,
  source: Source<Row>,
  limit: number,
): Promise<number> {
  const sink = await openFile();
  try {
    const writer = await fileWriterFor(kind, result, { warn: messages.warn });
    const given = await unshown(source, limit, async (some) => {
      const ready = writer.rows(some);
      if (ready) await sink.writeBytes(ready);
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
  const given = await unshown(source, limit, async (some) => {
    for (const row of some) parts.push(stringifyJson(result.json(row)));
    return true;
  });
  await target.writeJq(`[${parts.join(',\n')}]`);
  return given;
}

/** `pump` for rows that are shown when all of them are there: of a failure nobody can go on with the rest. */
export const unshown: typeof pump = (source, limit, take) =>
  pump(source, limit, take).catch((error) => {
    throw error instanceof Failure ? error.with({ resume: undefined }) : error;
  });

export function noFile(format: FileFormat): Failure {
  return usage(`-o ${format} is for rows, and this command prints none`, 'another --out extension or -o writes text');
}

function noRoom(columns: readonly string[]): string {
  const named = columns.slice(0, 4).join(', ');
  const more = columns.length > 4 ? ` and ${columns.length - 4} more` : '';
  return `No room for ${named}${more}: --fields picks columns, --no-truncate shows all.`;
}
