/** Questions to a person, on stderr so that stdout stays data. The only importer of @inquirer/prompts, loaded when it asks. */
import { Writable } from 'node:stream';
import { Failure } from '../core/errors.ts';
import { folded } from '../output/fold.ts';
import { asciiOnly, cleanLine, isAccessible } from '../output/terminal-text.ts';
import { cutWords } from '../output/width.ts';
import type { Runtime } from './context.ts';
import { type Choice, type Choosing, left, type Question } from './prompt.ts';

/** Yes or no; Enter means no. @throws interrupted at Esc, ^C and ^D, as all of these do */
export async function confirm(runtime: Runtime, question: string): Promise<boolean> {
  const message = cleanLine(question);
  if (isAccessible(runtime.env)) return (await plain()).confirm(runtime, message);
  const prompts = await load();
  const asked = { message: folded(message, runtime.terminal.columns - beside), default: false };
  return ask(runtime, (streams) => prompts.confirm(asked, streams));
}

/** One line, trimmed. */
export async function askText(runtime: Runtime, question: Question): Promise<string> {
  const { validate } = question;
  const check = validate && { validate: (text: string) => validate(text.trim()) };
  const asked = { ...question, message: cleanLine(question.message), ...check };
  if (isAccessible(runtime.env)) return (await plain()).askText(runtime, asked);
  const prompts = await load();
  return (await ask(runtime, (streams) => prompts.input(asked, streams))).trim();
}

/** One line that is never shown, trimmed. */
export async function askSecret(runtime: Runtime, question: Omit<Question, 'default'>): Promise<string> {
  const { message, validate } = question;
  const check = validate && { validate: (text: string) => validate(text.trim()) };
  if (isAccessible(runtime.env)) return (await plain()).askSecret(runtime, { message, ...check });
  const prompts = await load();
  return (await ask(runtime, (streams) => prompts.password({ message, mask: '*', ...check }, streams))).trim();
}

/** One of many: typing narrows them. */
export async function choose<T>(runtime: Runtime, { message, find }: Choosing<T>): Promise<T> {
  const clean = async (text: string) => (await find(text)).map(cleanChoice(runtime));
  if (isAccessible(runtime.env)) return (await plain()).choose(runtime, { message, find: clean });
  const prompts = await load();
  const { PatientInput } = await import('./patient-input.ts');
  const input = new PatientInput(runtime.stdin);
  const source = (text: string | undefined) => input.waitsFor(clean(text ?? ''));
  const options = { message, source, pageSize, theme: theme(runtime) };
  try {
    return await ask(runtime, (streams) => prompts.search(options, streams), input);
  } finally {
    input.release();
  }
}

/** Several of some, at least one of them where it is required. */
export async function chooseSome<T>(
  runtime: Runtime,
  message: string,
  from: readonly Choice<T>[],
  required: boolean,
): Promise<T[]> {
  const choices = from.map(cleanChoice(runtime));
  if (isAccessible(runtime.env)) return (await plain()).chooseSome(runtime, message, choices, required);
  const prompts = await load();
  const options = { message, choices, required, pageSize, theme: theme(runtime) };
  return ask(runtime, (streams) => prompts.checkbox(options, streams));
}

/** For choices that are all known: those that contain every word of the text. */
export function among<T>(choices: readonly Choice<T>[]): (text: string) => Promise<readonly Choice<T>[]> {
  return async (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return choices.filter(({ name, description = '' }) => {
      const all = `${name} ${description}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
  };
}

/** The message and hint of the failure that `check` throws. */
export function problemIn(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.hint ? `${error.message}. ${error.hint}` : error.message;
    throw error;
  }
}

/** What the library prints beside a question: `? `, ` (y/N)`, and the answer. */
const beside = 12;

/** As many choices as are on the screen at once. */
const pageSize = 8;

/** What is printed before a choice. */
const sign = 6;

/** One line of the terminal each, or the library breaks it anywhere. */
function cleanChoice(runtime: Runtime) {
  const { env, terminal } = runtime;
  const most = isAccessible(runtime.env) ? Number.POSITIVE_INFINITY : Math.max(terminal.columns - sign, 1);
  const fitted = (text: string) => cutWords(cleanLine(text), most, asciiOnly(env));
  return <T>({ value, name, description }: Choice<T>): Choice<T> & { short: string } => {
    const short = fitted(name);
    return { value, name: short, short, ...(description && { description: fitted(description) }) };
  };
}

function theme({ env }: Runtime) {
  if (!asciiOnly(env)) return {};
  return { icon: { cursor: '>', checked: '[x]', unchecked: '[ ]' }, style: { keysHelpTip: () => '' } };
}

function load() {
  return import('@inquirer/prompts');
}

function plain() {
  return import('./plain-prompts.ts');
}

interface Streams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

async function ask<T>(
  runtime: Runtime,
  prompt: (streams: Streams) => Promise<T>,
  input: NodeJS.ReadableStream = runtime.stdin,
): Promise<T> {
  const { signal } = runtime;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  // The library knows ^C only; ^D at an empty line would leave the question open without an answer.
  const pressed = (_: string, key: { name?: string; ctrl?: boolean } | undefined) => {
    if (key?.name === 'escape' || (key?.ctrl && key.name === 'd')) leave();
  };
  input.on('keypress', pressed).once('end', leave);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    return await prompt({ input, output: screenOf(runtime), signal: leaving.signal });
  } catch (error) {
    // ^C at the prompt, or SIGINT and SIGTERM from elsewhere. Both are known by name: the classes are not exported.
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')) {
      throw left(error);
    }
    throw error;
  } finally {
    input.removeListener('keypress', pressed).removeListener('end', leave);
    signal.removeEventListener('abort', leave);
  }
}

/** stderr for a prompt: not closed with the prompt, and without color where none is wanted. */
function screenOf({ stderr, terminal }: Runtime): NodeJS.WritableStream {
  const screen = new Writable({
    write(chunk, _, done) {
      const text = String(chunk);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that starts a color.
      stderr.write(terminal.color.stderr ? text : text.replace(/\x1b\[[\d;]*m/g, ''));
      // At once: what is written to stderr after the prompt must not overtake the end of it.
      done();
    },
  });
  return Object.assign(screen, { isTTY: terminal.stderrIsTTY, columns: terminal.columns });
}
