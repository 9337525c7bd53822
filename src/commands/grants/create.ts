import { bodyFieldFlags, bodyOf } from '../../cli/body.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { createGrant } from '../../contract/metric-operations.ts';
import { grantScope } from '../../contract/metrics.ts';
import { expiryOf, grantWarnings } from '../../domain/grants/grants.ts';
import { metricIds, metricsFlag, requireMetrics } from '../metrics/read.ts';
import { grantColumns } from './columns.ts';

const fields = bodyFlags(createGrant, {
  recipient_user_id: { flag: 'recipientUser', summary: 'the user who may read' },
  include_historical: { flag: 'historical', summary: 'include history, not only the latest publication' },
  note: { summary: 'a note for people' },
});

export default defineCommand({
  path: 'grants create',
  summary: 'Grant metrics to a company or a user',
  description:
    'A date as --expires is the end of that day in UTC; 90d, 12w, 6m and 1y count from now; an ISO 8601 timestamp is taken as it is. Without --metrics the grant is for all of them.',
  operations: ['createGrant', 'getMetricCatalog'],
  args: [],
  flags: {
    scope: flag.list('SCOPE', `what is granted; default ${grantScope}`, { field: 'scope' }),
    recipientCompany: flag.text('COMPANY', 'the company that may read, a uuid or an alias', {
      field: 'recipient_company_id',
    }),
    ...fields,
    metrics: metricsFlag('only these metrics', 'metric_ids'),
    expires: flag.text('DATE|90d', 'when it ends', { field: 'expires_at' }),
    ...bodyFieldFlags,
  },
  examples: [
    {
      run: 'comem -p demo grants create --recipient-company cedar -m mrr,arr --expires 90d --dry-run',
      says: 'shows the request of a grant for 90 days',
    },
  ],
  stdout: 'object',
  writes: true,
  async run(ctx, { flags }) {
    const { scope = [grantScope], recipientCompany, metrics, expires } = flags;
    const ids = metricIds(metrics);
    const named = {
      companyId: ctx.requireCompany(),
      scope: scope.flatMap((part) => part.split(',').map((one) => one.trim())),
      ...(recipientCompany ? { recipient_company_id: ctx.companyOf(recipientCompany, '--recipient-company') } : {}),
      ...(ids ? { metric_ids: ids } : {}),
      ...fieldsOf(fields, flags),
      ...(expires === undefined ? {} : { expires_at: expiryOf(expires, ctx.runtime.now(), '--expires') }),
    };
    const body = { ...named, ...(await bodyOf(ctx, named, flags)) };
    if (metrics) await requireMetrics(ctx, metricIds(metrics) ?? [], [ctx.requireCompany()]);
    for (const warning of grantWarnings(body, ctx.runtime.now())) ctx.out.warn(warning);
    await writeAndShow(ctx, createGrant, { body }, grantColumns);
  },
});
