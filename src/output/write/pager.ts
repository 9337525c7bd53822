/** Results that are longer than the screen: through a pager, or their first and last lines where there is none. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Sink } from '../output.ts';
import { asciiOnly, type Messages } from '../terminal-text.ts';

interface PagerRules {
  /** A command line for the shell. */
  command: string;
  /** Lines of the screen. */
  rows: number;
  /** The text is a table, whose first line is its header where it has one. */
  table: { header: boolean } | undefined;
  env: NodeJS.ProcessEnv;
  messages: Pick<Messages, 'still' | 'clear' | 'warn'>;
  clean(text: string): string;
  /** The screen itself. */
  direct: Sink;
  /** `close` ends the text and waits for the reader. */
  onStart(ended: Promise<void>, close: () => Promise<void>): void;
}

export function longTextSink(rules: PagerRules): Sink {
  const { command, env, table, messages } = rules;
  const program = /^(?:\w+=\S* +)*([\w./+-]+)(?= |$)/.exec(command)?.[1];
  if (program === undefined || isInstalled(program, env)) return pagedSink(rules);
  if (command !== 'less') messages.warn(`the pager "${program}" was not found`);
  return table ? shortenedSink(rules) : rules.direct;
}

/** Buffers one screen; a longer result goes to the pager until it ends. */
function pagedSink({ command, rows, table, env, messages, clean, direct, onStart }: PagerRules): Sink {
  let held = '';
  let pager: { input: Writable; ended: Promise<void> } | undefined;
  let closed = false;
  const isLong = () => held.split('\n').length > rows;

  const push = async (text: string) => {
    if (closed || !pager || text === '') return;
    const { input, ended } = pager;
    if (input.write(clean(text))) return;
    const drained = new Promise<void>((resolve) => input.once('drain', resolve));
    await Promise.race([drained, ended]);
  };
  const start = () => {
    messages.clear();
    const child = spawn(table?.header ? withHeader(command, env) : command, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      // The flags that git uses; those of the user follow.
      env: { LESSCHARSET: 'utf-8', ...env, LESS: `-FRX ${env.LESS ?? ''}` },
    });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => {
      closed = true;
    });
    // The reader may quit the pager early.
    child.stdin.on('error', () => {
      closed = true;
    });
    messages.still(() => ended);
    pager = { input: child.stdin, ended };
    onStart(ended, finish);
  };
  const finish = async () => {
    if (!pager) {
      await direct.write(held);
      return direct.end();
    }
    pager.input.end();
    await pager.ended;
    return direct.end();
  };
  return {
    get closed() {
      return closed || direct.closed;
    },
    async write(text) {
      if (pager) return push(text);
      held += text;
      if (!isLong()) return undefined;
      start();
      const before = held;
      held = '';
      return push(before);
    },
    async flush() {},
    end: finish,
    abort: () => finish().catch(() => undefined),
  };
}

/** Version 600 and later keep the header visible. */
function withHeader(command: string, env: NodeJS.ProcessEnv): string {
  if (!/^less\b/.test(command)) return command;
  const { stdout } = spawnSync('less', ['--version'], { env, encoding: 'utf8' });
  const version = Number(/^less (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
  return version >= 600 ? `${command} --header=1` : command;
}

function isInstalled(program: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  if (program.includes('/')) return existsSync(program);
  return PATH.split(':').some((folder) => folder !== '' && existsSync(join(folder, program)));
}

/** Lines that the messages after a table take. */
const reserved = 3;
const minLines = 6;

/** Writes the first and last lines of a table around the count of the others. */
function shortenedSink({ rows, env, direct }: PagerRules): Sink {
  const most = Math.max(rows - reserved, minLines);
  const first: string[] = [];
  let last: string[] = [];
  let count = 0;
  let rest = '';
  const headCount = Math.ceil(most * 0.6);
  const add = (line: string) => {
    count += 1;
    if (first.length < headCount) first.push(line);
    else last.push(line);
    // Trimmed now and then, so that not every line moves all others.
    if (last.length > 2 * most) last = last.slice(-most);
  };
  const finish = async () => {
    if (rest !== '') add(rest);
    const hidden = count - first.length - (most - headCount - 1);
    const mark = asciiOnly(env) ? '...' : '…';
    const lines =
      count <= most
        ? [...first, ...last]
        : [...first, `${mark} ${hidden} more (--out FILE or a pipe has all)`, ...last.slice(headCount + 1 - most)];
    await direct.write(lines.map((line) => `${line}\n`).join(''));
    return direct.end();
  };
  return {
    get closed() {
      return direct.closed;
    },
    async write(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) add(line);
    },
    async flush() {},
    end: finish,
    abort: () => finish().catch(() => undefined),
  };
}
