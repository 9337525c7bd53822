/** A result on stdout. */
import { usage } from '../../core/errors.ts';
import type { Sink } from '../output.ts';

/** Text is handed over in pieces of this length. */
const piece = 64 * 1024;

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
      // An error of the last piece arrives with its answer.
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
