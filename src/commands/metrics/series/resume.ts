/** A series that is written behind what an interrupted run has written. */

import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';
import { formatPeriod } from '../../../core/periods.ts';
import { type Checkpoint, openCheckpoint, type Part } from './checkpoint.ts';
import { formatOf } from './format.ts';
import type { Writing } from './made.ts';
import type { PlannedSeries } from './request.ts';
import type { SeriesWish } from './show.ts';

/** Formats whose rows can be added to. */
const additive = ['csv', 'tsv', 'ndjson', 'json', 'yaml', 'md'];

/** @throws usage for what cannot be gone on with */
export function openSeriesCheckpoint(
  ctx: Context,
  wish: SeriesWish,
  companies: readonly string[],
): Promise<Checkpoint> {
  const refuse = (why: string, hint: string) => {
    throw usage(`--checkpoint goes on with an interrupted export, and ${why}`, hint);
  };
  const format = formatOf(ctx);
  if (ctx.settings.jq !== undefined)
    refuse('--jq needs the whole result', 'export it with -o json, and run jq on that');
  if (!additive.includes(format)) refuse(`-o ${format} cannot be added to`, `use -o ${additive.join(', ')}`);
  if (wish.transpose) refuse('--transpose needs the whole series before its first row', 'leave one of them out');
  if (wish.cursor !== undefined) refuse('--cursor is a place to go on from by itself', 'leave one of them out');
  return openCheckpoint(ctx, wish.checkpoint ?? '', companies);
}

/** The first company that fails ends the run: what comes behind it would stand in its place. */
export function writingTo(ctx: Context, plan: PlannedSeries, wish: SeriesWish, part: Part, out = ctx.out): Writing {
  return {
    failures: undefined,
    out,
    filled: part.filled,
    whole: (rows) => rows,
    async write(rows, columns) {
      const { resume, rows: marked } = part.resumable(rows, {
        ...requestOf(ctx, plan, wish),
        columns: columns.map(({ key }) => key),
      });
      await out.rows(marked, columns, { resume });
    },
  };
}

/** All that decides the bytes of the output, by the names of their flags. */
function requestOf(ctx: Context, plan: PlannedSeries, wish: SeriesWish): Record<string, unknown> {
  const { baseUrl, fields, header, csv, out, limit } = ctx.settings;
  const { from, to, metricIds, order, periodType } = plan.request;
  return {
    ...{ 'base URL': baseUrl.value, companies: plan.companies, '--order': order },
    ...{ '--from': from && formatPeriod(from), '--to': to && formatPeriod(to), '--period-type': periodType },
    ...{ '--metrics': metricIds, '--versions': plan.versions, '--derive': plan.derive },
    ...{ '--shape': wish.shape, '--fill': wish.fill, '--agg': [...wish.aggregations], '--limit': limit },
    ...{ '--output': formatOf(ctx), '--out': out, '--fields': fields, header, csv },
  };
}

/** Says how to go on, where a run that fails has left something to go on from. */
export async function goingOn(ctx: Context, wish: SeriesWish, checkpoint: Checkpoint, run: () => Promise<void>) {
  try {
    await run();
  } catch (error) {
    if (checkpoint.kept()) {
      const again = ctx.settings.out === undefined ? 'The same command with >> goes on' : 'The same command goes on';
      ctx.out.note(`${again} from here; ${wish.checkpoint} keeps how far it came.`);
    }
    throw error;
  }
}
