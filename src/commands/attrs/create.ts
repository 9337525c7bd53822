import { targets } from '../../cli/arguments.ts';
import { bodyFieldFlags, bodyOf, given } from '../../cli/body.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { createAttribute } from '../../contract/list-operations.ts';
import { newOptions } from '../../domain/entries/option-edits.ts';
import { oneAttributeColumns } from '../lists/columns.ts';
import { firstPlace, readList, resolveList, toPrecede } from '../lists/read.ts';
import { askForType, configFlags, configOf } from './config.ts';

const fields = bodyFlags(createAttribute, {
  attribute_type: { flag: 'type', value: 'TYPE', summary: 'type of the values', required: true },
  is_required: { flag: 'required', summary: 'every entry must have a value' },
  position: { summary: 'place among the attributes; 0 is the first' },
});

export default defineCommand({
  path: 'attrs create',
  summary: 'Add an attribute (a column) to a list',
  operations: ['listLists', 'getList', 'createAttribute'],
  args: [targets.list, { name: 'NAME', summary: 'name of the attribute', asks: 'text' }],
  flags: {
    ...fields,
    option: flag.list('LABEL[:TONE]', 'an option of select, multi_select or status, in this order'),
    ...configFlags,
    ...bodyFieldFlags,
  },
  examples: [
    { run: 'comem -p demo attrs create hiring "Start date" --type date', says: 'a date' },
    {
      run: 'comem -p demo attrs create hiring Level --type select --option Junior:sand --option Senior:sage',
      says: 'a choice of two options with tones',
    },
    { run: 'comem -p demo attrs create hiring Salary --type currency --currency EUR --min 0', says: 'money' },
  ],
  stdout: 'object',
  writes: true,
  async run(ctx, { args, flags, asked }) {
    if (asked) await askForType(ctx, flags);
    const options = newOptions(flags.option ?? [], '--option');
    const config = configOf(flags.type, { ...(options.length > 0 ? { options } : {}) }, flags);
    const named = {
      name: args.NAME,
      attribute_type: given(flags.type, '--type'),
      ...fieldsOf(fields, flags),
      ...config,
    };
    const body = await bodyOf(ctx, named, flags);
    const { id } = await resolveList(ctx, args.LIST);
    const others = await toPrecede(flags.position, async () => (await readList(ctx, id)).list_attributes);
    const input = { params: { listId: id }, body: { ...body, ...firstPlace(others) } };
    await writeAndShow(ctx, createAttribute, input, oneAttributeColumns);
  },
});
