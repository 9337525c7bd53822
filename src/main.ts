/** argv to exit code: the only file that touches the process, and the one place where failures end. */

import { setMaxListeners } from 'node:events';
import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Runtime } from './cli/context.ts';
import { execute } from './cli/program.ts';
import { asFailure, report } from './cli/report.ts';
import { type ProcessLike, print, runtimeOf, writeText } from './cli/runtime.ts';
import type { Tree } from './cli/tree.ts';
import type { Connection } from './client/network.ts';
import { nouns, shortcuts } from './commands/index.ts';
import { usage } from './core/errors.ts';

export const tree: Tree = { nouns, shortcuts };

/** What tests put in the place of the network. */
export interface Overrides {
  connection?: Connection;
}

/** Runs one command line and gives its exit code. Nothing is thrown, and the process is not touched. */
export async function run(argv: readonly string[], runtime: Runtime, overrides: Overrides = {}): Promise<number> {
  let settings: { profile?: string; output?: string } = {};
  try {
    return await execute(argv, runtime, tree, async (command, parsed) => {
      const { createContext } = await import('./cli/run-context.ts');
      const onSettings = (found: { profile: { value: string }; output: { value: string | undefined } }) => {
        settings = { profile: found.profile.value, output: found.output.value };
      };
      return createContext({ command, parsed, runtime, tree, onSettings, ...overrides });
    });
  } catch (error) {
    const failure = asFailure(error);
    const debug = failure.kind === 'bug' && isSet(runtime.env.COMEM_DEBUG);
    const json = isJson(settings.output ?? askedFormat(argv, runtime.env));
    const text = report(failure, { json, terminal: runtime.terminal.stderrIsTTY, profile: settings.profile, debug });
    await print(runtime, 'stderr', text);
    return failure.exitCode;
  }
}

/** Runs the process's own command line. */
export function start(): void {
  const signals = new Signals();
  const closed = (error: NodeJS.ErrnoException) => {
    // Whoever reads our output has seen enough (`| head`): a quiet end.
    if (error.code === 'EPIPE') process.exit(signals.code ?? 0);
    // A full disk behind `> file` is nobody's bug; the same as of a file named by --out.
    const failure = usage(`stdout cannot be written: ${error.message}`, 'what stands there is not whole');
    const json = isJson(askedFormat(process.argv.slice(2), process.env));
    writeAtOnce(2, report(failure, { json, terminal: isTerminal(2), debug: false }));
    process.exit(failure.exitCode);
  };
  const made = new Set<'stdout' | 'stderr'>();
  const host: ProcessLike = {
    env: process.env,
    cwd: () => process.cwd(),
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      made.add('stdout');
      return once(process.stdout, 'error', closed);
    },
    get stderr() {
      made.add('stderr');
      return once(process.stderr, 'error', () => {});
    },
    isTTY: isTerminal,
    writeAtOnce: (to, text) => (made.has(to) ? text : writeAtOnce(to === 'stdout' ? 1 : 2, text)),
  };
  const bug = (error: unknown) => {
    const debug = isSet(process.env.COMEM_DEBUG);
    process.stderr.write(report(asFailure(error), { json: false, terminal: false, debug }));
    process.exit(70);
  };
  process.on('uncaughtException', bug);
  process.on('unhandledRejection', bug);
  const runtime = runtimeOf(host, () => signals.watched());
  let claimed = false;
  runtime.claimExit = () => {
    claimed = true;
  };
  run(process.argv.slice(2), runtime).then(async (result) => {
    if (made.has('stdout')) await writeText(host.stdout, '');
    process.exit(claimed ? result : (signals.code ?? result));
  }, bug);
}

/** SIGINT and SIGTERM. Until somebody wants to know of them the system ends the process, as it ends any other. */
class Signals {
  /** The exit code that a signal asks for. */
  code: number | undefined;
  private abort: AbortController | undefined;

  watched(): AbortSignal {
    if (this.abort) return this.abort.signal;
    this.abort = new AbortController();
    // Each request in flight listens; how many those are is the user's choice.
    setMaxListeners(0, this.abort.signal);
    for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
      process.on(signal, () => {
        // The second signal does not wait for anything.
        if (this.code !== undefined) process.exit(code);
        this.code = code;
        this.abort?.abort(new Error(signal));
      });
    }
    return this.abort.signal;
  }
}

/** Whether a descriptor is a terminal, told without loading the module for terminals where it is a file or a pipe. */
function isTerminal(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    if (!found.isCharacterDevice() || found.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev)
      return false;
    return process.getBuiltinModule('node:tty').isatty(descriptor);
  } catch {
    return false;
  }
}

/** What is left of the text when the descriptor takes no more for now. */
function writeAtOnce(descriptor: 1 | 2, text: string): Uint8Array {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return new Uint8Array();
  }
  return rest;
}

/** The stream, with the listener on it if it has none yet. */
function once<S extends NodeJS.WritableStream>(stream: S, event: string, listener: (error: Error) => void): S {
  if (stream.listenerCount(event) === 0) stream.on(event, listener);
  return stream;
}

/** The format that was asked for, as far as argv and environment tell before anything is parsed. */
function askedFormat(argv: readonly string[], env: Runtime['env']): string | undefined {
  const end = argv.indexOf('--');
  for (const [index, token] of (end < 0 ? argv : argv.slice(0, end)).entries()) {
    if (token === '--json' || token === '--jq' || token.startsWith('--jq=')) return 'json';
    if (token === '-o' || token === '--output') return argv[index + 1];
    const attached = /^(?:-o=?|--output=)(.+)$/.exec(token);
    if (attached) return attached[1];
  }
  return env.COMEM_OUTPUT;
}

function isJson(format: string | undefined): boolean {
  return format === 'json' || format === 'ndjson';
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== '0';
}
