/** The flags of `metrics series` that say what is made of the rows. */
import type { Version } from '../../contract/metrics.ts';
import { versions } from '../../contract/metrics.ts';
import { aggregations, parseAggregation } from '../../domain/aggregation.ts';
import { type Fill, fills } from '../../domain/fills.ts';
import { usage } from '../../errors.ts';
import { type FlagValues, flag } from '../command/define.ts';
import { longName } from '../command/flag-names.ts';
import type { SeriesShape, SeriesWish } from './show.ts';

const shapes: readonly SeriesShape[] = ['wide', 'long', 'versions'];

export const wishFlags = {
  companies: flag.text('FILE', 'the companies of a file, an id or alias on each line; - for stdin'),
  agg: flag.list('METRIC=HOW', `how months become a quarter or year: ${aggregations.join(', ')}`),
  fill: flag.text(fills.join('|'), 'what stands where there is no row or value: null, 0, or the value before', {
    choices: fills,
  }),
  shape: flag.text(shapes.join('|'), 'one row for each period and version, each value, or each metric; default wide', {
    choices: shapes,
  }),
  checkpoint: flag.text('FILE', 'keep there how far the export has come, and go on from there; stdout: >> FILE'),
  transpose: flag.boolean('metrics as rows, periods as columns'),
  headerUnits: flag.boolean('units and currencies in the headers of wide rows: mrr (USD)'),
  dates: flag.boolean('a last column periodStart, the first day of the period as a date'),
};

type Flags = FlagValues<typeof wishFlags> & { cursor?: string };

/** @throws usage for flags that have nothing to act on */
export function seriesWish(flags: Flags, raw: boolean): SeriesWish & { monthly?: readonly Version[] } {
  const { shape = 'wide', transpose = false, fill = 'none', agg = [], cursor, checkpoint } = flags;
  const { headerUnits = false, dates = false } = flags;
  if (transpose && shape !== 'wide') {
    throw usage(`--transpose turns the wide shape around, and --shape ${shape} is another`, 'give one of them');
  }
  if (headerUnits && (transpose || shape !== 'wide')) {
    const other = transpose ? '--transpose' : `--shape ${shape}`;
    throw usage(`--header-units is for columns of metrics, and ${other} has the unit in a column of its own`);
  }
  if (dates && transpose) throw usage('--dates is for rows of periods, and --transpose has periods as columns');
  if (cursor !== undefined && fill !== 'none') {
    throw usage('--fill needs to know where the series begins, and --cursor goes on in its middle');
  }
  const ofRows = { transpose, fill: fill !== 'none', agg: agg.length > 0, checkpoint, headerUnits, dates };
  const wrong = Object.entries(ofRows).find(([, given]) => given !== undefined && given !== false)?.[0];
  if (raw && wrong) throw usage(`--raw prints one body as it was received, and ${longName(wrong)} is for rows`);
  return {
    shape: shape as SeriesShape,
    transpose,
    fill: fill as Fill,
    aggregations: new Map(agg.map(parseAggregation)),
    cursor,
    checkpoint,
    headerUnits,
    dates,
    ...(shape === 'versions' ? { monthly: versions } : {}),
  };
}
