import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { whereFlag } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { keepRules } from '../../domain/entries/duplicates.ts';
import { selectionFlags } from './read.ts';

export default defineCommand({
  path: 'entries dedupe',
  summary: 'Find likely duplicates, merge them and archive the rest',
  description: [
    'Entries that agree in a --key are likely duplicates: addresses by their domain, other texts without regard to case, and with ~ by their words in any order, without accents and legal forms. The oldest entry stays and keeps its id, or with --keep the newest or the one with the most values. Its empty values are filled from the others, options of a multi_select are joined, and the others are archived. An entry that gets values is merged, another that stays is kept.',
    'The plan on stderr names each group and the values that differ; the value of the kept entry stays. Exit 7 when some writes fail and some do not. `comem undo` reverts a run.',
  ].join('\n\n'),
  manual: [
    'With several keys (--key website,title~) entries that agree in any of them are one group, also through a third entry. Archived entries are left out, and so are those that --where and --filter do not select.',
    'A domain is that of the address without www. On hosts such as linkedin.com, where many companies have a page, the address of the page is compared instead. Similar titles have the same words in any order, without accents (ä is a or ae), punctuation and forms such as Inc or GmbH. Fund I and Fund II are two.',
    'Of entries that were created at the same time, as by one import, the oldest is the first in the order of the list, and the newest the last.',
    'The others are archived only after the kept entry has their values. Links to other entities are not merged.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries', 'updateEntry'],
  args: [targets.list],
  flags: {
    key: flag.list('SLUG|title~', 'attributes that duplicates share; ~ compares words', { required: true }),
    keep: flag.text('WHICH', 'the entry that stays; default oldest', { choices: keepRules }),
    ...whereFlag,
    filter: selectionFlags.filter,
  },
  examples: {
    'comem -p demo entries dedupe deal-pipeline --key title~ --dry-run': 'titles of the same words, nothing written',
    'comem entries dedupe companies --key website,title~ --yes': 'the same domain, or a title of the same words',
    'comem -p demo entries dedupe deal-pipeline --key website,founder-email --dry-run':
      'the same domain or address, nothing written',
  },
  writes: true,
  confirms: 'before it writes',
  async run(ctx, { args, flags }) {
    const { mergeDuplicates } = await import('./duplicates.ts');
    refuseRaw(ctx, 'it prints a row for each entry');
    await mergeDuplicates(ctx, args.LIST, flags);
  },
});
