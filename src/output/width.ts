/** Measures and cuts text by the cells that it takes on a terminal. */
import stringWidth from 'string-width';

export const width: (text: string) => number = stringWidth;

let segmenter: Intl.Segmenter | undefined;

/** The segmenter takes the square of a text's length: longer texts are given to it in parts. */
const partLength = 512;

/** Characters as people see them. */
function* characters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter();
  let part = '';
  for (let at = 0; at < text.length; at += partLength) {
    const found = Array.from(segmenter.segment(part + text.slice(at, at + partLength)), ({ segment }) => segment);
    // The last one may go on in the next part.
    part = found.length > 1 ? (found.pop() ?? '') : '';
    yield* found;
  }
  if (part !== '') yield part;
}

/** Marks take no cell, and a letter may have any number of them. A flag of a region has seven units for a cell. */
const unitsPerCell = 8;

/** Cut to `cells`, ending in `…`; the text itself when it fits. Never cuts inside a character as people see it. */
export function cut(text: string, cells: number, ascii = false): string {
  const most = cells * unitsPerCell + unitsPerCell;
  if (text.length <= most && width(text) <= cells) return text;
  const mark = !ascii ? '…' : '...'.slice(0, Math.max(cells, 1));
  let kept = '';
  let used = 0;
  for (const segment of characters(text)) {
    used += width(segment);
    if (used > cells - mark.length || kept.length + segment.length > most) break;
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
    if (width(word) <= cells || (!isTight && copied.test(word))) continue;
    const pieces = broken(word, cells);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** The longest word that is not broken. */
export function longestWord(text: string): number {
  return text.split(' ').reduce((most, word) => (copied.test(word) ? Math.max(most, word.length) : most), 0);
}

/** Pieces of at most `cells`, or of one character. */
function broken(text: string, cells: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const segment of characters(text)) {
    const more = width(segment);
    if (piece !== '' && used + more > cells) {
      pieces.push(piece);
      [piece, used] = ['', 0];
    }
    piece += segment;
    used += more;
  }
  return [...pieces, piece];
}
