/** Which mirror a command works on. */
import type { Context } from '../../cli/context.ts';
import { flag } from '../../cli/define.ts';
import { requireMirror } from '../../cli/past.ts';
import { mirrorAt } from '../../config/mirror.ts';
import type { OperationId } from '../../contract/index.ts';
import { usage } from '../../core/errors.ts';
import type { Where } from '../../server/mirror/database.ts';

export const folderArgument = {
  name: 'DIR',
  summary: 'the folder; default: COMEM_MIRROR or that of the profile',
  optional: true,
} as const;

export const databaseFlag = {
  database: flag.text('URL', 'PostgreSQL instead of a folder: postgres://user@host/db'),
};

/** What a sync reads. */
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

/** @throws usage where nothing names a mirror, or two things do */
export function whereOf(ctx: Context, folder: string | undefined, database: string | undefined): Where {
  if (folder !== undefined && database !== undefined) {
    throw usage('DIR and --database name two mirrors', 'give one of them');
  }
  if (database !== undefined) return { database };
  const named = folder ?? ctx.settings.mirror.value;
  if (named === undefined || named === '') {
    throw usage(
      'DIR is missing',
      'name the folder of the mirror, or set COMEM_MIRROR or the setting `mirror` of the profile',
    );
  }
  const where = mirrorAt(named, ctx.runtime.cwd);
  if (folder === undefined || 'folder' in where) return where;
  throw usage('DIR is a folder, not an address', 'give the address with --database');
}

/**
 * The same for a command that only reads it: the demo has a mirror of its own.
 * @throws usage where nothing names a mirror, or two things do
 */
export async function readWhere(
  ctx: Context,
  folder: string | undefined,
  database: string | undefined,
): Promise<Where> {
  return folder === undefined && database === undefined ? requireMirror(ctx) : whereOf(ctx, folder, database);
}
