/** Long output through the pager that the person has set: what fits on the screen is written as it is. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Sink } from '../output.ts';

interface PagerRules {
  /** A command line for the shell. */
  command: string;
  /** Lines of the screen. */
  rows: number;
  env: NodeJS.ProcessEnv;
  clean(text: string): string;
  /** Where it goes without the pager. */
  direct: Sink;
}

/** Holds back as much as a screen has; what is longer goes to the pager, and a pager that has ended wants no more. */
export function pagedSink({ command, rows, env, clean, direct }: PagerRules): Sink {
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
    pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
    // A reader who has seen enough ends the pager.
    pager.stdin?.on('error', () => {
      closed = true;
    });
    pager.on('close', () => {
      closed = true;
    });
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
