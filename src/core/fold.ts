/** Case folding, as searches of titles and `contains` compare texts. */

/** Stays as it is, although its capital is that of `i`. */
const dotlessI = 'ı';

/**
 * The form in which texts and search words are compared: Unicode's full case folding, which does not depend on the
 * place of a letter in its word. `toLowerCase` gives the last sigma of ΟΔΟΣ another letter than the one in
 * ΟΔΟΣΗΜΟ.
 */
export function folded(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  let key = '';
  // One by one: a capital may stand for several letters (ß is SS), and each of these is folded by itself.
  for (const letter of text) {
    if (letter === dotlessI) key += letter;
    else for (const capital of letter.toLowerCase().toUpperCase()) key += capital.toLowerCase();
  }
  return key;
}
