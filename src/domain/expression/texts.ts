/** What functions of text can give: `lower(title) = "ACME"` can never hold. */
import type { Typed } from './typed.ts';

/** Whether a text can be what the functions give; `part` is the whole text, its start or its end. */
export function canBe<Row>(of: Typed<Row>, text: string, part: 'all' | 'start' | 'end' = 'all'): boolean {
  let folded = false;
  for (let node: Typed<Row> | undefined = of; node?.kind === 'call'; node = node.args[0]) {
    if (node.name === 'trim' && trimmed(text, part) !== text) return false;
    if (node.name !== 'lower' && node.name !== 'upper') continue;
    // The outermost of the two decides.
    if (!folded && text !== (node.name === 'lower' ? text.toLowerCase() : text.toUpperCase())) return false;
    folded = true;
  }
  return true;
}

function trimmed(text: string, part: 'all' | 'start' | 'end'): string {
  if (part === 'all') return text.trim();
  return part === 'start' ? text.trimStart() : text.trimEnd();
}
