/** The flags of `metrics series`: what is read, and what is made of it. */

import { flag } from '../../../cli/define.ts';
import { queryFlags } from '../../../cli/operation-flags.ts';
import { operations } from '../../../contract/index.ts';
import { aggregations } from '../../../domain/series/aggregation.ts';
import { fills } from '../../../domain/series/fills.ts';
import { metricsFlag } from '../read.ts';
import type { SeriesShape } from './show.ts';

const op = operations.getMetricSeries;

export const seriesQuery = queryFlags(op, {
  periodType: { summary: 'the grain of the series; default month' },
  versions: {
    value: 'VERSION[,VERSION]',
    summary: 'actual, budget, forecast; default actual, for quarters and years budget,forecast',
  },
  order: { summary: 'by period; default desc' },
  cursor: { summary: 'go on at this cursor, with the other flags as they were' },
});

export const seriesFlags = {
  metrics: metricsFlag('only these metrics, in this order', 'metricIds'),
  ...seriesQuery,
  from: flag.text('PERIOD', 'first period, such as 2006-01, 2006-Q1, 2006', { field: 'fromPeriod' }),
  to: flag.text('PERIOD', 'last period', { field: 'toPeriod' }),
  last: flag.text('N', 'the newest N periods, the current one included; also 18m, 8q, 3y'),
  ytd: flag.boolean('from the first period of the (fiscal) year to the current one'),
  fy: flag.integer('YEAR', 'the fiscal year that ends in this calendar year', { minimum: 1, maximum: 9999 }),
  fyStart: flag.integer('MONTH', 'the month in which fiscal years begin; default 1', {
    minimum: 1,
    maximum: 12,
  }),
  derive: flag.text('quarter|year', 'make quarters or years out of months', { choices: ['quarter', 'year'] }),
};

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
