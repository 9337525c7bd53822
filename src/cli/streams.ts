/** Short texts to stdout and stderr. */
import type { Runtime } from './context.ts';

/** Resolves when the text is out; a closed pipe counts as out (the program ends quietly elsewhere). */
export function writeText(stream: NodeJS.WritableStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}

/** The same, past the stream where the runtime can: making one takes longer than printing a help text. */
export async function print(runtime: Runtime, to: 'stdout' | 'stderr', text: string): Promise<void> {
  const rest = runtime.writeAtOnce ? runtime.writeAtOnce(to, text) : text;
  if (rest.length > 0) await writeText(runtime[to], rest);
}
