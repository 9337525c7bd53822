/** The same questions for screen readers (`ACCESSIBLE=1`): line by line, numbered, nothing redrawn, without color. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Runtime } from './context.ts';
import { type Choice, type Choosing, left, type Question } from './prompt.ts';
import { writeText } from './runtime.ts';

export async function confirm(runtime: Runtime, message: string): Promise<boolean> {
  for (;;) {
    const answer = (await line(runtime, `${message} (yes or no, Enter for no) `)).toLowerCase();
    if (['', 'n', 'no'].includes(answer)) return false;
    if (['y', 'yes'].includes(answer)) return true;
    await say(runtime, 'Answer yes or no.');
  }
}

export function askText(runtime: Runtime, question: Question): Promise<string> {
  const { message, default: otherwise } = question;
  const offered = otherwise === undefined ? '' : `(Enter for ${otherwise}) `;
  return valid(runtime, question, async () => (await line(runtime, `${message} ${offered}`)) || (otherwise ?? ''));
}

export function askSecret(runtime: Runtime, question: Question): Promise<string> {
  return valid(runtime, question, () => line(runtime, `${question.message} `, { hidden: true }));
}

export async function choose<T>(runtime: Runtime, { message, find }: Choosing<T>): Promise<T> {
  let choices = await find('');
  for (;;) {
    await list(runtime, message, choices);
    const text = await line(runtime, 'Number, or text to search: ');
    const chosen = choices[Number(text) - 1];
    if (text !== '' && chosen) return chosen.value;
    const found = await find(text);
    const [only, second] = found;
    if (text !== '' && only && !second) return only.value;
    if (found.length === 0) await say(runtime, `Nothing matches "${text}".`);
    else choices = found;
  }
}

export async function chooseSome<T>(
  runtime: Runtime,
  message: string,
  choices: readonly Choice<T>[],
  required: boolean,
): Promise<T[]> {
  await list(runtime, message, choices);
  for (;;) {
    const text = await line(runtime, `Numbers, separated by commas${required ? '' : ', Enter for none'}: `);
    if (text === '' && !required) return [];
    const chosen = text.split(',').map((one) => choices[Number(one.trim()) - 1]);
    const known = chosen.filter((one) => one !== undefined);
    if (text !== '' && known.length === chosen.length) return known.map(({ value }) => value);
    await say(runtime, `Give numbers from 1 to ${choices.length}.`);
  }
}

async function list<T>(runtime: Runtime, message: string, choices: readonly Choice<T>[]): Promise<void> {
  const lines = choices.map(
    ({ name, description }, at) => `${at + 1}. ${name}${description ? `: ${description}` : ''}`,
  );
  await say(runtime, [message, ...lines].join('\n'));
}

async function valid(runtime: Runtime, { validate }: Question, read: () => Promise<string>): Promise<string> {
  for (;;) {
    const answer = await read();
    const answered = validate?.(answer) ?? true;
    if (answered === true) return answer;
    await say(runtime, answered);
  }
}

function say({ stderr }: Runtime, text: string): Promise<void> {
  return writeText(stderr, `${text}\n`);
}

/** A line of stdin, trimmed. Left at its end (^D), at a signal, and at Esc and Enter. */
async function line(runtime: Runtime, message: string, { hidden = false } = {}): Promise<string> {
  const { stdin: input, stderr, signal } = runtime;
  if (signal.aborted) throw left();
  // The terminal edits and shows the line; only a hidden one is read key by key, into nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, ...(hidden && { output: nowhere }), terminal: hidden });
  try {
    const answer = new Promise<string>((resolve, reject) => {
      const leave = () => reject(left());
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
