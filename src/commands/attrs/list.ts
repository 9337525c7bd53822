import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { refuseRawQuery, rowFlags, showRows } from '../../cli/query.ts';
import { showRaw } from '../../cli/show.ts';
import { getList } from '../../contract/list-operations.ts';
import { attributeTypes } from '../../contract/lists.ts';
import { attributeColumns } from '../lists/columns.ts';
import { readList, resolveList } from '../lists/read.ts';

export default defineCommand({
  path: 'attrs list',
  summary: 'List the attributes (columns) of a list',
  operations: ['listLists', 'getList'],
  args: [targets.list],
  flags: rowFlags,
  examples: {
    'comem -p demo attrs list deal-pipeline': 'slugs, types and options',
    "comem -p demo attrs list deal-pipeline --where 'attribute_type = currency'": 'the attributes of one type',
    'comem -p demo attrs list deal-pipeline --jq ".[].slug"': 'just the slugs',
  },
  async run(ctx, { args, flags }) {
    refuseRawQuery(ctx, flags);
    if (ctx.settings.raw) {
      const { id } = await resolveList(ctx, args.LIST);
      await showRaw(ctx, getList, { params: { listId: id } });
      return;
    }
    const read = async () => (await readList(ctx, args.LIST)).list_attributes ?? [];
    await showRows(ctx, read, attributeColumns, {
      flags,
      command: ['attrs list', args.LIST, flags.where],
      rules: { attribute_type: attributeTypes },
      name: ({ slug }) => String(slug),
      empty: 'The list has no attributes.',
    });
  },
});
