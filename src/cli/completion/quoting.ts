/** How shells write words: a line of bash as words, and a word as bash and PowerShell want it typed. */

export interface BashLine {
  /** The words without their quotes; the last one is being typed. */
  words: string[];
  /** The quote that the last word is in. */
  quote: '' | '"' | "'";
  /** How much of the last word is before what bash replaces. */
  kept: number;
}

/** `breaks` is COMP_WORDBREAKS: bash replaces only what follows the last of them, or an opening quote. */
export function bashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: BashLine['quote'] = '';
  let kept = 0;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote === "'") {
      if (char === "'") quote = '';
      else word += char;
    } else if (char === '\\' && next !== '' && (quote === '' || '"\\$`'.includes(next))) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote === '"') {
      if (char === '"') quote = '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
      kept = word.length;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = 0;
    } else {
      word = (word ?? '') + char;
      if (breaks.includes(char)) kept = word.length;
    }
  }
  return { words: [...words, word ?? ''], quote, kept };
}

/** What bash puts in the place of the part that it replaces. */
export function bashReply(word: string, { quote, kept }: BashLine): string {
  const rest = word.slice(kept);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  if (quote === '"') return rest.replace(/["\\$`]/g, '\\$&');
  return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}

/** PowerShell ends a bare word at blanks and at what it would run. */
export function powershellWord(word: string): string {
  return /^[\p{L}\p{N}_%+=:./\\-]+$/u.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
}
