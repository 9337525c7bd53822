import { parseJson } from '../../core/json.ts';
import { numberOf, type PointRow } from '../store/metrics.ts';
import type { Db } from '../store/schema.ts';
import { type Names, withoutNull } from './dump-names.ts';
import type { SeedDefinition, SeedGrant, SeedPoints, SeedPreferences, SeedPublication } from './seed.ts';

export async function dumpCatalog(db: Db, names: Names): Promise<SeedDefinition[]> {
  const rows = await db
    .selectFrom('metric_definitions')
    .selectAll()
    .orderBy('company_id')
    .orderBy('position')
    .orderBy('metric_id')
    .execute();
  return rows.map((row) => {
    const { company_id, metric_id, unit_label, value_semantics, custom, archived, ...rest } = row;
    return {
      company: names.company(company_id),
      metricId: metric_id,
      ...withoutNull(rest),
      ...(unit_label !== null && { unitLabel: unit_label }),
      ...(value_semantics !== null && { valueSemantics: value_semantics }),
      custom: custom === 1,
      archived: archived === 1,
    };
  });
}

/** Points that are in memory at once. */
const batch = 5000;

const pointKey = ['company_id', 'period_type', 'period_key', 'version', 'metric_id'] as const;

/** One group for each period and version, and for each source and time within them. */
export async function* dumpPoints(db: Db, names: Names): AsyncGenerator<SeedPoints[]> {
  const groups = new Map<string, SeedPoints>();
  let place = '';
  for await (const rows of pointRows(db)) {
    const complete: SeedPoints[] = [];
    for (const { company_id, metric_id, period_type, period_key, version, value, source, updated_at } of rows) {
      const here = JSON.stringify([company_id, period_type, period_key, version]);
      if (here !== place) {
        complete.push(...groups.values());
        groups.clear();
        place = here;
      }
      const key = JSON.stringify([source, updated_at]);
      const group = groups.get(key) ?? {
        company: names.company(company_id),
        period: period_key,
        version,
        ...(source !== null && { source }),
        updated_at,
        // Without a prototype: any text may be a metric id.
        metrics: Object.create(null) as SeedPoints['metrics'],
      };
      group.metrics[metric_id] = value === null ? null : numberOf(value);
      groups.set(key, group);
    }
    yield complete;
  }
  yield [...groups.values()];
}

async function* pointRows(db: Db) {
  let last: PointRow | undefined;
  do {
    let query = db.selectFrom('metric_points').selectAll();
    if (last) {
      const { company_id, period_type, period_key, version, metric_id } = last;
      const after = [company_id, period_type, period_key, version, metric_id] as const;
      query = query.where((is) => is(is.refTuple(...pointKey), '>', is.tuple(...after)));
    }
    const rows = await query
      .orderBy('company_id')
      .orderBy('period_type')
      .orderBy('period_key')
      .orderBy('version')
      .orderBy('metric_id')
      .limit(batch)
      .execute();
    yield rows;
    last = rows.length < batch ? undefined : rows.at(-1);
  } while (last);
}

export async function dumpPublications(db: Db, names: Names): Promise<SeedPublication[]> {
  const rows = await db
    .selectFrom('publications')
    .selectAll()
    .orderBy('company_id')
    .orderBy('last_month')
    .orderBy('first_month')
    .orderBy('version_number')
    .execute();
  return rows.map((row) => ({
    report_id: row.report_id,
    company: names.company(row.company_id),
    period: row.period_key,
    version_number: row.version_number,
    sent_at: row.sent_at,
    data: parseJson(row.data) as SeedPublication['data'],
    units: parseJson(row.units) as NonNullable<SeedPublication['units']>,
    unit_labels: parseJson(row.unit_labels) as NonNullable<SeedPublication['unit_labels']>,
    currency: row.currency,
    share_token: row.share_token,
    viewer_policy: parseJson(row.viewer_policy) as NonNullable<SeedPublication['viewer_policy']>,
  }));
}

export async function dumpGrants(db: Db, names: Names): Promise<SeedGrant[]> {
  const rows = await db
    .selectFrom('grants')
    .selectAll()
    .orderBy('company_id')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    company: names.company(row.company_id),
    granted_by: names.user(row.granted_by),
    ...(row.recipient_company_id !== null && { recipient_company: names.company(row.recipient_company_id) }),
    ...(row.recipient_user_id !== null && { recipient_user: names.user(row.recipient_user_id) }),
    scope: JSON.parse(row.scope) as string[],
    metric_ids: JSON.parse(row.metric_ids) as string[],
    include_historical: row.include_historical === 1,
    ...(row.note !== null && { note: row.note }),
    ...(row.expires_at !== null && { expires_at: row.expires_at }),
    ...(row.revoked_at !== null && { revoked_at: row.revoked_at }),
    ...(row.revoked_by !== null && { revoked_by: names.user(row.revoked_by) }),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }));
}

export async function dumpPreferences(db: Db, names: Names): Promise<SeedPreferences[]> {
  const rows = await db.selectFrom('metric_preferences').selectAll().orderBy('company_id').execute();
  return rows.map((row) => ({
    id: row.id,
    company: names.company(row.company_id),
    requestedMetrics: JSON.parse(row.requested_metrics) as string[],
    tableColumns: JSON.parse(row.table_columns) as string[],
    cardPages: JSON.parse(row.card_pages) as NonNullable<SeedPreferences['cardPages']>,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }));
}
