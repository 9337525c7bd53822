import { defineCommand, flag } from '../../cli/define.ts';
import { hasRowFlags, refuseRawQuery, rowFlags } from '../../cli/query.ts';
import { refuseRaw, showRaw } from '../../cli/show.ts';
import { listGrants } from '../../contract/metric-operations.ts';
import { usage } from '../../core/errors.ts';
import { showRowsOfCompanies } from '../company-rows.ts';
import { filterFlags, grantFilter, grantsOf } from './choice.ts';
import { afterGrants, columnsFor, grantRules } from './columns.ts';

export default defineCommand({
  path: 'grants list',
  summary: 'List the metric grants of a company',
  description:
    'Every filter that is given must hold. A grant that names no metrics covers all of them, so -m finds it. --where takes the columns of --fields help.',
  operations: ['listGrants', 'getMetricCatalog'],
  flags: {
    ...rowFlags,
    status: flag.text('STATUS', 'grants of this status, such as active or revoked'),
    ...filterFlags,
  },
  examples: {
    'comem -p demo grants list --status active': 'who reads the metrics now',
    "comem -p demo grants list --where 'expires_at < today + 90d' --sort expires_at": 'what ends soon',
    'comem -p demo grants list --expired -o id': 'ids for `comem grants revoke -`',
  },
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { isOpen, key, filter } = grantFilter(ctx, flags);
    if (ctx.settings.companies.value.length > 1) refuseRaw(ctx, 'it reads several companies');
    if (ctx.settings.raw && !isOpen) {
      throw usage('--raw cannot be used with a filter here: the API returns every grant, and comem filters');
    }
    refuseRawQuery(ctx, flags);
    if (await showRaw(ctx, listGrants, {})) return;
    await showRowsOfCompanies(ctx, (id) => grantsOf(ctx, id), columnsFor(flags.status), {
      choose: filter,
      flags,
      command: ['grants list', flags.where, ...key],
      rules: grantRules,
      name: ({ id }) => String(id),
      ...afterGrants(flags.status),
      empty: !isOpen || hasRowFlags(flags) ? 'No such grants.' : 'No grants.',
    });
  },
});
