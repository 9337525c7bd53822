/** Text to a stream, as one promise. */

/** Resolves when the text is out; a closed pipe counts as out (the program ends quietly elsewhere). */
export function writeText(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}
