/** The nearest of some known words, for "did you mean". */

/** The hint for an unknown word: the nearest of the known ones, else `otherwise`. */
export function nearestHint(word: string, known: readonly string[], otherwise: string): string;
export function nearestHint(word: string, known: readonly string[]): string | undefined;
export function nearestHint(word: string, known: readonly string[], otherwise?: string): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? otherwise : `did you mean ${/^[\w.-]+$/.test(near) ? near : JSON.stringify(near)}?`;
}

/**
 * The candidate that `word` most likely is: at most a third of its letters, or of a part of it, differ; only one where
 * the first letter does. Undefined when none is near.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lowerCase = word.toLowerCase();
  const most = Math.max(1, Math.floor(Math.max(lowerCase.length, 3) / 3));
  const distanceTo = (text: string) => {
    const distance = editDistance(lowerCase, text, most);
    return distance > 1 && text.charAt(0) !== lowerCase.charAt(0) ? most + 1 : distance;
  };
  let best: { text: string; distance: number } | undefined;
  for (const text of candidates) {
    const distance = distanceTo(text.toLowerCase());
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { text, distance };
  }
  if (best) return best.text;
  const begun = lowerCase.length < 3 ? [] : candidates.filter((text) => text.toLowerCase().includes(lowerCase));
  if (begun.length > 0) return begun.length === 1 ? begun[0] : undefined;
  // `tpye` is a part of attribute_type; a short part is like too many words.
  const isNear = (part: string) => part.length > 3 && distanceTo(part) <= most;
  const partly = candidates.filter((text) => text.toLowerCase().split(/[-_]/).some(isNear));
  if (partly.length > 0) return partly.length === 1 ? partly[0] : undefined;
  // `currency_code` is a currency.
  const parts = lowerCase.split(/[-_]/);
  return candidates.find((text) => parts.includes(text.toLowerCase()));
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; anything above `most` is `most + 1`. */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(above, column) + 1, at(current, column - 1) + 1, at(above, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(before, column - 2) + 1);
      current.push(cost);
    }
    // No later row is below the least of this one: a server may have 100,000 names.
    if (Math.min(...current) > most) return most + 1;
    before = above;
    above = current;
  }
  return Math.min(at(above, b.length), most + 1);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
