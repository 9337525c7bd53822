/** The state of the API now, beside the syncs of a mirror. */
import type { Context } from '../../cli/context.ts';
import type { OperationId } from '../../contract/index.ts';
import type { Failure } from '../../core/errors.ts';
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

/**
 * Reads again what the last sync read, and hands over the history as if that had been a sync. The mirror stays as it was.
 * @returns the result, how many rows were read, and a failure to throw after the report: parts that could not be read
 */
export async function withLive<T>(
  ctx: Context,
  folder: string,
  work: (history: History, lastAt: string) => Promise<T>,
): Promise<{ result: T; read: number; lastAt: string; verdict: Failure | undefined }> {
  const [{ beginSync }, { noSyncYet }, { mirrorStatus }, { scopeOf }, { Sync }, { addressOf, readParts }] =
    await Promise.all([
      import('../../mirror/writer.ts'),
      import('../../mirror/database.ts'),
      import('../../mirror/report.ts'),
      import('./sync/scope.ts'),
      import('./sync/parts.ts'),
      import('./sync/run.ts'),
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
