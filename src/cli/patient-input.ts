/** stdin for a list that is searched: Enter waits for the choices. The library ignores it until they are there. */
import { Transform } from 'node:stream';

/** What a terminal has beside a stream. */
interface TerminalParts {
  isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
}

export class PatientInput extends Transform {
  private pending: Promise<unknown> = Promise.resolve();

  constructor(private readonly stdin: NodeJS.ReadableStream & TerminalParts) {
    super();
    Object.assign(this, {
      isTTY: stdin.isTTY,
      setRawMode: (on: boolean) => {
        stdin.setRawMode?.(on);
        return this;
      },
    });
    stdin.pipe(this);
  }

  /** What Enter waits for. */
  waitsFor<T>(search: Promise<T>): Promise<T> {
    this.pending = search.catch(() => {});
    return search;
  }

  /** Gives stdin back. */
  release(): void {
    this.stdin.unpipe(this);
    this.stdin.pause();
  }

  override async _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): Promise<void> {
    for (const keys of String(chunk).split(/(\r|\n)/)) {
      if (keys === '\r' || keys === '\n') await this.settled();
      this.push(keys);
    }
    done();
  }

  private async settled(): Promise<void> {
    for (let before: Promise<unknown> | undefined; before !== this.pending; ) {
      // What was typed before is read, and begins its search.
      await new Promise(setImmediate);
      before = this.pending;
      await before;
      await new Promise(setImmediate);
    }
  }
}
