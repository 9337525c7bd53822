import { bodyFieldFlags, changes, targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { updateAttribute } from '../../contract/list-operations.ts';
import { oneAttributeColumns } from '../lists/columns.ts';
import { firstPlace, readList, resolveAttribute } from '../lists/read.ts';
import { attributeEdits, configFlags, optionFlags, refuseClearing, refuseContrary, removalOf } from './options.ts';

const fields = bodyFlags(updateAttribute, {
  name: { summary: 'new name; the slug stays' },
  is_required: { flag: 'required', summary: 'every entry must have a value' },
  position: { summary: 'place among the attributes; 0 is the first', hidden: true },
});

export default defineCommand({
  path: 'attrs update',
  summary: 'Change an attribute of a list',
  description:
    'All options are read, changed and sent back: a renamed option keeps its id, so entries keep it. Entries keep the id of a removed option, which still selects them; new values cannot have it. Before it removes an option that entries have, it says how many, archived ones too.',
  operations: ['listLists', 'getList', 'listEntries', 'updateAttribute'],
  args: [targets.list, targets.attr],
  flags: {
    ...fields,
    optional: flag.boolean('entries need no value (the opposite of --required)', { hidden: true }),
    ...configFlags,
    ...optionFlags,
    ...bodyFieldFlags,
  },
  examples: {
    'comem -p demo attrs update hiring stage --option "On hold:sand"': 'one more option',
    'comem -p demo attrs update hiring stage --option Offer=Offered': 'another label',
    'comem -p demo attrs update hiring referred-by --name Referrer': 'a new name; the slug stays',
  },
  stdout: 'object',
  writes: true,
  confirms: 'before it removes an option that entries have',
  check: async (_, { flags }) => refuseContrary(flags),
  async run(ctx, { args, flags }) {
    refuseContrary(flags);
    const list = await readList(ctx, args.LIST);
    const attribute = resolveAttribute(list, args.ATTR);
    const named = {
      ...fieldsOf(fields, flags),
      ...(flags.optional ? { is_required: false } : {}),
      ...attributeEdits(attribute, flags),
    };
    const position = flags.position === 0 ? firstPlace(list.list_attributes ?? [], attribute.id) : {};
    const body = { ...(await changes(ctx, named, flags)), ...position, id: attribute.id };
    refuseClearing(attribute, body.config);
    const removal = await removalOf(ctx, list, attribute, body.config);
    if (removal) ctx.out.note(`${removal}.`);
    const question = removal && 'Remove it all the same?';
    await writeAndShow(ctx, updateAttribute, { params: { listId: list.id }, body }, oneAttributeColumns, { question });
  },
});
