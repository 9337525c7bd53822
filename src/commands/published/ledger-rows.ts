/** Grants, and what could be read under them. */

import type { Context } from '../../cli/context.ts';
import { longName } from '../../cli/define.ts';
import { changeTones } from '../../cli/outcomes.ts';
import { type Past, withPast } from '../../cli/past.ts';
import type { RowFlags } from '../../cli/query.ts';
import { showRows } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import { readInstant } from '../../core/periods.ts';
import { numberChange } from '../../domain/analysis/difference.ts';
import {
  grantsOf,
  inForce,
  type LedgerValue,
  readableIn,
  readableValues,
  recipientOf,
  unitsOf,
} from '../../domain/history/ledger.ts';
import { momentOf, syncAt } from '../../domain/history/steps.ts';
import { withinRange } from '../../domain/series/range.ts';
import { measureOf } from '../../domain/series/units.ts';
import type { Column } from '../../output/column.ts';
import { grantTones, historyOf, revokedText } from '../grants/columns.ts';
import { amountColumn, type CompanyFields, companyColumns, metric, period, unit } from '../metrics/columns.ts';
import { metricIds } from '../metrics/read.ts';
import { differencesOf } from './columns.ts';

interface LedgerFlags extends RowFlags {
  recipient?: string;
  asOf?: string;
  by?: string;
  metrics?: string[];
  from?: string;
  to?: string;
  last?: string;
  failOn?: string;
  mirror?: string;
}

export async function showLedger(ctx: Context, flags: LedgerFlags): Promise<void> {
  const { recipient, asOf: on, by, metrics, from, to: until, last, failOn, mirror, ...rowFlags } = flags;
  const range = { from, to: until, last };
  const hasValues = by === 'value';
  const named = ctx.settings.companies.value;
  const companies = named.length > 0 ? named : [ctx.requireCompany()];
  const to = recipient === undefined ? undefined : ctx.companyOf(recipient, '--recipient');
  const ids = metricIds(metrics);
  const read = async ({ history, syncs, times, newest }: Past) => {
    const at = on === undefined ? times.newest : momentOf(on, () => new Date(newest.seenAt), 'last', '--as-of');
    syncAt(syncs, at, '--as-of');
    const span = { from: on === undefined ? 0 : at, to: at };
    const isInRange = withinRange(range, new Date(at), longName);
    const ledgers = companies.map(async (company) => {
      const all = await grantsOf(history, company);
      const grants = all.filter((grant) => to === undefined || recipientOf(grant)?.id === to);
      const companyValues = await readableValues(history, company);
      const { basis } = companyValues;
      const units = await unitsOf(history, company);
      const readableOf = (some: readonly MetricGrant[]) =>
        readableIn(some, companyValues, span).filter(
          ({ metricId, periodKey }) => (ids === undefined || ids.includes(metricId)) && isInRange(periodKey),
        );
      const who = companies.length > 1 ? { company: ctx.companyName(company) ?? company, companyId: company } : {};
      const byGrant = hasValues ? [] : grants.map((grant) => ({ grant, readable: readableOf([grant]) }));
      return {
        basis,
        values: readableOf(grants).map((value) => ({ ...who, ...valueRow(value, units.get(value.metricId), basis) })),
        grants: byGrant.map((row) => ({ ...who, ...grantRow(row, { at, basis }) })),
      };
    });
    return Promise.all(ledgers);
  };
  const ledgers = await withPast(ctx, read, mirror);
  const ofSeries = ledgers.filter(({ basis }) => basis === 'series').length;
  if (ofSeries > 0) {
    const which = companies.length > 1 ? ` of ${amount(ofSeries, 'company', 'companies')}` : '';
    ctx.out.note(`The mirror has no reports of your own${which}: values come from the series.`);
  }
  const who = companies.length > 1 ? companyColumns : [];
  const query = { flags: rowFlags, command: ['published ledger', to, on, hasValues, ids, flags.where] };
  const values = ledgers.flatMap((ledger) => ledger.values);
  if (hasValues) {
    await showRows<LedgerValueRow & CompanyFields>(ctx, async () => values, [...who, ...valueColumns], {
      ...query,
      name: ({ metricId, periodKey }) => `${metricId} ${periodKey}`,
      counts: ['value', 'values'],
      empty: values.length > 0 ? 'No such values.' : 'No values could be read.',
      id: (row) => row.metricId,
      rules: { outcome: valueOutcomes },
    });
  } else {
    const rows = ledgers.flatMap(({ grants }) => grants);
    await showRows<LedgerGrantRow & CompanyFields>(ctx, async () => rows, [...who, ...grantColumns], {
      ...query,
      name: ({ id }) => String(id),
      counts: ['grant', 'grants'],
      rules: { state: grantStates },
      empty: rows.length > 0 ? 'No such grants.' : 'No grants.',
      next: 'comem published ledger --by value for the values',
    });
  }
  const broken = values.filter(({ changed }) => changed).length;
  if (failOn === undefined || broken === 0) return;
  throw new Failure('no', `${amount(broken, 'value', 'values')} changed since they could be read`, {
    code: 'restated',
  });
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
    changed: outcome !== 'unchanged',
    basis,
    ...numberChange(then, now, measureOf({ unit })),
    since: new Date(since).toISOString(),
    until: until === undefined ? null : new Date(until).toISOString(),
    grants: grants.flatMap(({ id }) => id ?? []),
    ...(unit !== undefined && { unit }),
  };
}

function grantRow(
  { grant, readable }: { grant: MetricGrant; readable: readonly LedgerValue[] },
  { at, basis }: { at: number; basis: 'series' | 'published' },
) {
  const { from, to } = inForce(grant);
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
    values: readable.length,
    changed: readable.filter(({ outcome }) => outcome !== 'unchanged').length,
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
  key: 'recipient',
  heading: 'Recipient',
  type: 'id',
  rank: 0,
  get: (row) => row.recipient,
  names: (row) => row.recipient,
};
const recipientKind: Column<OfRecipient> = {
  key: 'recipientKind',
  heading: 'Kind of recipient',
  get: (row) => row.recipientKind,
  ...rare,
};
const basis: Column<OfRecipient> = { key: 'basis', heading: 'Basis', get: (row) => row.basis, ...rare };

const grantColumns: Column<LedgerGrantRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  recipient,
  { key: 'granted', heading: 'Granted', type: 'datetime', rank: 6, get: (row) => row.granted },
  {
    key: 'ends',
    heading: 'Expires',
    type: 'datetime',
    rank: 3,
    absent: 'never',
    dates: 'expiry',
    get: (row) => row.ends,
    onScreen: ({ state, ends }) => (state === 'revoked' ? revokedText(ends) : undefined),
    tone: ({ state }) => (state === 'revoked' ? 'dim' : undefined),
  },
  {
    key: 'state',
    heading: 'Status',
    rank: 2,
    required: true,
    tones: grantTones,
    get: (row) => row.state,
  },
  { key: 'metrics', heading: 'Metrics', rank: 1, absent: 'all metrics', get: (row) => row.metrics.join(', ') || null },
  {
    key: 'history',
    heading: 'History',
    type: 'boolean',
    rank: 20,
    get: (row) => row.history,
    onScreen: historyOf,
  },
  { key: 'values', heading: 'Values', type: 'integer', rank: 5, get: (row) => row.values },
  { key: 'changed', heading: 'Changed', type: 'integer', rank: 4, required: true, get: (row) => row.changed },
  { key: 'note', heading: 'Note', rank: 21, get: (row) => row.note },
  recipientKind,
  basis,
];

type LedgerValueRow = ReturnType<typeof valueRow>;

const valueColumns: Column<LedgerValueRow>[] = [
  recipient,
  { ...metric, rank: 1 },
  { ...period, saidOnce: false, required: false },
  { ...amountColumn<LedgerValueRow>('value', 'Then', (row) => row.value), rank: 4 },
  { ...amountColumn<LedgerValueRow>('now', 'Now', (row) => row.now), rank: 5 },
  ...differencesOf<LedgerValueRow>((row) => [row.now, row.value]).map((column) => ({
    ...column,
    rank: column.key === 'percent' ? 6 : 20,
  })),
  { key: 'outcome', heading: 'Outcome', rank: 7, tones: changeTones, get: (row) => row.outcome },
  { key: 'changed', type: 'boolean', heading: 'Changed', get: (row) => row.changed, ...rare },
  { key: 'since', heading: 'Since', title: 'Readable since', type: 'datetime', rank: 8, get: (row) => row.since },
  { key: 'until', heading: 'Until', type: 'datetime', rank: 21, absent: 'no end', get: (row) => row.until },
  { key: 'grants', heading: 'Grants', ...rare, get: (row) => row.grants.join('; ') },
  recipientKind,
  basis,
  unit,
];
