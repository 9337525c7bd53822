/** `mirror log`. */

import type { Context } from '../../cli/context.ts';
import { hasRowFlags, openRowQuery, type RowFlags, showChosen } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { momentOf } from '../../domain/history/when.ts';
import { openHistory } from '../../mirror/open.ts';
import { logColumns } from './columns.ts';
import { logRows } from './log-rows.ts';

interface Asked {
  since: string | undefined;
  target: string | undefined;
  flags: RowFlags;
}

export async function showLog(ctx: Context, folder: string, { since, target, flags }: Asked): Promise<void> {
  refuseRaw(ctx, 'it sends no request');
  if (!(await ctx.out.check(logColumns))) return;
  const question = await openRowQuery(ctx, logColumns, { flags, command: [] });
  const from = since === undefined ? undefined : momentOf(since, () => ctx.now(), 'first', '--since');
  const history = await openHistory(folder);
  try {
    const first = (await history.syncs())[0]?.seenAt ?? '';
    // What was seen at that moment is a change since it.
    const after = from === undefined ? first : new Date(from - 1).toISOString();
    const rows = await logRows(history, { target, since: after > first ? after : first });
    await showChosen(ctx, { question, flags, pages: [rows] }, logColumns, {
      counts: ['change', 'changes'],
      name: ({ kind, name, field }) => [kind, name, field].filter(Boolean).join(' '),
      empty: hasRowFlags(flags) ? 'No such changes.' : `No changes since ${since ?? first}.`,
    });
  } finally {
    await history.close();
  }
}
