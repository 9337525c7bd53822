/** The mirror of a command. */

import type { Context } from '../../cli/context.ts';
import { requireMirror } from '../../cli/past.ts';
import { mirrorFolder } from '../../config/settings.ts';
import { usage } from '../../core/errors.ts';

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
    'name the folder of the mirror, or set COMEM_MIRROR or the setting `mirror` of the profile',
  );
}

/** The same for a command that only reads it: the demo has a mirror of its own. @throws usage as `folderOf` */
export async function readableFolder(ctx: Context, folder: string | undefined): Promise<string> {
  return folder === undefined ? requireMirror(ctx) : folderOf(ctx, folder);
}
