/** A grant in one line, for choices and plans. */
import type { Context } from '../../cli/context.ts';
import { firstAlias } from '../../config/companies.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { shortId } from '../../output/screen-column.ts';
import { asciiOnly } from '../../output/terminal-text.ts';
import { formatTime } from '../../output/values.ts';

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

/** `company cedar mrr and arr, latest publication only, until 2026-12-31T23:59:59Z`. */
export function inWords({ settings }: Context, grant: MetricGrant & { companyId?: string }): string {
  const name = (id: string) => firstAlias(settings.aliases, id) ?? id;
  const { recipient_company_id: company, metric_ids: ids, expires_at: end, companyId, revoked_at: revoked } = grant;
  const to = company ? `company ${name(company)}` : `user ${grant.recipient_user_id}`;
  const what = ids?.length ? ids.join(', ') : 'all metrics';
  const of = companyId ? ` of ${name(companyId)}` : '';
  const history = grant.include_historical ? 'with history' : 'latest publication only';
  const until = revoked ? 'revoked' : end ? `until ${end}` : 'without end';
  return `${to} ${what}${of}, ${history}, ${until}`;
}
