import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';
import { readList } from '../lists/read.ts';
import { entryColumns } from './columns.ts';
import { namedEntry } from './read.ts';

export default defineCommand({
  path: 'entries get',
  summary: 'Show one entry of a list',
  description:
    'The API reads no single entry: a title is searched, an id is searched page by page. --by finds the entry by a value; an address (website=acme.com) matches with and without https://, www. and a final slash.',
  operations: ['listLists', 'getList', 'listEntries'],
  args: [targets.list, { ...targets.entry, optional: true, instead: ['by'] }],
  flags: {
    by: flag.text('SLUG=VALUE', 'the one entry with this value, instead of ENTRY'),
    optionIds: flag.boolean('ids of options instead of their labels', { hidden: true }),
  },
  examples: {
    'comem -p demo entries get deal-pipeline "Kite Logistics"': 'the entry with this title',
    'comem -p demo entries get deal-pipeline "Kite Logistics" --jq .values': 'its values',
    'comem -p demo entries get deal-pipeline --by website=kitelogistics.example': 'the entry with this value',
  },
  stdout: 'object',
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'the API reads no single entry');
    const list = await readList(ctx, args.LIST);
    const entry = await namedEntry(ctx, list, args.ENTRY, flags.by);
    await ctx.out.value(entry, entryColumns(list.list_attributes ?? [], { optionIds: flags.optionIds }));
  },
});
