import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { showRaw } from '../../cli/show.ts';
import { getList } from '../../contract/list-operations.ts';
import { attributeColumns } from '../lists/columns.ts';
import { readList, resolveList } from '../lists/read.ts';

export default defineCommand({
  path: 'attrs list',
  summary: 'List the attributes (columns) of a list',
  operations: ['listLists', 'getList'],
  args: [targets.list],
  flags: {},
  examples: [
    { run: 'comem -p demo attrs list deal-pipeline', says: 'slugs, types and options' },
    { run: 'comem -p demo attrs list deal-pipeline --jq ".[].slug"', says: 'only the slugs' },
  ],
  stdout: 'rows',
  async run(ctx, { args }) {
    if (ctx.settings.raw) {
      const { id } = await resolveList(ctx, args.LIST);
      await showRaw(ctx, getList, { params: { listId: id } });
      return;
    }
    const list = await readList(ctx, args.LIST);
    await ctx.out.rows(list.list_attributes ?? [], attributeColumns, { empty: 'The list has no attributes.' });
  },
});
