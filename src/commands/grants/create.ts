import { defineCommand, flag } from '../../cli/define.ts';
import { pastFlags } from '../../cli/past.ts';
import { writeAndShow } from '../../cli/show.ts';
import { createGrant } from '../../contract/metric-operations.ts';
import { grantWarnings } from '../../domain/grants.ts';
import { grantColumns } from './columns.ts';
import { grantFlags, newGrant } from './new-grant.ts';

export default defineCommand({
  path: 'grants create',
  summary: 'Grant metrics to a company or a user',
  description: [
    'Needs a recipient, and -m or --all. On a terminal it asks for what is missing, and shows the grant in words before it creates it.',
    '--preview writes nothing: it lists what the grant would show now that its recipient could not read under any earlier grant, from the mirror.',
    'A date as --expires is the end of that day in UTC; 90d, 12w, 6m and 1y count from now; an ISO 8601 timestamp is taken as it is. Without --expires the grant does not end.',
  ].join('\n\n'),
  operations: ['createGrant', 'getMetricCatalog'],
  flags: { ...grantFlags, preview: flag.boolean('list what it would reveal, and create nothing'), ...pastFlags },
  examples: {
    'comem -p demo grants create --recipient cedar -m mrr,arr --expires 90d --dry-run':
      'shows the request of a grant for 90 days',
    'comem -p demo grants create --recipient cedar --all --historical --note "Annual audit"':
      'all metrics with their history, without an end',
    'comem -p demo grants create --recipient cedar -m mrr --expires 2026-12-31': 'one metric until the end of a year',
    'comem -p demo grants create --recipient lumen -m fund_nav,tvpi --historical --preview':
      'what the company would see that it has not seen',
  },
  stdout: 'object',
  writes: true,
  async run(ctx, { flags }) {
    const { body, question } = await newGrant(ctx, flags);
    if (flags.preview) return (await import('./plan.ts')).previewGrant(ctx, body, flags.mirror);
    for (const warning of grantWarnings(body, ctx.now())) ctx.out.warn(warning);
    await writeAndShow(ctx, createGrant, { body }, grantColumns, { question });
  },
});
