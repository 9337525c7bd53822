import { targets } from '../../cli/arguments.ts';
import { bulk } from '../../cli/bulk.ts';
import { defineCommand } from '../../cli/define.ts';
import { amount } from '../../cli/words.ts';
import { operations } from '../../contract/index.ts';
import { resolveList } from '../lists/read.ts';
import { deleteMany } from './bulk.ts';
import { checkChoice, choiceFlags, choosesMany } from './choice.ts';
import { resolveEntries } from './targets.ts';

export default defineCommand({
  path: 'entries delete',
  summary: 'Delete entries of a list',
  description: [
    'Asks; without a terminal it needs --yes. Every ENTRY is resolved before the first is deleted; when some fail and some do not, exit 7.',
    'With flags that choose entries, or ids on stdin as -, it shows a plan first and prints id, title, outcome and error of each; for entries that are named it prints nothing.',
  ].join('\n\n'),
  operations: ['listLists', 'listEntries', 'deleteEntry'],
  args: [targets.list, targets.someEntries],
  flags: choiceFlags,
  examples: [
    { run: 'comem -p demo entries delete deal-pipeline "Kite Logistics" --dry-run', says: 'shows the request' },
    { run: 'comem -p demo entries delete deal-pipeline "Kite Logistics" --yes', says: 'deletes without asking' },
    { run: 'comem -p demo entries delete deal-pipeline --search kite --dry-run', says: 'all whose title has kite' },
  ],
  stdout: 'rows',
  writes: true,
  async run(ctx, { args, flags }) {
    checkChoice(ctx, args.ENTRY, flags);
    if (choosesMany(args.ENTRY, flags)) return deleteMany(ctx, args.LIST, args.ENTRY, flags);
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
