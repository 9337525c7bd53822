import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRawQuery, shortRowFlags } from '../../cli/query.ts';
import { refuseRaw, showRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { getMetricCatalog } from '../../contract/metric-operations.ts';
import type { MetricDefinition } from '../../contract/metrics.ts';
import { requireField, rowName, usage } from '../../core/errors.ts';
import { showRowsOfCompanies } from '../company-rows.ts';
import { definitionColumns, isSelected } from './columns.ts';
import { metricsFlag } from './flags.ts';
import { catalogOf, metricIds, requireMetrics } from './read.ts';

export default defineCommand({
  path: 'metrics catalog',
  summary: 'List the metric definitions of a company',
  description:
    'Archived definitions are left out unless --archived is given; a note says how many. --where takes the columns of --fields help.',
  operations: ['getMetricCatalog'],
  flags: {
    ...shortRowFlags,
    metrics: metricsFlag('only these metrics'),
    search: flag.text('TEXT', 'definitions with this text in id, label or description'),
    archived: flag.boolean('archived definitions too'),
    custom: flag.boolean("only the company's own definitions", { hidden: true }),
  },
  examples: {
    'comem -p demo metrics catalog': 'the metrics that -m takes',
    'comem -p demo metrics catalog --search revenue -o id': 'ids of the metrics about revenue',
    'comem -p demo metrics catalog --where \'unit = "currency"\' --fields metricId,label': 'amounts of money',
  },
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { search, archived, custom } = flags;
    const ids = metricIds(flags.metrics);
    if (ctx.settings.raw && [search, ids, archived, custom].some((filter) => filter !== undefined)) {
      throw usage('--raw takes no filter here: the API returns the complete catalog, and comem filters it');
    }
    if (ctx.settings.companies.value.length > 1) refuseRaw(ctx, 'it reads several companies');
    refuseRawQuery(ctx, flags);
    if (await showRaw(ctx, getMetricCatalog, {})) return;
    const name = ({ metricId }: MetricDefinition) => metricId;
    if (ids) await requireMetrics(ctx, ids, ctx.settings.companies.value);
    const isArchived = (metric: MetricDefinition) =>
      requireField(metric.archived, 'archived', rowName('metric', name(metric)));
    await showRowsOfCompanies(ctx, async (id) => (await catalogOf(ctx, id)).definitions, definitionColumns, {
      choose(definitions) {
        const matches = definitions.filter((metric) => isSelected(metric, { ids, search, custom }));
        const visible = matches.filter((metric) => archived || ids || !isArchived(metric));
        const hidden = amount(matches.length - visible.length, 'archived metric', 'archived metrics');
        if (visible.length < matches.length) ctx.out.note(`${hidden} hidden; --archived shows them.`);
        return visible;
      },
      flags,
      name,
      id: name,
      empty: 'No metrics.',
      command: ['metrics catalog', flags.where, search, ids, archived, custom],
    });
  },
});
