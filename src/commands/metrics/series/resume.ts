/** Continues the output of an interrupted `metrics series --checkpoint FILE`. */

import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';
import { formatPeriod } from '../../../core/periods.ts';
import type { Checkpoint, Part } from './checkpoint.ts';
import type { RowWriter } from './derived.ts';
import type { SeriesPlan } from './plan.ts';
import { formatOf } from './plan.ts';

/** Formats that rows can be appended to. */
const appendable = ['csv', 'tsv', 'ndjson', 'json', 'yaml', 'md'];

/** @throws usage for what cannot be resumed */
export function checkResumable(ctx: Context, { options, request }: SeriesPlan): void {
  const refuse = (why: string, hint: string) => {
    throw usage(`--checkpoint resumes an interrupted export, and ${why}`, hint);
  };
  const format = formatOf(ctx);
  if (ctx.settings.jq !== undefined) refuse('--jq needs the complete result', 'export with -o json, then run jq on it');
  if (!appendable.includes(format)) refuse(`-o ${format} cannot be appended to`, `use -o ${appendable.join(', ')}`);
  if (options.transpose) refuse('--transpose needs the whole series before its first row', 'omit one of them');
  if (request.cursor !== undefined) refuse('--cursor sets another place to continue', 'omit one of them');
}

/** Writes one output. The first company that fails ends the run: the rows after it would be in its place. */
export function resumableWriter(ctx: Context, plan: SeriesPlan, part: Part, out = ctx.out): RowWriter {
  return {
    after: part.after,
    columns: part.columns,
    onFilled: part.onFilled,
    async rows(rows, columns) {
      const { resume, rows: marked } = part.resumable(rows, {
        ...requestOf(ctx, plan),
        columns: columns.map(({ key }) => key),
      });
      await out.rows(marked, columns, { resume });
    },
  };
}

/** All that decides the bytes of the output, by the names of the flags. */
function requestOf(ctx: Context, { request, scope, options, versions, derive, companies }: SeriesPlan) {
  const { baseUrl, fields, header, csv, out, limit } = ctx.settings;
  return {
    ...{ 'base URL': baseUrl.value, companies, '--order': scope.order },
    ...{ '--from': scope.from && formatPeriod(scope.from), '--to': scope.to && formatPeriod(scope.to) },
    ...{ '--period-type': scope.periodType, '--metrics': request.metricIds, '--versions': versions },
    ...{ '--derive': derive, '--shape': options.shape, '--fill': options.fill },
    ...{ '--agg': [...options.aggregations], '--limit': limit },
    ...{ '--output': formatOf(ctx), '--out': out, '--fields': fields, header, csv },
  };
}

/** Says how to resume where a run fails and has left something to resume from. */
export async function withResumeNote(ctx: Context, name: string, checkpoint: Checkpoint, run: () => Promise<void>) {
  try {
    await run();
  } catch (error) {
    if (checkpoint.kept()) {
      const again = ctx.settings.out === undefined ? 'The same command with >>' : 'The same command';
      ctx.out.note(`${again} resumes from here: ${name} keeps the progress.`);
    }
    throw error;
  }
}
