/** Input of arguments and flags: text, or bytes read piece by piece, from a file or stdin. */
import { closeSync, createReadStream, fstatSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, usage } from '../core/errors.ts';
import { temporaryFile, writeAll } from '../core/files.ts';
import { maxTextBytes } from '../core/limits.ts';
import type { Runtime } from './context.ts';

export type Pieces = ReturnType<typeof piecesOf>;

/** Bytes that are read and written at once. */
const pieceLength = 1 << 16;

/** Reads a file piece by piece. @throws usage when it cannot be read */
export function filePieces(path: string, name: string): Pieces {
  try {
    const file = openSync(path, 'r');
    if (fstatSync(file).isFile()) return piecesOf(file);
    const copy = temporaryFile();
    let end = 0;
    for (const piece of readFrom(file)) {
      writeAll(copy, piece, end);
      end += piece.length;
    }
    closeSync(file);
    return piecesOf(copy);
  } catch (error) {
    throw error instanceof Failure ? error : cannotRead(name, error);
  }
}

/** The failure of a file that was named. */
function cannotRead(name: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = { ENOENT: 'not found', EISDIR: 'it is a folder' };
  const failure = usage(`cannot read ${name}: ${(code && reasons[code]) || message}`);
  return code === 'ENOENT' ? failure.with({ code: 'no_such_file' }) : failure;
}

/** Reads stdin piece by piece. @throws usage on a terminal */
export async function stdinPieces({ stdin, terminal }: Pick<Runtime, 'stdin' | 'terminal'>): Promise<Pieces> {
  if (!terminal.stdinIsTTY) return copiedPieces(stdin);
  throw usage('stdin is a terminal, and FILE is - (a pipe or a file on stdin)', 'write `< FILE`');
}

/** Copies a stream into a temporary file, to read it more than once. */
async function copiedPieces(stream: AsyncIterable<string | Uint8Array>): Promise<Pieces> {
  const file = temporaryFile();
  let end = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    writeAll(file, bytes, end);
    end += bytes.length;
  }
  return piecesOf(file);
}

function piecesOf(file: number) {
  return {
    /** From the beginning, each time. */
    open: () => readFrom(file, 0),
    size: fstatSync(file).size,
    /** At most `length` bytes from an offset. */
    read(at: number, length: number): Buffer {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      for (let read = -1; read !== 0 && filled < length; filled += read) {
        read = readSync(file, bytes, filled, length - filled, at + filled);
      }
      return bytes.subarray(0, filled);
    },
    close: () => closeSync(file),
  };
}

function* readFrom(file: number, start?: number): Generator<Uint8Array> {
  let at = start ?? null;
  for (;;) {
    const bytes = Buffer.allocUnsafe(pieceLength);
    const read = readSync(file, bytes, 0, pieceLength, at);
    if (read === 0) return;
    if (at !== null) at += read;
    yield bytes.subarray(0, read);
  }
}

/** Writes a file that only its owner may read; one that a full disk leaves unfinished is removed. */
export function writePieces(file: string, pieces: Iterable<string>): void {
  const fd = openSync(file, 'w', 0o600);
  try {
    let held = '';
    for (const piece of pieces) {
      held += piece;
      if (held.length < pieceLength) continue;
      writeFileSync(fd, held);
      held = '';
    }
    writeFileSync(fd, held);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** The text of stdin. @throws usage on a terminal, and for more than can be read at once */
export async function readAll({ stdin, terminal }: Runtime): Promise<string> {
  if (terminal.stdinIsTTY) throw usage('stdin is a terminal, but a pipe or a file is needed', 'add `< FILE`');
  return utf8(await readStream(stdin, 'stdin'), 'stdin');
}

/** @throws usage for a file that cannot be read, or has more than can be read at once */
export async function readText(
  { cwd }: Pick<Runtime, 'cwd'>,
  path: string,
  name = resolve(cwd, path),
): Promise<string> {
  try {
    return utf8(await readStream(createReadStream(resolve(cwd, path)), name), name);
  } catch (error) {
    throw error instanceof Failure ? error : cannotRead(name, error);
  }
}

/** A device or a pipe has no end that its size would tell. */
async function readStream(stream: AsyncIterable<string | Uint8Array>, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxTextBytes) throw tooLong(name, size);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function tooLong(name: string, size: number): Failure {
  return usage(`${name} has ${size} bytes or more, and the limit for a text that is read at once is ${maxTextBytes}`);
}

/** UTF-8 text without its byte order mark; bytes that are not UTF-8 are refused, not replaced. */
function utf8(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${from} is not UTF-8 text`);
  }
}
