import { bodyFieldFlags, requireValue, targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { createEntry } from '../../contract/entry-operations.ts';
import { entryTitled, firstEntries, firstPlace, readList, toPrecede } from '../lists/read.ts';
import { entryColumns } from './columns.ts';
import { checkSet, newEntry, setFlag, setRules } from './values.ts';

const fields = bodyFlags(createEntry, {
  title: { value: 'TITLE', summary: 'title of the entry', required: true },
  position: { summary: 'place among the entries; 0 is the first', hidden: true },
  archived: { summary: 'archived from the start' },
  linked_entity_type: { summary: 'type of the linked record', hidden: true },
  linked_entity_id: { summary: 'id of the linked record', hidden: true },
});

export default defineCommand({
  path: 'entries create',
  summary: 'Add an entry to a list',
  description: `Prints the new entry; -o id prints only its id. With --if-not-exists an existing entry of that title, archived or not, is printed instead and stays as it is.\n\n${setRules}`,
  operations: ['listLists', 'getList', 'listEntries', 'createEntry'],
  args: [targets.list],
  flags: {
    ...fields,
    ...setFlag,
    optionIds: flag.boolean('ids of options instead of their labels', { hidden: true }),
    ifNotExists: flag.boolean('print the existing entry of that title, if any'),
    ...bodyFieldFlags,
  },
  examples: {
    'comem -p demo entries create hiring --title "Ada" --set stage=Offer': 'an option by label',
    'comem -p demo entries create hiring --title "Ada" --set stage=Applied --set applied-on=today -o id': 'only its id',
    'comem -p demo entries create deal-pipeline --title "Acme" --set stage=Sourced --set valuation=20000000 --dry-run':
      'shows the request and sends nothing',
  },
  stdout: 'object',
  writes: true,
  check: (ctx, { args, flags }) => checkSet(ctx, args.LIST, flags),
  async run(ctx, { args, flags, isInteractive }) {
    const list = await readList(ctx, args.LIST);
    const attributes = list.list_attributes ?? [];
    const named = { title: requireValue(flags.title, '--title'), ...fieldsOf(fields, flags) };
    const body = await newEntry(ctx, attributes, named, flags, isInteractive);
    const columns = entryColumns(attributes, { optionIds: flags.optionIds });
    const existing = flags.ifNotExists ? await entryTitled(ctx, list.id, String(body.title)) : undefined;
    if (existing) {
      ctx.out.note(`The entry "${existing.title}" exists already; nothing was created.`);
      return ctx.out.value(existing, columns);
    }
    const order = firstPlace(await toPrecede(flags.position, () => firstEntries(ctx, list.id)));
    await writeAndShow(ctx, createEntry, { params: { listId: list.id }, body: { ...body, ...order } }, columns);
  },
});
