import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import type { MetricGrant, PublishedMetricsResponse, PublishedPeriod } from '../../contract/metrics.ts';
import type { Query } from '../../contract/operation.ts';
import { parseJson } from '../../core/json.ts';
import { firstMonth, lastMonth } from '../../core/periods.ts';
import { conflict, forbidden, invalid, notFound } from '../model/failure.ts';
import { fitting, maxPageBytes } from '../model/sizes.ts';
import * as store from '../store/grants.ts';
import {
  type GrantRow,
  grantsTo,
  type PublicationFilter,
  type PublicationKey,
  type PublicationRow,
  publicationsAfter,
} from '../store/grants.ts';
import type { CompanyRow } from '../store/people.ts';
import type { Db } from '../store/schema.ts';
import { findRow, findRows, insertRows } from '../store/tables.ts';
import type { Call, Handler } from './handler.ts';
import { openCursor, sealCursor } from './handler.ts';
import { requireCompany } from './metrics.ts';

type Published = typeof operations.getPublishedMetrics;

const defaultLimit = 24;

export const getPublishedMetrics: Handler<Published> = async (call) => {
  const { params, query, store } = call;
  const limit = Math.min(Number(query.limit ?? defaultLimit), call.maxPage);
  const body = await store.read(async (db) => {
    // Before the company, so that an unknown one is answered as one that grants nothing.
    const grant = await widestGrant(db, call);
    const company = await requireCompany(db, params.companyId);
    const historical = grant.include_historical === 1;
    if (!historical) refuseHistory(query);
    const filter = publicationFilter(company.id, query);
    const binding = ['published', filter, grant.id, historical, grant.metric_ids];
    const after =
      query.cursor === undefined ? undefined : position(openCursor(store.cursorSecret, binding, query.cursor));
    const [latest] = await publicationsAfter(db, filter, 1);
    // Without history only the latest publication is visible. One row more than the page shows whether there is a next one.
    const rows = historical ? await publicationsAfter(db, filter, limit + 1, after) : latest && !after ? [latest] : [];
    const page = fitting(rows.slice(0, limit), maxPageBytes, bytesOf);
    const last = page.at(-1);
    const cursor =
      rows.length > page.length && last
        ? sealCursor(store.cursorSecret, binding, [last.last_month, last.first_month])
        : undefined;
    return publishedSnapshot(company, grant, latest, page, cursor);
  });
  return { body };
};

/** The active grant to the caller's user or company with the widest access; 403 without one. */
async function widestGrant(db: Db, { params, caller, company, now }: Call<Published>): Promise<GrantRow> {
  const rows = await grantsTo(db, params.companyId, caller.userId, company === undefined ? [] : [company]);
  const active = rows.filter((row) => !isExpired(row, now) && (JSON.parse(row.scope) as string[]).includes('metrics'));
  const [widest] = active.sort((a, b) => width(b) - width(a) || (a.created_at < b.created_at ? 1 : -1));
  if (widest === undefined) {
    throw forbidden(`No active grant of company ${params.companyId} to the caller's user or company`);
  }
  return widest;
}

/** History counts before metrics, and all metrics before any number of them. */
function width({ include_historical, metric_ids }: GrantRow): number {
  const ids = (JSON.parse(metric_ids) as string[]).length;
  return include_historical * 2e6 + (ids === 0 ? 1e6 : ids);
}

/** @throws 403 for what only a grant with history answers */
export function refuseHistory(query: Query<Published>): void {
  if ((query.period ?? query.from ?? query.to) !== undefined) {
    throw forbidden('Choosing periods needs a grant with historical access');
  }
}

function publicationFilter(companyId: string, { period, from, to }: Query<Published>): PublicationFilter {
  return {
    companyId,
    periodKey: period?.toUpperCase(),
    fromMonth: from === undefined ? undefined : firstMonth(from),
    toMonth: to === undefined ? undefined : lastMonth(to),
  };
}

function position([last_month, first_month]: unknown[]): PublicationKey {
  return { last_month: Number(last_month), first_month: Number(first_month) };
}

function publishedSnapshot(
  company: CompanyRow,
  grant: GrantRow,
  latest: PublicationRow | undefined,
  page: readonly PublicationRow[],
  nextCursor: string | undefined,
): PublishedMetricsResponse {
  const ids = JSON.parse(grant.metric_ids) as string[];
  const { id, name, vertical, stage, currency } = company;
  return {
    grantId: grant.id,
    scope: JSON.parse(grant.scope) as string[],
    ...(grant.expires_at !== null && { expiresAt: grant.expires_at }),
    mode: 'published_grant',
    source: 'report_metric_snapshots',
    sourceBoundary: 'published_snapshot',
    missingPublication: latest === undefined,
    company: { id, name, ...(vertical !== null && { vertical }), ...(stage !== null && { stage }), currency },
    metrics: {
      summary: latest === undefined ? {} : narrowMetrics(latest.data, ids),
      periods: page.map((row) => publishedPeriod(row, ids)),
    },
    ...(latest && { publication: publication(latest) }),
    truncated: nextCursor !== undefined,
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

function bytesOf({ data, units, unit_labels }: PublicationRow): number {
  return Buffer.byteLength(data) + Buffer.byteLength(units) + Buffer.byteLength(unit_labels);
}

function publishedPeriod(row: PublicationRow, ids: readonly string[]): PublishedPeriod {
  return {
    periodKey: row.period_key,
    periodType: row.period_type,
    reportId: row.report_id,
    versionNumber: row.version_number,
    sentAt: row.sent_at,
    data: narrowMetrics(row.data, ids),
    units: narrowMetrics(row.units, ids) as Record<string, string>,
    unitLabels: narrowMetrics(row.unit_labels, ids) as Record<string, string>,
    currency: row.currency,
  };
}

function publication(row: PublicationRow): NonNullable<PublishedMetricsResponse['publication']> {
  return {
    reportId: row.report_id,
    periodKey: row.period_key,
    versionNumber: row.version_number,
    sentAt: row.sent_at,
    shareToken: row.share_token,
    viewerPolicy: parseJson(row.viewer_policy) as Record<string, unknown>,
  };
}

/** The fields of an object keyed by metric id that the grant names; all of them when it names none. */
function narrowMetrics(json: string, ids: readonly string[]): Record<string, unknown> {
  const data = parseJson(json) as Record<string, unknown>;
  if (ids.length === 0) return data;
  return Object.fromEntries(Object.entries(data).filter(([id]) => ids.includes(id)));
}

export const listGrants: Handler<typeof operations.listGrants> = async ({ company: id, store: database, now }) => {
  const rows = await database.read(async (db) =>
    findRows(db, 'grants', { company_id: (await requireCompany(db, id)).id }, 'created_at', 'id'),
  );
  return { body: { grants: rows.map((row) => grantBody(row, now)) } };
};

export const createGrant: Handler<typeof operations.createGrant> = async (call) => {
  const { body, caller, now } = call;
  const at = now.toISOString();
  if (body.metric_ids?.includes('')) throw invalid({ path: 'metric_ids', message: 'must not contain an empty id' });
  const grant = await call.store.write(async (db) => {
    const row: store.GrantRow = {
      id: randomUUID(),
      company_id: (await requireCompany(db, call.company)).id,
      granted_by: caller.userId,
      recipient_company_id: body.recipient_company_id ?? null,
      recipient_user_id: body.recipient_user_id ?? null,
      scope: JSON.stringify([...new Set(body.scope)]),
      metric_ids: JSON.stringify([...new Set(body.metric_ids ?? [])]),
      include_historical: Number(body.include_historical ?? false),
      status: 'active',
      note: body.note ?? null,
      expires_at: body.expires_at === undefined ? null : instant(body.expires_at),
      revoked_at: null,
      revoked_by: null,
      created_at: at,
      updated_at: at,
    };
    await insertRows(db, 'grants', [row]);
    return row;
  }, call.company);
  return { body: { grant: grantBody(grant, now) } };
};

export const revokeGrant: Handler<typeof operations.revokeGrant> = async (call) => {
  const { params, caller, now } = call;
  const at = now.toISOString();
  const grant = await call.store.write(async (db) => {
    const company = await requireCompany(db, call.company);
    const row = await findRow(db, 'grants', { id: params.id, company_id: company.id });
    if (row === undefined) throw notFound('grant', params.id);
    const change = { status: 'revoked', revoked_at: at, revoked_by: caller.userId, updated_at: at } as const;
    if (!(await store.revokeGrant(db, row.id, change))) throw conflict(`Grant ${row.id} is already revoked`);
    return { ...row, ...change };
  }, call.company);
  return { body: { grant: grantBody(grant, now) } };
};

/** A grant expires at `expires_at`; a revoked one stays revoked. */
function isExpired({ expires_at }: store.GrantRow, now: Date): boolean {
  return expires_at !== null && expires_at <= now.toISOString();
}

/** The grant in an answer: no field is nullable, so missing values are left out. */
function grantBody(row: store.GrantRow, now: Date): MetricGrant {
  const status = row.status === 'active' && isExpired(row, now) ? 'expired' : row.status;
  const { scope, metric_ids, include_historical, ...rest } = row;
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    ...present,
    scope: JSON.parse(scope) as string[],
    metric_ids: JSON.parse(metric_ids) as string[],
    include_historical: include_historical === 1,
    status,
  };
}

/** In UTC, so that text order is time order. A leap second has no instant of its own. */
function instant(text: string): string {
  const time = Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59'));
  if (Number.isNaN(time)) throw invalid({ path: 'expires_at', message: `must be a valid timestamp, got ${text}` });
  return new Date(time).toISOString();
}
