/** `comem serve`: a server for as long as someone wants it, or for as long as a command runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { FlagValues } from '../../cli/define.ts';
import { Finished } from '../../cli/finished.ts';
import { isDate, isDateTime } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import type { ServeOptions, Serving } from '../../server/serve.ts';
import { runChild } from './child.ts';
import { databaseOf, type NamedDatabase } from './database.ts';
import { type Log, serverLog } from './log.ts';
import type { serveFlags } from './serve-flags.ts';

type Flags = FlagValues<typeof serveFlags>;

const defaultPort = 4010;

/** Serves until a signal comes. */
export async function serveAlone(ctx: Context, flags: Flags): Promise<void> {
  // Asked for before anything is open: a signal that nobody waits for ends the process where it stands.
  const stopped = aborted(ctx.runtime.signal);
  const database = await databaseOf(ctx, flags);
  const log = serverLog(ctx, flags, 'info');
  const serving = await open(ctx, flags, database, flags.port ?? defaultPort, log);
  try {
    ctx.out.note(`Serving ${serving.url} from ${database.shown}${described(serving)}. Ctrl+C stops it.`);
    if (serving.holdsDemo) ctx.out.note('`comem server credentials` shows its keys and sessions.');
    await warnIfExposed(ctx, flags.host);
    await stopped;
    log.event('info', 'stopping: requests in flight are finished, no new ones taken');
  } finally {
    await serving.close();
  }
}

/** Serves while the command runs, then ends with its exit code. */
export async function serveFor(ctx: Context, flags: Flags, command: readonly string[]): Promise<never> {
  // Asked for before there is a folder to leave behind: a signal that nobody waits for ends the process where it stands.
  ctx.runtime.signal.throwIfAborted();
  const own =
    flags.dataDir === undefined && flags.database === undefined
      ? await mkdtemp(join(tmpdir(), 'comem-serve-'))
      : undefined;
  try {
    // Several of these may run at once, so the port is a free one unless it is asked for.
    const database = await databaseOf(ctx, own === undefined ? flags : { dataDir: own });
    const serving = await open(ctx, flags, database, flags.port ?? 0, serverLog(ctx, flags, 'warn'));
    try {
      ctx.runtime.claimExit?.();
      const { env } = ctx.runtime;
      // A file would name a second credential beside the one that is given here.
      const files = { COMEM_API_KEY_FILE: undefined, COMEM_SESSION_COOKIE_FILE: undefined, COMEM_PROFILE: undefined };
      throw new Finished(await runChild(ctx.runtime, command, { ...env, ...files, ...serving.environment }));
    } finally {
      await serving.close();
    }
  } finally {
    if (own !== undefined) await rm(own, { recursive: true, force: true });
  }
}

/** Keys and sessions go over the wire as they are, and whoever can listen there can use them. */
async function warnIfExposed(ctx: Context, host: string | undefined): Promise<void> {
  const { isLoopback } = await import('../../server/serve.ts');
  if (host === undefined || isLoopback(host)) return;
  ctx.out.warn(
    `${host} can be reached from other machines, and this is plain HTTP: TLS belongs in front, such as a reverse ` +
      'proxy on this machine with --host 127.0.0.1 here',
  );
}

async function open(
  ctx: Context,
  flags: Flags,
  { options: database }: NamedDatabase,
  port: number,
  log: Log,
): Promise<Serving> {
  const { serve } = await import('../../server/serve.ts');
  const { wrappers } = await faultsOf(flags);
  return serve({
    database,
    port,
    host: flags.host ?? '127.0.0.1',
    seed: await seedOf(ctx, flags.seed),
    now: clockOf(flags.now ?? ctx.runtime.env.COMEM_NOW),
    maxPage: flags.maxPage,
    wrappers,
    exposeDemo: ctx.settings.yes,
    operator: true,
    onAnswer: (record) => log.answer(record),
    onError: (error) =>
      log.event('error', `a request failed inside the server: ${error instanceof Error ? error.message : error}`),
  });
}

async function seedOf(ctx: Context, seed: string | undefined): Promise<ServeOptions['seed']> {
  if (seed === undefined || seed === 'demo' || seed === 'none') return seed;
  return { name: basename(seed), text: await ctx.readArgument(`@${seed}`) };
}

async function faultsOf({ latency, fail, rateLimit, expireSession }: Flags) {
  const { parseDuration, parseFault, parseRateLimit } = await import('../../server/fault-flags.ts');
  const { faultWrappers } = await import('../../server/faults.ts');
  const wrappers = faultWrappers({
    faults: fail?.map(parseFault),
    latencyMs: latency === undefined ? undefined : parseDuration('--latency', latency),
    rateLimit: rateLimit === undefined ? undefined : parseRateLimit(rateLimit),
    sessionMs: expireSession === undefined ? undefined : parseDuration('--expire-session', expireSession),
  });
  return { wrappers };
}

function clockOf(text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined;
  if (isDate(text) || isDateTime(text)) return new Date(text);
  throw usage(`--now ${text}: must be a date or timestamp such as 2026-03-31 or 2026-03-31T09:00:00Z`);
}

function described({ holdsDemo, clock }: Serving): string {
  const parts = [holdsDemo ? 'demo data' : '', clock ? `clock at ${clock.toISOString()}` : ''].filter(
    (part) => part !== '',
  );
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
}
