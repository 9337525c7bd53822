/** Numbers by key without the keys, 16 bytes or so for each: the caller holds what was found against the key itself. */
export class KeyIndex {
  private hashes = new Uint32Array(4096);
  /** Number + 1; 0 for a free place. */
  private numbers = new Uint32Array(4096);
  private size = 0;

  add(key: string, number: number): void {
    if (this.size * 2 >= this.numbers.length) this.grow();
    this.put(hashOf(key), number + 1);
    this.size += 1;
  }

  /** Numbers that may be of the key, the lowest first. */
  find(key: string): number[] {
    const found: number[] = [];
    const hash = hashOf(key);
    const mask = this.numbers.length - 1;
    for (let at = hash & mask; this.numbers[at] !== 0; at = (at + 1) & mask) {
      if (this.hashes[at] === hash) found.push((this.numbers[at] as number) - 1);
    }
    return found.length > 1 ? found.sort((a, b) => a - b) : found;
  }

  private put(hash: number, stored: number): void {
    const mask = this.numbers.length - 1;
    let at = hash & mask;
    while (this.numbers[at] !== 0) at = (at + 1) & mask;
    this.hashes[at] = hash;
    this.numbers[at] = stored;
  }

  private grow(): void {
    const { hashes, numbers } = this;
    this.hashes = new Uint32Array(hashes.length * 2);
    this.numbers = new Uint32Array(numbers.length * 2);
    for (let at = 0; at < numbers.length; at += 1) {
      if (numbers[at] !== 0) this.put(hashes[at] as number, numbers[at] as number);
    }
  }
}

/** FNV-1a, and a last stir: places are taken from its low bits. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
