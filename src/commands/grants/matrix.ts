import { defineCommand, flag } from '../../cli/define.ts';
import { hasRowFlags, openRowQuery, shortRowFlags, showRows } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { getMetricCatalog, listGrants } from '../../contract/metric-operations.ts';
import { grantMatrix, type MatrixRow } from '../../domain/grants/audit.ts';
import { metricIds } from '../metrics/read.ts';
import { matrixColumns, matrixRules } from './columns.ts';

export default defineCommand({
  path: 'grants matrix',
  summary: 'Show who may read which metrics',
  description:
    'One row for each recipient of a grant in force, one column for each metric: history where a grant gives historical access, latest where only the latest publication may be read, empty where nothing is granted. A grant that names no metrics counts for every one. The metrics are those of the catalog that are not archived, and any other that a grant names.',
  operations: ['listGrants', 'getMetricCatalog'],
  args: [],
  flags: { ...shortRowFlags, metrics: flag.list('ID[,ID]', 'only these metrics', { short: 'm' }) },
  examples: [
    { run: 'comem -p demo grants matrix -m mrr,arr,runway', says: 'three metrics' },
    { run: 'comem -p demo grants matrix -o csv', says: 'all metrics' },
    { run: 'comem -p demo grants matrix --out grants.xlsx', says: 'all metrics, as a workbook' },
  ],
  stdout: 'rows',
  async run(ctx, { flags }) {
    refuseRaw(ctx, 'it is worked out from several requests');
    const asked = metricIds(flags.metrics);
    const asking = (ids: readonly string[]) => ({ flags, command: ['grants matrix'], rules: matrixRules(ids) });
    // With -m the columns are known before anything is read.
    if (asked) await openRowQuery(ctx, matrixColumns(asked), asking(asked));
    const client = await ctx.client();
    const [grants, { definitions }] = await Promise.all([client.call(listGrants), client.call(getMetricCatalog)]);
    const now = ctx.now();
    const known = definitions.flatMap(({ metricId, archived }) => (archived ? [] : [metricId]));
    const named = grants.flatMap(({ metric_ids }) => metric_ids ?? []);
    const metrics = asked ?? [...new Set([...known, ...named])];
    const rows = grantMatrix(grants, metrics, now);
    const name = ({ recipient }: MatrixRow) => recipient;
    await showRows(ctx, async () => rows, matrixColumns(metrics), {
      ...asking(metrics),
      ...{ name, id: name },
      empty: hasRowFlags(flags) ? 'No such recipients.' : 'No grant is in force.',
    });
  },
});
