/** `entries archive` and `entries unarchive`: one PATCH for each entry, a row for each that came back. */

import { bulk } from '../../cli/bulk.ts';
import type { Context } from '../../cli/context.ts';
import { refuseRaw } from '../../cli/show.ts';
import { updateEntry } from '../../contract/entry-operations.ts';
import { readList } from '../lists/read.ts';
import { entryColumns } from './columns.ts';
import { resolveEntries } from './targets.ts';

export async function setArchived(
  ctx: Context,
  target: string,
  entries: readonly string[],
  archived: boolean,
): Promise<void> {
  refuseRaw(ctx, 'it prints a row for each entry');
  const list = await readList(ctx, target);
  const columns = entryColumns(list.list_attributes ?? []);
  if (!(await ctx.out.check(columns))) return;
  const params = { listId: list.id };
  const calls = (await resolveEntries(ctx, list.id, entries)).map(({ id, name }) => ({
    name: name ?? id,
    op: updateEntry,
    input: { params, body: { id, archived } },
  }));
  const { done, failure } = await bulk(ctx, calls, archived ? 'archived' : 'unarchived');
  const rows = done.filter((entry) => entry !== undefined);
  if (rows.length > 0) await ctx.out.rows(rows, columns);
  if (failure) throw failure;
}
