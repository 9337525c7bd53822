import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { amount } from '../../cli/words.ts';
import { deleteAttribute } from '../../contract/list-operations.ts';
import { countValues } from '../entries/read.ts';
import { readList, resolveAttribute } from '../lists/read.ts';

export default defineCommand({
  path: 'attrs delete',
  summary: 'Delete an attribute and its values',
  description: 'Says first how many entries have a value, archived ones too.',
  operations: ['listLists', 'getList', 'listEntries', 'deleteAttribute'],
  args: [targets.list, targets.attr],
  examples: {
    'comem -p demo attrs delete hiring referred-by --dry-run': 'shows the request and sends nothing',
    'comem -p demo attrs delete hiring referred-by --yes': 'deletes without asking',
    'comem -p demo attrs delete hiring salary-wish --yes --quiet': 'deletes, and says nothing',
  },
  stdout: 'nothing',
  writes: true,
  confirms: 'before it deletes',
  async run(ctx, { args }) {
    const list = await readList(ctx, args.LIST);
    const { id, slug, name } = resolveAttribute(list, args.ATTR);
    const subject = `the attribute "${name ?? id}" of "${list.name ?? args.LIST}"`;
    const count = slug === undefined ? undefined : await countValues(ctx, list.id, slug);
    const values = count === undefined ? '' : ` and its values in ${amount(count, 'entry', 'entries')}`;
    const input = { params: { listId: list.id }, query: { attributeId: id } };
    await ctx.prepare([{ op: deleteAttribute, input }], `Delete ${subject}${values}?`);
    await (await ctx.client()).call(deleteAttribute, input);
    ctx.out.note(`Deleted ${subject}${values}.`);
  },
});
