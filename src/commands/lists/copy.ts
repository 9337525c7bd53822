import { listReads, listWrites, requireValue, targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { copyFlags } from './code/flags.ts';

export default defineCommand({
  path: 'lists copy',
  summary: 'Copy a list to another profile, also with its entries',
  description: [
    'Attributes, options, tones, limits and order are copied; the other server assigns ids and slugs. With --all the entries are copied in their order, and option values are matched by label. Links of entries to other records are not copied.',
    'The guard rails of the target profile apply. Prints the id of the copy and the counts.',
    'Exit 7 when some writes failed and some did not; the same command with --resume then writes the rest, no entry twice.',
  ].join('\n\n'),
  operations: [...listReads, ...listWrites, 'createEntry'],
  args: [targets.list],
  flags: copyFlags,
  examples: {
    'comem -p demo lists copy hiring --to-profile demo --name "Hiring 2027" --yes':
      'only the attributes, in the same profile',
    'comem -p staging lists copy deals --to-profile production --all --yes -o id':
      'with all entries, into another company',
    'comem -p demo lists copy hiring --to-profile demo --name "Hiring 2028" --dry-run': 'only the requests',
  },
  stdout: 'object',
  writes: true,
  confirms: 'before it writes',
  async run(ctx, { args, flags }) {
    const { copyList } = await import('./code/write.ts');
    await copyList(ctx, args.LIST, { ...flags, toProfile: requireValue(flags.toProfile, '--to-profile') });
  },
});
