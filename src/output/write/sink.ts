/** Where the bytes of a result go: stdout or a file, in pieces of about 64 KiB, never faster than they are taken. */

export interface Sink {
  /** True when nobody reads any more (`| head`): whoever writes may stop. */
  readonly closed: boolean;
  /** Adds text; waits while what takes it is full. */
  write(text: string): Promise<void>;
  /** Hands over what is held back. */
  flush(): Promise<void>;
  /** The result is whole: everything is handed over. */
  end(): Promise<void>;
  /** The result failed: what was written stays where it is on stdout; a file is as it was before. */
  abort(): Promise<void>;
}

const piece = 64 * 1024;

/** @param clean makes a piece safe for a terminal */
export function streamSink(stream: NodeJS.WritableStream, clean: (text: string) => string): Sink {
  let held = '';
  let closed = false;
  const close = () => {
    closed = true;
  };
  stream.on('error', close);
  stream.on('close', close);

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
    await push(text);
  };
  const end = async () => {
    await flush();
    stream.off('close', close);
    stream.off('error', close);
  };
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
    abort: end,
  };
}

/** Writes bytes as they are. */
export function writeBytes(stream: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.write(bytes, () => resolve());
  });
}
