import { setArchived } from '../../cli/archive.ts';
import { defineCommand } from '../../cli/define.ts';
import { targets } from '../../cli/targets.ts';

export default defineCommand({
  path: 'entries archive',
  summary: 'Archive entries of a list',
  description:
    'Every ENTRY is resolved before the first is written. Prints a row for each entry that was written; when some fail and some do not, exit 7.',
  operations: ['listLists', 'getList', 'listEntries', 'updateEntry'],
  args: [targets.list, targets.entries],
  flags: {},
  examples: [{ run: 'comem -p demo entries archive deal-pipeline "Kite Logistics"', says: 'one entry by its title' }],
  stdout: 'rows',
  writes: true,
  async run(ctx, { args }) {
    await setArchived(ctx, args.LIST, args.ENTRY, true);
  },
});
