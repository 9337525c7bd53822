/** Grants, and what could be read under them. */

import type { Context } from '../../cli/context.ts';
import { longName } from '../../cli/define.ts';
import { changeTones } from '../../cli/outcomes.ts';
import { withPast } from '../../cli/past.ts';
import type { RowFlags } from '../../cli/query.ts';
import { showRows } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { Failure, usage } from '../../core/errors.ts';
import { endMonth, parsePeriod, periodAt, readInstant, startMonth } from '../../core/periods.ts';
import { numberChange } from '../../domain/analysis/difference.ts';
import {
  grantsOf,
  inForce,
  type LedgerValue,
  readableAt,
  readableValues,
  recipientOf,
  unitsOf,
} from '../../domain/history/ledger.ts';
import { momentOf, syncAt } from '../../domain/history/steps.ts';
import { lastUnit, type RangeWords, seriesRange } from '../../domain/series/range.ts';
import { measureOf } from '../../domain/series/units.ts';
import type { Column } from '../../output/column.ts';
import { amountColumn, metric, unit } from '../metrics/columns.ts';
import { metricIds } from '../metrics/read.ts';
import { differencesOf } from './columns.ts';

interface Flags extends RowFlags {
  recipient?: string;
  asOf?: string;
  by?: string;
  changed?: boolean;
  metrics?: string[];
  from?: string;
  to?: string;
  last?: string;
  failOn?: string;
  mirror?: string;
}

export async function showLedger(ctx: Context, flags: Flags): Promise<void> {
  const { recipient, asOf: on, by, changed, metrics, from, to: until, last, failOn, mirror, ...asking } = flags;
  const range = { from, to: until, last };
  const values = by === 'value';
  if (changed && !values) throw usage('--changed chooses values', 'add --by value');
  const company = ctx.requireCompany();
  const to = recipient === undefined ? undefined : ctx.companyOf(recipient, '--recipient');
  const ids = metricIds(metrics);
  const ledger = await withPast(
    ctx,
    async ({ history, syncs, times, newest }) => {
      const at = on === undefined ? times.newest : momentOf(on, () => new Date(newest.seenAt), 'last', '--as-of');
      syncAt(syncs, at, '--as-of');
      const all = await grantsOf(history, company);
      const grants = all.filter((grant) => to === undefined || recipientOf(grant)?.id === to);
      const companyValues = await readableValues(history, company);
      const units = await unitsOf(history, company);
      const isInRange = withinRange(range, new Date(at));
      const readable = readableAt(grants, companyValues, at).filter(
        ({ metricId, periodKey }) => (ids === undefined || ids.includes(metricId)) && isInRange(periodKey),
      );
      return { at, newest: times.newest, grants, readable, units, basis: companyValues.basis };
    },
    mirror,
  );
  const { basis, readable } = ledger;
  if (basis === 'series') {
    ctx.out.note('No own reports in the mirror: values are of the series.');
  }
  const query = { flags: asking, command: ['published ledger', to, on, values, changed, ids, flags.where] };
  if (values) {
    const rows = readable.map((value) => valueRow(value, ledger.units.get(value.metricId), basis));
    await showRows(
      ctx,
      async () => (changed ? rows.filter(({ outcome }) => outcome !== 'unchanged') : rows),
      valueColumns,
      {
        ...query,
        name: ({ metricId, periodKey }: LedgerValueRow) => `${metricId} ${periodKey}`,
        counts: ['value', 'values'] as const,
        empty:
          changed && readable.length > 0 ? `All ${readable.length} values are unchanged.` : 'No values could be read.',
        id: (row) => row.metricId,
        rules: { outcome: valueOutcomes },
      },
    );
  } else {
    const rows = ledger.grants.map((grant) => grantRow(grant, ledger, readable));
    await showRows(ctx, async () => rows, grantColumns, {
      ...query,
      name: ({ id }) => String(id),
      counts: ['grant', 'grants'],
      rules: { state: grantStates },
      empty: 'No grants.',
      next: 'comem published ledger --by value for the values',
    });
  }
  const broken = readable.filter(({ outcome }) => outcome !== 'unchanged').length;
  if (failOn === undefined || broken === 0) return;
  throw new Failure('no', `${amount(broken, 'value', 'values')} changed since they could be read`, {
    code: 'restated',
  });
}

/** Whether a period is in the range of `--from`, `--to` and `--last`; without them each is. */
function withinRange(words: RangeWords, now: Date): (periodKey: string) => boolean {
  if ((words.from ?? words.to ?? words.last) === undefined) return () => true;
  const type = lastUnit(words.last) ?? 'month';
  const { from, to } = seriesRange(words, type, periodAt(now, type), longName);
  const [first, end] = [from && startMonth(from), to && endMonth(to)];
  return (periodKey) => {
    const period = parsePeriod(periodKey);
    if (!period) return false;
    return (first === undefined || startMonth(period) >= first) && (end === undefined || endMonth(period) <= end);
  };
}

function valueRow(value: LedgerValue, unit: string | undefined, basis: 'series' | 'published') {
  const { recipient, metricId, periodKey, value: then, now, outcome, since, until, grants } = value;
  return {
    recipient: recipient.id,
    recipientKind: recipient.kind,
    metricId,
    periodKey,
    value: then,
    now,
    outcome,
    basis,
    ...numberChange(then, now, measureOf({ unit })),
    since: new Date(since).toISOString(),
    until: until === undefined ? null : new Date(until).toISOString(),
    grants: grants.flatMap(({ id }) => id ?? []),
    ...(unit !== undefined && { unit }),
  };
}

function grantRow(
  grant: MetricGrant,
  { at, basis }: { at: number; basis: 'series' | 'published' },
  readable: readonly LedgerValue[],
) {
  const { from, to } = inForce(grant);
  const values = readable.filter(({ grants }) => grants.includes(grant));
  const recipient = recipientOf(grant);
  const ended = grant.revoked_at && (readInstant(grant.revoked_at) ?? 0) <= at ? 'revoked' : 'expired';
  return {
    id: grant.id,
    recipient: recipient?.id,
    recipientKind: recipient?.kind,
    basis,
    granted: grant.created_at,
    ends: Number.isFinite(to) ? new Date(to).toISOString() : null,
    state: at < from ? 'not yet' : at < to ? 'active' : ended,
    metrics: grant.metric_ids ?? [],
    history: grant.include_historical === true,
    note: grant.note,
    values: values.length,
    changed: values.filter(({ outcome }) => outcome !== 'unchanged').length,
  };
}

interface OfRecipient {
  recipient: string | undefined;
  recipientKind: 'company' | 'user' | undefined;
  /** The origin of the values: published reports, or the series. */
  basis: 'series' | 'published';
}

const grantStates = ['active', 'expired', 'revoked', 'not yet'] as const;
const valueOutcomes = ['unchanged', 'restated', 'removed'] as const;

type LedgerGrantRow = ReturnType<typeof grantRow>;

const rare = { hidden: true };

const recipient: Column<OfRecipient> = {
  ...{ key: 'recipient', heading: 'Recipient', type: 'id', rank: 0 },
  get: (row) => row.recipient,
  names: (row) => row.recipient,
};
const recipientKind: Column<OfRecipient> = { key: 'recipientKind', get: (row) => row.recipientKind, ...rare };
const basis: Column<OfRecipient> = { key: 'basis', heading: 'Basis', get: (row) => row.basis, ...rare };

const grantColumns: Column<LedgerGrantRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  recipient,
  { key: 'granted', heading: 'Granted', type: 'datetime', rank: 1, get: (row) => row.granted },
  {
    key: 'ends',
    heading: 'Expires',
    aliases: ['expires'],
    type: 'datetime',
    rank: 2,
    absent: 'never',
    dates: 'expiry',
    get: (row) => row.ends,
  },
  {
    key: 'state',
    heading: 'Status',
    aliases: ['status'],
    rank: 3,
    tones: { active: 'green', expired: 'yellow', revoked: 'dim' },
    get: (row) => row.state,
  },
  { key: 'metrics', heading: 'Metrics', rank: 4, absent: 'all metrics', get: (row) => row.metrics.join(', ') || null },
  { key: 'history', heading: 'History', type: 'boolean', rank: 20, get: (row) => row.history },
  { key: 'values', heading: 'Values', type: 'integer', rank: 5, get: (row) => row.values },
  { key: 'changed', heading: 'Changed', type: 'integer', rank: 6, get: (row) => row.changed },
  { key: 'note', heading: 'Note', rank: 21, get: (row) => row.note },
  recipientKind,
  basis,
];

type LedgerValueRow = ReturnType<typeof valueRow>;

const valueColumns: Column<LedgerValueRow>[] = [
  recipient,
  { ...metric, rank: 1 },
  {
    ...{ key: 'periodKey', heading: 'Period', aliases: ['period'], rank: 2 },
    get: (row) => row.periodKey,
  },
  { ...amountColumn<LedgerValueRow>('value', 'Then', (row) => row.value), rank: 4 },
  { ...amountColumn<LedgerValueRow>('now', 'Now', (row) => row.now), rank: 5 },
  ...differencesOf<LedgerValueRow>((row) => [row.now, row.value]).map((column) => ({
    ...column,
    rank: column.key === 'percent' ? 6 : 20,
  })),
  { key: 'outcome', heading: 'Outcome', rank: 7, tones: changeTones, get: (row) => row.outcome },
  { key: 'since', heading: 'Since', title: 'Readable since', type: 'datetime', rank: 8, get: (row) => row.since },
  { key: 'until', heading: 'Until', type: 'datetime', rank: 21, absent: 'no end', get: (row) => row.until },
  { key: 'grants', heading: 'Grants', ...rare, get: (row) => row.grants.join('; ') },
  recipientKind,
  basis,
  unit,
];
