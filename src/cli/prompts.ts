/** Questions to a person, on stderr so that stdout stays data. The only importer of @inquirer/prompts, loaded when it asks. */
import { Writable } from 'node:stream';
import { Failure } from '../core/errors.ts';
import { cleanLine } from '../output/terminal-text.ts';
import type { Runtime } from './context.ts';

export interface Question {
  message: string;
  default?: string | undefined;
  /** True, or the sentence that says what is wrong with the answer; asked again until it is true. */
  validate?(answer: string): true | string;
}

/** Yes or no; Enter means no. @throws interrupted at ^C */
export async function confirm(runtime: Runtime, message: string): Promise<boolean> {
  const prompts = await load();
  return ask(runtime, (streams) => prompts.confirm({ message: cleanLine(message), default: false }, streams));
}

/** One line, trimmed. @throws interrupted at ^C */
export async function askText(runtime: Runtime, question: Question): Promise<string> {
  const prompts = await load();
  const { validate } = question;
  const answer = await ask(runtime, (streams) =>
    prompts.input(
      {
        ...question,
        message: cleanLine(question.message),
        ...(validate ? { validate: (text) => validate(text.trim()) } : {}),
      },
      streams,
    ),
  );
  return answer.trim();
}

/** One line that is never shown, trimmed. @throws interrupted at ^C */
export async function askSecret(runtime: Runtime, question: Omit<Question, 'default'>): Promise<string> {
  const prompts = await load();
  const { message, validate } = question;
  const check = validate ? { validate: (text: string) => validate(text.trim()) } : {};
  return (await ask(runtime, (streams) => prompts.password({ message, mask: '*', ...check }, streams))).trim();
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

function load() {
  return import('@inquirer/prompts');
}

async function ask<T>(
  runtime: Runtime,
  prompt: (streams: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  try {
    return await prompt({ input: runtime.stdin, output: screenOf(runtime), signal: runtime.signal });
  } catch (error) {
    // ^C at the prompt, or SIGINT and SIGTERM from elsewhere. Both are known by name: the classes are not exported.
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')) {
      throw new Failure('interrupted', 'interrupted at a prompt; nothing was changed', { cause: error });
    }
    throw error;
  }
}

/** stderr for a prompt: not closed with the prompt, and without color where none is wanted. */
function screenOf({ stderr, terminal }: Runtime): NodeJS.WritableStream {
  const screen = new Writable({
    write(chunk, _, done) {
      const text = String(chunk);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that starts a color.
      stderr.write(terminal.color.stderr ? text : text.replace(/\x1b\[[\d;]*m/g, ''), () => done());
    },
  });
  return Object.assign(screen, { isTTY: terminal.stderrIsTTY, columns: terminal.columns });
}
