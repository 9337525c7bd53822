import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { showRaw } from '../../cli/show.ts';
import { getList } from '../../contract/list-operations.ts';
import { listDetailColumns } from './columns.ts';
import { resolveList } from './read.ts';

export default defineCommand({
  path: 'lists get',
  summary: 'Show one list, with its attributes in JSON',
  operations: ['listLists', 'getList'],
  args: [targets.list],
  examples: {
    'comem -p demo lists get deal-pipeline': 'the list by its slug',
    "comem -p demo lists get deal-pipeline --jq '.list_attributes[].slug'": 'slugs of its attributes',
    'comem -p demo lists get hiring -o yaml': 'the list and its attributes as YAML',
  },
  stdout: 'object',
  async run(ctx, { args }) {
    const { id } = await resolveList(ctx, args.LIST);
    const input = { params: { listId: id } };
    if (await showRaw(ctx, getList, input)) return;
    const client = await ctx.client();
    await ctx.out.value(await client.call(getList, input), listDetailColumns);
  },
});
