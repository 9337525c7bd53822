/** `mirror verify`: a sync whose result is listed and thrown away. */
import type { Context } from '../../cli/context.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { beginSync } from '../../mirror/begin.ts';
import { noSyncYet } from '../../mirror/database.ts';
import { mirrorStatus } from '../../mirror/report.ts';
import { type LogRow, logColumns } from './columns.ts';
import { logRows } from './log-rows.ts';
import { type Asked, askedOf } from './sync/asked.ts';
import { Sync } from './sync/parts.ts';
import { addressOf, readParts } from './sync/run.ts';

export async function verifyMirror(ctx: Context, folder: string): Promise<void> {
  refuseRaw(ctx, 'it reads many responses');
  if (!(await ctx.out.check(logColumns))) return;
  const { asked: last, lastAt } = await mirrorStatus(folder);
  if (lastAt === null) throw noSyncYet(folder);
  const { unread: _, ...narrow } = last as Pick<Asked, 'companies' | 'lists' | 'metrics' | 'from'> & {
    unread?: unknown;
  };
  const asked: Asked = { ...askedOf(ctx, {}), ...narrow };
  const writer = await beginSync(folder, addressOf(ctx), ctx.now().toISOString());
  writer.thorough = true;
  const sync = new Sync(ctx, writer, asked);
  let rows: LogRow[];
  try {
    await readParts(sync);
    rows = await writer.differences((history) => logRows(history, { since: lastAt }));
  } catch (error) {
    throw await writer.abandon(error);
  } finally {
    ctx.out.progress(undefined);
  }
  await writer.abandon(undefined);
  const own = rows.map((row) => ({ ...row, seen: null, notBefore: null }));
  await ctx.out.rows(own, logColumns, { counts: ['difference', 'differences'], empty: 'No differences.' });
  const { read } = sync.sum;
  ctx.out.note(`${amount(read, 'row was', 'rows were')} compared with the state of ${lastAt}.`);
  if (rows.length > 0) {
    throw new Failure('no', `the mirror and the API differ in ${amount(rows.length, 'place', 'places')}`, {
      hint: '`comem mirror sync` takes over what changed',
    });
  }
  const verdict = sync.verdict();
  if (verdict) throw verdict;
}
