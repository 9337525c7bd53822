/** Columns of the ledger: grants, and values that could be read under them. */
import type { Numeric } from '../../../core/json.ts';
import { shortPeriod } from '../../../core/periods.ts';
import type { Column } from '../../../output/column.ts';
import { amountColumn, type MetricRow, metric, percentColumn, unit } from '../../metrics/columns.ts';

interface OfRecipient {
  recipient: string | undefined;
  recipientKind: 'company' | 'user' | undefined;
  /** What the values are: those of published reports, or of the series. */
  basis: 'series' | 'published';
}

export const grantStates = ['active', 'expired', 'revoked', 'not yet'] as const;
export const valueOutcomes = ['unchanged', 'restated', 'removed'] as const;

export interface LedgerGrantRow extends OfRecipient {
  id: string | undefined;
  granted: string | undefined;
  ends: string | null;
  state: (typeof grantStates)[number];
  metrics: readonly string[];
  history: boolean;
  values: number;
  changed: number;
  note: string | undefined;
}

const rare = { hidden: true };

const recipient: Column<OfRecipient> = {
  ...{ key: 'recipient', heading: 'Recipient', type: 'id', rank: 0 },
  get: (row) => row.recipient,
  names: (row) => row.recipient,
};
const recipientKind: Column<OfRecipient> = { key: 'recipientKind', get: (row) => row.recipientKind, ...rare };
const basis: Column<OfRecipient> = { key: 'basis', heading: 'Basis', get: (row) => row.basis, ...rare };

export const grantColumns: Column<LedgerGrantRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  recipient,
  { key: 'granted', heading: 'Granted', type: 'datetime', rank: 1, get: (row) => row.granted },
  { key: 'ends', heading: 'Ends', type: 'datetime', rank: 2, absent: 'never', dates: 'expiry', get: (row) => row.ends },
  { key: 'state', heading: 'State', rank: 3, states: true, get: (row) => row.state },
  { key: 'metrics', heading: 'Metrics', rank: 4, absent: 'all metrics', get: (row) => row.metrics.join(', ') || null },
  { key: 'history', heading: 'History', type: 'boolean', rank: 20, get: (row) => row.history },
  { key: 'values', heading: 'Values', type: 'integer', rank: 5, get: (row) => row.values },
  { key: 'changed', heading: 'Changed', type: 'integer', rank: 6, get: (row) => row.changed },
  { key: 'note', heading: 'Note', rank: 21, get: (row) => row.note },
  recipientKind,
  basis,
];

export interface LedgerValueRow extends MetricRow, OfRecipient {
  periodKey: string;
  value: Numeric | null;
  now: Numeric | null | undefined;
  difference: Numeric | null;
  percent: Numeric | null;
  outcome: (typeof valueOutcomes)[number];
  since: string;
  until: string | null;
  grants: readonly string[];
}

export const valueColumns: Column<LedgerValueRow>[] = [
  recipient,
  { ...metric, rank: 1 },
  {
    ...{ key: 'periodKey', heading: 'Period', rank: 2 },
    get: (row) => row.periodKey,
    onScreen: (row) => shortPeriod(row.periodKey),
  },
  { ...amountColumn<LedgerValueRow>('value', 'Then', (row) => row.value), rank: 4 },
  { ...amountColumn<LedgerValueRow>('now', 'Now', (row) => row.now), rank: 5 },
  { ...amountColumn<LedgerValueRow>('difference', 'Difference', (row) => row.difference), rank: 20 },
  { ...percentColumn<LedgerValueRow>('percent', '%', (row) => row.percent), rank: 6, change: true },
  { key: 'outcome', heading: 'Outcome', rank: 7, states: true, get: (row) => row.outcome },
  { key: 'since', heading: 'Since', title: 'Readable since', type: 'datetime', rank: 8, get: (row) => row.since },
  { key: 'until', heading: 'Until', type: 'datetime', rank: 21, absent: 'no end', get: (row) => row.until },
  { key: 'grants', heading: 'Grants', ...rare, get: (row) => row.grants.join('; ') },
  recipientKind,
  basis,
  unit,
];
