import { bulk, resolveEntries } from '../../cli/bulk.ts';
import { defineCommand } from '../../cli/define.ts';
import { resolveList } from '../../cli/resolve.ts';
import { targets } from '../../cli/targets.ts';
import { amount } from '../../cli/words.ts';
import { operations } from '../../contract/index.ts';

export default defineCommand({
  path: 'entries delete',
  summary: 'Delete entries of a list',
  description:
    'Asks; without a terminal it needs --yes. Every ENTRY is resolved before the first is deleted; when some fail and some do not, exit 7.',
  operations: ['listLists', 'listEntries', 'deleteEntry'],
  args: [targets.list, targets.entries],
  flags: {},
  examples: [
    { run: 'comem -p demo entries delete deal-pipeline "Kite Logistics" --dry-run', says: 'shows the request' },
    { run: 'comem -p demo entries delete deal-pipeline "Kite Logistics" --yes', says: 'deletes without asking' },
  ],
  stdout: 'nothing',
  writes: true,
  async run(ctx, { args }) {
    const { id: listId, name } = await resolveList(ctx, args.LIST);
    const entries = await resolveEntries(ctx, listId, args.ENTRY);
    const calls = entries.map((entry) => ({
      name: entry.name ?? entry.id,
      op: operations.deleteEntry,
      input: { params: { listId }, query: { entryId: entry.id } },
    }));
    const what = calls.length === 1 ? `the entry "${calls[0]?.name}"` : `${calls.length} entries`;
    const { done, failure } = await bulk(ctx, calls, 'deleted', `Delete ${what} of the list "${name ?? listId}"?`);
    if (done.length > 0) ctx.out.note(`Deleted ${amount(done.length, 'entry', 'entries')}.`);
    if (failure) throw failure;
  },
});
