/** The catalog, what was published of them, and to whom. */

import { randomBytes } from 'node:crypto';
import { grantScope, knownMetrics } from '../../contract/metrics.ts';
import { stringifyJson } from '../../core/json.ts';
import { firstMonth, lastMonth } from '../../core/periods.ts';
import { type Row, upsert } from '../store/upsert.ts';
import { bit, type Loading, occurrences, stableId, stamp } from './loading.ts';
import { type PointPeriod, pointPeriod } from './points-csv.ts';
import type { SeedDefinition, SeedGrant, SeedPoints, SeedPreferences, SeedPublication } from './seed.ts';

export async function loadCatalog(loading: Loading, catalog: readonly SeedDefinition[] = []): Promise<void> {
  const result = await upsert(loading.db, {
    table: 'metric_definitions',
    key: ['company_id', 'metric_id'],
    rows: catalog.map((definition, index) => ({
      company_id: loading.references.company(`catalog.${index}.company`, definition.company),
      metric_id: definition.metricId,
      label: definition.label,
      unit: definition.unit,
      unit_label: definition.unitLabel,
      cadence: definition.cadence,
      aggregation: definition.aggregation,
      value_semantics: definition.valueSemantics,
      direction: definition.direction,
      description: definition.description,
      custom: bit(definition.custom),
      archived: bit(definition.archived),
      position: Number(definition.position ?? index),
    })),
    fresh: ({ metric_id }) => ({ custom: Number(!isKnown(String(metric_id))), archived: 0 }),
    refuse: (index, says) => loading.fail(`catalog.${index}`, says),
  });
  loading.count('catalog', result);
}

export async function loadPublications(loading: Loading, publications: readonly SeedPublication[] = []): Promise<void> {
  const currencies = new Map<string, string>();
  const result = await upsert(loading.db, {
    table: 'publications',
    key: ['company_id', 'period_key', 'version_number'],
    rows: publications.map((publication, index) => {
      const path = `publications.${index}`;
      const company = loading.references.company(`${path}.company`, publication.company);
      currencies.set(company, loading.references.currency(`${path}.company`, publication.company));
      const { type, key } = periodAt(loading, `${path}.period`, publication.period);
      return {
        report_id: publication.report_id?.toLowerCase(),
        company_id: company,
        period_key: key,
        period_type: type,
        first_month: firstMonth(key),
        last_month: lastMonth(key),
        version_number: Number(publication.version_number ?? 1),
        sent_at: stamp(publication.sent_at),
        data: stringifyJson(publication.data),
        units: publication.units && stringifyJson(publication.units),
        unit_labels: publication.unit_labels && stringifyJson(publication.unit_labels),
        currency: publication.currency,
        share_token: publication.share_token,
        viewer_policy: publication.viewer_policy && stringifyJson(publication.viewer_policy),
      };
    }),
    fresh: ({ company_id, period_key, version_number }) => ({
      report_id: stableId('report', String(company_id), String(period_key), Number(version_number)),
      units: '{}',
      unit_labels: '{}',
      currency: currencies.get(String(company_id)),
      share_token: randomBytes(18).toString('base64url'),
      viewer_policy: '{}',
    }),
    refuse: (index, says) => loading.fail(`publications.${index}`, says),
  });
  loading.count('publications', result);
}

export async function loadGrants(loading: Loading, grants: readonly SeedGrant[] = []): Promise<void> {
  const nth = occurrences();
  const { references } = loading;
  const result = await upsert(loading.db, {
    table: 'grants',
    key: ['id'],
    rows: grants.map((grant, index) => {
      const path = `grants.${index}`;
      const company = references.company(`${path}.company`, grant.company);
      const grantedBy = references.user(`${path}.granted_by`, grant.granted_by);
      const toCompany =
        grant.recipient_company && references.recipient(`${path}.recipient_company`, grant.recipient_company);
      const toUser = grant.recipient_user && references.user(`${path}.recipient_user`, grant.recipient_user);
      const revokedBy = grant.revoked_by && references.user(`${path}.revoked_by`, grant.revoked_by);
      const names = [company, toCompany ?? null, toUser ?? null];
      return {
        id: grant.id?.toLowerCase() ?? stableId('grant', ...names, nth(JSON.stringify(names))),
        company_id: company,
        granted_by: grantedBy,
        recipient_company_id: toCompany,
        recipient_user_id: toUser,
        scope: grant.scope && JSON.stringify(grant.scope),
        metric_ids: grant.metric_ids && JSON.stringify(grant.metric_ids),
        include_historical: bit(grant.include_historical),
        status: grant.revoked_at === undefined ? undefined : grant.revoked_at === null ? 'active' : 'revoked',
        note: grant.note,
        expires_at: stamp(grant.expires_at),
        revoked_at: stamp(grant.revoked_at),
        revoked_by: revokedBy ?? (grant.revoked_at ? grantedBy : undefined),
        created_at: stamp(grant.created_at),
        updated_at: stamp(grant.updated_at),
      };
    }),
    fresh: ({ created_at, revoked_at }) => ({
      scope: JSON.stringify([grantScope]),
      metric_ids: '[]',
      include_historical: 0,
      status: 'active',
      created_at: loading.now,
      updated_at: revoked_at ?? created_at ?? loading.now,
    }),
    changed: () => ({ updated_at: loading.now }),
    refuse: (index, says) => loading.fail(`grants.${index}`, says),
  });
  loading.count('grants', result);
}

export async function loadPreferences(loading: Loading, preferences: readonly SeedPreferences[] = []): Promise<void> {
  const result = await upsert(loading.db, {
    table: 'metric_preferences',
    key: ['company_id'],
    rows: preferences.map((preference, index) => ({
      id: preference.id?.toLowerCase(),
      company_id: loading.references.company(`preferences.${index}.company`, preference.company),
      requested_metrics: preference.requestedMetrics && JSON.stringify(preference.requestedMetrics),
      table_columns: preference.tableColumns && JSON.stringify(preference.tableColumns),
      card_pages: preference.cardPages && JSON.stringify(preference.cardPages),
      created_at: stamp(preference.created_at),
      updated_at: stamp(preference.updated_at),
    })),
    fresh: ({ company_id, created_at }) => ({
      id: stableId('preferences', String(company_id)),
      requested_metrics: '[]',
      table_columns: '[]',
      card_pages: '[]',
      created_at: loading.now,
      updated_at: created_at ?? loading.now,
    }),
    changed: () => ({ updated_at: loading.now }),
    refuse: (index, says) => loading.fail(`preferences.${index}`, says),
  });
  loading.count('preferences', result);
}

/** The points of the series, and definitions for metrics that have none. */

const isKnown = (metric: string) => (knownMetrics as readonly string[]).includes(metric);

export async function loadPoints(loading: Loading, points: readonly SeedPoints[] = []): Promise<void> {
  const paths: string[] = [];
  const rows = points.flatMap((group, index): Row[] => {
    const path = `points.${index}`;
    const company = loading.references.company(`${path}.company`, group.company);
    const version = group.version ?? 'actual';
    const period = periodAt(loading, `${path}.period`, group.period);
    if (version === 'actual' && period.type !== 'month') {
      throw loading.fail(`${path}.period`, `is a ${period.type}, and actuals exist only by month`);
    }
    return Object.entries(group.metrics).map(([metric, value]) => {
      if (metric === '' || metric.includes(',')) {
        throw loading.fail(`${path}.metrics.${metric}`, 'is not a metric id: an id is not empty and has no comma');
      }
      if (!loading.points.add({ company, period: period.key, version, metric })) {
        throw loading.fail(`${path}.metrics.${metric}`, 'is repeated');
      }
      paths.push(`${path}.metrics.${metric}`);
      return {
        company_id: company,
        metric_id: metric,
        period_type: period.type,
        period_key: period.key,
        version,
        value: value === null ? null : String(value),
        source: group.source,
        updated_at: stamp(group.updated_at),
      };
    });
  });
  await defineUnknown(loading, rows);
  const result = await upsert(loading.db, {
    table: 'metric_points',
    key: ['company_id', 'period_type', 'period_key', 'version', 'metric_id'],
    isNew: loading.hadNoPoints,
    narrow: ['period_type', 'period_key', 'metric_id'],
    rows,
    fresh: () => ({ updated_at: loading.now }),
    changed: () => ({ updated_at: loading.now }),
    refuse: (index, says) => loading.fail(paths[index] ?? 'points', says),
  });
  loading.count('points', result);
}

/**
 * A metric with points but without a definition gets one, in the order of the file. Its aggregation and direction stay
 * unknown.
 */
async function defineUnknown(loading: Loading, points: readonly Row[]): Promise<void> {
  const { definedMetrics, source } = loading;
  const order = source.metricOrder ?? [];
  const wanted = new Map<string, Row>();
  for (const { company_id, metric_id } of points) {
    if (isKnown(String(metric_id))) continue;
    const key = JSON.stringify([company_id, metric_id]);
    if (!definedMetrics.has(key)) wanted.set(key, { company_id, metric_id });
  }
  if (wanted.size === 0) return;
  for (const key of wanted.keys()) definedMetrics.add(key);
  const companies = [...new Set([...wanted.values()].map((row) => String(row.company_id)))];
  const defined = await loading.db
    .selectFrom('metric_definitions')
    .select(['company_id', 'metric_id', 'position'])
    .where('company_id', 'in', companies)
    .execute();
  for (const { company_id, metric_id } of defined) wanted.delete(JSON.stringify([company_id, metric_id]));
  const ranks = new Map(order.map((metric, index) => [metric, index]));
  const rankOf = ({ metric_id }: Row) => ranks.get(String(metric_id)) ?? order.length;
  const next = Math.max(-1, ...defined.map(({ position }) => position)) + 1;
  const result = await upsert(loading.db, {
    table: 'metric_definitions',
    key: ['company_id', 'metric_id'],
    rows: [...wanted.values()]
      .sort((a, b) => rankOf(a) - rankOf(b))
      .map((row, index) => ({ ...row, position: next + index })),
    fresh: ({ metric_id }) => ({ label: labelOf(String(metric_id)), custom: 1, archived: 0 }),
    refuse: (_, says) => loading.fail('points', says),
  });
  loading.count('catalog', result);
}

/** `trade_transportation` → `Trade transportation`; an id that is not snake case is its own label. */
function labelOf(metric: string): string {
  if (!/^[a-z0-9]+(_[a-z0-9]+)*$/.test(metric)) return metric;
  const words = metric.replaceAll('_', ' ');
  return words[0]?.toUpperCase() + words.slice(1);
}

function periodAt(loading: Loading, path: string, text: string | number): PointPeriod {
  const period = pointPeriod(String(text));
  if (!period)
    throw loading.fail(path, `must be a month, quarter or year such as 2006-01, 2006-Q1 or 2006, got ${text}`);
  return period;
}
