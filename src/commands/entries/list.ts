import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { rawLimit } from '../../cli/operation-flags.ts';
import { refuseRawQuery, rowFlags, showChosen } from '../../cli/query.ts';
import { showRaw } from '../../cli/show.ts';
import { shellWord } from '../../cli/words.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { readList, resolveList } from '../lists/read.ts';
import { entryColumns } from './columns.ts';
import { entryPages, entryRows, queryEntries, readListWithEntries, selectionFlags } from './read.ts';

export default defineCommand({
  path: 'entries list',
  summary: 'List the entries (rows) of a list',
  description: [
    'All entries, read page by page, or --limit of them. Rows are id, title, one column for each attribute (its slug), position, archived, created_at and updated_at; an attribute whose slug clashes with a fixed column is values.SLUG. JSON, NDJSON and YAML carry the entries as the API has them, including values without an attribute.',
    'Values of --filter are typed like those of --set: options by label or id, dates also today. An entry matches one of the values of a slug, and all slugs. SLUG= finds empty values, and SLUG!=VALUE the others; --where has every other comparison.',
    '--where takes any expression (docs/query.md). What the API can filter by itself is sent to it, and the rest is tested as entries stream by; -v says which is which.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries'],
  args: [targets.list],
  flags: {
    ...rowFlags,
    ...selectionFlags,
    offset: flag.integer('N', 'skip this many entries', { minimum: 0, hidden: true }),
    optionIds: flag.boolean('ids of options instead of their labels', { hidden: true }),
  },
  examples: {
    'comem -p demo entries list deal-pipeline': 'every entry that is not archived',
    'comem -p demo entries list deal-pipeline --filter stage=Invested -o csv': 'one stage as CSV',
    "comem -p demo entries list deal-pipeline --where 'valuation > 20M' --sort valuation:desc --limit 5":
      'the five largest deals',
    'comem -p demo entries list deal-pipeline --search data --limit 5': 'five titles with "data"',
  },
  async run(ctx, { args, flags }) {
    if (ctx.settings.raw) {
      refuseRawQuery(ctx, flags);
      const list = flags.filter ? await readList(ctx, args.LIST) : await resolveList(ctx, args.LIST);
      const { input, tested } = await queryEntries(ctx, list, flags, 'entries list');
      refuseRawQuery(ctx, flags, tested.length > 0 || input.query?.search !== flags.search);
      const paged = { ...input.query, limit: rawLimit(ctx, listEntries), offset: flags.offset };
      await showRaw(ctx, listEntries, { ...input, query: paged });
      return;
    }
    const received: { total?: number } = {};
    const part = { offset: flags.offset, limit: ctx.settings.limit, received };
    const { list, pages: begun } = await readListWithEntries(ctx, args.LIST, flags, part);
    const attributes = list.list_attributes ?? [];
    const { input, question } = await queryEntries(ctx, list, flags, 'entries list');
    const reading = question.isLocal ? { offset: 0 } : part;
    const pages = entryPages(ctx, input, { ...reading, attributes, received, pages: begun });
    const columns = entryColumns(attributes, { optionIds: flags.optionIds });
    await showChosen(ctx, { question, flags, pages }, columns, {
      ...entryRows,
      offset: flags.offset,
      total: () => (question.isLocal ? undefined : received.total),
      next: `comem entries get ${shellWord(args.LIST)} TITLE for one`,
    });
  },
});
