import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { rawLimit } from '../../cli/operation-flags.ts';
import { showRaw } from '../../cli/show.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { readList } from '../lists/read.ts';
import { entryColumns } from './columns.ts';
import { entries, selection, selectionFlags } from './read.ts';

export default defineCommand({
  path: 'entries list',
  summary: 'List the entries (rows) of a list',
  description: [
    'All entries, read page by page, or --limit of them. Rows are id, title, one column for each attribute (its slug), position, archived, created_at and updated_at; an attribute whose slug clashes with a fixed column is values.SLUG. JSON, NDJSON and YAML carry the entries as the API has them, including values without an attribute.',
    'Values of --filter are typed like those of --set: options by label or id, dates also today. An entry matches one of the values of a slug, and all slugs.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries'],
  args: [targets.list],
  flags: {
    ...selectionFlags,
    offset: flag.integer('N', 'skip this many entries', { minimum: 0 }),
    optionIds: flag.boolean('ids of options instead of their labels'),
  },
  examples: [
    { run: 'comem -p demo entries list deal-pipeline', says: 'every entry that is not archived' },
    { run: 'comem -p demo entries list deal-pipeline --filter stage=Invested -o csv', says: 'one stage as CSV' },
    { run: 'comem -p demo entries list deal-pipeline --search data --limit 5', says: 'five titles with "data"' },
  ],
  stdout: 'rows',
  async run(ctx, { args, flags }) {
    if (ctx.settings.raw) {
      const input = await selection(ctx, args.LIST, flags);
      const paged = { ...input.query, limit: rawLimit(ctx, listEntries), offset: flags.offset };
      await showRaw(ctx, listEntries, { ...input, query: paged });
      return;
    }
    const list = await readList(ctx, args.LIST);
    const input = await selection(ctx, args.LIST, flags, list);
    const columns = entryColumns(list.list_attributes ?? [], { optionIds: flags.optionIds });
    const rows = entries(ctx, input, list.list_attributes ?? [], flags.offset);
    await ctx.out.rows(rows, columns, { empty: 'No entries.' });
  },
});
