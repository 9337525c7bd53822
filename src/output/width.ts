/** Measures and cuts text by the cells that it takes on a terminal. */
import stringWidth from 'string-width';

export const width: (text: string) => number = stringWidth;

let segmenter: Intl.Segmenter | undefined;

/** The time of the segmenter grows with the square of the length, so long texts are segmented in parts. */
const partLength = 512;

/** Characters as people see them. */
function* characters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter();
  let part = '';
  for (let at = 0; at < text.length; at += partLength) {
    const segments = Array.from(segmenter.segment(part + text.slice(at, at + partLength)), ({ segment }) => segment);
    // The last segment may continue in the next part.
    part = segments.length > 1 ? (segments.pop() ?? '') : '';
    yield* segments;
  }
  if (part !== '') yield part;
}

/** UTF-16 units for each cell: combining marks take no cell, and a regional flag has seven units for one. */
const unitsPerCell = 8;

/** Cuts a text to `cells`, with `…` at its end, and never inside a grapheme. */
export function cut(text: string, cells: number, ascii = false): string {
  const most = cells * unitsPerCell + unitsPerCell;
  if (text.length <= most && width(text) <= cells) return text;
  const mark = !ascii ? '…' : '...'.slice(0, Math.max(cells, 1));
  let beginning = '';
  let taken = 0;
  for (const segment of characters(text)) {
    taken += width(segment);
    if (taken > cells - mark.length || beginning.length + segment.length > most) break;
    beginning += segment;
  }
  return `${beginning}${mark}`;
}

/** Cuts between words if at least a third of the text remains. */
export function cutWords(text: string, cells: number, ascii = false): string {
  const plain = cut(text, cells, ascii);
  if (plain === text) return text;
  const beginning = plain.slice(0, plain.length - (ascii ? 3 : 1));
  const blank = beginning.lastIndexOf(' ');
  if (text.charAt(beginning.length) === ' ' || blank < beginning.length / 3) return plain;
  return `${beginning.slice(0, blank)}${ascii ? '...' : '…'}`;
}

/** Words of scripts that put no blanks between words, which may be broken anywhere. */
const breakable = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/**
 * Wraps a text to `cells`: between words, and inside words of scripts without blanks. A longer line is one word.
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
    if (width(word) <= cells || (!isTight && !breakable.test(word))) continue;
    const pieces = broken(word, cells);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** The longest word that is not broken. */
export function longestWord(text: string): number {
  return text.split(' ').reduce((most, word) => (breakable.test(word) ? most : Math.max(most, width(word))), 0);
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
