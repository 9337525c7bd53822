/** The text without a character at its end. `/0+$/` tries each of a run of zeros, and takes the square of its length. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
