/** Messages on a terminal, in lines broken between words. In a pipe a message stays one line. */

/** Most text. */
const plain = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027]*$/;
const nothing = /^(?!\ufe0f)[\p{Mn}\p{Me}\u200d]$/u;
/** East Asian letters and pictures. */
const broad =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1b000}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** No fewer cells than the text takes: most commands do not load the library that knows how many (width.ts). */
export function cells(text: string): number {
  if (plain.test(text)) return text.length;
  let sum = 0;
  for (const char of text) sum += nothing.test(char) ? 0 : broad.test(char) ? 2 : 1;
  return sum;
}

/** A line that is replaced must not be broken by the terminal, or it could not be removed. */
export function shortened(line: string, columns: number, ascii: boolean): string {
  if (cells(line) < columns) return line;
  const mark = ascii ? '...' : '…';
  let kept = '';
  let used = mark.length;
  for (const char of line) {
    used += cells(char);
    if (used >= columns) break;
    kept += char;
  }
  return kept + mark;
}

/**
 * What is not broken: a word with its blanks, such as a path or an address; and what is there to be copied: a command in
 * backticks, a value in quotes, a flag with its value. Nor what is between two dots, while it fits.
 */
const whole = /(?:`[^`]*`|(?<![^\s(])(?:"[^"]*"|--?[a-z][a-z-]* (?=[^\s-]))|\S)+ */g;
const words = /\S+ */g;

/** Below the text, not below the label. */
const label = /^ *(?:comem: |hint: )?/;
/** In less room no line is set in. */
const leastText = 20;

/** A piece that is longer than a line is on lines of its own, which the terminal breaks, so that it is copied whole. */
export function folded(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (cells(line) <= columns ? line : foldedLine(line, columns)))
    .join('\n');
}

function foldedLine(text: string, columns: number): string {
  const start = label.exec(text)?.[0] ?? '';
  const before = columns - start.length < leastText ? '' : ' '.repeat(start.length);
  const room = columns - before.length;
  const lines: string[] = [];
  let line = start;
  let isEmpty = true;
  for (const piece of pieces(text.slice(start.length), room)) {
    if (!isEmpty && cells(line + piece.trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = before;
    }
    line += piece;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}

function* pieces(text: string, room: number): Generator<string> {
  const parts = text.split(/(?<= · )/);
  for (const part of parts) {
    if (parts.length > 1 && cells(part.trimEnd()) <= room) yield part;
    else for (const [piece] of part.matchAll(whole)) yield* wordsOf(piece, room);
  }
}

/** A text in quotes that is longer than a line is broken, too. */
function* wordsOf(piece: string, room: number): Generator<string> {
  if (piece.includes('`') || cells(piece.trimEnd()) <= room) yield piece;
  else for (const [word] of piece.matchAll(words)) yield word;
}

/** Quoted words stay whole. */
const shellWords = /(?:'[^']*'|"(?:\\.|[^"])*"|\S)+/g;

/** A command line on several lines that a shell reads as one, those after the first set in further. */
export function foldedCommand(command: string, columns: number, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const [word] of command.matchAll(shellWords)) {
    const isFirst = line.trim() === '';
    if (!isFirst && cells(`${line} ${word} \\`) > columns) {
      lines.push(`${line} \\`);
      line = `${indent}    ${word}`;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line];
}
