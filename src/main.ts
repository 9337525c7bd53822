/** argv to exit code: the only file that touches the process, and the place where failures become text. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { version } from '../package.json';
import type { Runtime, WriteLog } from './cli/context.ts';
import { afterWrites, asFailure, isJson, report, reportFlags } from './cli/report.ts';
import { Route } from './cli/route.ts';
import { runtimeOf, withColor, writeText } from './cli/runtime.ts';
import type { Connection } from './client/network.ts';
import { hints, tree } from './commands/index.ts';
import type { Settings } from './config/settings.ts';
import { Failure, Finished, usage } from './core/errors.ts';
import type { HeapRules } from './output/output.ts';

export { tree };

/** Replaces the network in tests. */
export interface Overrides {
  connection?: Connection | undefined;
  /** Filled as writes are sent. */
  writes?: WriteLog | undefined;
}

/** Runs one command line and returns its exit code. Nothing is thrown, and the process is not touched. */
export async function run(argv: readonly string[], runtime: Runtime, overrides: Overrides = {}): Promise<number> {
  let settings: Settings | undefined;
  const writes = overrides.writes ?? { sent: 0, done: 0, ids: [] };
  const onSettings = (resolved: Settings) => {
    settings = resolved;
  };
  try {
    return await execute(argv, runtime, { ...overrides, writes, onSettings });
  } catch (error) {
    const failure = afterWrites(asFailure(error), writes);
    const debug = failure.kind === 'bug' && isSet(runtime.env.COMEM_DEBUG);
    const typed = reportFlags(argv, runtime.env);
    const json = !runtime.terminal.stderrIsTTY && isJson(settings?.output.value ?? typed.format);
    const profile = settings && settings.profile.origin !== 'flag' ? undefined : typed.profile;
    const { color, columns, stderrIsTTY } = withColor(runtime, typed.color).terminal;
    const look = { json, terminal: stderrIsTTY, columns, color: color.stderr, debug };
    const nouns = Object.keys(tree.nouns).filter((noun) => !tree.nouns[noun]?.withoutProfile);
    const exitCode = runtime.exitCodeOf?.(failure.exitCode) ?? failure.exitCode;
    const text = report(failure, { ...look, profile, nouns, hints, exitCode });
    await writeText(runtime.stderr, text);
    return exitCode;
  }
}

type Hooks = Overrides & { writes: WriteLog; onSettings(settings: Settings): void };

/** @throws what the command throws; usage for words and flags that do not exist */
async function execute(argv: readonly string[], runtime: Runtime, hooks: Hooks): Promise<number> {
  if (argv[0] === '__complete') {
    const { completionAnswer } = await import('./cli/completion/answer.ts');
    await writeText(runtime.stdout, await completionAnswer(argv.slice(1), tree, runtime.env));
    return 0;
  }
  const destination = await new Route(argv, tree).find();
  if (destination.kind === 'version') {
    await writeText(runtime.stdout, `${version}\n`);
    return 0;
  }
  if (destination.kind === 'help') {
    const { helpText } = await import('./cli/help.ts');
    const isAnswer = destination.isRequested || argv.length === 0;
    await writeText(
      isAnswer ? runtime.stdout : runtime.stderr,
      await helpText(destination, tree, runtime.terminal.columns),
    );
    return isAnswer ? 0 : 2;
  }
  const { command, parsed } = destination;
  const { pageSize } = parsed.globals;
  if (pageSize !== undefined) await (await import('./cli/operation-flags.ts')).checkPageSize(command, pageSize);
  const { createContext } = await import('./cli/run-context.ts');
  const parts = { command, parsed, runtime, tree, run, ...hooks };
  const { writes } = hooks;
  let context = createContext(parts);
  try {
    const isInteractive =
      destination.isIncomplete &&
      (await (await import('./cli/ask-missing.ts')).askMissing(context, parts, destination));
    if (!context.isSettled()) context = await (await import('./cli/settle.ts')).contextWithCompany(context, parts);
    await context.openClock();
    const work = () => command.run(context, { args: parsed.args, flags: parsed.flags, isInteractive });
    await work().catch(async (error: unknown) => {
      const { isUnknownCompany } = await import('./config/companies.ts');
      const isName = isUnknownCompany(error) && writes.sent === 0;
      // An argument may be the name of a company: learn the names, then run the command again.
      if (!isName || !(await (await import('./cli/settle.ts')).learnCompanyNames(context))) throw error;
      await work();
    });
    if (writes.done > 0) (await import('./cli/recorder.ts')).printUndoHint(context, command, writes);
    return 0;
  } catch (error) {
    if (error instanceof Finished) return error.code;
    throw error;
  } finally {
    await context.close();
  }
}

/** Runs the process's own command line. */
export function start(): void {
  const signals = new Signals();
  const writes = { sent: 0, done: 0, ids: [] };
  const closed = (error: NodeJS.ErrnoException) => {
    // Confirmed writes are still made; then the command reports what it could not print.
    if (writes.sent > 0) return;
    // The reader of our output has stopped (`| head`): not an error.
    if (error.code === 'EPIPE') process.exit(signals.code ?? 0);
    // A full disk behind `> file` is reported like one behind --out.
    const failure = usage(`cannot write to stdout: ${error.message}`, 'the output is incomplete');
    const json = isJson(reportFlags(process.argv.slice(2), process.env).format);
    process.stderr.write(report(failure, { json, terminal: isatty(2), debug: false }));
    process.exit(failure.exitCode);
  };
  process.stdout.on('error', closed);
  process.stderr.on('error', () => {});
  const bug = (error: unknown) => {
    const debug = isSet(process.env.COMEM_DEBUG);
    process.stderr.write(report(asFailure(error), { json: false, terminal: false, debug }));
    process.exit(70);
  };
  process.on('uncaughtException', bug);
  process.on('unhandledRejection', bug);
  // jq's package prints "Aborted()" beside the one line of our failure.
  console.error = () => {};
  const runtime = runtimeOf(process, isatty, () => signals.watched());
  let claimed = false;
  let isAbandoned = false;
  runtime.abandonOutput = () => {
    isAbandoned = true;
  };
  runtime.claimExit = () => {
    claimed = true;
  };
  runtime.exitCodeOf = (result) => (claimed ? result : (signals.code ?? result));
  runtime.beforeRequests = keepParserUnoptimized;
  runtime.keepHeapSmall = keepHeapSmall;
  runtime.sqlEngine = join(import.meta.dirname, 'sql-engine.js');
  runtime.blocking = (work) => signals.unheard(work);
  runtime.paging = (ended) => signals.shareWith(ended);
  run(process.argv.slice(2), runtime, { writes }).then(async (result) => {
    if (!isAbandoned) await writeText(process.stdout, '');
    process.exit(runtime.exitCodeOf?.(result));
  }, bug);
}

/** The signals that end a command, with its exit code then. */
const endings = [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const];

/** Until a command listens to signals, the system ends the process. */
export class Signals {
  /** The exit code that a signal asks for. */
  code: number | undefined;
  /** The number of blocking calls at the moment. */
  private deaf = 0;
  private abort: AbortController | undefined;
  private isShared = false;

  watched(): AbortSignal {
    if (this.abort) return this.abort.signal;
    this.abort = new AbortController();
    // Each request in flight adds a listener, and the user chooses how many there are.
    setMaxListeners(0, this.abort.signal);
    this.listen();
    return this.abort.signal;
  }

  /** Runs a blocking call: until it returns, the system's default ends the process at a signal. */
  async unheard<T>(work: () => T | Promise<T>): Promise<T> {
    // Signals that came before are handled first.
    await new Promise(setImmediate);
    if (this.abort?.signal.aborted) throw new Failure('interrupted', 'interrupted');
    for (const [signal] of endings) process.removeListener(signal, this.heard);
    this.deaf += 1;
    try {
      return await work();
    } finally {
      this.deaf -= 1;
      if (this.abort) this.listen();
    }
  }

  /** A pager gets Ctrl-C, too: until it has ended, a second one ends nothing. */
  shareWith(pager: Promise<void>): void {
    this.watched();
    this.isShared = true;
    pager.then(() => {
      this.isShared = false;
    });
  }

  private listen(): void {
    for (const [signal] of endings) {
      if (this.deaf === 0 && this.code === undefined && !process.listeners(signal).includes(this.heard))
        process.on(signal, this.heard);
    }
  }

  private readonly heard = (signal: NodeJS.Signals): void => {
    const code = endings.find(([name]) => name === signal)?.[1] ?? 143;
    this.code = code;
    // A second signal ends the process by the system's default, even in a busy loop.
    if (!this.isShared || signal !== 'SIGINT') for (const [name] of endings) process.removeListener(name, this.heard);
    this.abort?.abort(new Error(signal));
  };
}

/**
 * Node 20 optimizes undici's WebAssembly parser after the first response and waits for that at exit: one GET takes twice
 * as long (144 ms, 60 without), and exports gain nothing. Node 22 does not.
 */
function keepParserUnoptimized(): void {
  if (Number.parseInt(process.versions.node, 10) >= 22) return;
  process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=1000000000');
}

let isHeapSmall = false;
/**
 * Makes V8 collect garbage earlier; the first call sets how early. By default the heap grows with every page that is read.
 * A small young generation costs an import a quarter of its time.
 */
function keepHeapSmall({ growth = 20, isYoungSmall = true }: HeapRules = {}): void {
  if (isHeapSmall) return;
  isHeapSmall = true;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  if (isYoungSmall) setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${growth}`);
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== '0';
}
