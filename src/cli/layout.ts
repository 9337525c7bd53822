/** Plain text in a given width. */

/** Breaks text at blanks into lines of at most `width` characters; a longer word keeps a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** Paragraphs (parted by an empty line), each wrapped. */
export function paragraphs(text: string, width: number): string[] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .flatMap((part, index) => [...(index === 0 ? [] : ['']), ...wrap(part, width)]);
}

/**
 * Terms with their meaning beside them. The column of meanings stands where most terms end; a longer term, or any term
 * where the screen is narrow, has its meaning on the next line.
 */
export function definitions(rows: readonly (readonly [string, string])[], width: number): string[] {
  const widest = Math.max(...rows.map(([term]) => term.length), 0);
  const column = Math.min(widest, Math.max(12, Math.floor(width * 0.42))) + 4;
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, width - column);
    if (lines.length === 0) return [`  ${term}`];
    if (term.length + 4 > column) return [`  ${term}`, ...lines.map((line) => ' '.repeat(column) + line)];
    return lines.map((line, index) => (index === 0 ? `  ${term}`.padEnd(column) : ' '.repeat(column)) + line);
  });
}
