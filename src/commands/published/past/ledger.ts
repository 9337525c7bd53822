/** `published ledger`: grants and what could be read under them. */

import { showRows } from '../../../cli/asking.ts';
import type { Context } from '../../../cli/context.ts';
import { withPast } from '../../../cli/past.ts';
import type { AskFlags } from '../../../cli/query.ts';
import { amount } from '../../../cli/words.ts';
import type { MetricGrant } from '../../../contract/metrics.ts';
import { difference, magnitude, quotient } from '../../../core/decimal.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { isNumeric } from '../../../core/json.ts';
import { readInstant } from '../../../core/periods.ts';
import { percent } from '../../../domain/analysis/growth.ts';
import { grantsOf, shownOf, unitsOf } from '../../../domain/history/company.ts';
import { inForce, type LedgerValue, readableAt, recipientOf } from '../../../domain/history/ledger.ts';
import { momentOf, syncAt } from '../../../domain/history/when.ts';
import { metricIds } from '../../metrics/read.ts';
import {
  grantColumns,
  grantStates,
  type LedgerGrantRow,
  type LedgerValueRow,
  valueColumns,
  valueOutcomes,
} from './ledger-columns.ts';

interface Flags extends AskFlags {
  recipient?: string;
  on?: string;
  values?: boolean;
  changed?: boolean;
  metrics?: string[];
  failOn?: string;
  mirror?: string;
}

export async function showLedger(ctx: Context, flags: Flags): Promise<void> {
  const { recipient, on, values, changed, metrics, failOn, mirror, ...asking } = flags;
  if (changed && !values) throw usage('--changed chooses values', 'add --values');
  const company = ctx.requireCompany();
  const to = recipient === undefined ? undefined : ctx.companyOf(recipient, '--recipient');
  const ids = metricIds(metrics);
  const found = await withPast(
    ctx,
    async ({ history, syncs, times, newest }) => {
      const at = on === undefined ? times.newest : momentOf(on, () => new Date(newest.seenAt), 'last', '--on');
      syncAt(syncs, at, '--on');
      const all = await grantsOf(history, company);
      const grants = all.filter((grant) => to === undefined || recipientOf(grant)?.id === to);
      const shown = await shownOf(history, company);
      const units = await unitsOf(history, company);
      const readable = readableAt(grants, shown, at).filter(
        ({ metricId }) => ids === undefined || ids.includes(metricId),
      );
      return { at, newest: times.newest, grants, readable, units, basis: shown.basis };
    },
    mirror,
  );
  const { basis, readable } = found;
  if (basis === 'series') {
    ctx.out.note('No own reports in the mirror: values are of the series.');
  }
  const shown = { flags: asking, command: ['published ledger', to, on, values, changed, ids, flags.where] };
  if (values) {
    const rows = readable.map((value) => valueRow(value, found.units.get(value.metricId), basis));
    await showRows(
      ctx,
      async () => (changed ? rows.filter(({ outcome }) => outcome !== 'unchanged') : rows),
      valueColumns,
      {
        ...{
          ...shown,
          name: ({ metricId, periodKey }: LedgerValueRow) => `${metricId} ${periodKey}`,
          counts: ['value', 'values'] as const,
        },
        empty:
          changed && readable.length > 0 ? `All ${readable.length} values are unchanged.` : 'No values could be read.',
        id: (row) => row.metricId,
        rules: { outcome: valueOutcomes },
      },
    );
  } else {
    const rows = found.grants.map((grant) => grantRow(grant, found, readable));
    await showRows(ctx, async () => rows, grantColumns, {
      ...{ ...shown, name: ({ id }: LedgerGrantRow) => String(id), counts: ['grant', 'grants'] as const },
      rules: { state: grantStates },
      empty: 'No grants.',
      next: 'comem published ledger --values for the values',
    });
  }
  const broken = readable.filter(({ outcome }) => outcome !== 'unchanged').length;
  if (failOn === undefined || broken === 0) return;
  throw new Failure('no', `${amount(broken, 'value', 'values')} changed since they could be read`, {
    code: 'restated',
  });
}

function valueRow(value: LedgerValue, unit: string | undefined, basis: 'series' | 'published'): LedgerValueRow {
  const { recipient, metricId, periodKey, value: then, now, outcome, since, until, grants } = value;
  const gap = isNumeric(then) && isNumeric(now) ? difference(now, then) : null;
  return {
    ...{
      recipient: recipient.id,
      recipientKind: recipient.kind,
      metricId,
      periodKey,
      value: then,
      now,
      outcome,
      basis,
    },
    difference: gap,
    percent: gap !== null && isNumeric(then) ? percent(quotient(gap, magnitude(then))) : null,
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
): LedgerGrantRow {
  const { from, to } = inForce(grant);
  const own = readable.filter(({ grants }) => grants.includes(grant));
  const recipient = recipientOf(grant);
  const ended = grant.revoked_at && (readInstant(grant.revoked_at) ?? 0) <= at ? 'revoked' : 'expired';
  return {
    ...{ id: grant.id, recipient: recipient?.id, recipientKind: recipient?.kind, basis },
    ...{ granted: grant.created_at, ends: Number.isFinite(to) ? new Date(to).toISOString() : null },
    state: at < from ? 'not yet' : at < to ? 'active' : ended,
    ...{ metrics: grant.metric_ids ?? [], history: grant.include_historical === true, note: grant.note },
    ...{ values: own.length, changed: own.filter(({ outcome }) => outcome !== 'unchanged').length },
  };
}
