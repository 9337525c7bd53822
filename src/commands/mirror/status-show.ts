/** `mirror status`. */

import type { Context } from '../../cli/context.ts';
import type { RowFlags } from '../../cli/query.ts';
import { chosenRows, openRowQuery, showChosen } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount, timeText } from '../../cli/words.ts';
import { noSyncYet } from '../../mirror/database.ts';
import { openHistory } from '../../mirror/history.ts';
import { mirrorStatus } from '../../mirror/report.ts';
import { type StatusRow, statusColumns } from './columns.ts';

export async function showStatus(ctx: Context, folder: string, flags: RowFlags): Promise<void> {
  refuseRaw(ctx, 'it sends no request');
  if (!(await ctx.out.check(statusColumns))) return;
  const rules = { state: ['current', 'stale', 'older'] };
  const question = await openRowQuery(ctx, statusColumns, { flags, command: [], rules });
  const status = await mirrorStatus(folder);
  if (status.lastAt === null) throw noSyncYet(folder);
  const names = await namesOf(ctx, folder);
  const all = status.parts.map((part): StatusRow => {
    const state = part.staleSince !== null ? 'stale' : part.readSync === status.lastSync ? 'current' : 'older';
    return {
      ...part,
      name: part.owner
        .split(' ')
        .map((id) => names.get(id) ?? ctx.companyName(id) ?? id)
        .join(' '),
      state,
    };
  });
  const rows = await chosenRows(question, all);
  await showChosen(ctx, { question, flags, pages: [rows] }, statusColumns, {
    whole: () => ({ ...status, parts: rows }),
    name: ({ part, name }) => [part, name].filter(Boolean).join(' '),
    counts: ['part', 'parts'],
  });
  const { syncs, firstAt, lastAt, bytes, api } = status;
  const times =
    syncs === 1 || firstAt === null
      ? `at ${timeText(lastAt ?? '')}`
      : `from ${timeText(firstAt)} to ${timeText(lastAt ?? '')}`;
  const size = `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  ctx.out.note(`${folder} (${api}): ${amount(syncs, 'sync', 'syncs')} ${times}, ${size}.`);
  const stale = rows.filter(({ state }) => state === 'stale').length;
  if (stale > 0) ctx.out.warn(`${stale} parts could not be read since; they are as they were then`);
}

/** Lists by their slug. */
async function namesOf(_: Context, folder: string): Promise<ReadonlyMap<string, string>> {
  const history = await openHistory(folder);
  try {
    const names = new Map<string, string>();
    for await (const { value } of history.resources('list')) names.set(value.id, String(value.body.slug ?? value.id));
    return names;
  } finally {
    await history.close();
  }
}
