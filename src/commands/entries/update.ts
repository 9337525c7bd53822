import { bodyFieldFlags, targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { updateEntry } from '../../contract/entry-operations.ts';
import { besideList, readList } from '../lists/read.ts';
import { checkChoice, choiceFlags, choosesMany, updateMany } from './bulk.ts';
import { entryColumns } from './columns.ts';
import { checkChange, editFlags, entryEdit, findEntry, formulaRules, readSet, setFlag, setRules } from './values.ts';

const fields = bodyFlags(updateEntry, {
  title: { value: 'TITLE', summary: 'new title' },
  position: { summary: 'place among the entries; 0 is the first', hidden: true },
});

export default defineCommand({
  path: 'entries update',
  summary: 'Change entries of a list',
  description: [
    `Values that are not named stay. For one ENTRY the changed entry is printed. ${setRules} ${formulaRules} --set replaces all options of a multi_select; tags+=AI and tags-=AI change single ones, and SLUG:=null clears a value.`,
    'With flags that choose entries, several ENTRYs, or ids on stdin as -, it shows a plan first. It sends only what differs, and prints id, title, outcome (updated, unchanged, skipped, failed) and error of each entry. Exit 7 when some fail and some do not.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries', 'updateEntry'],
  args: [targets.list, targets.someEntries],
  flags: {
    ...fields,
    ...setFlag,
    ...editFlags,
    ...choiceFlags,
    optionIds: flag.boolean('ids of options instead of their labels', { hidden: true }),
    ...bodyFieldFlags,
  },
  examples: {
    'comem -p demo entries update deal-pipeline "Kite Logistics" --set stage=Invested': 'one value',
    'comem -p demo entries update deal-pipeline "Kite Logistics" --set notes:=null': 'clears a value',
    'comem -p demo entries update hiring --all --set skills+=SQL --dry-run': 'one more skill for all',
    'comem -p demo entries update deal-pipeline --where \'stage = "Sourced" and empty(owner)\' --set stage=Passed --dry-run':
      'all for which the expression holds',
  },
  stdout: 'object',
  writes: true,
  confirms: 'before it changes more than one named ENTRY',
  check: (ctx, { args, flags }) => checkChange(ctx, args.LIST, { fields: fieldsOf(fields, flags), flags }),
  async run(ctx, { args, flags }) {
    checkChoice(ctx, args.ENTRY, flags);
    const { ENTRY: words } = args;
    const [only = ''] = words;
    const set = readSet(flags);
    const isMany = words.length > 1 || choosesMany(words, flags);
    const begun = besideList(ctx, (id) => findEntry(ctx, id, only, set));
    const list = await readList(ctx, args.LIST, isMany ? undefined : begun.begin);
    const edit = await entryEdit(ctx, list, { fields: fieldsOf(fields, flags), flags, set, words });
    if (isMany) return updateMany(ctx, list, words, flags, edit);
    const entry = await begun.result(list.id);
    const body = edit.change(entry);
    if (Object.keys(body).length === 0) return ctx.out.note('Nothing changes: the values of the expression are empty.');
    const input = { params: { listId: list.id }, body: { ...body, id: entry.id ?? only } };
    await writeAndShow(ctx, updateEntry, input, entryColumns(list.list_attributes ?? [], flags));
  },
});
