/** Text on a terminal: what is safe to print there, in which characters and colours, and how many cells it takes. */

/** CSI, OSC and other string sequences, and two-character escapes; both the 7-bit and the 8-bit form. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** C0 and C1 but tab and newline, soft hyphen, direction marks and overrides, invisible separators, annotations, BOM. */
const control =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Printable text that needs no cleaning: most cells. Tab and newline are not in it. */
const plain = /^[ -~\u00a0-\u00ac\u00ae-\u02ff]*$/;

/** Many lines: tabs and newlines stay. */
export function cleanLines(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(sequence, '')
    .replace(/[\u2028\u2029\u0085]/g, '\n')
    .replace(control, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** One line: every run of line breaks and tabs is one blank. */
export function cleanLine(text: string): string {
  return plain.test(text) ? text : cleanLines(text).replace(/\s*[\t\n]\s*/g, ' ');
}

/**
 * JSON text for a terminal: the same values, with the characters that JSON lets stand (C1, direction overrides) written
 * as escapes. C0 is escaped in every JSON text already.
 */
export function cleanJson(text: string): string {
  return text.replace(control, (found) =>
    found === '\r' ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whether the terminal's own settings allow no more than ASCII: it says that it is dumb, or its locale has another charset. */
export function asciiOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.TERM === 'dumb') return true;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}

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

/** Every character takes one cell: Latin letters, dashes, quotes, the ellipsis, currency signs. */
const single = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/;

export interface Measure {
  width(text: string): number;
  /** Cut to `cells`, the last one `…`; the text itself when it fits. Never cuts inside a character as people see it. */
  cut(text: string, cells: number): string;
}

/** The measure for these texts. The library and the segmenter are loaded only for scripts that need them. */
export async function measureFor(texts: Iterable<string>): Promise<Measure> {
  for (const text of texts) if (!single.test(text)) return wide();
  return narrow;
}

const narrow: Measure = {
  width: (text) => text.length,
  cut: (text, cells) => (text.length <= cells ? text : `${text.slice(0, Math.max(cells - 1, 0)).trimEnd()}…`),
};

let loaded: Measure | undefined;

async function wide(): Promise<Measure> {
  if (loaded) return loaded;
  const { default: stringWidth } = await import('string-width');
  const segmenter = new Intl.Segmenter();
  const width = (text: string) => (single.test(text) ? text.length : stringWidth(text));
  loaded = {
    width,
    cut(text, cells) {
      if (single.test(text)) return narrow.cut(text, cells);
      if (width(text) <= cells) return text;
      let kept = '';
      let used = 0;
      for (const { segment } of segmenter.segment(text)) {
        const next = width(segment);
        if (used + next > cells - 1) break;
        kept += segment;
        used += next;
      }
      return `${kept.trimEnd()}…`;
    },
  };
  return loaded;
}
