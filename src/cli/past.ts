/** `--as-of` and `--offline`: the state of another time, from a mirror, in the place of the API. */
import type { Credentials } from '../client/credentials.ts';
import type { Connection } from '../client/network.ts';
import type { Settings } from '../config/settings.ts';
import { mirrorFolder } from '../config/settings.ts';
import type { Paths } from '../config/store.ts';
import { Failure, usage } from '../core/errors.ts';
import { readInstant } from '../core/periods.ts';
import { Reads, type ResourceKey } from '../domain/history/reads.ts';
import { momentOf, SyncTimes, syncAt } from '../domain/history/steps.ts';
import type { History, Sync } from '../domain/history/versions.ts';
import type { Output } from '../output/write/create-output.ts';
import type { Context, PastState, Runtime } from './context.ts';
import { flag, inGroup } from './define.ts';
import { refuseRaw } from './show.ts';
import { distance, timeText } from './words.ts';

export interface OpenedMirror extends PastState {
  connection: Connection;
  /** Sent to the mirror, which asks for none: a client sends no request without. */
  credentials: Credentials;
  /** The ids of the companies in the mirror. */
  companies: readonly string[];
}

interface PastParts {
  settings: Settings;
  runtime: Pick<Runtime, 'cwd' | 'env'>;
  folders: Paths;
  now(): Date;
  out: Output;
}

/** Every reader of the mirror may read all of it. */
const credentials: Credentials = { key: { secret: 'mirror' }, session: { secret: 'mirror=owner' } };

/** @throws usage without a mirror or with one of another API; notFound before its first sync */
export async function openAsOf({ settings, runtime, folders, now, out }: PastParts): Promise<OpenedMirror> {
  const { asOf, baseUrl } = settings;
  const moment = asOf === undefined ? undefined : new Date(momentOf(asOf, now, 'last', '--as-of'));
  const address = await requireMirror({ settings, runtime, folders });
  const { openHistory } = await import('../mirror/history.ts');
  const history = await openHistory(address);
  try {
    if (history.api !== undefined && baseUrl.value !== undefined && history.api !== baseUrl.value) {
      throw usage(
        `the mirror in ${address} was made from ${history.api}, not from ${baseUrl.value} (${baseUrl.from})`,
        'name the profile of that API with -p, or another mirror with --mirror',
      );
    }
    const syncs = await history.syncs();
    const time = moment?.getTime();
    const sync = syncAt(syncs, time ?? Number.POSITIVE_INFINITY, `--as-of ${asOf}`);
    const seenAt = new Date(timeOf(sync.seenAt));
    const at = clockOf(moment, seenAt, runtime.env.COMEM_NOW ? now() : undefined, now());
    out.note(momentNote(moment, sync, syncs, now()));
    const { openPastApi } = await import('../mirror/past.ts');
    const { transport, companies, names } = await openPastApi({ history, sync, moment: time, now: at, warn: out.warn });
    let closing: Promise<void> | undefined;
    return {
      now: at,
      seenAt,
      names,
      companies: companies.map(({ id }) => id),
      credentials,
      // The client closes its connection, and so does the command.
      connection: {
        send: transport,
        close: () => {
          closing ??= history.close();
          return closing;
        },
      },
    };
  } catch (error) {
    await history.close();
    throw error;
  }
}

/** An answer goes by the clock of its own time: that of `--as-of`, which is never later than now, else of the sync. */
function clockOf(moment: Date | undefined, seenAt: Date, fixed: Date | undefined, now: Date): Date {
  if (moment === undefined) return fixed ?? seenAt;
  return moment.getTime() > now.getTime() ? now : moment;
}

function momentNote(moment: Date | undefined, { number, seenAt }: Sync, syncs: readonly Sync[], now: Date): string {
  const at = new Date(timeOf(seenAt));
  const sync = `${timeText(seenAt)} (${distance(at, now)})`;
  if (moment === undefined || moment.getTime() <= timeOf(seenAt)) return `As of the sync of ${sync}.`;
  return number === syncs.at(-1)?.number
    ? `As of the newest sync, ${sync}: what changed since is not known.`
    : `As of the sync of ${sync}, with what the API dates until ${timeText(moment)}.`;
}

function timeOf(seenAt: string): number {
  return readInstant(seenAt) ?? Number.NEGATIVE_INFINITY;
}

export const pastFlags = inGroup('HISTORY', {
  mirror: flag.text('DIR', "the mirror to read; default: the profile's"),
});

export interface Past {
  history: History;
  syncs: readonly Sync[];
  times: SyncTimes;
  /** Which syncs read what. Read once. */
  reads(): Promise<Reads>;
  /** The times of the syncs that read a resource. */
  timesOf(resource: ResourceKey): Promise<SyncTimes>;
  /** The newest sync. */
  newest: Sync;
}

/** Opens the mirror, hands it over, and closes it whatever happens. @throws usage when none is named anywhere */
export async function withPast<T>(ctx: Context, work: (past: Past) => Promise<T>, mirror?: string): Promise<T> {
  refuseRaw(ctx, 'it is computed from a mirror');
  const past = await openPast(ctx, mirror);
  try {
    return await work(past);
  } finally {
    await past.history.close();
  }
}

/** The mirror, to be closed by the caller. @throws usage when none is named anywhere */
export async function openPast(ctx: Context, mirror?: string): Promise<Past> {
  const folder = await requireMirror(ctx, mirror);
  const { openHistory } = await import('../mirror/history.ts');
  const history = await openHistory(folder);
  const syncs = await history.syncs();
  const newest = syncs.at(-1);
  if (newest) {
    let known: Promise<Reads> | undefined;
    const reads = () => {
      known ??= Reads.of(history, syncs);
      return known;
    };
    const timesOf = async (resource: ResourceKey) => (await reads()).times(resource);
    return { history, syncs, times: new SyncTimes(syncs), reads, timesOf, newest };
  }
  await history.close();
  throw new Failure('notFound', 'the mirror has no completed sync', { hint: 'run `comem mirror sync` first' });
}

/** Whether a flag, the environment or the profile names a mirror. */
export async function hasPast(ctx: Context, mirror?: string): Promise<boolean> {
  return (await mirrorOf(ctx, mirror)) !== undefined;
}

type MirrorSource = Pick<Context, 'settings' | 'folders'> & { runtime: Pick<Runtime, 'cwd'> };

/** `--mirror`, else that of the environment or profile, else that of the demo; undefined: there is none. */
async function mirrorOf({ settings, runtime }: MirrorSource, folder: string | undefined) {
  const named = folder ?? settings.mirror.value;
  if (named !== undefined) return { folder: mirrorFolder(named, 'the mirror', runtime.cwd) };
  return settings.baseUrl.value === 'embedded:' ? ('demo' as const) : undefined;
}

/** The folder of the mirror that a command reads. @throws usage when none is named anywhere */
export async function requireMirror(context: MirrorSource, folder?: string): Promise<string> {
  const mirror = await mirrorOf(context, folder);
  if (mirror === undefined) {
    throw usage(
      'the past is read from a mirror, and none is set',
      'make one with `comem mirror sync DIR`, then name it with --mirror DIR, or keep it with `comem profiles set NAME mirror=DIR`',
    );
  }
  if (mirror !== 'demo') return mirror.folder;
  const { ensureDemoMirror } = await import('../mirror/demo.ts');
  return ensureDemoMirror(context.folders.data);
}
