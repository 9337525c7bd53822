/** The mirror that a command reads the past from. */
import { mirrorFolder } from '../config/mirror.ts';
import { Failure, usage } from '../core/errors.ts';
import { Reads, type Thing } from '../domain/history/reads.ts';
import { SyncTimes } from '../domain/history/stays.ts';
import type { History, Sync } from '../domain/history/versions.ts';
import type { Context, Runtime } from './context.ts';
import { flag, inGroup } from './define.ts';
import { refuseRaw } from './show.ts';

export const pastFlags = inGroup('HISTORY', {
  mirror: flag.text('DIR', "the mirror to read; default: the profile's"),
});

export interface Past {
  history: History;
  syncs: readonly Sync[];
  times: SyncTimes;
  /** Which syncs read what. Read once. */
  reads(): Promise<Reads>;
  /** Those of the syncs that read a thing. */
  timesOf(resource: Thing): Promise<SyncTimes>;
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
  const { openHistory } = await import('../mirror/open.ts');
  const history = await openHistory(folder);
  const syncs = await history.syncs();
  const newest = syncs.at(-1);
  if (newest) {
    let known: Promise<Reads> | undefined;
    const reads = () => {
      known ??= Reads.of(history, syncs);
      return known;
    };
    const timesOf = async (resource: Thing) => (await reads()).times(resource);
    return { history, syncs, times: new SyncTimes(syncs), reads, timesOf, newest };
  }
  await history.close();
  throw new Failure('notFound', 'the mirror has no completed sync', { hint: 'run `comem mirror sync` first' });
}

/** Whether a mirror is named, wherever. */
export async function hasPast(ctx: Context, mirror?: string): Promise<boolean> {
  return (await mirrorOf(ctx, mirror)) !== undefined;
}

function noMirror(): Failure {
  return usage(
    'the past is read from a mirror, and none is set',
    'make one with `comem mirror sync DIR`, then name it with --mirror DIR, or keep it with `comem profiles set NAME mirror=DIR`',
  );
}

type Place = Pick<Context, 'settings' | 'folders'> & { runtime: Pick<Runtime, 'cwd'> };

/** `--mirror`, else that of the environment or profile, else that of the demo; undefined: there is none. */
async function mirrorOf({ settings, runtime }: Place, folder: string | undefined) {
  const named = folder ?? settings.mirror.value;
  if (named !== undefined) return { folder: mirrorFolder(named, 'the mirror', runtime.cwd) };
  return settings.baseUrl.value === 'embedded:' ? ('demo' as const) : undefined;
}

/** The folder of the mirror that a command reads. @throws usage when none is named anywhere */
export async function requireMirror(context: Place, folder?: string): Promise<string> {
  const mirror = await mirrorOf(context, folder);
  if (mirror === undefined) throw noMirror();
  if (mirror !== 'demo') return mirror.folder;
  const { ensureDemoMirror } = await import('../mirror/demo.ts');
  return ensureDemoMirror(context.folders.data);
}
