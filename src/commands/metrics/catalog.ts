import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRawQuery, shortRowFlags, showRows } from '../../cli/query.ts';
import { showRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { getMetricCatalog } from '../../contract/metric-operations.ts';
import type { MetricDefinition } from '../../contract/metrics.ts';
import { needed, rowName, usage } from '../../core/errors.ts';
import { definitionColumns } from './columns.ts';

export default defineCommand({
  path: 'metrics catalog',
  summary: 'List the metric definitions of a company',
  description:
    'Archived definitions are left out unless --archived is given; a note says how many. --where takes the columns of --fields help.',
  operations: ['getMetricCatalog'],
  flags: {
    ...shortRowFlags,
    search: flag.text('TEXT', 'definitions with this text in id, label or description'),
    archived: flag.boolean('archived definitions too'),
    custom: flag.boolean("only the company's own definitions", { hidden: true }),
  },
  examples: {
    'comem -p demo metrics catalog': 'the metrics that -m takes',
    'comem -p demo metrics catalog --search revenue -o id': 'ids of the metrics about revenue',
    'comem -p demo metrics catalog --where \'unit = "currency"\' --fields metricId,label': 'amounts of money',
  },
  stdout: 'rows',
  async run(ctx, { flags }) {
    const { search, archived, custom } = flags;
    if (ctx.settings.raw && (search !== undefined || archived || custom)) {
      throw usage('--raw takes no filter here: the API returns the complete catalog, and comem filters it');
    }
    refuseRawQuery(ctx, flags);
    if (await showRaw(ctx, getMetricCatalog, {})) return;
    const read = async () => {
      const { definitions } = await (await ctx.client()).call(getMetricCatalog);
      const matches = definitions.filter(
        ({ metricId, label, description, custom: isCustom }) =>
          (!custom || isCustom === true) &&
          [metricId, label, description].some((part) => part?.toLowerCase().includes(search?.toLowerCase() ?? '')),
      );
      const visible = archived
        ? matches
        : matches.filter(({ metricId, archived }) => !needed(archived, 'archived', rowName('metric', metricId)));
      const hidden = matches.length - visible.length;
      if (hidden > 0) {
        ctx.out.note(`${amount(hidden, 'archived metric', 'archived metrics')} hidden; --archived shows them.`);
      }
      return visible;
    };
    const command = ['metrics catalog', flags.where, search, archived, custom];
    const name = ({ metricId }: MetricDefinition) => metricId;
    await showRows(ctx, read, definitionColumns, { flags, command, name, id: name, empty: 'No metrics.' });
  },
});
