import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { conflict, invalid, notFound } from '../model/failure.ts';
import * as store from '../store/grants.ts';
import type { Handler } from './handler.ts';
import { requireCompany } from './metrics.ts';

export const listGrants: Handler<typeof operations.listGrants> = async ({ company: id, store: database, now }) => {
  const rows = await database.read(async (db) => store.grantsOf(db, (await requireCompany(db, id)).id));
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
    await store.insertGrant(db, row);
    return row;
  }, call.company);
  return { body: { grant: grantBody(grant, now) } };
};

export const revokeGrant: Handler<typeof operations.revokeGrant> = async (call) => {
  const { params, caller, now } = call;
  const at = now.toISOString();
  const grant = await call.store.write(async (db) => {
    const company = await requireCompany(db, call.company);
    const row = await store.grantById(db, params.id, company.id);
    if (row === undefined) throw notFound('grant', params.id);
    const change = { status: 'revoked', revoked_at: at, revoked_by: caller.userId, updated_at: at } as const;
    if (!(await store.revokeGrant(db, row.id, change))) throw conflict(`Grant ${row.id} is already revoked`);
    return { ...row, ...change };
  }, call.company);
  return { body: { grant: grantBody(grant, now) } };
};

/** A grant expires at `expires_at`; a revoked one stays revoked. */
export function isExpired({ expires_at }: store.GrantRow, now: Date): boolean {
  return expires_at !== null && expires_at <= now.toISOString();
}

/** As the API shows it: its fields are not nullable, so missing values are left out. */
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
