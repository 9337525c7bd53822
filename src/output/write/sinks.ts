/** A result on stdout, or as a file: written under another name and moved when it is complete. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Failure, usage } from '../../core/errors.ts';
import type { Sink } from '../output.ts';

interface FileSink extends Sink {
  writeBytes(bytes: Uint8Array): Promise<void>;
}

/** Text is written in pieces of this length. */
const piece = 64 * 1024;

/**
 * Opens the file once at the start, so that a missing folder is reported before any request. No file exists until
 * there are bytes, so that a kill leaves none. A symbolic link keeps its target; a replaced file keeps
 * its mode; a pipe or a device (`/dev/null`) is written directly.
 * @param flag the one that named the file, for messages
 * @throws usage when the folder does not exist or cannot be written
 */
export async function fileSink(file: string, cwd: string, flag = '--out'): Promise<FileSink> {
  const named = resolve(cwd, file);
  const target = await realpath(named).catch(() => named);
  const before = await stat(target).catch(() => undefined);
  if (before?.isDirectory()) throw usage(`${flag} ${file} is a folder, and must be a file`);
  const direct = before !== undefined && !before.isFile();
  const temporary = direct
    ? target
    : join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  let handle: FileHandle | undefined;
  let failure: Failure | undefined;
  const remove = async () => {
    await handle?.close().catch(() => {});
    if (handle && !direct) await unlink(temporary).catch(() => {});
    handle = undefined;
  };
  /** Runs one step on the file; when it fails, takes the unfinished file away and says what happened to which file. */
  const step = async (work: (opened: FileHandle) => Promise<unknown>): Promise<void> => {
    if (failure) throw failure;
    try {
      if (!handle) {
        handle = await open(temporary, direct ? 'w' : 'wx', 0o666);
        if (before && !direct) await handle.chmod(before.mode & 0o7777);
      }
      await work(handle);
    } catch (error) {
      await remove();
      failure = unwritable(`${flag} ${file}`, error);
      throw failure;
    }
  };
  await step(async () => {});
  if (!direct) await remove();

  let pending = '';
  const flush = async () => {
    const text = pending;
    pending = '';
    if (text !== '') await step((opened) => opened.writeFile(text));
  };
  return {
    closed: false,
    async write(text) {
      pending += text;
      if (pending.length >= piece) await flush();
    },
    writeBytes: (bytes) => step((opened) => opened.writeFile(bytes)),
    // Nobody reads the file before it is complete.
    async flush() {},
    async end() {
      await flush();
      await step(async (opened) => {
        if (!direct) await opened.sync();
        await opened.close();
        if (!direct) await rename(temporary, target);
      });
    },
    abort: remove,
  };
}

/** @throws usage for a file that is there, also for a link to none. `name` is the file as it was typed */
export async function requireNewFile(name: string, cwd: string): Promise<void> {
  // A path that cannot be examined fails later, when it is written.
  if (await lstat(resolve(cwd, name)).catch(() => undefined))
    throw usage(`${name} exists already`, 'name another file');
}

/** Writes a whole file. @throws usage as `fileSink` does */
export async function writeFile(file: string, cwd: string, text: string, flag?: string): Promise<void> {
  const sink = await fileSink(file, cwd, flag);
  await sink.write(text);
  await sink.end();
}

/** A file that cannot be written, and why. */
export function unwritable(target: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const says: Record<string, string> = {
    EDQUOT: 'the disk quota is used up',
    ENOENT: 'its folder does not exist',
    ENOTDIR: 'its folder is a file',
    EACCES: 'its folder cannot be written',
    EPERM: 'its folder cannot be written',
    EROFS: 'its file system is read-only',
    ENOSPC: 'the disk is full',
    ENAMETOOLONG: 'its name is too long',
  };
  return usage(`${target} cannot be written: ${(code && says[code]) || message}`);
}

/** @param clean makes a piece safe for a terminal; `beforeWrite` clears the line of progress */
export function streamSink(
  stream: NodeJS.WritableStream,
  clean: (text: string) => string,
  beforeWrite: () => void,
): Sink {
  let held = '';
  let closed = false;
  let failed: NodeJS.ErrnoException | undefined;
  const close = (error?: NodeJS.ErrnoException) => {
    closed = true;
    failed ??= error;
  };
  stream.on('error', close);
  stream.on('close', close);

  /** A reader may stop early; a full disk behind `> file` is a failure. */
  const check = () => {
    if (failed === undefined || failed.code === 'EPIPE') return;
    throw usage(`cannot write to stdout: ${failed.message}`, 'the output is incomplete');
  };

  /** Resolves when the stream has taken the text, or will never take it. */
  const push = (text: string): Promise<void> =>
    new Promise((resolve) => {
      if (closed || !stream.writable) {
        closed = true;
        resolve();
        return;
      }
      const done = () => {
        stream.off('drain', done);
        stream.off('error', done);
        stream.off('close', done);
        resolve();
      };
      stream.on('error', done);
      stream.on('close', done);
      if (stream.write(text)) done();
      else stream.on('drain', done);
    });
  const flush = async () => {
    if (held === '') return;
    const text = clean(held);
    held = '';
    beforeWrite();
    await push(text);
    check();
  };
  const leave = () => {
    stream.off('close', close);
    stream.off('error', close);
  };
  const end = async () => {
    try {
      await flush();
      // An error of the last write arrives with its callback.
      if (!closed && stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()));
      check();
    } finally {
      leave();
    }
  };
  const abort = () => end().catch(() => undefined);
  return {
    get closed() {
      return closed;
    },
    async write(text) {
      held += text;
      if (held.length >= piece) await flush();
    },
    flush,
    end,
    abort,
  };
}
