/** Colour and weight on the terminal. The only file that knows the library; it is loaded for the first styled text. */

/** Bold when colour may be used; the text itself when it may not. */
export async function bold(text: string, color: boolean): Promise<string> {
  if (!color || text === '') return text;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 }).bold(text);
}
