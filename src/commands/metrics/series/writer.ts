/** What takes the rows of a series: the output, or what chooses some of them for it. */
import type { Context } from '../../../cli/context.ts';
import { changed } from '../../../cli/runtime.ts';
import type { LastFilled } from '../../../domain/series/fill.ts';
import type { Column } from '../../../output/column.ts';
import type { Output } from '../../../output/output.ts';
import type { SeriesPlan } from './plan.ts';

/** Which company and period a row belongs to. */
export interface Position {
  companyId?: string | undefined;
  periodKey?: string;
}

/** The last period that is written completely. */
export interface After extends Position {
  periodKey: string;
  /** With `--fill prev`, the values that it continues with. */
  filled?: LastFilled | undefined;
}

/** All companies together, or the file of one. */
export interface SeriesOutput {
  out: Output;
  /** Of a company with its own file. */
  companyId?: string;
  file?: string;
}

export interface RowWriter {
  rows<Row extends Position>(rows: AsyncIterable<Row>, columns: readonly Column<Row>[]): Promise<void>;
  /** The last period that an earlier run has written. */
  after?: After | undefined;
  /** The columns of an earlier run, which the rows keep. */
  columns?: readonly string[] | undefined;
  /** Called after each period with what `--fill prev` continues with. */
  onFilled?(position: After, last: LastFilled): void;
}

/** Writes the rows, or those that flags choose. */
export const writerTo = (ctx: Context, plan: SeriesPlan, { out }: SeriesOutput): RowWriter => ({
  async rows(rows, columns) {
    if (!plan.asked) return out.rows(rows, columns);
    const { writeChosen } = await import('./asked.ts');
    await writeChosen(changed<Context>(ctx, { out }), plan, { rows, columns });
  },
});
