/** `mirror status`: a row for each part of a mirror. */

import type { Context } from '../../cli/context.ts';
import type { RowFlags } from '../../cli/query.ts';
import { chosenRows, openRowQuery, showChosen } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount, timeText } from '../../cli/words.ts';
import { noSyncYet } from '../../mirror/database.ts';
import { openHistory } from '../../mirror/history.ts';
import { type MirrorPart, mirrorStatus } from '../../mirror/report.ts';
import { changesText } from '../../mirror/tables.ts';
import type { Column } from '../../output/column.ts';

interface StatusRow extends MirrorPart {
  name: string;
  state: 'current' | 'stale' | 'older';
}

const statusColumns: readonly Column<StatusRow>[] = [
  { key: 'part', heading: 'Part', rank: 1, get: (row) => row.part },
  { key: 'name', heading: 'Name', rank: 2, get: (row) => row.name },
  { key: 'current', heading: 'Current', type: 'integer', get: (row) => row.current },
  { key: 'versions', heading: 'Versions', type: 'integer', get: (row) => row.versions },
  {
    key: 'state',
    heading: 'State',
    tones: { current: 'green', stale: 'red', older: 'yellow' },
    rank: 3,
    get: (row) => row.state,
  },
  { key: 'readAt', heading: 'Read', type: 'datetime', dates: 'minute', get: (row) => row.readAt },
  { key: 'staleSince', heading: 'Stale since', type: 'datetime', hidden: true, get: (row) => row.staleSince },
  { key: 'reason', heading: 'Reason', wraps: true, get: (row) => row.reason },
  { key: 'owner', heading: 'Owner', hidden: true, get: (row) => row.owner },
];

export async function showStatus(ctx: Context, folder: string, flags: RowFlags): Promise<void> {
  refuseRaw(ctx, 'it sends no request');
  if (!(await ctx.out.check(statusColumns))) return;
  const rules = { state: ['current', 'stale', 'older'] };
  const question = await openRowQuery(ctx, statusColumns, { flags, command: [], rules });
  const status = await mirrorStatus(folder);
  if (status.lastAt === null) throw noSyncYet(folder);
  const slugs = await slugsOf(folder);
  const all = status.parts.map((part): StatusRow => {
    const state = part.staleSince !== null ? 'stale' : part.readSync === status.lastSync ? 'current' : 'older';
    return {
      ...part,
      name: part.owner
        .split(' ')
        .map((id) => slugs.get(id) ?? ctx.companyName(id) ?? id)
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
  const { syncs, firstAt, lastAt, lastCounts, bytes, api } = status;
  const times =
    syncs === 1 || firstAt === null
      ? `at ${timeText(lastAt ?? '')}`
      : `from ${timeText(firstAt)} to ${timeText(lastAt ?? '')}`;
  const size = `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  ctx.out.note(
    `${folder} (${api}): ${amount(syncs, 'sync', 'syncs')} ${times}, ${size}. The last one: ${changesText(lastCounts)}.`,
  );
  const stale = rows.filter(({ state }) => state === 'stale').length;
  if (stale > 0) ctx.out.warn(`${stale} parts could not be read since; they are as they were then`);
}

/** The slugs of the lists by id. */
async function slugsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const history = await openHistory(folder);
  try {
    const slugs = new Map<string, string>();
    for await (const { value } of history.resources('list')) slugs.set(value.id, String(value.body.slug ?? value.id));
    return slugs;
  } finally {
    await history.close();
  }
}
