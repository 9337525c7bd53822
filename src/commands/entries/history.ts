import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { pastFlags } from '../../cli/past.ts';
import { shortRowFlags } from '../../cli/query.ts';

export default defineCommand({
  path: 'entries history',
  summary: 'Show each change of one entry, value by value',
  description: [
    'Reads the mirror. A row for each value that changed, oldest first: the values before and after, and the two syncs between which it changed. Written is the last write, or the creation of a new entry, if the API dates it between them.',
    'The values at the first sync are "first seen": when they were set is not known. ENTRY may also be archived, deleted or renamed since.',
  ].join('\n\n'),
  manual:
    'Options are shown by their labels, also those that no longer exist. What changed twice between two syncs is one change, and what changed back is not seen. An entry that was not read for a while and came back is "deleted", then "restored".',
  args: [targets.list, targets.entry],
  flags: { ...shortRowFlags, ...pastFlags },
  examples: {
    'comem -p demo entries history deal-pipeline "Fable Clinic"': 'all changes of a deal',
    'comem -p demo entries history deal-pipeline "Fable Clinic" --where \'field = "stage"\'':
      'its way through the stages',
    'comem -p demo entries history deal-pipeline "Fable Clinic" -o csv': 'the same as CSV',
  },
  mirrors: true,
  withoutIds: true,
  async run(ctx, { args, flags }) {
    const { showEntryHistory } = await import('./history-rows.ts');
    await showEntryHistory(ctx, args, flags);
  },
});
