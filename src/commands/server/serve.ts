/** `comem serve`: a server that runs until a signal, or while a command runs. */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Context, Runtime } from '../../cli/context.ts';
import type { FlagValues } from '../../cli/define.ts';
import { shellWord } from '../../cli/words.ts';
import { isDate, isDateTime } from '../../contract/validate.ts';
import { isPostgres } from '../../core/addresses.ts';
import { Failure, Finished, usage } from '../../core/errors.ts';
import { temporaryFolder } from '../../core/files.ts';
import { jsonLine, messageLine } from '../../output/terminal-text.ts';
import type { LogOptions } from '../../server/app.ts';
import type { ServeOptions, Serving } from '../../server/serve.ts';
import { databaseOf, faultNames, type NamedDatabase, seedFile, type serveFlags } from './database.ts';

type Flags = FlagValues<typeof serveFlags>;

const defaultPort = 4010;

/** Serves until a signal comes. */
export async function serveUntilStopped(ctx: Context, flags: Flags): Promise<void> {
  // Before anything is opened: a signal that nobody waits for ends the process at once.
  const stopped = waitForAbort(ctx.runtime.signal);
  const database = await servedDatabase(ctx, flags);
  const serving = await open(ctx, flags, { database, port: flags.port ?? defaultPort, level: 'info' });
  try {
    ctx.out.note(`Serving ${serving.url} from ${database.label}${describe(serving)}. Ctrl+C stops.`);
    if (serving.metrics) ctx.out.note(`Metrics for Prometheus: ${serving.metrics}`);
    if (serving.isEmpty) {
      ctx.out.note(
        `It has no company: \`comem init --company NAME --dir ${shellWord(database.label)}\` makes one, and ` +
          '`comem server load FILE` loads some.',
      );
    }
    if (serving.holdsDemo) ctx.out.note('`comem server credentials` shows its keys and sessions.');
    await warnIfExposed(ctx, flags.host, serving.holdsDemo);
    await stopped;
    // A supervisor sends SIGTERM, a person at a terminal Ctrl+C.
    if (ctx.runtime.signal.reason?.message === 'SIGTERM') await serving.drain();
    serving.log.info('stopping: waiting for requests in flight');
  } finally {
    await serving.close();
  }
}

/** Serves while the command runs, then ends with its exit code. */
export async function serveFor(ctx: Context, flags: Flags, command: readonly string[]): Promise<never> {
  // Before a folder exists that would be left behind: a signal that nobody waits for ends the process at once.
  ctx.runtime.signal.throwIfAborted();
  const temporary = flags.dir === undefined && flags.database === undefined ? temporaryFolder('serve') : undefined;
  try {
    // Several of these may run at once, so the default is a free port.
    const database = await servedDatabase(ctx, temporary === undefined ? flags : { ...flags, dir: temporary });
    const serving = await open(ctx, flags, { database, port: flags.port ?? 0, level: 'warn' });
    try {
      if (serving.metrics) ctx.out.note(`Metrics for Prometheus: ${serving.metrics}`);
      ctx.runtime.claimExit?.();
      const { env } = ctx.runtime;
      // These would name other credentials than the ones set here.
      const files = { COMEM_API_KEY_FILE: undefined, COMEM_SESSION_COOKIE_FILE: undefined, COMEM_PROFILE: undefined };
      throw new Finished(await runChild(ctx.runtime, command, { ...env, ...files, ...serving.environment }));
    } finally {
      await serving.close();
    }
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

/** The database of the flags, and the standby that requests may read. */
async function servedDatabase(ctx: Context, flags: Flags): Promise<NamedDatabase> {
  const database = await databaseOf(ctx, flags);
  const isFolder = database.options.database === undefined;
  const readDatabase = flags.readDatabase ?? (isFolder ? undefined : ctx.runtime.env.COMEM_READ_DATABASE);
  if (!readDatabase) return database;
  const hint = 'name a standby of --database postgres://…';
  if (isFolder) throw usage('--read-database needs a database of PostgreSQL', hint);
  if (!isPostgres(readDatabase)) throw usage('--read-database must begin with postgres://', hint);
  return { ...database, options: { ...database.options, readDatabase } };
}

/** Plain HTTP shows keys and sessions to anyone on the way. */
async function warnIfExposed(ctx: Context, host: string | undefined, holdsDemo: boolean): Promise<void> {
  const { isLoopback } = await import('../../server/app.ts');
  if (host === undefined || isLoopback(host)) return;
  ctx.out.warn(
    `other machines can reach ${host} over plain HTTP; put a TLS reverse proxy in front, on this machine with ` +
      '--host 127.0.0.1 and --allow-host for its name',
  );
  if (!holdsDemo) return;
  ctx.out.warn('the keys of the demo are public: whoever reaches the server can use them');
}

async function open(
  ctx: Context,
  flags: Flags,
  { database, port, level }: { database: NamedDatabase; port: number; level: LogOptions['level'] },
): Promise<Serving> {
  const { runtime } = ctx;
  const format = runtime.terminal.stderrIsTTY ? 'text' : 'json';
  const clean = format === 'json' ? jsonLine : messageLine;
  const log = new LinesTogether((lines) => runtime.stderr.write(lines));
  const { serve } = await import('../../server/serve.ts');
  const serving = await serve({
    database: database.options,
    port,
    host: flags.host ?? '127.0.0.1',
    seed: await seedOf(ctx, flags.seed),
    now: clockOf(flags.now ?? ctx.runtime.env.COMEM_NOW),
    allowHosts: flags.allowHost,
    ...(await faultsOf(flags.fault)),
    metricsPort: flags.metricsPort,
    rateLimit: rateLimitOf(flags.rateLimit),
    isExposed: ctx.settings.yes,
    log: { level, format, write: (line) => log.add(`${clean(line.replace(/\n$/, ''))}\n`) },
  });
  return {
    ...serving,
    async close() {
      await serving.close();
      log.flush();
    },
  };
}

/** Writes the lines of one turn of the event loop at once: each write to a pipe costs as much as a small read. */
class LinesTogether {
  private lines = '';

  constructor(private readonly write: (lines: string) => void) {}

  add(line: string): void {
    if (this.lines === '') setImmediate(() => this.flush());
    this.lines += line;
  }

  flush(): void {
    if (this.lines !== '') this.write(this.lines);
    this.lines = '';
  }
}

async function seedOf(ctx: Context, seed: string | undefined): Promise<ServeOptions['seed']> {
  if (seed === undefined || seed === 'demo' || seed === 'none') return seed;
  return seedFile(ctx, seed);
}

function rateLimitOf(text: string | undefined): ServeOptions['rateLimit'] {
  if (text === undefined) return undefined;
  const [, requests = '0', unit = 'm'] = /^(\d+)(?:\/([sm]))?$/.exec(text) ?? [];
  if (Number(requests) > 0) return { requests: Number(requests), perMs: unit === 's' ? 1000 : 60_000 };
  throw usage(`--rate-limit must be requests per second or minute, such as 50/s, got "${text}"`);
}

/** The faults of `--fault NAME=VALUE`; of a name that is repeated the last value counts, and each of `fail`. */
async function faultsOf(written: readonly string[] = []): Promise<Pick<ServeOptions, 'maxPage' | 'wrappers'>> {
  const { faultWrappers, parseDuration, parseFault } = await import('../../server/faults.ts');
  const pairs = written.map((text): [string, string] => {
    const [, name, value] = /^([a-z-]+)=(.+)$/s.exec(text) ?? [];
    if (name !== undefined && value !== undefined && faultNames.some((known) => known === name)) return [name, value];
    throw usage(
      `--fault takes NAME=VALUE, got "${text}"`,
      name === 'rate-limit' ? `write it as --rate-limit ${value}` : `the names are ${faultNames.join(', ')}`,
    );
  });
  const { latency, 'expire-session': expireSession, 'max-page': maxPage } = Object.fromEntries(pairs);
  return {
    maxPage: maxPage === undefined ? undefined : pageOf(maxPage),
    wrappers: faultWrappers({
      faults: pairs.flatMap(([name, value]) => (name === 'fail' ? [parseFault(value)] : [])),
      latencyMs: latency === undefined ? undefined : parseDuration('--fault latency', latency),
      sessionMs: expireSession === undefined ? undefined : parseDuration('--fault expire-session', expireSession),
    }),
  };
}

function pageOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usage(`--fault max-page must be a whole number of rows, got "${text}"`);
}

function clockOf(text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined;
  if (isDate(text) || isDateTime(text)) return new Date(text);
  throw usage(`--now ${text}: must be a date or timestamp such as 2026-03-31 or 2026-03-31T09:00:00Z`);
}

function describe({ holdsDemo, clock }: Serving): string {
  const parts = [holdsDemo ? 'demo data' : '', clock ? `clock at ${clock.toISOString()}` : ''].filter(
    (part) => part !== '',
  );
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
}

/** Runs a command with our stdin, stdout and stderr, and passes signals on. @returns its exit code */
function runChild(
  runtime: Runtime,
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: runtime.cwd, env: { ...environment }, stdio: 'inherit' });
    const pass = () => {
      const name = runtime.signal.reason instanceof Error ? runtime.signal.reason.message : 'SIGTERM';
      // ^C on a terminal reaches the process group by itself; a second one would interrupt the program's cleanup.
      if (name === 'SIGINT' && runtime.terminal.stdinIsTTY) return;
      child.kill(name === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    };
    if (runtime.signal.aborted) pass();
    runtime.signal.addEventListener('abort', pass, { once: true });
    const done = () => runtime.signal.removeEventListener('abort', pass);
    child.on('error', (error: NodeJS.ErrnoException) => {
      done();
      reject(listenFailure(program, error));
    });
    child.on('close', (code, signal) => {
      done();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

function listenFailure(program: string, error: NodeJS.ErrnoException): Failure {
  if (error.code === 'ENOENT') return usage(`program "${program}" not found`, 'put a command after --');
  if (error.code === 'EACCES') return usage(`cannot run "${program}": permission denied`);
  return new Failure('usage', `cannot run "${program}": ${error.message}`, { cause: error });
}
