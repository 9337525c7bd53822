/** Columns of grants, of what becomes of them, and of what the audit says about them. */
import { grantStatuses, MetricGrant } from '../../contract/metrics.ts';
import type { AuditFinding, MatrixRow } from '../../domain/grants/audit.ts';
import type { Column } from '../../output/column.ts';
import { schemaColumns } from '../../output/schema-columns.ts';

const rare = { hidden: true };

export const grantColumns = schemaColumns<MetricGrant>(MetricGrant, {
  company_id: rare,
  granted_by: rare,
  recipient_company_id: { heading: 'To company' },
  recipient_user_id: { heading: 'To user' },
  scope: rare,
  metric_ids: { heading: 'Metrics' },
  include_historical: { heading: 'Historical' },
  revoked_by: rare,
  created_at: rare,
  updated_at: rare,
});

/** For expressions over grants. */
export const grantRules = { status: grantStatuses, metric_ids: 'set', scope: 'set' } as const;

/** The result of one revocation. */
export interface RevokeRow {
  id: string;
  outcome: 'revoked' | 'unchanged' | 'skipped' | 'failed';
  revoked_at: string | null;
  error: string | null;
}

export const revokeColumns: Column<RevokeRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'outcome', heading: 'Outcome', get: (row) => row.outcome },
  { key: 'revoked_at', heading: 'Revoked', type: 'datetime', get: (row) => row.revoked_at },
  { key: 'error', heading: 'Error', get: (row) => row.error },
];

export const auditColumns: Column<AuditFinding>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'rule', heading: 'Rule', get: (row) => row.rule },
  { key: 'recipient', heading: 'Recipient', type: 'id', get: (row) => row.recipient },
  { key: 'detail', heading: 'Finding', get: (row) => row.detail },
];

/** A column for each metric; `history`, `latest`, or empty where the recipient may not read it. */
export function matrixColumns(metrics: readonly string[]): Column<MatrixRow>[] {
  return [
    { key: 'recipient', heading: 'Recipient', type: 'id', get: (row) => row.recipient },
    { key: 'grants', heading: 'Grants', type: 'integer', get: (row) => row.grants },
    ...metrics.map(
      (metric): Column<MatrixRow> => ({
        key: metric === 'recipient' || metric === 'grants' ? `metrics.${metric}` : metric,
        path: ['metrics', metric],
        get: ({ metrics: given }) => (Object.hasOwn(given, metric) ? given[metric] : undefined),
      }),
    ),
  ];
}
