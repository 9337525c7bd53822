/** Columns of grants, of their revocation, and of the audit. */
import { outcomeTones } from '../../cli/outcomes.ts';
import type { ScopeRules } from '../../cli/query.ts';
import { grantStatuses, MetricGrant } from '../../contract/metrics.ts';
import { dayOfTime } from '../../core/periods.ts';
import { type AuditFinding, type MatrixRow, recipientOf } from '../../domain/grants.ts';
import type { Column } from '../../output/column.ts';
import { schemaColumns } from '../../output/column.ts';

const rare = { hidden: true };

export const grantTones = { active: 'green', expired: 'yellow', revoked: 'dim' } as const;

/** The end of a revoked grant: `revoked 2025-10-14`. */
export function revokedText(revokedAt: string | null | undefined): string | undefined {
  return revokedAt ? `revoked ${dayOfTime(revokedAt)}` : undefined;
}

const declared = schemaColumns<MetricGrant>(MetricGrant, {
  company_id: rare,
  granted_by: { ...rare, rank: 11 },
  recipient_company_id: { heading: 'To company', title: 'Recipient', rank: 1 },
  // The recipient of a table is the company or the user.
  recipient_user_id: { heading: 'To user', hidden: 'screen' },
  scope: rare,
  metric_ids: { heading: 'Metrics', rank: 2, absent: 'all metrics' },
  include_historical: { heading: 'Historical', title: 'History', rank: 3, onScreen: historyOf },
  expires_at: {
    rank: 4,
    required: true,
    absent: 'never',
    dates: 'expiry',
    onScreen: ({ revoked_at }: MetricGrant) => revokedText(revoked_at),
    tone: ({ revoked_at }: MetricGrant) => (revoked_at ? 'dim' : undefined),
  },
  status: { rank: 5, required: true, tones: grantTones },
  note: { rank: 6 },
  revoked_at: { rank: 7, hidden: 'screen' },
  revoked_by: { ...rare, rank: 11 },
  created_at: rare,
  updated_at: rare,
});

export const grantColumns = declared.map((column) =>
  column.key === 'recipient_company_id' ? { ...column, names: recipientOf } : column,
);

/** A grant without history opens the latest publication. */
export function historyOf(grant: { include_historical?: boolean; history?: boolean }): string | undefined {
  return (grant.include_historical ?? grant.history) === false ? 'latest' : undefined;
}

/** A single status is named in the line after the table. */
export function columnsFor(status: string | undefined): readonly Column<MetricGrant>[] {
  if (status === undefined) return grantColumns;
  return grantColumns.map((column) => (column.key === 'status' ? { ...column, hidden: 'screen' } : column));
}

/** Columns of a single grant: a table shows every field. */
export const oneGrantColumns = grantColumns.map(
  (column): Column<MetricGrant> => ({
    ...column,
    hidden: column.key === 'recipient_user_id' ? 'screen' : false,
  }),
);

/** The words for one grant and for several. */
export const grantCounts = ['grant', 'grants'] as const;

export function afterGrants(status: string | undefined) {
  const counts = status === undefined ? grantCounts : ([`${status} grant`, `${status} grants`] as const);
  return { counts, next: 'comem grants get ID for one' };
}

/** The types of grant columns in expressions. */
export const grantRules = { status: grantStatuses, metric_ids: 'set', scope: 'set' } as const;

/** The result of one revocation. */
export interface RevokeRow {
  id: string;
  outcome: 'revoked' | 'unchanged' | 'skipped' | 'failed';
  revoked_at: string | null;
  error: string | null;
}

/** @param grantOf a grant that was read, or that came back: tables name its recipient and metrics */
export function revokeColumns(grantOf: (id: string) => MetricGrant | undefined): Column<RevokeRow>[] {
  const recipient = ({ id }: RevokeRow) => recipientOf(grantOf(id) ?? {});
  const metrics = ({ id }: RevokeRow) => {
    const grant = grantOf(id);
    return grant && (grant.metric_ids?.join(', ') || 'all metrics');
  };
  const ofGrant = { hidden: 'offTable', inJson: 'cell' } as const;
  const idsOf = ({ id }: RevokeRow) => grantOf(id)?.metric_ids;
  return [
    { key: 'recipient_company_id', heading: 'Recipient', rank: 1, ...ofGrant, get: recipient, names: recipient },
    { key: 'metric_ids', heading: 'Metrics', rank: 4, ...ofGrant, get: idsOf, shown: metrics },
    { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
    { key: 'outcome', heading: 'Outcome', rank: 2, tones: outcomeTones, get: (row) => row.outcome },
    { key: 'revoked_at', heading: 'Revoked', rank: 3, type: 'datetime', get: (row) => row.revoked_at },
    { key: 'error', heading: 'Error', rank: 5, wraps: true, get: (row) => row.error },
  ];
}

export const auditColumns: Column<AuditFinding>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'rule', heading: 'Rule', rank: 2, whole: true, tone: () => 'yellow', get: (row) => row.rule },
  {
    key: 'recipient',
    heading: 'Recipient',
    type: 'id',
    rank: 1,
    get: (row) => row.recipient,
    names: (row) => row.recipient,
  },
  { key: 'detail', heading: 'Finding', rank: 3, wraps: true, hasIds: true, get: (row) => row.detail },
];

/** A column for each recipient: `history`, `latest`, or empty where it may not read the metric. */
export function matrixColumns(recipients: readonly { id: string; name: string; title: string }[]): Column<MatrixRow>[] {
  return [
    { key: 'metric', heading: 'Metric', rank: 1, get: (row) => row.metric, names: (row) => row.metric },
    ...recipients.map(
      ({ id, name, title }): Column<MatrixRow> => ({
        key: name === 'metric' ? `recipients.${name}` : name,
        title,
        aliases: [id],
        path: ['recipients', id],
        get: (row) => (Object.hasOwn(row.recipients, id) ? row.recipients[id] : undefined),
      }),
    ),
  ];
}

/** The types of the columns of the matrix in expressions. */
export function matrixRules(columns: readonly Column<MatrixRow>[]): ScopeRules {
  return Object.fromEntries(columns.slice(1).map(({ key }) => [key, ['latest', 'history']]));
}
