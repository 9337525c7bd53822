import { bodyFieldFlags, bodyOf, requireValue, targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { createAttribute } from '../../contract/list-operations.ts';
import { oneAttributeColumns } from '../lists/columns.ts';
import { firstPlace, readList } from '../lists/read.ts';
import { askForType, configFlags, existingAttribute, newConfig } from './options.ts';

const fields = bodyFlags(createAttribute, {
  attribute_type: { flag: 'type', value: 'TYPE', summary: 'type of the values', required: true },
  is_required: { flag: 'required', summary: 'every entry must have a value' },
  position: { summary: 'place among the attributes; 0 is the first', hidden: true },
});

export default defineCommand({
  path: 'attrs create',
  summary: 'Add an attribute (a column) to a list',
  description:
    'The API allows several attributes of one name. With --if-not-exists an existing attribute of that name and type is printed instead.',
  operations: ['listLists', 'getList', 'createAttribute'],
  args: [targets.list, { name: 'NAME', summary: 'name of the attribute', picker: 'text' }],
  flags: {
    ...fields,
    option: flag.list('LABEL[:TONE]', 'an option of select, multi_select or status, in this order'),
    ...configFlags,
    ifNotExists: flag.boolean('print the existing attribute of that name, if any'),
    ...bodyFieldFlags,
  },
  examples: {
    'comem -p demo attrs create hiring "Start date" --type date': 'a date',
    'comem -p demo attrs create hiring Level --type select --option Junior:sand --option Senior:sage':
      'a choice of two options with tones',
    'comem -p demo attrs create hiring Salary --type currency --currency EUR --min 0': 'money',
  },
  stdout: 'object',
  writes: true,
  check: async (_, { flags }) => void newConfig(flags),
  async run(ctx, { args, flags, isInteractive }) {
    if (isInteractive) await askForType(ctx, flags);
    const named = {
      name: args.NAME,
      attribute_type: requireValue(flags.type, '--type'),
      ...fieldsOf(fields, flags),
      ...newConfig(flags),
    };
    const body = await bodyOf(ctx, named, flags);
    const list = await readList(ctx, args.LIST);
    const existing = existingAttribute(ctx, list, body, flags.ifNotExists);
    if (existing) return ctx.out.value(existing, oneAttributeColumns);
    const others = flags.position === 0 ? (list.list_attributes ?? []) : [];
    const input = { params: { listId: list.id }, body: { ...body, ...firstPlace(others) } };
    await writeAndShow(ctx, createAttribute, input, oneAttributeColumns);
  },
});
