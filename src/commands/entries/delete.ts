import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { checkChoice, choiceFlags, deleteEntries } from './bulk.ts';
export default defineCommand({
  path: 'entries delete',
  summary: 'Delete entries of a list',
  description: [
    'Every ENTRY is resolved before the first is deleted; when some fail and some do not, exit 7.',
    'With flags that choose entries, or ids on stdin as -, it shows a plan first and prints id, title, outcome and error of each; for entries that are named it prints nothing.',
  ].join('\n\n'),
  operations: ['listLists', 'listEntries', 'deleteEntry'],
  args: [targets.list, targets.someEntries],
  flags: choiceFlags,
  examples: {
    'comem -p demo entries delete deal-pipeline "Kite Logistics" --dry-run': 'shows the request',
    'comem -p demo entries delete deal-pipeline "Kite Logistics" --yes': 'deletes without asking',
    'comem -p demo entries delete deal-pipeline --search kite --dry-run': 'all whose title has kite',
  },
  writes: true,
  confirms: 'before it deletes',
  async run(ctx, { args, flags }) {
    checkChoice(ctx, args.ENTRY, flags);
    await deleteEntries(ctx, args.LIST, args.ENTRY, flags);
  },
});
