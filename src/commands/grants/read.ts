/** What grants say, in words. */

import type { Context } from '../../cli/context.ts';
import { firstAlias } from '../../config/companies.ts';
import type { MetricGrant } from '../../contract/metrics.ts';

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
