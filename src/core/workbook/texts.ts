/** Many texts in little memory: their bytes in blocks, each found by its number. */

const blockBytes = 1 << 18;

export class Texts {
  private readonly blocks: Buffer[] = [];
  /** Block and offset of each text. */
  private readonly starts: number[] = [];
  private pending: string[] = [];
  private pendingBytes = 0;

  get length(): number {
    return this.starts.length;
  }

  push(text: string): void {
    this.starts.push(this.blocks.length * 2 ** 32 + this.pendingBytes);
    this.pending.push(text);
    this.pendingBytes += Buffer.byteLength(text);
    if (this.pendingBytes >= blockBytes) this.seal();
  }

  at(index: number): string | undefined {
    const start = this.starts[index];
    if (start === undefined) return undefined;
    if (this.pending.length > 0) this.seal();
    const block = Math.floor(start / 2 ** 32);
    const next = this.starts[index + 1];
    const end = next !== undefined && Math.floor(next / 2 ** 32) === block ? next % 2 ** 32 : undefined;
    return this.blocks[block]?.toString('utf8', start % 2 ** 32, end);
  }

  private seal(): void {
    this.blocks.push(Buffer.from(this.pending.join('')));
    this.pending = [];
    this.pendingBytes = 0;
  }
}
