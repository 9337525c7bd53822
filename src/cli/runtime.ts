/** Builds a Runtime from the parts of a process. Nothing here reads the process itself. */
import type { Settings } from '../config/settings.ts';
import { usage } from '../core/errors.ts';
import { readDay, readInstant } from '../core/periods.ts';
import type { Headers } from '../core/wire.ts';
import type { Runtime, Terminal } from './context.ts';

export type Host = Pick<NodeJS.Process, 'env' | 'cwd' | 'stdin' | 'stdout' | 'stderr'>;

/** `signal` is called when the first listener for signals is added. */
export function runtimeOf(host: Host, isTTY: (descriptor: number) => boolean, signal: () => AbortSignal): Runtime {
  const { env, stdout, stderr } = host;
  const [stdinIsTTY, stdoutIsTTY, stderrIsTTY] = [isTTY(0), isTTY(1), isTTY(2)];
  const terminal: Terminal = {
    stdinIsTTY,
    stdoutIsTTY,
    stderrIsTTY,
    get columns() {
      const screen = stdoutIsTTY ? stdout : stderrIsTTY ? stderr : undefined;
      // A terminal that does not know its size says 0.
      return columnsOf(env.COLUMNS) ?? (screen?.columns || 80);
    },
    get rows() {
      return (stdoutIsTTY && stdout.rows) || 24;
    },
    color: { stdout: mayColor(env, stdoutIsTTY), stderr: mayColor(env, stderrIsTTY) },
  };
  return {
    env,
    cwd: host.cwd(),
    terminal,
    // Node makes the stream when it is read, which costs a tenth of a start.
    get stdin() {
      return host.stdin;
    },
    stdout,
    stderr,
    now: () => now(env.COMEM_NOW),
    random: Math.random,
    get signal() {
      return signal();
    },
  };
}

function columnsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;
}

/** NO_COLOR when not empty (no-color.org), then FORCE_COLOR, then a terminal that is not dumb. */
function mayColor(env: Runtime['env'], isTTY: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0';
  return isTTY && env.TERM !== 'dumb';
}

/** @throws usage when the variable is not a time */
function now(fixed: string | undefined): Date {
  if (!fixed) return new Date();
  const time = readInstant(fixed) ?? readDay(fixed);
  if (time === undefined) {
    throw usage(`COMEM_NOW must be an ISO 8601 date or time, got "${fixed}"`);
  }
  return new Date(time);
}

/** Resolves when the text is out; a closed pipe counts as out (the program ends quietly elsewhere). */
export function writeText(stream: NodeJS.WritableStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}

/** Runs a blocking call, such as parsing a long YAML text, so that a signal ends the process at once. */
export async function blocking<T>(runtime: Runtime, work: () => T | Promise<T>): Promise<T> {
  return runtime.blocking ? runtime.blocking(work) : work();
}

/** The runtime with some parts replaced. stdin and the signal stay lazy. */
export function runtimeWith(
  runtime: Runtime,
  parts: Partial<Pick<Runtime, 'env' | 'cwd' | 'terminal' | 'now'>>,
): Runtime {
  const properties = { ...Object.getOwnPropertyDescriptors(runtime), ...Object.getOwnPropertyDescriptors(parts) };
  return Object.defineProperties({} as Runtime, properties);
}

/** `--color`; `auto` and nothing leave the decision to the environment. */
export function withColor(runtime: Runtime, when: string | undefined): Runtime {
  if (when !== 'never' && when !== 'always') return runtime;
  const may = when === 'always';
  return runtimeWith(runtime, { terminal: { ...runtime.terminal, color: { stdout: may, stderr: may } } });
}

const dayMs = 86_400_000;

const day = (time: Date): string => time.toISOString().slice(0, 10);

/**
 * The clock of the API, which decides which periods have ended.
 * @param local this machine's clock
 * @param warn called once, at the first use, if the clocks differ by more than a day
 */
export function serverClock(local: () => Date, warn: (text: string) => void) {
  let ahead: number | undefined;
  let hasWarned = false;
  return {
    /** Looks at the headers of a response. */
    see({ date }: Headers): void {
      const server = Date.parse(date ?? '');
      if (ahead !== undefined || Number.isNaN(server)) return;
      // The header has whole seconds: within its second the two clocks agree.
      const here = local().getTime();
      ahead = here < server ? server - here : Math.min(0, server + 999 - here);
    },
    now(): Date {
      const here = local();
      const server = new Date(here.getTime() + (ahead ?? 0));
      // Commands that do not depend on the time give no warning.
      if (!hasWarned && Math.abs(ahead ?? 0) > dayMs) {
        hasWarned = true;
        warn(`the clock of the server says ${day(server)} and this machine's ${day(here)}: comem goes by the server's`);
      }
      return server;
    },
  };
}

/** A command line to run next, with the profile that was typed. */
export function asTyped({ profile: { origin, value } }: Pick<Settings, 'profile'>, command: string): string {
  return origin === 'flag' ? command.replace(/^comem /, `comem -p ${value} `) : command;
}
