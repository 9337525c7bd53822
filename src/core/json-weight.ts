/** What the values of a JSON text take in memory beside their characters: `[{},{},…]` takes twenty times its bytes. */

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];

/** Bytes in memory by the byte that opens or separates values, as measured; an array grows in steps. */
const bytesOf = new Uint8Array(256);
bytesOf['{'.charCodeAt(0)] = 56;
bytesOf['['.charCodeAt(0)] = 48;
bytesOf[','.charCodeAt(0)] = 16;
bytesOf[quote] = 24;
/** A number with one of these may be kept with its text (see `json.ts`), and so may one of more digits than a double has. */
const ofExactNumber = 56;
for (const mark of '.-') bytesOf[mark.charCodeAt(0)] = ofExactNumber;
const mostDigits = 15;

/** Text beyond this is of no value that the API stores; it is copied when it is decoded and when it is read. */
const longText = 1024 * 1024;
const ofLongText = 3;

/** A key that an earlier object had: its text and the comma are weighed, and a field takes eight bytes. */
const ofKnownKey = 8 - 16 - 24;
/** A key that no earlier object had: its text, and the new form of the object that has it. */
const ofNewKey = 160;
/** Keys that are remembered. Data has far fewer: another key in the place of one costs what a new one does. */
const rememberedKeys = 4096;

/** Weighs a text in UTF-8 as it arrives. What is not JSON data weighs nothing. */
export class JsonWeight {
  /** Bytes that the values take so far. */
  bytes = 0;
  private isData: boolean | undefined;
  private isText = false;
  private isEscaped = false;
  private hash = 0;
  private length = 0;
  private digits = 0;
  private readonly keys = new Int32Array(rememberedKeys);

  add(chunk: Uint8Array): void {
    let at = this.isData === undefined ? this.begin(chunk) : 0;
    if (!this.isData) return;
    let { bytes, isText, isEscaped, hash, length, digits } = this;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === quote) isText = false;
        else if (byte === backslash) isEscaped = true;
        hash = (Math.imul(hash, 31) + byte) | 0;
        length += 1;
        if (length > longText) bytes += ofLongText;
        continue;
      }
      bytes += bytesOf[byte] as number;
      if (byte >= 0x30 && byte <= 0x39) {
        digits += 1;
        if (digits === mostDigits) bytes += ofExactNumber;
        continue;
      }
      if (byte === quote) {
        isText = true;
        hash = 1;
        length = 0;
      } else if (byte === colon) bytes += this.keyWeight(hash);
      else if (digits > 0 && (byte === 0x65 || byte === 0x45)) bytes += ofExactNumber;
      digits = 0;
    }
    Object.assign(this, { bytes, isText, isEscaped, hash, length, digits });
  }

  /** Where the data begins: other bodies, such as pages of HTML, have brackets and quotes that mean nothing. */
  private begin(chunk: Uint8Array): number {
    const start = chunk.findIndex((byte) => byte > 0x20 && byte < 0x80);
    if (start >= 0) this.isData = chunk[start] === 0x7b || chunk[start] === 0x5b;
    return start;
  }

  /** The text before a colon is a key, which objects of one form share. */
  private keyWeight(hash: number): number {
    const place = (hash ^ (hash >>> 15)) & (rememberedKeys - 1);
    if (this.keys[place] === hash) return ofKnownKey;
    this.keys[place] = hash;
    return ofNewKey;
  }
}
