/** A set of ids in little memory: an export of a million rows remembers a million of them. */

/** The value of a hexadecimal digit by its character code; 16 for every other character of ASCII. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return digit < 0 ? 16 : digit;
});
const dash = 0x2d;

/** 128 bits in four words. */
const words = 4;
const read = new Uint32Array(words);

/** A set of ids: uuids as bits in a table with open addressing, other ids in a Set. */
export class IdSet {
  private readonly others = new Set<unknown>();
  private slots = 1024;
  private table = new Uint32Array(this.slots * words);
  private used = 0;

  /** Whether the id is new; from now on it is not. */
  add(id: unknown): boolean {
    if (typeof id === 'string' && readUuid(id)) return this.keep();
    if (this.others.has(id)) return false;
    // A string that was cut out of a page would keep the whole page in memory.
    this.others.add(typeof id === 'string' ? JSON.parse(JSON.stringify(id)) : id);
    return true;
  }

  has(id: unknown): boolean {
    if (typeof id !== 'string' || !readUuid(id)) return this.others.has(id);
    return isTaken(this.table, placeOf(this.table, this.slots, read, 0));
  }

  private keep(): boolean {
    if (this.used * 2 >= this.slots) this.grow();
    if (!insert(this.table, this.slots, read, 0)) return false;
    this.used += 1;
    return true;
  }

  private grow(): void {
    const before = this.table;
    this.slots *= 2;
    this.table = new Uint32Array(this.slots * words);
    for (let at = 0; at < before.length; at += words) {
      if (isTaken(before, at)) insert(this.table, this.slots, before, at);
    }
  }
}

/** The bits of a uuid as the API writes it, into `read`; false for all else, and for the uuid of zeros. */
function readUuid(id: string): boolean {
  if (id.length !== 36) return false;
  const areDashes =
    id.charCodeAt(8) === dash && id.charCodeAt(13) === dash && id.charCodeAt(18) === dash && id.charCodeAt(23) === dash;
  if (!areDashes) return false;
  const [a, b] = [hex(id, 0), hex(id, 4)];
  const [c, d] = [hex(id, 9), hex(id, 14)];
  const [e, f] = [hex(id, 19), hex(id, 24)];
  const [g, h] = [hex(id, 28), hex(id, 32)];
  if ((a | b | c | d | e | f | g | h) > 0xffff) return false;
  read[0] = (a << 16) | b;
  read[1] = (c << 16) | d;
  read[2] = (e << 16) | f;
  read[3] = (g << 16) | h;
  return (a | b | c | d | e | f | g | h) !== 0;
}

/** The number that four digits write; a larger one where another character is among them. */
function hex(id: string, from: number): number {
  const a = id.charCodeAt(from);
  const b = id.charCodeAt(from + 1);
  const c = id.charCodeAt(from + 2);
  const d = id.charCodeAt(from + 3);
  if ((a | b | c | d) > 127) return 0x10000;
  const [w, x, y, z] = [digits[a] as number, digits[b] as number, digits[c] as number, digits[d] as number];
  return (w | x | y | z) > 15 ? 0x10000 : (w << 12) | (x << 8) | (y << 4) | z;
}

function isTaken(table: Uint32Array, at: number): boolean {
  return table[at] !== 0 || table[at + 1] !== 0 || table[at + 2] !== 0 || table[at + 3] !== 0;
}

/** Puts the four words at `from` of `id` into the table; false when they are there already. */
function insert(table: Uint32Array, slots: number, id: Uint32Array, from: number): boolean {
  const at = placeOf(table, slots, id, from);
  if (isTaken(table, at)) return false;
  for (let word = 0; word < words; word += 1) table[at + word] = id[from + word] ?? 0;
  return true;
}

/** The slot of the four words at `from` of `id`, or the free slot for them. Slots of zeros are free. */
function placeOf(table: Uint32Array, slots: number, id: Uint32Array, from: number): number {
  const a = id[from] ?? 0;
  const b = id[from + 1] ?? 0;
  const c = id[from + 2] ?? 0;
  const d = id[from + 3] ?? 0;
  // Ids may count up in any of their parts.
  let slot = Math.imul(a ^ Math.imul(b ^ Math.imul(c ^ Math.imul(d, 0x85ebca6b), 0xc2b2ae35), 0x27d4eb2f), 0x165667b1);
  slot = (slot ^ (slot >>> 15)) & (slots - 1);
  let at = slot * words;
  while (isTaken(table, at)) {
    if (table[at] === a && table[at + 1] === b && table[at + 2] === c && table[at + 3] === d) return at;
    slot = (slot + 1) & (slots - 1);
    at = slot * words;
  }
  return at;
}
