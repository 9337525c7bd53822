import { bodyFieldFlags, changes } from '../../cli/body.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { assignedValues, setFlag, unsetFlag } from '../../cli/entry-values.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { readList, resolveEntry } from '../../cli/resolve.ts';
import { writeAndShow } from '../../cli/show.ts';
import { targets } from '../../cli/targets.ts';
import { operations } from '../../contract/index.ts';
import { entryColumns } from '../../output/entry-columns.ts';

const fields = bodyFlags(operations.updateEntry, {
  title: { value: 'TITLE', summary: 'new title' },
  position: { summary: 'place among the entries' },
});

export default defineCommand({
  path: 'entries update',
  summary: 'Change an entry of a list',
  description: 'Values that are not named stay as they are.',
  operations: ['listLists', 'getList', 'listEntries', 'updateEntry'],
  args: [targets.list, targets.entry],
  flags: {
    ...fields,
    ...setFlag,
    ...unsetFlag,
    optionIds: flag.boolean('ids of options instead of their labels'),
    ...bodyFieldFlags,
  },
  examples: [
    { run: 'comem -p demo entries update deal-pipeline "Kite Logistics" --set stage=Invested', says: 'one value' },
    { run: 'comem -p demo entries update deal-pipeline "Kite Logistics" --unset notes', says: 'clears a value' },
  ],
  stdout: 'object',
  writes: true,
  async run(ctx, { args, flags }) {
    const list = await readList(ctx, args.LIST);
    const attributes = list.list_attributes ?? [];
    const values = assignedValues(ctx, attributes, flags.set, flags.unset);
    const change = await changes(ctx, { ...fieldsOf(fields, flags), ...values }, flags);
    const { id } = await resolveEntry(ctx, list.id, args.ENTRY);
    const columns = entryColumns(attributes, { optionIds: flags.optionIds });
    const input = { params: { listId: list.id }, body: { ...change, id } };
    await writeAndShow(ctx, operations.updateEntry, input, columns);
  },
});
