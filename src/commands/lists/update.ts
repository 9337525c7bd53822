import { bodyFieldFlags, changes, targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { updateList } from '../../contract/list-operations.ts';
import { oneListColumns } from './columns.ts';
import { companyLists, firstPlace, resolveList, toPrecede } from './read.ts';

const fields = bodyFlags(updateList, {
  name: { summary: 'new name; the slug stays' },
  description: { summary: 'what the list is about' },
  icon: { summary: 'icon of the list, any text', hidden: true },
  color: { summary: 'color of the list, any text' },
  position: { summary: 'place among the lists; 0 is the first', hidden: true },
});

export default defineCommand({
  path: 'lists update',
  summary: 'Change the fields of a list',
  description: 'To clear a field give null: --body description:=null.',
  operations: ['listLists', 'updateList'],
  args: [targets.list],
  flags: { ...fields, ...bodyFieldFlags },
  examples: {
    'comem -p demo lists update deal-pipeline --description "Open deals"': 'a new description',
    'comem -p demo lists update deal-pipeline --body color:=null': 'clears a field',
    'comem -p demo lists update hiring --name "Open roles"': 'a new name; the slug stays',
  },
  stdout: 'object',
  writes: true,
  async check(ctx, { flags }) {
    if (flags.data !== '-') await changes(ctx, fieldsOf(fields, flags), flags);
  },
  async run(ctx, { args, flags }) {
    const body = await changes(ctx, fieldsOf(fields, flags), flags);
    const { id } = await resolveList(ctx, args.LIST);
    const position = firstPlace(await toPrecede(flags.position, () => companyLists(ctx)), id);
    await writeAndShow(ctx, updateList, { params: { listId: id }, body: { ...body, ...position } }, oneListColumns);
  },
});
