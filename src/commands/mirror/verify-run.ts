/** `mirror verify`: the newest sync compared with the API, row by row. */
import type { Context } from '../../cli/context.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { changeKinds } from '../../domain/history/changes.ts';
import { logView } from '../changes/columns.ts';
import { pastChanges, readsOf } from '../changes/read.ts';
import { withLive } from './read.ts';

export async function verifyMirror(ctx: Context, folder: string): Promise<void> {
  refuseRaw(ctx, 'it reads many responses');
  if (!(await ctx.out.check(logView.columns))) return;
  const { result, read, lastAt, verdict } = await withLive(ctx, folder, (history, after) =>
    pastChanges(ctx, { history, reads: readsOf(history) }, { kinds: changeKinds, span: { after } }),
  );
  // No sync has seen these changes, so they have no times.
  const rows = result.map((change) => ({ ...logView.row(change), seen: null, notBefore: null }));
  await ctx.out.rows(rows, logView.columns, { counts: ['difference', 'differences'], empty: 'No differences.' });
  ctx.out.note(`${amount(read, 'row was', 'rows were')} compared with the state of ${lastAt}.`);
  if (rows.length > 0) {
    throw new Failure('no', `the mirror and the API differ in ${amount(rows.length, 'place', 'places')}`, {
      hint: '`comem mirror sync` takes over what changed',
    });
  }
  if (verdict) throw verdict;
}
