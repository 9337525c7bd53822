import { targets } from '../../cli/arguments.ts';
import { bodyFieldFlags, bodyOf, given } from '../../cli/body.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { createAttribute } from '../../contract/list-operations.ts';
import { usage } from '../../core/errors.ts';
import { newOptions } from '../../domain/entries/option-edits.ts';
import { oneAttributeColumns } from '../lists/columns.ts';
import { attributeNamed, firstPlace, readList } from '../lists/read.ts';
import { askForType, configFlags, configOf } from './config.ts';

const fields = bodyFlags(createAttribute, {
  attribute_type: { flag: 'type', value: 'TYPE', summary: 'type of the values', required: true },
  is_required: { flag: 'required', summary: 'every entry must have a value' },
  position: { summary: 'place among the attributes; 0 is the first' },
});

export default defineCommand({
  path: 'attrs create',
  summary: 'Add an attribute (a column) to a list',
  description:
    'The API allows several attributes of one name. With --if-not-exists an existing attribute of that name and type is printed instead.',
  operations: ['listLists', 'getList', 'createAttribute'],
  args: [targets.list, { name: 'NAME', summary: 'name of the attribute', asks: 'text' }],
  flags: {
    ...fields,
    option: flag.list('LABEL[:TONE]', 'an option of select, multi_select or status, in this order'),
    ...configFlags,
    ifNotExists: flag.boolean('print the existing attribute of that name, if any'),
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
  async check(_, { flags }) {
    const options = newOptions(flags.option ?? [], '--option');
    configOf(flags.type, { ...(options.length > 0 ? { options } : {}) }, flags);
  },
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
    const list = await readList(ctx, args.LIST);
    const existing = attributeNamed(list, body.name);
    if (existing && flags.ifNotExists) {
      const { attribute_type: type } = existing;
      if (type !== body.attribute_type) {
        throw usage(`the attribute "${body.name}" exists already, and its type is ${type}, not ${body.attribute_type}`);
      }
      ctx.out.note(`The attribute "${body.name}" exists already; nothing was created.`);
      return ctx.out.value(existing, oneAttributeColumns);
    }
    if (existing) {
      ctx.out.warn(
        `"${list.name}" has an attribute "${body.name}" already (${existing.slug}); this creates another one`,
      );
    }
    const others = flags.position === 0 ? (list.list_attributes ?? []) : [];
    const input = { params: { listId: list.id }, body: { ...body, ...firstPlace(others) } };
    await writeAndShow(ctx, createAttribute, input, oneAttributeColumns);
  },
});
