/** A series that is written behind what an interrupted run has written. */
import { formatPeriod } from '../../domain/periods.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../context.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { formatOf } from './format.ts';
import type { Writing } from './made.ts';
import type { PlannedSeries } from './request.ts';
import type { SeriesWish } from './show.ts';

/** Formats whose rows can be added to. */
const additive = ['csv', 'tsv', 'ndjson'];

/** @throws usage for what cannot be gone on with */
export function openSeriesCheckpoint(ctx: Context, wish: SeriesWish): Promise<Checkpoint> {
  const { jq } = ctx.settings;
  const format = formatOf(ctx);
  const wrong =
    (jq !== undefined && '--jq needs the whole result') ||
    (!additive.includes(format) && `-o ${format} cannot be added to`) ||
    (wish.transpose && '--transpose needs the whole series') ||
    (wish.fill === 'prev' && '--fill prev needs the rows before') ||
    (wish.cursor !== undefined && '--cursor goes on by itself');
  if (wrong) throw usage(`--checkpoint goes on with an interrupted export, and ${wrong}`, 'use -o csv, tsv or ndjson');
  return openCheckpoint(ctx, wish.checkpoint ?? '');
}

/** The first company that fails ends the run: what comes behind it would stand in its place. */
export function writingTo(ctx: Context, plan: PlannedSeries, wish: SeriesWish, checkpoint: Checkpoint): Writing {
  const { baseUrl, fields, header, csv, out, limit } = ctx.settings;
  return {
    failures: undefined,
    out: ctx.out,
    whole: (rows) => rows,
    async write(rows, columns) {
      const { from, to, metricIds, order, periodType } = plan.request;
      const { resume, rows: marked } = checkpoint.resumable(rows, {
        ...{ 'base URL': baseUrl.value, companies: plan.companies, '--order': order },
        ...{ '--from': from && formatPeriod(from), '--to': to && formatPeriod(to) },
        ...{
          '--period-type': periodType,
          '--metrics': metricIds,
          '--versions': plan.versions,
          '--derive': plan.derive,
        },
        ...{ '--shape': wish.shape, '--fill': wish.fill, '--agg': [...wish.aggregations], '--limit': limit },
        ...{ '--output': formatOf(ctx), '--out': out, '--fields': fields, header, csv },
        columns: columns.map(({ key }) => key),
      });
      try {
        await ctx.out.rows(marked, columns, { resume });
      } catch (error) {
        if (checkpoint.kept()) {
          const again = out === undefined ? 'The same command with >> goes on' : 'The same command goes on';
          ctx.out.note(`${again} from here; ${wish.checkpoint} keeps how far it came.`);
        }
        throw error;
      }
    },
  };
}
