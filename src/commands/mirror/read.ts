/** The mirror of a command, and the state of the API now beside its syncs. */
import type { Context } from '../../cli/context.ts';
import { requireMirror } from '../../cli/past.ts';
import { mirrorFolder } from '../../config/settings.ts';
import type { OperationId } from '../../contract/index.ts';
import { type Failure, usage } from '../../core/errors.ts';
import type { History } from '../../domain/history/versions.ts';

/** The scope of a sync. */
export const syncOperations: readonly OperationId[] = [
  'listLists',
  'getList',
  'listEntries',
  'getMetricCatalog',
  'getMetricSeries',
  'getLiveMetrics',
  'listGrants',
  'getMetricPreferences',
  'getPublishedMetrics',
];

/** Reads what the last sync read, and leaves the mirror as it is. @returns the result, and a failure to throw last */
export async function withLive<T>(
  ctx: Context,
  folder: string,
  work: (history: History, lastAt: string) => Promise<T>,
): Promise<{ result: T; read: number; lastAt: string; verdict: Failure | undefined }> {
  const [{ beginSync }, { noSyncYet }, { mirrorStatus }, { scopeOf, Sync }, { addressOf, readParts }] =
    await Promise.all([
      import('../../mirror/writer.ts'),
      import('../../mirror/database.ts'),
      import('../../mirror/report.ts'),
      import('./sync-parts.ts'),
      import('./sync-run.ts'),
    ]);
  const { asked: last, lastAt } = await mirrorStatus(folder);
  if (lastAt === null) throw noSyncYet(folder);
  const writer = await beginSync(folder, addressOf(ctx), ctx.now().toISOString());
  writer.thorough = true;
  const scope = scopeOf(ctx, {});
  const { lists, metrics, from, companies } = last;
  const sync = new Sync(ctx, writer, { ...scope, lists, metrics, from, companies: companies ?? scope.companies });
  let result: T;
  try {
    await readParts(sync);
    result = await writer.differences((history) => work(history, lastAt));
  } catch (error) {
    throw await writer.abandon(error);
  } finally {
    ctx.out.progress(undefined);
  }
  await writer.abandon(undefined);
  return { result, read: sync.sum.read, lastAt, verdict: sync.verdict() };
}

export const folderArgument = {
  name: 'DIR',
  summary: 'the folder; default: COMEM_MIRROR or that of the profile',
  optional: true,
} as const;

/** The folder of the mirror that a command writes. @throws usage where nothing names one */
export function folderOf(ctx: Context, folder: string | undefined): string {
  const named = folder ?? ctx.settings.mirror.value;
  if (named !== undefined && named !== '') return mirrorFolder(named, 'DIR', ctx.runtime.cwd);
  throw usage(
    'DIR is missing',
    'name a folder: `comem mirror sync DIR`, or keep one: `comem profiles set NAME mirror=DIR`',
  );
}

/** The same for a command that only reads it: the demo has a mirror of its own. @throws usage as `folderOf` */
export async function readableFolder(ctx: Context, folder: string | undefined): Promise<string> {
  return folder === undefined ? requireMirror(ctx) : folderOf(ctx, folder);
}
