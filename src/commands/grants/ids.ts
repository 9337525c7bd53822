/** Ids of grants as arguments. */

import type { Context } from '../../cli/context.ts';
import { isUuid } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';

/** The one id. @throws usage when it is no uuid */
export function grantId(text: string): string {
  if (isUuid(text)) return text;
  throw usage(`a grant is named by its uuid, but got "${text}"`, '`comem grants list` shows the ids');
}

/** The ids given, `-` for those on stdin (one a line, blank lines do not count), each once. */
export async function grantIds(ctx: Context, given: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of given) {
    const lines = text === '-' ? (await ctx.readStdin()).split('\n') : [text];
    ids.push(...lines.map((line) => line.trim()).filter((line) => line !== ''));
  }
  return [...new Map(ids.map((id) => [grantId(id).toLowerCase(), id])).values()];
}
