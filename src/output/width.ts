/** How many cells text takes on a terminal, and cutting it to a width. The only file that knows the library for it. */
import stringWidth from 'string-width';

export function width(text: string): number {
  return stringWidth(text);
}

let segmenter: Intl.Segmenter | undefined;

/** Cut to `cells`, ending in `…`; the text itself when it fits. Never cuts inside a character as people see it. */
export function cut(text: string, cells: number, ascii = false): string {
  if (width(text) <= cells) return text;
  segmenter ??= new Intl.Segmenter();
  const mark = !ascii ? '…' : '...'.slice(0, Math.max(cells, 1));
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += width(segment);
    if (used > cells - mark.length) break;
    kept += segment;
  }
  return `${kept}${mark}`;
}

/** Cut between words where that does not cost much. */
export function cutWords(text: string, cells: number, ascii = false): string {
  const plain = cut(text, cells, ascii);
  if (plain === text) return text;
  const kept = plain.slice(0, plain.length - (ascii ? 3 : 1));
  const blank = kept.lastIndexOf(' ');
  if (text.charAt(kept.length) === ' ' || blank < kept.length / 3) return plain;
  return `${kept.slice(0, blank)}${ascii ? '...' : '…'}`;
}

/** Paths, addresses, ids: words that people copy, and so are not broken. */
const copied = /^[!-~]+$/;

/**
 * In lines of at most `cells`, broken between words, and within a word where its script has no blanks. A line that is
 * longer is one word.
 * @param isTight breaks every word that is too long
 */
export function wrapped(text: string, cells: number, isTight = false): string[] {
  if (width(text) <= cells) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (width(joined) <= cells) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (width(line) > cells && (isTight || !copied.test(line))) {
      const [piece, rest] = broken(line, cells);
      lines.push(piece);
      line = rest;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** The longest word that is not broken. */
export function longestWord(text: string): number {
  return Math.max(0, ...text.split(' ').flatMap((word) => (copied.test(word) ? [word.length] : [])));
}

/** As much as fits, at least one character, and the rest. */
function broken(text: string, cells: number): [string, string] {
  segmenter ??= new Intl.Segmenter();
  let kept = '';
  for (const { segment } of segmenter.segment(text)) {
    if (kept !== '' && width(kept + segment) > cells) break;
    kept += segment;
  }
  return [kept, text.slice(kept.length)];
}
