import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { amount } from '../../cli/words.ts';
import { deleteList } from '../../contract/list-operations.ts';
import { countEntries } from '../entries/read.ts';
import { resolveList } from './read.ts';

export default defineCommand({
  path: 'lists delete',
  summary: 'Delete a list with its attributes and entries',
  description: 'Says first how many entries it has, including archived ones.',
  operations: ['listLists', 'listEntries', 'deleteList'],
  args: [targets.list],
  examples: {
    'comem -p demo lists delete hiring --dry-run': 'shows the request and sends nothing',
    'comem -p demo lists delete hiring --yes': 'deletes without asking',
    'comem -p demo lists delete investor-crm --yes --quiet': 'deletes, and says nothing',
  },
  stdout: 'nothing',
  writes: true,
  confirms: 'before it deletes',
  async run(ctx, { args }) {
    const { id, name } = await resolveList(ctx, args.LIST);
    const params = { listId: id };
    const count = await countEntries(ctx, { params, query: { archived: true } });
    const subject = `the list "${name ?? id}" and its ${amount(count, 'entry', 'entries')}`;
    await ctx.prepare([{ op: deleteList, input: { params } }], `Delete ${subject}?`);
    await (await ctx.client()).call(deleteList, { params });
    ctx.out.note(`Deleted ${subject}.`);
  },
});
