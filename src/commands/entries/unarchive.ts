import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { setArchived } from './archiving.ts';
import { archiveMany } from './bulk.ts';
import { checkChoice, choiceFlags, choosesMany } from './choice.ts';

export default defineCommand({
  path: 'entries unarchive',
  summary: 'Bring archived entries back',
  description: [
    'Every ENTRY is resolved before the first is written. Prints a row for each entry that was written; when some fail and some do not, exit 7.',
    'Flags choose among archived entries; with them, or with ids on stdin as -, it shows a plan, asks (without a terminal it needs --yes), and prints id, title, outcome and error of each.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries', 'updateEntry'],
  args: [targets.list, targets.someEntries],
  flags: choiceFlags,
  examples: [
    { run: 'comem -p demo entries unarchive deal-pipeline "Kite Logistics"', says: 'one entry by its title' },
    { run: 'comem -p demo entries unarchive deal-pipeline --all --dry-run', says: 'all that are archived' },
  ],
  stdout: 'rows',
  writes: true,
  async run(ctx, { args, flags }) {
    checkChoice(ctx, args.ENTRY, flags);
    if (choosesMany(args.ENTRY, flags)) await archiveMany(ctx, args.LIST, args.ENTRY, flags, false);
    else await setArchived(ctx, args.LIST, args.ENTRY, false);
  },
});
