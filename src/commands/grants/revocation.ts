/** `grants revoke` from its plan to its counts, with the outcome of each grant. */

import { planCall, planLines, type RowStep, rowsVerdict, writeRows } from '../../cli/bulk.ts';
import type { Context } from '../../cli/context.ts';
import { amount } from '../../cli/words.ts';
import type { Outcome } from '../../client/bulk.ts';
import { listGrants, revokeGrant } from '../../contract/metric-operations.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import { dayOfTime } from '../../core/periods.ts';
import { isEnded, isRevoked, recipientOf } from '../../domain/grants.ts';
import { type RevokeRow, revokeColumns } from './columns.ts';
import { type ChosenGrant, isToSend, writePlan } from './plan.ts';

/** @throws after the rows were printed: partial when some failed and some did not, else the class that all share */
export async function revokeGrants(ctx: Context, chosen: readonly ChosenGrant[], planOut: string | undefined) {
  if (planOut !== undefined) {
    const count = await writePlan(ctx, planOut, chosen);
    ctx.out.note(`Wrote a plan for ${amount(count, 'grant', 'grants')} to ${planOut}; nothing was revoked.`);
    return;
  }
  const unsent = chosen.filter(isToSend);
  const grants = new Map(chosen.flatMap(({ id, grant }) => (grant ? [[id, grant] as const] : [])));
  const subject = unsent.length === 1 ? `the grant ${unsent[0]?.id}` : amount(unsent.length, 'grant', 'grants');
  await writeRows<RevokeRow>(ctx, {
    plan: chosen.length > 0 ? planOf(ctx, chosen, unsent) : [],
    ...(unsent.length > 0 && { question: `Revoke ${subject}?` }),
    steps: stepsOf(ctx, chosen, grants),
    doing: 'Revoking',
    columns: revokeColumns((id) => grants.get(id)),
    empty: 'No grants were named.',
    name: ({ id }) => id,
    counted: ['revoked', 'unchanged', 'skipped', 'failed'],
    // A missing credential fails every row, so it ends the command.
    options: { isFatal: ({ kind, status }) => kind === 'usage' || (kind === 'credential' && status === undefined) },
    verdict: (results) => rowsVerdict(results, (failed, all) => `${failed} of ${all} grants could not be revoked`),
  });
}

type Revoked = Pick<RevokeRow, 'outcome'> & Partial<RevokeRow>;

/** Once everything is sent, the list is read for the state of grants whose answers do not tell it. */
function stepsOf(ctx: Context, chosen: readonly ChosenGrant[], grants: Map<string, MetricGrant>): RowStep<RevokeRow>[] {
  const read = async () => {
    const grants = await (await ctx.client()).call(listGrants);
    return new Map(grants.map((grant) => [grant.id?.toLowerCase(), grant]));
  };
  let states: ReturnType<typeof read> | undefined;
  return chosen.map((choice): RowStep<RevokeRow> => {
    const { id, grant, skipped } = choice;
    const row = { id, revoked_at: null };
    if (skipped !== undefined) return { row, outcome: 'skipped', reason: skipped };
    if (!isToSend(choice)) return { row: { id, revoked_at: grant?.revoked_at ?? null }, outcome: 'unchanged' };
    return {
      row,
      call: planCall(revokeGrant, { params: { id } }),
      step: {
        async send() {
          const answer = await (await ctx.client()).call(revokeGrant, { params: { id } });
          grants.set(id, { ...grant, ...answer });
          return outcomeOf(id, answer);
        },
        async verify(failure, sent) {
          if (!listTells(failure)) return { is: 'failed', failure };
          states ??= sent.then(read);
          const grant = (await states).get(id.toLowerCase());
          if (grant) grants.set(id, grant);
          if (grant && isEnded(grant)) (await ctx.client()).answered?.(revokeGrant, { params: { id } }, grant);
          return verdictOf(id, failure, grant);
        },
      },
    };
  });
}

/** @throws rejected for an answer that is not the revoked grant */
function outcomeOf(id: string, grant: MetricGrant): Revoked {
  if (isRevoked(grant)) return { outcome: 'revoked', revoked_at: grant.revoked_at ?? null };
  const says = `the server answered the revocation of ${id}, but the grant is still ${grant.status}`;
  throw new Failure('rejected', says, { hint: 'look at it with `comem grants get` before you repeat the command' });
}

/** Whether the list has to show the state of the grant: the answer proves nothing, or is a 4xx but no 401, 403 or 429. */
function listTells({ status = 0, kind }: Failure): boolean {
  if (isUnproven(status)) return kind === 'rejected' || kind === 'tryLater';
  return status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 429;
}

const isUnproven = (status = 0): boolean => status < 300 || status >= 500;

function verdictOf(id: string, failure: Failure, grant: MetricGrant | undefined): Outcome<Revoked> {
  const { status, request, isRepeated } = failure;
  if (!grant) {
    const hint = '`comem grants list` shows them';
    const absent = new Failure('notFound', `the company has no grant ${id}`, { hint, status, request });
    return { is: 'failed', failure: absent };
  }
  if (!isEnded(grant)) return { is: 'failed', failure };
  const outcome = isRepeated || isUnproven(status) ? 'revoked' : 'unchanged';
  return { is: 'done', value: { outcome, revoked_at: grant.revoked_at ?? null } };
}

function recipientName(ctx: Context, grant: MetricGrant): string {
  const id = recipientOf(grant);
  return id === undefined || id === null ? 'nobody' : (ctx.companyName(id) ?? id);
}

function planOf(ctx: Context, chosen: readonly ChosenGrant[], unsent: readonly ChosenGrant[]): string[] {
  const skipped = chosen.filter((choice) => choice.skipped !== undefined).length;
  const revoked = chosen.length - unsent.length - skipped;
  const others = [
    ...(revoked > 0 ? [`${revoked} revoked already`] : []),
    ...(skipped > 0 ? [`${skipped} not chosen by the flags`] : []),
  ];
  const rows = unsent.map(({ id, grant }) => {
    if (!grant) return [`  ${id}`];
    const metrics = grant.metric_ids ?? [];
    const names = metrics.length === 0 ? 'all metrics' : metrics.slice(0, 5).join(', ');
    const expiry = grant.expires_at ? `expires ${dayOfTime(grant.expires_at)}` : 'never expires';
    return [`  ${id}: ${names}${metrics.length > 5 ? ' and more' : ''} to ${recipientName(ctx, grant)}, ${expiry}`];
  });
  const head = `revoke ${amount(unsent.length, 'grant', 'grants')}${others.length > 0 ? ` (${others.join(', ')})` : ''}`;
  return planLines(head, rows);
}
