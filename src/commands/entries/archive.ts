import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { checkChoice, choiceFlags, setArchived } from './bulk.ts';

const archiving = (
  verb: 'archive' | 'unarchive',
  { rule, examples }: { rule: string; examples: Record<string, string> },
) =>
  defineCommand({
    path: `entries ${verb}`,
    summary: `${verb === 'archive' ? 'Archive' : 'Unarchive'} entries of a list`,
    description: [
      'Every ENTRY is resolved before the first is written. Prints a row for each entry that was written; when some fail and some do not, exit 7.',
      `With flags that choose entries, or ids on stdin as -, it shows a plan first, and prints id, title, outcome and error of each. ${rule}`,
    ].join('\n\n'),
    operations: ['listLists', 'getList', 'listEntries', 'updateEntry'],
    args: [targets.list, targets.someEntries],
    flags: choiceFlags,
    examples: {
      [`comem -p demo entries ${verb} deal-pipeline "Kite Logistics"`]: 'one entry by its title',
      ...examples,
    },
    writes: true,
    confirms: 'before it changes entries that flags or stdin choose',
    async run(ctx, { args, flags }) {
      checkChoice(ctx, args.ENTRY, flags);
      await setArchived(ctx, args.LIST, args.ENTRY, flags, verb === 'archive');
    },
  });

export default archiving('archive', {
  rule: 'An entry that is archived already is unchanged.',
  examples: {
    'comem -p demo entries archive deal-pipeline --where \'stage = "Passed"\' --dry-run':
      'the requests that would archive a stage',
    'comem -p demo entries list deal-pipeline --filter stage=Passed -o id | comem -p demo entries archive deal-pipeline - --yes':
      'ids from another command',
  },
});

export const unarchive = archiving('unarchive', {
  rule: 'Flags choose among archived entries.',
  examples: {
    'comem -p demo entries unarchive deal-pipeline --all --dry-run': 'all archived entries',
    'comem -p demo entries unarchive deal-pipeline --filter stage=Passed --yes': 'archived entries of one stage',
  },
});
