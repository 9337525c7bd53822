/** Results that are longer than the screen: through a pager, or their first and last lines where there is none. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
  messages: Pick<Messages, 'still' | 'clear'>;
  clean(text: string): string;
  /** The screen itself. */
  direct: Sink;
}

export function longTextSink(rules: PagerRules): Sink {
  const { command, env, table } = rules;
  if (!/^less\b/.test(command) || isInstalled('less', env)) return pagedSink(rules);
  return table ? shortenedSink(rules) : rules.direct;
}

/** Buffers one screen; a longer result goes to the pager until it ends. */
function pagedSink({ command, rows, table, env, messages, clean, direct }: PagerRules): Sink {
  let held = '';
  let pager: ReturnType<typeof spawn> | undefined;
  let closed = false;
  const isLong = () => held.split('\n').length > rows;

  const push = async (text: string) => {
    const input = pager?.stdin;
    if (closed || !input || text === '') return;
    if (!input.write(clean(text))) await Promise.race([once(input, 'drain'), once(input, 'close')]);
  };
  const start = () => {
    messages.clear();
    const child = spawn(command === 'less' ? lessCommand(table?.header === true, env) : command, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...env },
    });
    pager = child;
    // The reader may quit the pager early.
    child.stdin.on('error', () => {
      closed = true;
    });
    const ended = once(child, 'close').finally(() => {
      closed = true;
    });
    messages.still(() => ended).catch(() => {});
  };
  const finish = async () => {
    if (!pager) {
      await direct.write(held);
      return direct.end();
    }
    pager.stdin?.end();
    if (!closed) await once(pager, 'close');
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

/** The flags that git uses; version 600 and later keep the header visible. */
function lessCommand(header: boolean, env: NodeJS.ProcessEnv): string {
  if (!header) return 'less -FRX';
  const { stdout } = spawnSync('less', ['--version'], { env, encoding: 'utf8' });
  const version = Number(/^less (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
  return version >= 600 ? 'less -FRX --header=1' : 'less -FRX';
}

function isInstalled(program: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  return PATH.split(':').some((folder) => folder !== '' && existsSync(join(folder, program)));
}

/** Lines that the messages after a table take. */
const reserved = 3;
const leastLines = 6;

/** Writes the first and last lines of a table around the count of the others. */
function shortenedSink({ rows, env, direct }: PagerRules): Sink {
  const most = Math.max(rows - reserved, leastLines);
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
