/** Text on a terminal: what is safe to print there, and in which characters and colours. */
import { cut, filledLines, width } from './width.ts';

/** CSI, OSC and other string sequences, and two-character escapes; both the 7-bit and the 8-bit form. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** C0 and C1 but tab and newline, soft hyphen, direction marks and overrides, invisible separators, annotations, BOM. */
const control =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * What hides text or joins it unseen: joiners outside emoji and the scripts that need them, tags outside a flag, further
 * variation selectors, fillers.
 */
const unseen =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}])[\u200c\u200d]|(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6})[\u{e0000}-\u{e007f}]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]|(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]|[\u034f\u115f\u17b4\u17b5\u3164\uffa0\u{1d173}-\u{1d17a}]/gu;

/** Printable text that needs no cleaning: most cells. Tab and newline are not in it. */
const printable = /^[ -~\u00a0-\u00ac\u00ae-\u02ff]*$/;

/** Many lines: tabs and newlines stay. */
export function cleanLines(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(sequence, '')
    .replace(/[\u2028\u2029\u0085]/g, '\n')
    .replace(control, '')
    .replace(unseen, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** One line: every run of line breaks and tabs is one blank. */
export function cleanLine(text: string): string {
  return printable.test(text)
    ? text
    : cleanLines(text).replace(/\s+/g, (blanks) => (/[\t\n]/.test(blanks) ? ' ' : blanks));
}

/**
 * One line of stderr, wherever that goes. What others wrote can neither begin another line nor be a command of a CI
 * system: `::error …` where a line starts, `##[error]` and `##vso[…]` anywhere in it.
 */
export function messageLine(text: string): string {
  return cleanLine(text)
    .replace(/#(?=#\w*\[)/g, '# ')
    .replace(/^(\s*):(?=:)/, '$1: ');
}

/** The same for a line of JSON, which keeps its values. */
export function jsonLine(text: string): string {
  return cleanJson(text).replace(/#(?=#\w*\[)/g, '\\u0023');
}

/**
 * JSON text for a terminal: the same values, with the characters that JSON allows (C1, direction overrides) written
 * as escapes. C0 is escaped in every JSON text already.
 */
export function cleanJson(text: string): string {
  return text
    .replace(control, (match) => (match === '\r' ? match : escapeCharacters(match)))
    .replace(unseen, escapeCharacters)
    .replace(/[\u2028\u2029]/g, escapeCharacters);
}

/** The escapes of JSON: one for each UTF-16 unit. */
function escapeCharacters(match: string): string {
  const units = Array.from({ length: match.length }, (_, at) => match.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Whether the terminal's own settings allow no more than ASCII: it says that it is dumb, or its locale has another charset. */
export function asciiOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.TERM === 'dumb') return true;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}

/** A screen reader: nothing is redrawn, and pictures are in words. */
export function isAccessible({ ACCESSIBLE }: Readonly<Record<string, string | undefined>>): boolean {
  return ACCESSIBLE !== undefined && ACCESSIBLE !== '' && ACCESSIBLE !== '0';
}

export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray' | 'dim' | 'bold';

/** Paints words where colour may be used. */
export async function painter(color: boolean): Promise<(color: Color, text: string) => string> {
  if (!color) return (_, text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (name, text) => (text === '' ? '' : chalk[name](text));
}

/** Messages on stderr while a command runs: notes, warnings, and one line that says what the command does. */
export type Messages = ReturnType<typeof createMessages>;

interface MessageRules {
  quiet: boolean;
  isTTY: boolean;
  columns: number;
  color: boolean;
  ascii: boolean;
  /** Lines are not replaced: each is written once. */
  still: boolean;
}

/** Shorter steps are not shown. */
const momentMs = 300;
const frameMs = 100;
const frames = {
  ascii: ['-', '\\', '|', '/'],
  unicode: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

const codes = { red: 31, green: 32, yellow: 33 } as const;

/** @param runtime its `stderr` is opened for the first message: a stream costs 1 % of a start */
export function createMessages(runtime: { readonly stderr: NodeJS.WritableStream }, rules: MessageRules) {
  const { quiet, isTTY, columns, ascii, still } = rules;
  const live = new Set<{ text: string }>();
  let explicit: string | undefined;
  let since: number | undefined;
  let idleFrom = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isDrawn = false;
  let lastTopic: string | undefined;
  let frame = 0;
  let subject: string | undefined;
  let typing = 0;

  const clear = () => {
    if (isDrawn) runtime.stderr.write('\r\u001b[K');
    isDrawn = false;
  };
  const current = () => explicit ?? [...live].at(-1)?.text;
  const draw = () => {
    const text = current();
    if (typing > 0 || text === undefined || since === undefined || performance.now() - since < momentMs) return;
    if (still) {
      const topic = text.replace(/[:…].*$/s, '');
      if (topic !== lastTopic) runtime.stderr.write(`${messageLine(text)}\n`);
      lastTopic = topic;
      return;
    }
    const signs = ascii ? frames.ascii : frames.unicode;
    frame = (frame + 1) % signs.length;
    // A line that the terminal breaks could not be removed.
    const line = cut(`${signs[frame]} ${cleanLine(ascii ? text.replaceAll('…', '...') : text)}`, columns - 1, ascii);
    runtime.stderr.write(`\r\u001b[K${line}`);
    isDrawn = true;
  };
  const changed = () => {
    if (quiet || !isTTY) return;
    if (current() === undefined) {
      clearInterval(timer);
      timer = undefined;
      if (since !== undefined) idleFrom = performance.now();
      clear();
      return;
    }
    if (timer !== undefined) return;
    const now = performance.now();
    // Short waits in a row count as one long wait.
    if (since === undefined || now - idleFrom > momentMs) since = now;
    timer = setInterval(draw, frameMs).unref();
    draw();
  };
  const say = (text: string, color?: keyof typeof codes) => {
    if (quiet) return;
    clear();
    const lines = isTTY ? foldLines(messageLine(text), columns) : messageLine(text);
    runtime.stderr.write(`${color !== undefined && rules.color ? paint(lines, codes[color], 39) : lines}\n`);
  };
  return {
    /** Its color is never the only thing that says something. */
    note: say,
    /** A dim hint, shown only on a terminal. */
    aside(text: string): void {
      if (quiet || !isTTY) return;
      clear();
      const fitted = foldLines(messageLine(ascii ? text.replaceAll('…', '...') : text), columns);
      const lines = ascii ? fitted.replace(/ ·(?=\s)/g, ' -') : fitted;
      runtime.stderr.write(`${rules.color ? paint(lines, 2, 22) : lines}\n`);
    },
    /** Removes the line of progress until it is drawn again. */
    clear,
    warn: (text: string) => say(`comem: warning: ${text}`, 'yellow'),
    /** Shows the current step, replaced in place; `undefined` removes it. Short steps are not shown. */
    progress(text: string | undefined): void {
      explicit = text;
      if (text === undefined) clear();
      else if (timer !== undefined) draw();
      changed();
    },
    /** Shows a wait until `end`; `say` replaces its text. */
    waiting(text: string) {
      const wait = { text };
      live.add(wait);
      changed();
      return {
        say(now: string): void {
          wait.text = now;
        },
        end(): void {
          live.delete(wait);
          changed();
        },
      };
    },
    /** Draws no line of progress while `work` runs, such as a question. */
    async still<T>(work: () => Promise<T>): Promise<T> {
      typing += 1;
      try {
        return await work();
      } finally {
        typing -= 1;
      }
    },
    /** Names the list or metric, for lines about reading it. */
    about(name: string): void {
      subject = name;
    },
    /** The name given to `about`. */
    subject: () => subject,
  };
}

/** Each line has its own codes, because pagers draw line by line. */
export function paint(text: string, on: number, off: number): string {
  return text.replace(/[^\n]+/g, (line) => `\u001b[${on}m${line}\u001b[${off}m`);
}

/**
 * What is not broken: a word with its blanks, such as a path or an address; and what is there to be copied: a command in
 * backticks, a value in quotes, a flag with its value. Nor what is between two dots, while it fits.
 */
const whole = /(?:`[^`]*`|(?<![^\s(])(?:"[^"]*"|--?[a-z][a-z-]* (?=[^\s-]))|\S)+ */g;
const words = /\S+ */g;

/** The label before which continuation lines are indented. */
const label = /^ *(?:comem: |hint: )?/;
/** Lines are not indented when less room would be left. */
const minTextWidth = 20;

/** A piece that is longer than a line is on lines of its own, which the terminal breaks, so that it is copied whole. */
export function foldLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (width(line) <= columns ? line : foldedLine(line, columns)))
    .join('\n');
}

function foldedLine(text: string, columns: number): string {
  const start = label.exec(text)?.[0] ?? '';
  const indent = columns - start.length < minTextWidth ? '' : ' '.repeat(start.length);
  const parts = pieces(text.slice(start.length), columns - indent.length);
  return filledLines(parts, columns, start, indent).join('\n');
}

function* pieces(text: string, room: number): Generator<string> {
  const parts = text.split(/(?<= · )/);
  for (const part of parts) {
    if (parts.length > 1 && width(part.trimEnd()) <= room) yield part;
    else for (const [piece] of part.matchAll(whole)) yield* wordsOf(piece, room);
  }
}

/** Splits a quoted text that is longer than a line. */
function* wordsOf(piece: string, room: number): Generator<string> {
  if (piece.includes('`') || width(piece.trimEnd()) <= room) yield piece;
  else for (const [word] of piece.matchAll(words)) yield word;
}

/** Words of a shell; a quoted word is one. */
const shellWords = /(?:'[^']*'|"(?:\\.|[^"])*"|\S)+/g;

/**
 * A command line on several lines that a shell reads as one, those after the first set in further. A statement or an
 * expression that is longer than a line is broken at its blanks, which it may have any number of.
 */
export function foldedCommand(command: string, columns: number, indent: string): string[] {
  const lines: string[] = [];
  const inner = `${indent}    `;
  let line = indent;
  let isEmpty = true;
  for (const [word] of command.matchAll(shellWords)) {
    if (!isEmpty && width(`${line} ${word} \\`) > columns) {
      lines.push(`${line} \\`);
      [line, isEmpty] = [inner, true];
    }
    const isLong = /^['"]/.test(word) && width(`${line} ${word} \\`) > columns;
    for (const [at, part] of (isLong ? word.split(' ') : [word]).entries()) {
      if (at > 0 && width(`${line} ${part} \\`) > columns) {
        lines.push(line);
        line = `${inner} ${part}`;
      } else line += isEmpty ? part : ` ${part}`;
      isEmpty = false;
    }
  }
  return [...lines, line];
}
