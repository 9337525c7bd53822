/** What `metrics series` is to make of the rows. */

import type { FlagValues } from '../../../cli/define.ts';
import { longName } from '../../../cli/define.ts';
import type { Version } from '../../../contract/metrics.ts';
import { versions } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import { parseAggregation } from '../../../domain/series/aggregation.ts';
import type { Fill } from '../../../domain/series/fills.ts';
import type { wishFlags } from './flags.ts';
import type { SeriesShape, SeriesWish } from './show.ts';

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
