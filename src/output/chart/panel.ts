/** What a chart shows, whatever draws it. */

import type { Numeric } from '../../core/json.ts';
import { pictureFormat } from '../values.ts';
import { scaleOf } from './scale.ts';

export interface ChartSeries {
  /** `MRR`, `MRR budget`. */
  label: string;
  metricId: string;
  /** Where a panel has several companies. */
  company?: string | undefined;
  version: string;
  /** Plans are dashed, actuals are not. */
  dashed: boolean;
  /** One for each period: undefined where there is no row, null where the row says null. Both are gaps. */
  values: readonly (Numeric | null | undefined)[];
  /** For each period, whether its value is of some of its months only. */
  partial?: readonly boolean[];
}

/** Series of one unit on one pair of axes. */
export interface Panel {
  title: string;
  /** Whose values they are, where one company's are drawn. */
  company?: string;
  /** What is shown beside the numbers: a currency, `%`, a word. */
  unit?: string;
  /** Oldest first, those without any value too. */
  periods: readonly string[];
  series: readonly ChartSeries[];
  /** What must be said beside the picture, such as which periods are incomplete. */
  notes?: readonly string[];
}

/** The numbers of a panel as doubles; a picture needs no more. */
export function doubles(panel: Panel): number[] {
  return panel.series.flatMap(({ values }) => values.map(asDouble).filter((value) => value !== undefined));
}

export function asDouble(value: Numeric | null | undefined): number | undefined {
  if (value === null || value === undefined) return undefined;
  const double = Number(value);
  return Number.isFinite(double) ? double : undefined;
}

/** The colour of each series, counted from 0: one for each company, else for each metric. */
export function huesOf(series: readonly ChartSeries[]): number[] {
  const names = series.map(({ company, metricId }) => company ?? metricId);
  const known = [...new Set(names)];
  return names.map((name) => known.indexOf(name));
}

export interface LastValue {
  series: number;
  period: number;
  value: number;
  caption: string;
}

/** The last value of each series, as it is written at the end of its line. */
export function lastValues(panel: Panel): LastValue[] {
  const format = formatOf(panel);
  return panel.series.flatMap(({ values }, series) => {
    const period = values.findLastIndex((value) => asDouble(value) !== undefined);
    const value = asDouble(values[period]);
    return value === undefined ? [] : [{ series, period, value, caption: format(value) }];
  });
}

/** Formats the numbers of a panel alike. */
export function formatOf({ series, unit }: Panel): (value: Numeric) => string {
  return pictureFormat(
    series.flatMap(({ values }) => values),
    unit,
  );
}

/** How many periods between its first and last value a series has none. */
export function gapCount({ values }: ChartSeries): number {
  const known = values.map((value) => asDouble(value) !== undefined);
  const [first, last] = [known.indexOf(true), known.lastIndexOf(true)];
  return first < 0 ? 0 : known.slice(first, last).filter((each) => !each).length;
}

export interface WaterfallBar {
  label: string;
  /** A change has its sign; a total has none. */
  total: boolean;
  /** Where the bar begins and ends, as doubles: a picture needs no more. */
  from: number;
  to: number;
  /** The number as people read it. */
  caption: string;
  /** Beside the number: `+1.3%`. */
  share?: string | undefined;
  verdict: 'good' | 'bad' | 'even';
  /** A total of a period of which some months are missing: hatched. */
  partial?: boolean;
}

/** A waterfall: totals as bars from the left, and the changes between them where they begin and end. */
export interface Waterfall {
  title: string;
  company?: string | undefined;
  unit?: string | undefined;
  bars: readonly WaterfallBar[];
  notes?: readonly string[];
}

/** Changes below this share of the totals could not be seen on an axis from zero. */
const leastSeen = 0.25;

/** The axis of all bars. `isCut`: totals begin at its lower end, which is not zero and has to be said. */
export function waterfallScale({ bars }: Waterfall): ReturnType<typeof scaleOf> & { isCut: boolean } {
  const ends = bars.flatMap(({ total, from, to }) => (total ? [to] : [from, to]));
  const [least, greatest] = [Math.min(...ends), Math.max(...ends)];
  const isCut = least > 0 && greatest - least < leastSeen * greatest;
  if (!isCut) return { ...scaleOf(ends, true), isCut };
  // The smallest total stays visible.
  return { ...scaleOf([least - (greatest - least) * 0.35, greatest], false, 0), isCut };
}
