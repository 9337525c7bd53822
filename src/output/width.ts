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
  // The start of an id has a mark of its own.
  return `${beginning.replace(/…$/, '')}${mark}`;
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
 * Wraps a text to `cells`: between words, and inside words of scripts without blanks. A longer word is a line.
 * @param isTight breaks every word that is too long
 */
export function wrap(text: string, cells: number, isTight = false): string[] {
  return width(text) <= cells ? [text] : filledLines(breaks(text, cells, isTight), cells);
}

function* breaks(text: string, cells: number, isTight: boolean): Generator<string> {
  for (const [word] of text.matchAll(/\S+ */g)) {
    if (width(word.trimEnd()) <= cells || (!isTight && !breakable.test(word))) yield word;
    else yield* characters(word);
  }
}

/** Lines of pieces with their blanks, each as long as there is room. A longer piece is a line, and so can be copied. */
export function filledLines(pieces: Iterable<string>, cells: number, start = '', indent = ''): string[] {
  const lines: string[] = [];
  let line = start;
  let isEmpty = true;
  for (const piece of pieces) {
    if (!isEmpty && width(line + piece.trimEnd()) > cells) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += piece;
    isEmpty = false;
  }
  return [...lines, line];
}

/** The longest word that is not broken. */
export function longestWord(text: string): number {
  return text.split(' ').reduce((most, word) => (breakable.test(word) ? most : Math.max(most, width(word))), 0);
}
