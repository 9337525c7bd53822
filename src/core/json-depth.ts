/** How deep the arrays and objects of a JSON text are nested. */

/** No data is nested deeper, and walking a value that is takes more stack and memory than there is. */
export const mostLevels = 500;

const [quote, backslash] = [0x22, 0x5c];

/** What a byte is to the levels: 0 nothing, 1 the start of a text, 2 a level more, 3 one less. */
const kinds = new Uint8Array(256);
kinds[quote] = 1;
for (const open of '[{') kinds[open.charCodeAt(0)] = 2;
for (const close of ']}') kinds[close.charCodeAt(0)] = 3;

/** The byte order mark of UTF-8, which may precede the text. */
const mark = [0xef, 0xbb, 0xbf];

/** Whether a JSON text in UTF-8 is nested deeper than data is. Every answer is looked at: bytes are faster than text. */
export function isTooDeep(json: Uint8Array): boolean {
  const start = json.findIndex((byte) => byte > 0x20 && !mark.includes(byte));
  // A page of HTML has quotes and brackets that are not those of data.
  if (kinds[json[start] ?? 0] !== 2) return false;
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const kind = kinds[json[at] as number];
    if (kind === 0) continue;
    if (kind === 1) {
      for (at += 1; at < json.length; at += 1) {
        const inside = json[at];
        if (inside === quote) break;
        if (inside === backslash) at += 1;
      }
    } else if (kind === 2) {
      depth += 1;
      if (depth > mostLevels) return true;
    } else depth -= 1;
  }
  return false;
}
