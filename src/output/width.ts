/** How many cells text takes on a terminal, and cutting it to a width. The only file that knows the library for it. */
import stringWidth from 'string-width';

export function width(text: string): number {
  return stringWidth(text);
}

let segmenter: Intl.Segmenter | undefined;

/** Cut to `cells`, the last one `…`; the text itself when it fits. Never cuts inside a character as people see it. */
export function cut(text: string, cells: number): string {
  if (width(text) <= cells) return text;
  segmenter ??= new Intl.Segmenter();
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += width(segment);
    if (used > cells - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
