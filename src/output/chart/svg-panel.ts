/** One panel as elements of a picture: axes, lines or bars, the last values, what is partial. */
import { asDouble, type ChartSeries, doubles, type Panel } from './panel.ts';
import { type PeriodTick, periodTicks } from './period-ticks.ts';
import { scaleOf, shortNumber } from './scale.ts';
import {
  barBox,
  box,
  fill,
  fitted,
  hatch,
  hueOf,
  type Ink,
  n,
  noteLines,
  outlined,
  rule,
  stroke,
  text,
  textWidth,
} from './svg-parts.ts';

export type ChartType = 'line' | 'bar';

export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Rules {
  type: ChartType;
  /** Draw the title; a page has headings for it. */
  titles: boolean;
}

export interface Plot extends Place {
  /** The middle of a period, and the place of a value. */
  at(period: number): number;
  of(value: number): number;
  /** Of one period. */
  step: number;
}

const label = 11;

export function panelSvg(panel: Panel, { x, y, width, height }: Place, { type, titles }: Rules): string {
  const parts: string[] = [];
  let top = y + 10;
  if (titles) {
    const unit = panel.unit === undefined ? '' : ` (${panel.unit})`;
    parts.push(text(x + 10, top + 10, fitted(`${panel.title}${unit}`, 14, width - 20), { size: 14, bold: true }));
    top += 22;
  }
  const key = legend(panel.series, type, x + 10, top, width - 20);
  parts.push(key.drawn);
  top += key.height;
  const notes = noteLines(panel.notes ?? [], width - 20);
  const scale = scaleOf(doubles(panel), height > 240 ? 5 : 4, type === 'bar');
  const ends = endsOf(panel);
  const left = 14 + Math.max(...scale.labels.map((each) => textWidth(each, label)));
  const right = 12 + Math.max(4, ...ends.map(({ said }) => textWidth(said, label) * 1.08));
  const bottom = 26 + notes.length * 14;
  const area = { x: x + left, y: top + 8, width: width - left - right, height: y + height - bottom - top - 8 };
  const [low, high] = [scale.ticks[0] ?? 0, scale.ticks.at(-1) ?? 1];
  const count = Math.max(panel.periods.length, 1);
  const step = area.width / count;
  const plot: Plot = {
    ...area,
    step,
    at: (period) => area.x + (period + 0.5) * step,
    of: (value) => area.y + ((high - value) / (high - low)) * area.height,
  };
  parts.push(
    ...(type === 'line' ? partialBands(panel, plot) : []),
    ...valueAxis(scale, plot),
    ...periodAxis(panel.periods, plot),
  );
  const metrics = [...new Set(panel.series.map(({ metricId }) => metricId))];
  const hue = ({ metricId }: ChartSeries) => hueOf(metrics.indexOf(metricId));
  for (const [index, series] of panel.series.entries()) {
    parts.push(type === 'line' ? lineOf(series, hue(series), plot) : barsOf(series, hue(series), plot, index, panel));
  }
  const inks = panel.series.map(hue);
  parts.push(...endLabels(ends, plot, inks, panel.periods.length - 1));
  for (const [line, said] of notes.entries()) {
    parts.push(text(x + 10, y + height - 6 - (notes.length - 1 - line) * 14, said, { ink: 'dim' }));
  }
  return parts.join('');
}

/** How tall the key of the series is; nothing for one. */
function legend(
  series: readonly ChartSeries[],
  type: ChartType,
  x: number,
  y: number,
  room: number,
): { drawn: string; height: number } {
  if (series.length < 2) return { drawn: '', height: 0 };
  const metrics = [...new Set(series.map(({ metricId }) => metricId))];
  let [across, down] = [0, 0];
  const drawn = series.map((each) => {
    const said = fitted(each.label, label, room - 30);
    const wide = 26 + textWidth(said, label) + 14;
    if (across > 0 && across + wide > room) [across, down] = [0, down + 16];
    const [left, base] = [x + across, y + down + 10];
    across += wide;
    const ink = hueOf(metrics.indexOf(each.metricId));
    const sign =
      type === 'line'
        ? rule(left, base - 4, left + 20, base - 4, ink, lineLook(each))
        : barBox([left + 4, base - 9, 14, 10], ink, each.version !== 'actual');
    return `${sign}${text(left + 26, base, said, { ink: 'dim' })}`;
  });
  return { drawn: drawn.join(''), height: down + 18 };
}

export function valueAxis({ ticks, labels }: ReturnType<typeof scaleOf>, plot: Plot): string[] {
  return ticks.flatMap((tick, at) => {
    const line = plot.of(tick);
    return [
      rule(plot.x, line, plot.x + plot.width, line, tick === 0 ? 'axis' : 'grid'),
      text(plot.x - 6, line + 4, labels[at] ?? '', { ink: 'dim', size: label, anchor: 'end' }),
    ];
  });
}

/** The periods that have room, below their ticks. */
export function periodAxis(periods: readonly string[], plot: Plot): string[] {
  const base = plot.y + plot.height;
  const half = (said: string) => textWidth(said, label) / 2;
  // Nothing is cut off at the edges of the picture.
  const middle = ({ at, text: said }: PeriodTick) =>
    Math.min(Math.max(plot.at(at), plot.x + half(said) - 24), plot.x + plot.width - half(said) + 24);
  const ticks = periodTicks(periods, (some) =>
    some.every((each, index) => {
      const before = some[index - 1];
      return !before || middle(each) - half(each.text) >= middle(before) + half(before.text) + 12;
    }),
  );
  return ticks.flatMap((tick) => [
    rule(plot.at(tick.at), base, plot.at(tick.at), base + 4, 'axis'),
    text(middle(tick), base + 16, tick.text, { ink: 'dim', size: label, anchor: 'middle' }),
  ]);
}

/** A period of which some months are missing is hatched from top to bottom. */
function partialBands({ periods, series }: Panel, plot: Plot): string[] {
  return periods.flatMap((_, at) =>
    series.some(({ partial }) => partial?.[at])
      ? [hatch(plot.x + at * plot.step, plot.y, plot.step, plot.height, 'axis', 0.35)]
      : [],
  );
}

function lineLook({ version }: Pick<ChartSeries, 'version'>): string {
  const dashes =
    version === 'actual' ? '' : version === 'budget' ? ' stroke-dasharray="6 4"' : ' stroke-dasharray="2 3"';
  return ` stroke-width="2"${dashes}`;
}

/** A gap stays a gap: nothing is drawn across it. */
function lineOf(series: ChartSeries, ink: Ink, plot: Plot): string {
  let path = '';
  let points = '';
  const few = series.values.length <= 40;
  for (const [at, value] of series.values.entries()) {
    const number = asDouble(value);
    if (number === undefined) continue;
    const [x, y] = [plot.at(at), plot.of(number)];
    const joined = at > 0 && asDouble(series.values[at - 1]) !== undefined;
    path += `${joined ? 'L' : 'M'}${n(x)} ${n(y)}`;
    const alone = !joined && asDouble(series.values[at + 1]) === undefined;
    const partial = series.partial?.[at] === true;
    if (partial) points += `<circle cx="${n(x)}" cy="${n(y)}" r="4" ${fill('paper')}/>`;
    if (partial) points += `<circle cx="${n(x)}" cy="${n(y)}" r="3.5" ${stroke(ink)} stroke-width="1.5"/>`;
    else if (alone || (few && series.version === 'actual')) {
      points += `<circle cx="${n(x)}" cy="${n(y)}" r="${alone ? 3.5 : 2.4}" ${fill(ink)}/>`;
    }
  }
  const drawn = path === '' ? '' : `<path d="${path}" ${stroke(ink)} stroke-linejoin="round"${lineLook(series)}/>`;
  return drawn + points;
}

function barsOf(series: ChartSeries, ink: Ink, plot: Plot, index: number, { series: all }: Panel): string {
  const group = Math.min(plot.step * 0.78, 34 * all.length);
  const wide = group / all.length;
  const plan = series.version !== 'actual';
  const bars = series.values.map((value, at) => {
    const number = asDouble(value);
    if (number === undefined) return '';
    const left = plot.at(at) - group / 2 + index * wide;
    const [one, other] = [plot.of(number), plot.of(0)];
    const place = [left, Math.min(one, other), Math.max(wide - 1.5, 1), Math.abs(one - other)] as const;
    if (series.partial?.[at]) return `${box(...place, 'paper')}${hatch(...place, ink)}${outlined(place, ink)}`;
    return barBox(place, ink, plan);
  });
  return bars.join('');
}

interface End {
  series: number;
  period: number;
  value: number;
  said: string;
}

/** The last value of each series. */
function endsOf({ series, unit }: Panel): End[] {
  return series.flatMap(({ values }, index): End[] => {
    const period = values.findLastIndex((value) => asDouble(value) !== undefined);
    const value = asDouble(values[period]);
    if (value === undefined) return [];
    return [{ series: index, period, value, said: `${shortNumber(value)}${unit === '%' ? '%' : ''}` }];
  });
}

const lineHeight = 13;

/** At the right of the plot, moved apart where they would cover each other; a line that ends before has it below its end. */
function endLabels(ends: readonly End[], plot: Plot, inks: readonly Ink[], last: number): string[] {
  const inkOf = ({ series }: End): Ink => inks[series] ?? 'ink';
  const early = ends.filter(({ period }) => period < last);
  const places = ends
    .filter(({ period }) => period === last)
    .map((end) => ({ ...end, y: plot.of(end.value) }))
    .sort((a, b) => a.y - b.y);
  for (const [at, place] of places.entries()) {
    const above = places[at - 1];
    if (above) place.y = Math.max(place.y, above.y + lineHeight);
  }
  let limit = plot.y + plot.height + 4;
  for (const place of places.toReversed()) {
    place.y = Math.min(place.y, limit);
    limit = place.y - lineHeight;
  }
  const right = plot.x + plot.width + 5;
  return [
    ...places.map((end) => text(right, end.y + 4, end.said, { ink: inkOf(end), bold: true })),
    ...early.map((end) => {
      const [x, y] = [plot.at(end.period) + 5, plot.of(end.value)];
      const base = y + 14 > plot.y + plot.height - 2 ? y - 8 : y + 14;
      return text(x, base, end.said, { ink: inkOf(end), bold: true, halo: true });
    }),
  ];
}
