/** Charts for screen readers: what a reader sees in the picture, in sentences. */
import { shortPeriod } from '../../core/periods.ts';
import { asDouble, type ChartSeries, gapCount, type Panel } from './panel.ts';
import { shortNumber } from './scale.ts';
import type { Waterfall } from './waterfall.ts';

export function panelInWords(panel: Panel): string[] {
  const { title, company, unit, periods, series, notes = [] } = panel;
  const [first, last] = [periods[0], periods.at(-1)];
  const range =
    first === undefined || last === undefined
      ? []
      : [first === last ? shortPeriod(first) : `${shortPeriod(first)} to ${shortPeriod(last)}`];
  const head = [...(company === undefined ? [] : [company]), `${title}${inUnit(unit)}`, ...range].join(', ');
  return [`${head}.`, ...series.map((each) => seriesInWords(each, panel)), ...notes];
}

export function waterfallInWords({ title, company, unit, bars, notes = [] }: Waterfall): string[] {
  const head = `${company === undefined ? '' : `${company}, `}${title}${inUnit(unit)}.`;
  const steps = bars.map(({ label, said, share }) => `${label}: ${said}${share === undefined ? '' : `, ${share}`}.`);
  return [head, ...steps, ...notes];
}

interface Point {
  period: string;
  value: number;
}

/** `MRR: from 1.78M in Sep 25 to 2M in Feb 26, up 12.2%. Lowest …, highest …` */
function seriesInWords(series: ChartSeries, { periods, unit }: Panel): string {
  const points = periods.flatMap((period, at): Point[] => {
    const value = asDouble(series.values[at]);
    return value === undefined ? [] : [{ period, value }];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return `${series.label}: no values.`;
  const said = ({ period, value }: Point) =>
    `${shortNumber(value)}${unit === '%' ? '%' : ''} in ${shortPeriod(period)}`;
  if (points.length === 1) return `${series.label}: ${said(first)}.`;
  const lowest = points.reduce((least, point) => (point.value < least.value ? point : least));
  const highest = points.reduce((most, point) => (point.value > most.value ? point : most));
  const gaps = gapCount(series);
  return [
    `${series.label}: from ${said(first)} to ${said(last)}, ${changeOf(first.value, last.value, unit)}.`,
    `Lowest ${said(lowest)}, highest ${said(highest)}.`,
    ...(gaps === 0 ? [] : [`No value in ${gaps} ${gaps === 1 ? 'period' : 'periods'} between.`]),
  ].join(' ');
}

/** A share of a percentage would be taken for points of it. */
function changeOf(from: number, to: number, unit: string | undefined): string {
  if (from === to) return 'unchanged';
  const way = to > from ? 'up' : 'down';
  return from > 0 && to > 0 && unit !== '%' ? `${way} ${Math.abs((to / from - 1) * 100).toFixed(1)}%` : way;
}

const inUnit = (unit: string | undefined) => (unit === undefined ? '' : ` (${unit})`);
