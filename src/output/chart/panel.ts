/** The data of a chart for all renderers: its series, and axes with round ticks. */

import type { Numeric } from '../../core/json.ts';
import { parsePeriod } from '../../core/periods.ts';
import { endsInUnit, type NumberStyle, pictureNumber, pictureStyle } from '../values.ts';

export interface ChartSeries {
  /** `MRR`, `MRR budget`. */
  label: string;
  metricId: string;
  /** The company of the line, in a panel of several. */
  company?: string | undefined;
  /** Actuals are solid; each kind of plan has its dash, counted from 1. */
  dash?: number;
  /** The sum of the companies. */
  isTotal?: boolean;
  /** A value for each period: undefined without a row, null where the row has null. Both are gaps. */
  values: readonly (Numeric | null | undefined)[];
  /** For each period, whether its value is of some of its months only. */
  partial?: readonly boolean[];
}

/** Series of one unit on one pair of axes. */
export interface Panel {
  title: string;
  /** The company, if the panel shows only one. */
  company?: string;
  /** Every company of the picture, where it has several: each has its colour and its name in the key. */
  companies?: readonly string[];
  /** The unit beside the numbers: a currency, `%`, a word. */
  unit?: string;
  /** Oldest first, those without any value too. */
  periods: readonly string[];
  series: readonly ChartSeries[];
  /** The style of its numbers, where other parts of a page show them too. */
  style?: NumberStyle | undefined;
  /** Notes below the picture, such as incomplete periods. */
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

/**
 * The colour of each series, counted from 0: one for each company of the picture, else for each metric of the panel. -1:
 * the total, in the colour of text.
 */
export function huesOf({ series, companies }: Panel): number[] {
  const names = series.map(({ company, metricId }) => company ?? metricId);
  const known = companies ?? [...new Set(names)];
  return names.map((name, at) => (series[at]?.isTotal ? -1 : Math.max(known.indexOf(name), 0)));
}

/** `2025-01 to 2025-12`; one period is named once. */
export function rangeOf({ periods }: Pick<Panel, 'periods'>): string {
  return [...new Set([periods[0], periods.at(-1)])].filter(Boolean).join(' to ');
}

/** How many panels each row of a picture has: at most three, no row left half empty. */
export function rowsOf(panels: number): number[] {
  const rows = Math.ceil(panels / 3);
  return Array.from({ length: rows }, (_, row) => Math.ceil((panels - row) / rows));
}

export interface LastValue {
  series: number;
  period: number;
  value: number;
  caption: string;
}

/** The last value of each series, as it is written at the end of its line. Of several companies only actuals have room. */
export function lastValues(panel: Panel): LastValue[] {
  const format = formatOf(panel);
  const isCrowded = panel.companies !== undefined && panel.series.some(({ dash }) => !dash);
  return panel.series.flatMap(({ values, dash }, series) => {
    if (isCrowded && dash) return [];
    const period = values.findLastIndex((value) => asDouble(value) !== undefined);
    const value = asDouble(values[period]);
    return value === undefined ? [] : [{ series, period, value, caption: format(value) }];
  });
}

/** Ascending positions moved apart, so that each is `gap` after the one before, and none is after `limit`. */
export function spread(positions: readonly number[], gap: number, limit: number): number[] {
  let next = Number.NEGATIVE_INFINITY;
  const pushed = positions.map((position) => {
    const at = Math.max(position, next);
    next = at + gap;
    return at;
  });
  let last = limit + gap;
  return pushed
    .reverse()
    .map((position) => {
      last = Math.min(position, last - gap);
      return last;
    })
    .reverse();
}

/** The title of a panel with its unit, which is said once. */
export function headOf({ title, unit }: Panel): string {
  return unit === undefined || endsInUnit(title, unit) ? title : `${title} (${unit})`;
}

/** Formats the numbers of a panel alike. */
export function formatOf(panel: Panel): (value: Numeric) => string {
  const style = styleOf(panel);
  return (value) => pictureNumber(value, style, panel.unit);
}

export function styleOf({ series, unit, style }: Panel): NumberStyle {
  return (
    style ??
    pictureStyle(
      series.flatMap(({ values }) => values),
      unit,
    )
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
  /** The ends of the bar, as doubles: a picture needs no more digits. */
  from: number;
  to: number;
  /** The number as people read it. */
  caption: string;
  /** Beside the number: `+1.3%`. */
  share?: string | undefined;
  verdict: 'good' | 'bad' | 'even';
}

/** A waterfall: totals as bars from the left, and the changes between them where they begin and end. */
export interface Waterfall {
  title: string;
  company?: string | undefined;
  unit?: string | undefined;
  bars: readonly WaterfallBar[];
  /** The style of its numbers. */
  style?: NumberStyle | undefined;
  notes?: readonly string[];
}

/** Changes below this share of the totals could not be seen on an axis from zero. */
const minVisibleShare = 0.25;

/** The axis of all bars. `isCut`: totals begin at its lower end, which is not zero and has to be said. */
export function waterfallScale({ bars, style }: Waterfall): ReturnType<typeof scaleOf> & { isCut: boolean } {
  const power = style?.power;
  const ends = bars.flatMap(({ total, from, to }) => (total ? [to] : [from, to]));
  const [least, greatest] = [Math.min(...ends), Math.max(...ends)];
  const isCut = least > 0 && greatest - least < minVisibleShare * greatest;
  if (!isCut) return { ...scaleOf(ends, { power, fromZero: true }), isCut };
  // The smallest total stays visible.
  return { ...scaleOf([least - (greatest - least) * 0.35, greatest], { power, minSpanShare: 0 }), isCut };
}

interface Scale {
  /** Ascending, evenly spaced; the first and the last are the ends of the axis. */
  ticks: number[];
  labels: string[];
}

const steps = [1, 2, 2.5, 5, 10];
/** A change below this share of the values does not fill the height of a plot: it would look like more than it is. */
const minSpan = 0.1;

/** The ends of an axis from which the values are read; equal values are in its middle. */
function spanOf(
  values: readonly number[],
  fromZero: boolean,
  minSpanShare: number,
): { low: number; high: number } | undefined {
  const all = fromZero ? [0, ...values] : values;
  const least = all.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const greatest = all.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(least)) return undefined;
  const floor = fromZero ? 0 : minSpanShare * Math.max(Math.abs(least), Math.abs(greatest));
  const missing = greatest - least < floor ? floor - (greatest - least) : 0;
  if (missing > 0 || least !== greatest) return { low: least - missing / 2, high: greatest + missing / 2 };
  return { low: Math.min(least, 0), high: Math.max(greatest, 0) || 1 };
}

const maxTicks = 5;

interface ScaleRules {
  /** Zero is on the axis. */
  fromZero?: boolean;
  /** The least change that fills the axis, as a share of the values. */
  minSpanShare?: number;
  /** Ticks at most. */
  most?: number;
  /** The power of the values that are written beside the axis. */
  power?: NumberStyle['power'] | undefined;
}

/** Three to five round ticks that hold every value. */
export function scaleOf(values: readonly number[], rules: ScaleRules = {}): Scale {
  const { fromZero = false, minSpanShare = minSpan, most = maxTicks, power = 0 } = rules;
  const span = spanOf(values, fromZero, minSpanShare);
  if (!span) return { ticks: [0, 1], labels: ['0', '1'] };
  const { low, high } = span;
  const size = Math.floor(Math.log10((high - low) / most));
  const candidates = [size, size + 1].flatMap((exponent) => steps.map((step) => step * 10 ** exponent));
  for (const step of candidates) {
    const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
    if (last - first + 1 > most) continue;
    const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
      Number(((first + index) * step).toPrecision(12)),
    );
    return { ticks, labels: labelsOf(ticks, step, power) };
  }
  return { ticks: [low, high], labels: labelsOf([low, high], high - low, power) };
}

/** In the scale of the values, `1M` after `500k`, with as many digits as the step needs; by the power of ten where there is no word. */
function labelsOf(ticks: readonly number[], step: number, power: NumberStyle['power']): string[] {
  const most = Math.max(...ticks.map(Math.abs));
  const isUsual = most < 1e15 && step / 10 ** power >= 1e-5;
  const decimalsIn = (exponent: number) => {
    const inStep = step / 10 ** exponent;
    let decimals = 0;
    while (decimals < 9 && Math.abs(inStep * 10 ** decimals - Math.round(inStep * 10 ** decimals)) > 1e-6)
      decimals += 1;
    return decimals;
  };
  const label = (tick: number) => {
    if (!isUsual) {
      const exponent = Math.floor(Math.log10(most));
      return `${(tick / 10 ** exponent).toFixed(decimalsIn(exponent))}e${exponent}`;
    }
    const next = power === 3 ? 6 : power === 6 ? 9 : power;
    const ofTick = Math.abs(tick) < 1000 * 10 ** power ? power : next;
    return pictureNumber(tick, { power: ofTick, decimals: decimalsIn(ofTick) });
  };
  return ticks.map((tick) => (tick === 0 ? '0' : label(tick)));
}

/** A period that an axis names. */
export interface PeriodTick {
  /** Counted from 0. */
  at: number;
  text: string;
  /** The start of the text. */
  start: number;
}

/** The axis of time in cells or pixels. */
interface TimeAxis {
  middleOf(period: number): number;
  sizeOf(text: string): number;
  /** Texts are not cut off at the ends. */
  from: number;
  to: number;
  /** At least between two texts. */
  gap: number;
}

/** Distances of named periods, in periods. */
const strides = {
  month: [1, 2, 3, 6, 12, 24, 36, 60, 120, 240, 600, 1200],
  quarter: [1, 2, 4, 8, 12, 20, 40, 80, 200, 400],
  other: [1, 2, 5, 10, 20, 50, 100, 200, 500],
};

/** The closest ticks that fit, at round places of the calendar; only the first period where two have no room. */
export function periodTicks(periods: readonly string[], axis: TimeAxis): readonly PeriodTick[] {
  const { middleOf, sizeOf, from, to, gap } = axis;
  const all = periods.map((text, at): PeriodTick => {
    const size = sizeOf(text);
    return { at, text, start: Math.max(from, Math.min(middleOf(at) - size / 2, to - size)) };
  });
  const fits = (ticks: readonly PeriodTick[]) =>
    ticks.every(({ start }, index) => {
      const before = ticks[index - 1];
      return !before || start >= before.start + sizeOf(before.text) + gap;
    });
  const first = parsePeriod(periods[0]?.split(' ')[0] ?? '');
  const grain = first?.type === 'month' || first?.type === 'quarter' ? first.type : 'other';
  for (const stride of strides[grain]) {
    const round = all.filter(({ at }) => ((first?.index ?? 0) + at) % stride === 0);
    // A short range may hold fewer than two round places.
    const ticks = round.length > 1 ? round : all.filter(({ at }) => at % stride === 0);
    if (ticks.length > 1 && ticks.length <= maxTicks && fits(ticks)) return ticks;
  }
  return all.slice(0, 1);
}

export interface RowScale {
  /** Lines of text; a tick is in the middle of one. */
  rows: number;
  /** The value of the highest line, and how much each line below it is less. */
  top: number;
  perRow: number;
  /** The labels by line, counted from the top. */
  labels: ReadonlyMap<number, string>;
}

/** The axis of at most `rows` lines of text in which the values take the most of them. */
export function rowScaleOf(values: readonly number[], rows: number, power?: NumberStyle['power']): RowScale {
  const counts = [maxTicks, 4, 3].filter((most) => most <= Math.max(rows, 3));
  const scales = counts.map((most) => {
    const { ticks, labels } = scaleOf(values, { most, power });
    const gaps = ticks.length - 1;
    const perGap = Math.max(Math.floor((rows - 1) / gaps), 1);
    const [bottom = 0, next = 1] = ticks;
    return {
      rows: gaps * perGap + 1,
      top: ticks.at(-1) ?? next,
      perRow: (next - bottom) / perGap,
      labels: new Map(labels.map((label, at) => [(gaps - at) * perGap, label])),
    };
  });
  return scales.reduce((best, scale) => (scale.perRow < best.perRow ? scale : best));
}
