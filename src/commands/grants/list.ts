import { defineCommand, flag } from '../../cli/define.ts';
import { hasRowFlags, refuseRawQuery, rowFlags, showRows } from '../../cli/query.ts';
import { showRaw } from '../../cli/show.ts';
import { listGrants } from '../../contract/metric-operations.ts';
import { usage } from '../../core/errors.ts';
import { matches, oneMetric } from '../../domain/grants.ts';
import { afterGrants, columnsFor, grantRules } from './columns.ts';

export default defineCommand({
  path: 'grants list',
  summary: 'List the metric grants of a company',
  description:
    'Every filter that is given must hold. A grant that names no metrics covers all of them, so -m finds it. --where takes the columns of --fields help.',
  operations: ['listGrants', 'getMetricCatalog'],
  args: [],
  flags: {
    ...rowFlags,
    status: flag.text('STATUS', 'grants of this status, such as active or revoked'),
    recipient: flag.text('COMPANY|USER', 'grants to this company (uuid or alias) or user (uuid)'),
    metrics: flag.text('ID', 'grants under which this metric may be read', { short: 'm', also: { metric: 'VALUE' } }),
    expired: flag.boolean('expired grants'),
  },
  examples: [
    { run: 'comem -p demo grants list --status active', says: 'who reads the metrics now' },
    { run: "comem -p demo grants list --where 'expires_at < today + 90d' --sort expires_at", says: 'what ends soon' },
    { run: 'comem -p demo grants list --expired -o id', says: 'ids for `comem grants revoke -`' },
  ],
  stdout: 'rows',
  async run(ctx, { flags }) {
    const { status, recipient, expired } = flags;
    const metric = flags.metrics === undefined ? undefined : oneMetric(flags.metrics, '--metrics');
    const filtered = status !== undefined || recipient !== undefined || metric !== undefined || expired === true;
    if (ctx.settings.raw && filtered) {
      throw usage('--raw goes with no filter here: the API returns every grant, and comem filters');
    }
    const to = recipient === undefined ? undefined : ctx.companyOf(recipient, '--recipient');
    refuseRawQuery(ctx, flags);
    if (await showRaw(ctx, listGrants, {})) return;
    const read = async () => {
      const grants = await (await ctx.client()).call(listGrants);
      if (metric !== undefined) {
        const { checkMetric } = await import('./choice.ts');
        await checkMetric(ctx, metric, grants);
      }
      const now = ctx.now();
      return grants.filter((grant) => matches(grant, { status, recipient: to, metric, expired }, now));
    };
    await showRows(ctx, read, columnsFor(status), {
      flags,
      command: ['grants list', flags.where, status, to, metric, expired],
      rules: grantRules,
      name: ({ id }) => String(id),
      ...afterGrants(status),
      empty: filtered || hasRowFlags(flags) ? 'No such grants.' : 'No grants.',
    });
  },
});
