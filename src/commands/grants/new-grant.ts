/** What `grants create` sends: to whom, which metrics, until when; on a terminal it asks for what is missing. */

import { bodyFieldFlags, bodyOf } from '../../cli/body.ts';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { askText, confirm, problemIn } from '../../cli/prompts.ts';
import { createGrant } from '../../contract/metric-operations.ts';
import { grantScope, type MetricGrant } from '../../contract/metrics.ts';
import { isUuid } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import { expiryOf } from '../../domain/grants/grants.ts';
import { metricIds, readableCatalogs, refuseUnknown } from '../metrics/read.ts';

const fields = bodyFlags(createGrant, {
  recipient_user_id: { flag: 'recipientUser', summary: 'the user who may read' },
  include_historical: { flag: 'historical', summary: 'include history, not only the latest publication' },
  note: { summary: 'a note for people' },
});

export const grantFlags = {
  scope: flag.list('SCOPE', `what is granted; default ${grantScope}`, { field: 'scope' }),
  recipientCompany: flag.text('COMPANY', 'the company that may read, a uuid or an alias', {
    field: 'recipient_company_id',
  }),
  ...fields,
  metrics: flag.list('ID[,ID]', 'these metrics', { short: 'm', field: 'metric_ids' }),
  allMetrics: flag.boolean('all metrics, also future ones'),
  expires: flag.text('DATE|90d', 'when it ends', { field: 'expires_at' }),
  ...bodyFieldFlags,
};

type GrantFlags = FlagValues<typeof grantFlags>;

interface NewGrant {
  body: MetricGrant & { companyId: string; scope: string[] };
  /** Asked when a person was asked for a part of it. */
  question?: string;
}

/** @throws usage without a recipient or metrics, where nobody can be asked; notFound for an unknown metric */
export async function newGrant(ctx: Context, flags: GrantFlags): Promise<NewGrant> {
  const { scope = [grantScope], recipientCompany, metrics, allMetrics = false, expires } = flags;
  const ids = metricIds(metrics);
  if (ids && allMetrics) throw usage('--metrics and --all-metrics cannot be used together', 'give one of them');
  const named = {
    companyId: ctx.requireCompany(),
    scope: scope.flatMap((part) => part.split(',').map((one) => one.trim())),
    ...(recipientCompany ? { recipient_company_id: ctx.companyOf(recipientCompany, '--recipient-company') } : {}),
    ...(ids ? { metric_ids: ids } : {}),
    ...fieldsOf(fields, flags),
    ...(expires === undefined ? {} : { expires_at: expiryOf(expires, ctx.runtime.now(), '--expires') }),
  };
  const body = { ...named, ...(await bodyOf(ctx, named, flags)) };
  const given: MetricGrant = body;
  if (allMetrics && given.metric_ids?.length)
    throw usage('--all-metrics cannot be used with a body that names metrics');
  const missing = {
    recipient: !given.recipient_company_id && !given.recipient_user_id,
    metrics: !allMetrics && !given.metric_ids?.length,
  };
  const asks = missing.recipient || missing.metrics;
  if (asks && !ctx.settings.input) throw lacks(missing);
  const catalogs = ids || missing.metrics ? await readableCatalogs(ctx, [body.companyId]) : [];
  if (ids && catalogs.length > 0) refuseUnknown(ids, catalogs);
  if (!asks) return { body };
  const answers = {
    ...(missing.recipient && (await askRecipient(ctx))),
    ...(missing.metrics && (await askMetrics(ctx, catalogs))),
    ...(given.include_historical === undefined && {
      include_historical: await confirm(ctx.runtime, 'Include history, not only the latest publication?'),
    }),
    ...(given.expires_at === undefined && (await askExpiry(ctx))),
  };
  const asked = { ...body, ...answers };
  return { body: asked, question: `Grant ${inWords(ctx, asked)}?` };
}

function lacks({ recipient, metrics }: { recipient: boolean; metrics: boolean }) {
  const parts = [...(recipient ? ['a recipient'] : []), ...(metrics ? ['metrics'] : [])];
  const add = [
    ...(recipient ? ['--recipient-company COMPANY or --recipient-user UUID'] : []),
    ...(metrics ? ['-m mrr,arr or --all-metrics'] : []),
  ];
  return usage(`a grant needs ${parts.join(' and ')}`, `add ${add.join(', and ')}`);
}

async function askRecipient(ctx: Context): Promise<MetricGrant> {
  const companyOf = (text: string) => ctx.companyOf(text, 'the recipient');
  const company = await askText(ctx.runtime, {
    message: 'Company that may read (alias or uuid, Enter for a user):',
    validate: (text) => (text === '' ? true : (problemIn(() => companyOf(text)) ?? true)),
  });
  if (company !== '') return { recipient_company_id: companyOf(company) };
  const validate = (text: string) => isUuid(text) || 'A user is given by uuid.';
  return { recipient_user_id: await askText(ctx.runtime, { message: 'User who may read (uuid):', validate }) };
}

async function askMetrics(ctx: Context, catalogs: Parameters<typeof refuseUnknown>[1]): Promise<MetricGrant> {
  const check = (text: string) => {
    if (text === '') throw usage('name metrics such as mrr,arr, or all');
    const ids = text === 'all' ? [] : (metricIds([text], 'the list') ?? []);
    if (catalogs.length > 0) refuseUnknown(ids, catalogs);
  };
  const text = await askText(ctx.runtime, {
    message: 'Metrics (ids separated by commas, or all):',
    validate: (answer) => problemIn(() => check(answer)) ?? true,
  });
  return text === 'all' ? {} : { metric_ids: metricIds([text]) ?? [] };
}

async function askExpiry(ctx: Context): Promise<MetricGrant> {
  const at = (text: string) => expiryOf(text, ctx.runtime.now(), 'the end');
  const text = await askText(ctx.runtime, {
    message: 'Ends (2026-12-31, 90d, 12w, 6m or 1y, Enter for never):',
    validate: (answer) => (answer === '' ? true : (problemIn(() => at(answer)) ?? true)),
  });
  return text === '' ? {} : { expires_at: at(text) };
}

/** `company cedar mrr and arr of fund, latest publication only, until 2026-12-31T23:59:59Z`. */
function inWords({ settings }: Context, grant: NewGrant['body']): string {
  const name = (id: string) => Object.entries(settings.aliases).find(([, uuid]) => uuid === id)?.[0] ?? id;
  const { recipient_company_id: company, metric_ids: ids = [], expires_at: end } = grant;
  const to = company ? `company ${name(company)}` : `user ${grant.recipient_user_id}`;
  const what = ids.length === 0 ? 'all metrics' : ids.join(', ');
  const history = grant.include_historical ? 'with history' : 'latest publication only';
  return `${to} ${what} of ${name(grant.companyId)}, ${history}, ${end ? `until ${end}` : 'without end'}`;
}
