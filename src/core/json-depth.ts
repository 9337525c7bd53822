/** How deep the arrays and objects of a JSON text are nested. */

/** No data is nested deeper, and walking a value that is takes more stack and memory than there is. */
export const mostLevels = 500;

const [quote, backslash] = [0x22, 0x5c];

/** A text of this length is worth reading twice: parsing it takes memory. */
const long = 1024 * 1024;

/** What is nested deeply and not written to deceive ends with many brackets in a row. */
const manyEnds = /[\]}](?:\s*[\]}]){63}/;

/** Whether a JSON text is nested deeper than data is. */
export function isTooDeep(text: string): boolean {
  return (text.length > long || manyEnds.test(text)) && levelsExceed(text);
}

function levelsExceed(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      for (at += 1; at < text.length; at += 1) {
        const inside = text.charCodeAt(at);
        if (inside === quote) break;
        if (inside === backslash) at += 1;
      }
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > mostLevels) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}
