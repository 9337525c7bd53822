/** Whether a credential is accepted, by one cheap endpoint of its kind. */
import type { Client } from '../../client/client.ts';
import type { SecretKind } from '../../config/profile.ts';
import { listLists } from '../../contract/list-operations.ts';
import { getMetricCatalog } from '../../contract/metric-operations.ts';

/**
 * Calls the metric catalog with a key, the lists of the company with a session.
 * @returns the company that the answer was about; `unchecked` when a session has no company to ask for
 * @throws the failure of the client when it is not accepted
 */
export async function checkCredential(
  client: Client,
  kind: SecretKind,
  company: string | undefined,
): Promise<{ company: string | undefined } | 'unchecked'> {
  if (kind === 'key') {
    const catalog = await client.call(getMetricCatalog, {});
    return { company: catalog.companyId };
  }
  if (company === undefined) return 'unchecked';
  await client.call(listLists, { query: { companyId: company } });
  return { company };
}
