import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { checkChoice, choiceFlags, setArchived } from './bulk.ts';
export default defineCommand({
  path: 'entries unarchive',
  summary: 'Unarchive entries of a list',
  description: [
    'Every ENTRY is resolved before the first is written. Prints a row for each entry that was written; when some fail and some do not, exit 7.',
    'Flags choose among archived entries; with them, or with ids on stdin as -, it shows a plan first and prints id, title, outcome and error of each.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries', 'updateEntry'],
  args: [targets.list, targets.someEntries],
  flags: choiceFlags,
  examples: [
    { run: 'comem -p demo entries unarchive deal-pipeline "Kite Logistics"', says: 'one entry by its title' },
    { run: 'comem -p demo entries unarchive deal-pipeline --all --dry-run', says: 'all archived entries' },
    {
      run: 'comem -p demo entries unarchive deal-pipeline --filter stage=Passed --yes',
      says: 'archived entries of one stage',
    },
  ],
  stdout: 'rows',
  writes: true,
  confirms: 'before it changes entries that flags or stdin choose',
  async run(ctx, { args, flags }) {
    checkChoice(ctx, args.ENTRY, flags);
    await setArchived(ctx, args.LIST, args.ENTRY, flags, false);
  },
});
