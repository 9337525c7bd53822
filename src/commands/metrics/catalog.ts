import { defineCommand, flag } from '../../cli/define.ts';
import { showRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { getMetricCatalog } from '../../contract/metric-operations.ts';
import { usage } from '../../core/errors.ts';
import { definitionColumns } from './columns.ts';

export default defineCommand({
  path: 'metrics catalog',
  summary: 'List the metric definitions of a company',
  description: 'Archived definitions are left out unless --archived is given; a note says how many.',
  operations: ['getMetricCatalog'],
  args: [],
  flags: {
    search: flag.text('TEXT', 'definitions with this text in id, label or description'),
    archived: flag.boolean('archived definitions too'),
    custom: flag.boolean("only the company's own definitions"),
  },
  examples: [
    { run: 'comem -p demo metrics catalog', says: 'the metrics that -m takes' },
    { run: 'comem -p demo metrics catalog --search revenue -o id', says: 'ids of the metrics about revenue' },
  ],
  stdout: 'rows',
  async run(ctx, { flags: { search, archived, custom } }) {
    if (ctx.settings.raw && (search !== undefined || archived || custom)) {
      throw usage('--raw takes no filter here: the API returns the complete catalog, and comem filters it');
    }
    if (await showRaw(ctx, getMetricCatalog, {})) return;
    const client = await ctx.client();
    const { definitions } = await client.call(getMetricCatalog);
    const text = search?.toLowerCase();
    const found = definitions.filter(
      ({ metricId, label, description, custom: own }) =>
        (!custom || own) &&
        (text === undefined || [metricId, label, description].some((part) => part?.toLowerCase().includes(text))),
    );
    const shown = archived ? found : found.filter((definition) => !definition.archived);
    const hidden = found.length - shown.length;
    if (hidden > 0)
      ctx.out.note(`${amount(hidden, 'archived metric', 'archived metrics')} hidden; --archived shows them.`);
    await ctx.out.rows(shown, definitionColumns, { id: (row) => row.metricId, empty: 'No metrics.' });
  },
});
