/** The request of `grants create`, which on a terminal asks for missing parts; and a grant in one line. */

import { bodyFieldFlags, bodyOf } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { among, askText, choose, chooseSome, confirm, problemIn } from '../../cli/prompts.ts';
import { timeText } from '../../cli/words.ts';
import { firstAlias } from '../../config/companies.ts';
import { createGrant } from '../../contract/metric-operations.ts';
import { grantScope, type MetricGrant } from '../../contract/metrics.ts';
import { isUuid } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import { expiryOf, isFromNow } from '../../domain/grants.ts';
import { shortId } from '../../output/screen-column.ts';
import { asciiOnly } from '../../output/terminal-text.ts';
import { formatTime } from '../../output/values.ts';
import { metricIds, readableCatalogs, refuseUnknown } from '../metrics/read.ts';

const fields = bodyFlags(createGrant, {
  recipient_user_id: { flag: 'recipientUser', summary: 'the user who may read' },
  include_historical: { flag: 'historical', summary: 'include history, not only the latest publication' },
  note: { summary: 'a note for people' },
});

export const grantFlags = {
  scope: flag.list('SCOPE', `what is granted; default ${grantScope}`, { field: 'scope' }),
  recipient: flag.text('COMPANY', 'the company that may read, a uuid or an alias', {
    field: 'recipient_company_id',
    also: { 'recipient-company': 'VALUE' },
  }),
  ...fields,
  metrics: flag.list('ID[,ID]', 'these metrics', { short: 'm', field: 'metric_ids' }),
  all: flag.boolean('all metrics, also future ones', { also: { 'all-metrics': '' } }),
  expires: flag.text('DATE|90d', 'when it ends', { field: 'expires_at' }),
  ...bodyFieldFlags,
};

type GrantFlags = FlagValues<typeof grantFlags>;

/** @throws usage without a recipient or metrics, where nobody can be asked; notFound for an unknown metric */
export async function newGrant(ctx: Context, flags: GrantFlags) {
  const { scope = [grantScope], recipient, metrics, all = false, expires } = flags;
  const ids = metricIds(metrics);
  if (ids && all) throw usage('--metrics and --all cannot be used together', 'give one of them');
  const named = {
    companyId: ctx.requireCompany(),
    scope: scope.flatMap((part) => part.split(',').map((word) => word.trim())),
    ...(recipient ? { recipient_company_id: ctx.companyOf(recipient, '--recipient') } : {}),
    ...(ids ? { metric_ids: ids } : {}),
    ...fieldsOf(fields, flags),
    ...(expires === undefined ? {} : { expires_at: expiryOf(expires, ctx.now(), '--expires') }),
  };
  const body = { ...named, ...(await bodyOf(ctx, named, flags)) };
  const grant: MetricGrant = body;
  if (all && grant.metric_ids?.length) throw usage('--all cannot be used with a body that names metrics');
  const missing = {
    recipient: !grant.recipient_company_id && !grant.recipient_user_id,
    metrics: !all && !grant.metric_ids?.length,
  };
  const asks = missing.recipient || missing.metrics;
  if (asks && !ctx.settings.input) throw lacks(missing);
  // A time from now counts by the clock of the server, which any answer tells.
  const asksTime = expires !== undefined && isFromNow(expires);
  const catalogs = ids || missing.metrics || asksTime ? await readableCatalogs(ctx, [body.companyId]) : [];
  if (ids && catalogs.length > 0) refuseUnknown(ids, catalogs);
  if (expires !== undefined) body.expires_at = expiryOf(expires, ctx.now(), '--expires');
  // The question confirms what a person answered.
  if (!asks) return { body, question: undefined };
  const answers = {
    ...(missing.recipient && (await askRecipient(ctx))),
    ...(missing.metrics && (await askMetrics(ctx, catalogs))),
    ...(grant.include_historical === undefined && {
      include_historical: await confirm(ctx.runtime, 'Include history, not only the latest publication?'),
    }),
    ...(grant.expires_at === undefined && (await askExpiry(ctx))),
  };
  const complete: typeof body = { ...body, ...answers };
  return { body: complete, question: `Grant ${inWords(ctx, complete)}?` };
}

function lacks({ recipient, metrics }: { recipient: boolean; metrics: boolean }) {
  const parts = [...(recipient ? ['a recipient'] : []), ...(metrics ? ['metrics'] : [])];
  const add = [
    ...(recipient ? ['--recipient COMPANY or --recipient-user UUID'] : []),
    ...(metrics ? ['-m mrr,arr or --all'] : []),
  ];
  return usage(`a grant needs ${parts.join(' and ')}`, `add ${add.join(', and ')}`);
}

async function askRecipient(ctx: Context): Promise<MetricGrant> {
  // A company grants nothing to itself.
  const known = Object.entries(ctx.settings.aliases)
    .filter(([, id]) => id !== ctx.company())
    .map(([alias, id]) => ({ value: id, name: alias, description: id }));
  const others = [
    { value: 'company', name: 'another company, by uuid' },
    { value: 'user', name: 'a user, by uuid' },
  ];
  const chosen = await choose(ctx.runtime, { message: 'Who may read:', find: among([...known, ...others]) });
  if (chosen !== 'company' && chosen !== 'user') return { recipient_company_id: chosen };
  const validate = (text: string) => isUuid(text) || `A ${chosen} is given by uuid.`;
  const id = await askText(ctx.runtime, { message: `The ${chosen} that may read (uuid):`, validate });
  return chosen === 'user' ? { recipient_user_id: id } : { recipient_company_id: id };
}

async function askMetrics(ctx: Context, catalogs: Parameters<typeof refuseUnknown>[1]): Promise<MetricGrant> {
  const metrics = catalogs.flatMap(({ definitions }) => definitions);
  const scope = [
    { value: 'all', name: 'all metrics, also future ones' },
    { value: 'some', name: 'some metrics' },
  ];
  if ((await choose(ctx.runtime, { message: 'Which metrics:', find: among(scope) })) === 'all') return {};
  if (metrics.length > 0) {
    const choices = metrics.map(({ metricId, label }) => ({
      value: metricId,
      name: label ? `${metricId}: ${label}` : metricId,
    }));
    return { metric_ids: await chooseSome(ctx.runtime, 'Metrics:', choices, true) };
  }
  const validate = (text: string) => problemIn(() => metricIds([text], 'the list')) ?? true;
  const text = await askText(ctx.runtime, { message: 'Metrics (ids separated by commas):', validate });
  return { metric_ids: metricIds([text]) ?? [] };
}

async function askExpiry(ctx: Context): Promise<MetricGrant> {
  const at = (text: string) => expiryOf(text, ctx.now(), 'the end');
  const text = await askText(ctx.runtime, {
    message: 'Expires (2026-12-31, 90d, 12w, 6m or 1y, Enter for never):',
    validate: (answer) => (answer === '' ? true : (problemIn(() => at(answer)) ?? true)),
  });
  return text === '' ? {} : { expires_at: at(text) };
}

/** `cedar · mrr, arr · until 31 Dec 2026 · latest publication only`: a line of a choice. */
export function inShort(ctx: Context, grant: MetricGrant): string {
  const { recipient_company_id: company, recipient_user_id: user, metric_ids: ids, expires_at: end } = grant;
  const { revoked_at: revoked, include_historical: withHistory } = grant;
  const name = (id: string) => ctx.companyName(id) ?? shortId(id, asciiOnly(ctx.runtime.env));
  const until = end && `until ${formatTime(end, 'day', ctx.now())}`;
  return [
    company ? name(company) : `user ${name(user ?? '')}`,
    ids?.length ? ids.join(', ') : 'all metrics',
    revoked ? 'revoked' : until || 'without end',
    withHistory ? 'with history' : 'latest publication only',
  ].join(' · ');
}

/** `company cedar mrr and arr, latest publication only, until 2026-12-31 23:59`. */
function inWords({ settings }: Context, grant: MetricGrant & { companyId?: string }): string {
  const name = (id: string) => firstAlias(settings.aliases, id) ?? id;
  const { recipient_company_id: company, metric_ids: ids, expires_at: end, companyId, revoked_at: revoked } = grant;
  const to = company ? `company ${name(company)}` : `user ${grant.recipient_user_id}`;
  const what = ids?.length ? ids.join(', ') : 'all metrics';
  const of = companyId ? ` of ${name(companyId)}` : '';
  const history = grant.include_historical ? 'with history' : 'latest publication only';
  const until = revoked ? 'revoked' : end ? `until ${timeText(end)}` : 'without end';
  return `${to} ${what}${of}, ${history}, ${until}`;
}
