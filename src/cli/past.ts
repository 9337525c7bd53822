/** The mirror that a command reads the past from. */
import { join, resolve } from 'node:path';
import { Failure, usage } from '../core/errors.ts';
import { SyncTimes } from '../domain/history/stays.ts';
import type { History, Sync } from '../domain/history/versions.ts';
import type { Context } from './context.ts';
import { flag, inGroup } from './define.ts';
import { refuseRaw } from './show.ts';

export const pastFlags = inGroup('HISTORY', {
  mirror: flag.text('DIR', "the mirror to read; default: the profile's"),
});

export interface Past {
  history: History;
  syncs: readonly Sync[];
  times: SyncTimes;
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
  const where = await mirrorOf(ctx, mirror);
  if (where === undefined) throw noMirror();
  const { openHistory } = await import('../server/mirror/open.ts');
  const history = await openHistory(where === 'demo' ? await demoMirror(ctx) : where);
  const syncs = await history.syncs();
  const newest = syncs.at(-1);
  if (newest) return { history, syncs, times: new SyncTimes(syncs), newest };
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

type Where = { folder: string } | { database: string };

/** `--mirror`, else that of the profile; undefined: there is none. */
async function mirrorOf(ctx: Context, given: string | undefined): Promise<Where | 'demo' | undefined> {
  const { baseUrl } = ctx.settings;
  if (given !== undefined) {
    const { isPostgres } = await import('../server/store/store.ts');
    return isPostgres(given) ? { database: given } : { folder: resolve(ctx.runtime.cwd, given) };
  }
  return baseUrl.value === 'embedded:' ? 'demo' : undefined;
}

/** The one of the demo, made when it is first asked for. */
async function demoMirror(ctx: Context): Promise<{ folder: string }> {
  const { ensureDemoMirror } = await import('../server/demo/history.ts');
  const folder = join(ctx.folders.data, 'demo-mirror');
  await ensureDemoMirror(folder, async () => {
    const { openEmbedded } = await import('../server/embedded.ts');
    return openEmbedded({ memory: true, seed: 'demo' });
  });
  return { folder };
}
