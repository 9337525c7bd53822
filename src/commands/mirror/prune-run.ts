/** `mirror prune`. */
import type { Context } from '../../cli/context.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount, timeText } from '../../cli/words.ts';
import { usage } from '../../core/errors.ts';
import { parseDuration, shifted } from '../../domain/expression/time.ts';
import { mirrorStatus, type Pruned, prune } from '../../mirror/report.ts';
import { prunedColumns } from './columns.ts';

export async function pruneMirror(ctx: Context, folder: string, keep: string): Promise<void> {
  refuseRaw(ctx, 'it sends no request');
  if (!(await ctx.out.check(prunedColumns))) return;
  const before = ageOf(keep, '--keep', ctx.now());
  const pruned = await prune(folder, before, async (preview) => {
    if (total(preview) > 0)
      await ctx.confirm(`Remove ${summary(preview)}, all that ended before ${timeText(preview.firstAt)}?`);
  });
  if (pruned) {
    const { untidy, ...removed } = pruned;
    await ctx.out.value(removed, prunedColumns);
    ctx.out.note(`Removed ${summary(pruned)}; history starts at ${timeText(pruned.firstAt)}.`);
    if (untidy !== undefined) ctx.out.warn(`the versions are removed, but their room is not given back (${untidy})`);
    return;
  }
  const { firstAt } = await mirrorStatus(folder);
  const nothing = { firstSync: 0, firstAt: firstAt ?? '', entries: 0, points: 0, others: 0 };
  await ctx.out.value(nothing, prunedColumns);
  ctx.out.note(
    `Nothing to remove: history starts at ${timeText(nothing.firstAt)}, and --keep ${keep} goes back to ${timeText(before)}.`,
  );
}

/** @throws usage */
function ageOf(text: string, flag: string, now: Date): Date {
  const age = parseDuration(text.trim());
  if (!age) throw usage(`${flag} must be an age such as 90d, 6mo or 2y, got "${text}"`);
  const at = now.getTime();
  return new Date(shifted({ start: at, end: at }, age, -1).start);
}

function total({ entries, points, others }: Pruned): number {
  return entries + points + others;
}

function summary(pruned: Pruned): string {
  const { entries, points, others } = pruned;
  return `${amount(total(pruned), 'version', 'versions')} (${entries} of entries, ${points} of values, ${others} of other things)`;
}
