/** Columns of what is said about grants: findings of the audit, recipients by metric. */
import type { AuditFinding, MatrixRow } from '../../domain/grants/audit.ts';
import type { Column } from '../../output/column.ts';

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
