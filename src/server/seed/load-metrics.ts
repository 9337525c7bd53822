/** The catalog, what was published of them, and to whom. */
import { randomBytes } from 'node:crypto';
import { grantScope } from '../../contract/metrics.ts';
import { stringifyJson } from '../../core/json.ts';
import { firstMonth, lastMonth } from '../../core/periods.ts';
import { upsert } from '../store/upsert.ts';
import { isKnown, periodAt } from './load-points.ts';
import { bit, type Loading, occurrences, stableId, stamp } from './loading.ts';
import type { SeedDefinition, SeedGrant, SeedPreferences, SeedPublication } from './seed.ts';

export async function loadCatalog(loading: Loading, catalog: readonly SeedDefinition[]): Promise<void> {
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

export async function loadPublications(loading: Loading, publications: readonly SeedPublication[]): Promise<void> {
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

export async function loadGrants(loading: Loading, grants: readonly SeedGrant[]): Promise<void> {
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

export async function loadPreferences(loading: Loading, preferences: readonly SeedPreferences[]): Promise<void> {
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
