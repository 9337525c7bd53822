/** Grants and reports of other companies as they were. */
import type { operations } from '../../contract/index.ts';
import type { MetricGrant, PublishedMetricsResponse, PublishedPeriod } from '../../contract/metrics.ts';
import { firstMonth, lastMonth, readEnd } from '../../core/periods.ts';
import { openCursor, sealCursor } from '../../server/handlers/handler.ts';
import { refuseHistory } from '../../server/handlers/sharing.ts';
import { forbidden } from '../../server/model/failure.ts';
import type { Reader } from './lists.ts';
import { bodyOf, inOrderOf, notMirrored, type State } from './state.ts';

export const listGrants: Reader<typeof operations.listGrants> = async (state, { company, now }) => {
  const { id } = state.requireCompany(company);
  await state.requirePart('grants', id, 'the grants of this company');
  const grants = (await state.resources('grant', id)).toSorted(inOrderOf('created_at', 'id'));
  return { body: { grants: grants.map((grant) => grantAt(bodyOf<MetricGrant>(grant), now)) } };
};

/** A grant that was active at the sync may have expired since. */
function grantAt(grant: MetricGrant, now: Date): MetricGrant {
  if (grant.status !== 'active' && grant.status !== 'expired') return grant;
  return { ...grant, status: isOver(grant.expires_at, now) ? 'expired' : 'active' };
}

function isOver(expiresAt: string | null | undefined, now: Date): boolean {
  const end = typeof expiresAt === 'string' ? readEnd(expiresAt) : undefined;
  return end !== undefined && end <= now.getTime();
}

const defaultLimit = 24;

/** Signs cursors, which are only used in this process. */
const secret = 'mirror';

export const getPublishedMetrics: Reader<typeof operations.getPublishedMetrics> = async (state, call) => {
  const { params, query, now, maxPage } = call;
  const { body } = await publishedTo(state, params.companyId, call.company ?? call.companies[0]);
  if (isOver(body.expiresAt, now)) throw otherCompany(params.companyId);
  const { historical, metrics, publication, ...others } = body;
  if (historical === false) refuseHistory(query);
  const limit = Math.min(Number(query.limit ?? defaultLimit), maxPage);
  const { cursor, limit: _, ...selection } = query;
  const binding = ['published', params.companyId, selection];
  const offset = cursor === undefined ? 0 : Number(openCursor(secret, binding, cursor)[0]);
  const known = await periodsOf(state, params.companyId);
  // Without history only the latest one is visible, whatever other companies of the mirror may read.
  const visible = historical === false ? known.slice(0, 1) : known;
  const selected = visible.filter((period) => isSelected(period, query));
  const end = offset + limit;
  const nextCursor = end < selected.length ? sealCursor(secret, binding, [end]) : undefined;
  return {
    body: {
      ...others,
      metrics: { ...metrics, periods: selected.slice(offset, end) },
      ...(publication && { publication }),
      truncated: nextCursor !== undefined,
      ...(nextCursor !== undefined && { nextCursor }),
    },
  };
};

/** With `historical`, which a sync finds out: the API refuses requests that need it. */
type MirroredReport = PublishedMetricsResponse & { historical?: boolean };

/** @throws notFound when no sync read it, 403 before and after the grant */
async function publishedTo(
  state: State,
  companyId: string,
  reader: string | undefined,
): Promise<{ body: MirroredReport }> {
  const owner = reader === undefined ? undefined : state.requireCompany(reader).id;
  if (owner !== undefined) {
    const resource = await state.resource('published', owner, companyId);
    if (resource) return { body: bodyOf<MirroredReport>(resource) };
    for await (const _ of state.at.history.resources('published', { owner, id: companyId }))
      throw otherCompany(companyId);
  }
  throw notMirrored(`what the company ${companyId} published`);
}

function otherCompany(companyId: string) {
  return forbidden(`No active grant of company ${companyId} to the caller's user or company`);
}

/** Newest period first. */
async function periodsOf(state: State, companyId: string): Promise<PublishedPeriod[]> {
  const snapshots = (await state.resources('snapshot', companyId)).map(bodyOf<PublishedPeriod>);
  return snapshots.sort((a, b) => to(b.periodKey) - to(a.periodKey) || from(b.periodKey) - from(a.periodKey));
}

/** Months since year 0. */
const from = (period = ''): number => firstMonth(period) ?? 0;
const to = (period = ''): number => lastMonth(period) ?? 0;

function isSelected({ periodKey }: PublishedPeriod, query: { period?: string; from?: string; to?: string }): boolean {
  return (
    (query.period === undefined || periodKey === query.period.toUpperCase()) &&
    (query.from === undefined || from(periodKey) >= from(query.from)) &&
    (query.to === undefined || to(periodKey) <= to(query.to))
  );
}
