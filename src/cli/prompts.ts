/**
 * Questions to a person, on stderr so that stdout stays data. The only importer of @inquirer/prompts, loaded when it asks:
 * each import names its prompt, so that the others are not in the package.
 */
import { createInterface } from 'node:readline';
import { Transform, Writable } from 'node:stream';
import { Failure } from '../core/errors.ts';
import { asciiOnly, cleanLine, foldLines, isAccessible } from '../output/terminal-text.ts';
import { cutWords } from '../output/width.ts';
import type { Runtime } from './context.ts';
import { writeText } from './runtime.ts';

interface Question {
  /** Ends with a colon. */
  message: string;
  /** The answer of Enter, which the message says. */
  default?: string | undefined;
  /** True, or the reason why the answer is not accepted. */
  validate?(answer: string): true | string;
}

/** An item of a list that a person chooses from. */
export interface Choice<T = string> {
  value: T;
  name: string;
  /** Shown below the list while it is the current one. */
  description?: string;
}

export interface ChoiceSearch<T> {
  message: string;
  /** Finds choices that match the typed text; without text the first ones. */
  find(text: string): Promise<readonly Choice<T>[]>;
}

/** The failure of a prompt that a person leaves. */
function promptInterrupted(cause?: unknown): Failure {
  return new Failure('interrupted', 'interrupted at a prompt; nothing was changed', { cause });
}

/** Yes or no; Enter means no. @throws interrupted at Esc, ^C and ^D, as all of these do */
export async function confirm(runtime: Runtime, question: string): Promise<boolean> {
  const message = cleanLine(question);
  if (isAccessible(runtime.env)) return confirmByLine(runtime, message);
  const { confirm: prompt } = await import('@inquirer/prompts');
  const options = { message: foldLines(message, runtime.terminal.columns - beside), default: false };
  return runPrompt(runtime, (streams) => prompt(options, streams));
}

/** Asks for one line of text. */
export async function askText(runtime: Runtime, { message, default: otherwise = '', validate }: Question) {
  const answerOf = (text: string) => text.trim() || otherwise;
  const says = otherwise === '' ? message : message.replace(/:$/, () => ` (Enter for ${otherwise}):`);
  const options = {
    message: fitMessage(runtime, says),
    ...(validate && { validate: (text: string) => validate(answerOf(text)) }),
  };
  if (isAccessible(runtime.env)) {
    return answerOf(await askUntilValid(runtime, options, () => readLine(runtime, `${options.message} `)));
  }
  const { input: prompt } = await import('@inquirer/prompts');
  return answerOf(await runPrompt(runtime, (streams) => prompt(options, streams)));
}

/** Asks for one hidden line. */
export async function askSecret(
  runtime: Runtime,
  { message, validate }: Pick<Required<Question>, 'message' | 'validate'>,
): Promise<string> {
  const options = {
    message: fitMessage(runtime, message),
    mask: '*',
    validate: (text: string) => validate(text.trim()),
  };
  if (isAccessible(runtime.env)) {
    return askUntilValid(runtime, options, () => readLine(runtime, `${options.message} `, { hidden: true }));
  }
  const { password: prompt } = await import('@inquirer/prompts');
  return (await runPrompt(runtime, (streams) => prompt(options, streams))).trim();
}

/** Asks for one of many choices; typing narrows them. */
export async function choose<T>(runtime: Runtime, { message, find }: ChoiceSearch<T>): Promise<T> {
  const clean = async (text: string) => (await find(text)).slice(0, maxChoices).map(choiceFitter(runtime));
  if (isAccessible(runtime.env)) return chooseByLine(runtime, { message, find: clean });
  const { search: prompt } = await import('@inquirer/prompts');
  const input = new PatientInput(runtime.stdin);
  const source = (text: string | undefined) => input.waitsFor(clean(text ?? ''));
  const options = { message: fitMessage(runtime, message), source, pageSize, theme: theme(runtime) };
  try {
    return await runPrompt(runtime, (streams) => prompt(options, streams), input);
  } finally {
    input.release();
  }
}

/** Asks for several choices, at least one if required. */
export async function chooseSome<T>(
  runtime: Runtime,
  message: string,
  from: readonly Choice<T>[],
  required: boolean,
): Promise<T[]> {
  const choices = from.map(choiceFitter(runtime));
  if (isAccessible(runtime.env)) return chooseSomeByLine(runtime, message, choices, required);
  const { checkbox: prompt } = await import('@inquirer/prompts');
  const options = { message: fitMessage(runtime, message), choices, required, pageSize, theme: theme(runtime) };
  return runPrompt(runtime, (streams) => prompt(options, streams));
}

/** A search of known choices: those that contain every word of the text. */
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

/** The width of what the library prints beside a question: `? `, ` (y/N)` and the answer. */
const beside = 12;

/** Breaks a message between words; the library breaks it anywhere. */
function fitMessage({ env, terminal }: Runtime, message: string): string {
  const line = cleanLine(message);
  return isAccessible(env) ? line : foldLines(line, terminal.columns - beside);
}

/** Choices on the screen at once. */
const pageSize = 8;

/** Choices that arrow keys reach; typing finds the others. */
const maxChoices = 1000;

/** Cells before a choice. */
const sign = 6;

/** Cuts choices to one line of the terminal, because the library breaks longer ones inside words. */
function choiceFitter(runtime: Runtime) {
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

interface Streams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

async function runPrompt<T>(
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
    // ^C at the prompt, or a signal. The library does not export the classes of these errors.
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')) {
      throw promptInterrupted(error);
    }
    throw error;
  } finally {
    input.removeListener('keypress', pressed).removeListener('end', leave);
    signal.removeEventListener('abort', leave);
  }
}

/** A stream to stderr that a prompt can close, without color unless stderr has it. */
function screenOf({ stderr, terminal }: Runtime): NodeJS.WritableStream {
  const screen = new Writable({
    write(chunk, _, done) {
      const text = String(chunk);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that starts a color.
      stderr.write(terminal.color.stderr ? text : text.replace(/\x1b\[[\d;]*m/g, ''));
      // Immediately, or later writes to stderr overtake the end of the prompt.
      done();
    },
  });
  return Object.assign(screen, { isTTY: terminal.stderrIsTTY, columns: terminal.columns });
}

/** The parts of a terminal beside its stream. */
interface TerminalParts {
  isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
}

/** stdin for a search: Enter waits for the choices, because the library ignores it while they load. */
class PatientInput extends Transform {
  private pending: Promise<unknown> = Promise.resolve();

  constructor(private readonly stdin: NodeJS.ReadableStream & TerminalParts) {
    super();
    Object.assign(this, {
      isTTY: stdin.isTTY,
      setRawMode: (on: boolean) => {
        stdin.setRawMode?.(on);
        return this;
      },
    });
    stdin.pipe(this);
  }

  /** Makes Enter wait for a search. */
  waitsFor<T>(search: Promise<T>): Promise<T> {
    this.pending = search.catch(() => {});
    return search;
  }

  /** Gives stdin back. */
  release(): void {
    this.stdin.unpipe(this);
    this.stdin.pause();
  }

  override async _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): Promise<void> {
    for (const keys of String(chunk).split(/(\r|\n)/)) {
      if (keys === '\r' || keys === '\n') await this.settled();
      this.push(keys);
    }
    done();
  }

  private async settled(): Promise<void> {
    for (let before: Promise<unknown> | undefined; before !== this.pending; ) {
      // Text that was typed earlier is read first, and begins its search.
      await new Promise(setImmediate);
      before = this.pending;
      await before;
      await new Promise(setImmediate);
    }
  }
}

/** Questions for screen readers (`ACCESSIBLE=1`): numbered lines that are never redrawn, without color. */

async function confirmByLine(runtime: Runtime, message: string): Promise<boolean> {
  for (;;) {
    const answer = (await readLine(runtime, `${message} (yes or no, Enter for no) `)).toLowerCase();
    if (['', 'n', 'no'].includes(answer)) return false;
    if (['y', 'yes'].includes(answer)) return true;
    await writeMessage(runtime, 'Answer yes or no.');
  }
}

async function chooseByLine<T>(runtime: Runtime, { message, find }: ChoiceSearch<T>): Promise<T> {
  let choices = await find('');
  for (;;) {
    await writeChoices(runtime, message, choices);
    const text = await readLine(runtime, 'Number, or text to search: ');
    const chosen = choices[Number(text) - 1];
    if (text !== '' && chosen) return chosen.value;
    const matches = await find(text);
    const [only, second] = matches;
    if (text !== '' && only && !second) return only.value;
    if (matches.length === 0) await writeMessage(runtime, `Nothing matches "${text}".`);
    else choices = matches;
  }
}

async function chooseSomeByLine<T>(
  runtime: Runtime,
  message: string,
  choices: readonly Choice<T>[],
  required: boolean,
): Promise<T[]> {
  await writeChoices(runtime, message, choices);
  for (;;) {
    const text = await readLine(runtime, `Numbers, separated by commas${required ? '' : ', Enter for none'}: `);
    if (text === '' && !required) return [];
    const chosen = text.split(',').map((word) => choices[Number(word.trim()) - 1]);
    const known = chosen.filter((choice) => choice !== undefined);
    if (text !== '' && known.length === chosen.length) return known.map(({ value }) => value);
    await writeMessage(runtime, `Give numbers from 1 to ${choices.length}.`);
  }
}

async function writeChoices<T>(runtime: Runtime, message: string, choices: readonly Choice<T>[]): Promise<void> {
  const lines = choices.map(
    ({ name, description }, at) => `${at + 1}. ${name}${description ? `: ${description}` : ''}`,
  );
  await writeMessage(runtime, [message, ...lines].join('\n'));
}

async function askUntilValid(runtime: Runtime, { validate }: Question, read: () => Promise<string>): Promise<string> {
  for (;;) {
    const answer = await read();
    const answered = validate?.(answer) ?? true;
    if (answered === true) return answer;
    await writeMessage(runtime, answered);
  }
}

function writeMessage({ stderr }: Runtime, text: string): Promise<void> {
  return writeText(stderr, `${text}\n`);
}

/** A line of stdin, trimmed. Left at its end (^D), at a signal, and at Esc and Enter. */
async function readLine(runtime: Runtime, message: string, { hidden = false } = {}): Promise<string> {
  const { stdin: input, stderr, signal } = runtime;
  if (signal.aborted) throw promptInterrupted();
  // The terminal edits and echoes the line. Only hidden input is read key by key, and echoed nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, ...(hidden && { output: nowhere }), terminal: hidden });
  try {
    const answer = new Promise<string>((resolve, reject) => {
      const leave = () => reject(promptInterrupted());
      reader.once('line', (text) => (text.includes('\u001b') ? leave() : resolve(text.trim())));
      reader.once('close', leave).once('SIGINT', leave);
      signal.addEventListener('abort', leave, { once: true });
    });
    // After the reader: from then on a hidden line is not shown.
    stderr.write(message);
    return await answer;
  } finally {
    reader.close();
    if (hidden) await writeText(stderr, '\n');
  }
}
