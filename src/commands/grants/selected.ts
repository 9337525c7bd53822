/** `grants revoke` from its plan to its counts. */

import { counts, shownFirst } from '../../cli/bulk-steps.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { amount } from '../../cli/words.ts';
import { operations } from '../../contract/index.ts';
import { recipientOf } from '../../domain/grants/audit.ts';
import { revokeColumns } from './columns.ts';
import type { ChosenGrant } from './plan.ts';
import { writePlan } from './plan.ts';
import { isToSend, revokeAll, revokeVerdict } from './revocation.ts';

const shown = 10;

/** @throws after the rows were printed: partial when some failed and some did not, else the class that all share */
export async function revokeGrants(
  ctx: Context,
  chosen: readonly ChosenGrant[],
  planOut: string | undefined,
): Promise<void> {
  const { out } = ctx;
  if (planOut !== undefined) {
    const count = await writePlan(ctx, planOut, chosen);
    out.note(`Wrote a plan for ${amount(count, 'grant', 'grants')} to ${planOut}; nothing was revoked.`);
    return;
  }
  const meant = chosen.filter(isToSend);
  const calls = meant.map(({ id }) => ({ op: operations.revokeGrant, input: { params: { id } } }) as PlannedCall);
  if (chosen.length > 0) for (const line of planLines(chosen, meant)) out.note(line);
  const what = meant.length === 1 ? `the grant ${meant[0]?.id}` : amount(meant.length, 'grant', 'grants');
  await ctx.prepare(calls, meant.length > 0 ? `Revoke ${what}?` : undefined);
  const results = chosen.length === 0 ? [] : revokeAll(await ctx.client(), chosen);
  let done = 0;
  for (const result of results) {
    const count = () => {
      done += 1;
      out.progress(`Revoking: ${done} of ${chosen.length}`);
    };
    result.then(count, count);
  }
  await shownFirst(ctx, results);
  async function* rows() {
    for (const result of results) yield (await result).row;
  }
  try {
    await out.rows(rows(), revokeColumns, { empty: 'No grants were named.' });
  } finally {
    // Fewer rows may be asked for than grants were revoked.
    await Promise.allSettled(results);
    out.progress(undefined);
  }
  const all = await Promise.all(results);
  out.note(`${counts(all, 'revoked')}.`);
  const failure = revokeVerdict(all);
  if (failure) throw failure;
}

function planLines(chosen: readonly ChosenGrant[], meant: readonly ChosenGrant[]): string[] {
  const skipped = chosen.filter((one) => one.skipped !== undefined).length;
  const revoked = chosen.length - meant.length - skipped;
  const others = [
    ...(revoked > 0 ? [`${revoked} revoked already`] : []),
    ...(skipped > 0 ? [`${skipped} not chosen by the flags`] : []),
  ];
  const rows = meant.slice(0, shown).map(({ id, grant }) => {
    if (!grant) return `  ${id}`;
    const { metric_ids: metrics = [] } = grant;
    const what = metrics.length === 0 ? 'all metrics' : metrics.slice(0, 5).join(', ');
    return `  ${id}: ${what}${metrics.length > 5 ? ' and more' : ''} to ${recipientOf(grant) ?? 'nobody'}`;
  });
  return [
    `Plan: revoke ${amount(meant.length, 'grant', 'grants')}${others.length > 0 ? ` (${others.join(', ')})` : ''}.`,
    ...rows,
    ...(meant.length > shown ? [`  … and ${meant.length - shown} more`] : []),
  ];
}
