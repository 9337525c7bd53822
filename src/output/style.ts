/** Colour and weight on the terminal. The only file that knows the library; it is loaded for the first styled text. */

/** Bold when colour may be used; the text itself when it may not. */
export async function bold(text: string, color: boolean): Promise<string> {
  if (!color || text === '') return text;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 }).bold(text);
}

export type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'dim';

/** Paints words where colour may be used. */
export async function painter(color: boolean): Promise<(color: Color, text: string) => string> {
  if (!color) return (_, text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (name, text) => chalk[name](text);
}
