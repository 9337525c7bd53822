/** Pictures as SVG text, without scripts and without anything to load. */

import {
  asDouble,
  type ChartSeries,
  doubles,
  headOf,
  huesOf,
  type LastValue,
  lastValues,
  type Panel,
  periodTicks,
  rowsOf,
  scaleOf,
  spread,
  styleOf,
  type Waterfall,
  waterfallScale,
} from './panel.ts';

export type ChartType = 'line' | 'bar';

interface PictureRules {
  type: ChartType;
  /** CSS pixels. */
  width: number;
  /** The height of one panel. */
  height: number;
  /** Draw the panels' titles; a page has headings for them. */
  titles: boolean;
  head?: Head | undefined;
}

/** The title of a picture in a file of its own, and a line below it. */
export interface Head {
  title: string;
  facts: string;
}

/** The size of a panel, by the number of panels in a row. */
const sizes: readonly (readonly [width: number, height: number])[] = [
  [880, 340],
  [960, 260],
  [1200, 240],
];

export function sizeOf(panels: number): { width: number; height: number } {
  const [width, height] = sizes[(rowsOf(panels)[0] ?? 1) - 1] ?? [880, 340];
  return { width, height };
}

/** All panels as one SVG element with a viewBox. */
export function svgOf(panels: readonly Panel[], rules: PictureRules): string {
  const { width, height, head } = rules;
  const top = head ? headHeight : 0;
  const rows = rowsOf(panels.length);
  const places = rows.flatMap((count, row) =>
    Array.from({ length: count }, (_, at) => {
      return { x: (at * width) / count, y: top + row * height, width: width / count, height };
    }),
  );
  const pictures = panels.map((panel, at) => panelSvg(panel, places[at] as Place, rules));
  const names = panels.map(({ title }) => title).join(', ');
  return picture(width, top + Math.max(rows.length, 1) * height, names, head, pictures.join(''));
}

const headHeight = 56;

/** The picture around its parts. One of its own file has a background, and its colours for dark screens. */
function picture(width: number, height: number, name: string, head: Head | undefined, parts: string): string {
  const frame = head
    ? [
        `<style>${darkStyle}</style>`,
        rect([0, 0, width, height], fill('paper')),
        text(10, 28, fitCaption(head.title, 18, width - 20), { size: 18, bold: true }),
        text(10, 47, fitCaption(head.facts, 12, width - 20), { size: 12, ink: 'dim' }),
      ].join('')
    : '';
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const caption = head ? `${head.title}: ${head.facts}` : name;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escapeXml(caption)}" ${size} font-family="${font}">${frame}${parts}</svg>`;
}

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Plot extends Place {
  /** The middle of a period, and the place of a value. */
  at(period: number): number;
  of(value: number): number;
  /** Of one period. */
  step: number;
}

const label = 11;

/** One panel as elements of a picture: axes, lines or bars, the last values, what is partial. */
function panelSvg(panel: Panel, { x, y, width, height }: Place, { type, titles }: PictureRules): string {
  const parts: string[] = [];
  let top = y + 10;
  if (titles) {
    parts.push(text(x + 10, top + 10, fitCaption(headOf(panel), 14, width - 20), { size: 14, bold: true }));
    top += 22;
  }
  const key = legend(panel, type, x + 10, top, width - 20);
  parts.push(key.svg);
  top += key.height;
  const notes = noteLines(panel.notes ?? [], width - 20);
  const scale = scaleOf(doubles(panel), { fromZero: type === 'bar', power: styleOf(panel).power });
  const ends = lastValues(panel);
  const left = 14 + Math.max(...scale.labels.map((each) => textWidth(each, label)));
  const right = 12 + Math.max(4, ...ends.map(({ caption }) => textWidth(caption, label) * 1.08));
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
  const inks = huesOf(panel).map(hueOf);
  for (const [index, series] of panel.series.entries()) {
    const ink = inks[index] ?? 's0';
    parts.push(type === 'line' ? lineOf(series, ink, plot) : barsOf(series, ink, plot, index, panel));
  }
  parts.push(...endLabels(ends, plot, inks, panel.periods.length - 1));
  for (const [line, caption] of notes.entries()) {
    parts.push(text(x + 10, y + height - 6 - (notes.length - 1 - line) * 14, caption, { ink: 'dim' }));
  }
  return parts.join('');
}

/** The key of the series and its height. One series has none, unless another panel shows another company. */
function legend(panel: Panel, type: ChartType, x: number, y: number, room: number): { svg: string; height: number } {
  const { series, companies } = panel;
  if (series.length < 2 && !companies) return { svg: '', height: 0 };
  const inks = huesOf(panel).map(hueOf);
  let [across, down] = [0, 0];
  const items = series.map((each, index) => {
    const caption = fitCaption(each.label, label, room - 30);
    const wide = 26 + textWidth(caption, label) + 14;
    if (across > 0 && across + wide > room) [across, down] = [0, down + 16];
    const [left, base] = [x + across, y + down + 10];
    across += wide;
    const ink = inks[index] ?? 's0';
    const sign =
      type === 'line'
        ? rule(left, base - 4, left + 20, base - 4, ink, lineLook(each))
        : barBox([left + 4, base - 9, 14, 10], ink, !!each.dash);
    return `${sign}${text(left + 26, base, caption, { ink: 'dim' })}`;
  });
  return { svg: items.join(''), height: down + 18 };
}

function valueAxis({ ticks, labels }: ReturnType<typeof scaleOf>, plot: Plot): string[] {
  return ticks.flatMap((tick, at) => {
    const line = plot.of(tick);
    return [
      rule(plot.x, line, plot.x + plot.width, line, tick === 0 ? 'axis' : 'grid'),
      text(plot.x - 6, line + 4, labels[at] ?? '', { ink: 'dim', size: label, anchor: 'end' }),
    ];
  });
}

/** The periods that have room, below their ticks. */
function periodAxis(periods: readonly string[], plot: Plot): string[] {
  const base = plot.y + plot.height;
  const ticks = periodTicks(periods, {
    middleOf: plot.at,
    sizeOf: (caption) => textWidth(caption, label),
    from: plot.x - 8,
    to: plot.x + plot.width + 8,
    gap: 12,
  });
  return ticks.flatMap(({ at, text: caption, start }) => [
    rule(plot.at(at), base, plot.at(at), base + 4, 'axis'),
    text(start + textWidth(caption, label) / 2, base + 16, caption, { ink: 'dim', size: label, anchor: 'middle' }),
  ]);
}

/** A period of which some months are missing is hatched from top to bottom. */
function partialBands({ periods, series }: Panel, plot: Plot): string[] {
  return periods.flatMap((_, at) =>
    series.some(({ partial }) => partial?.[at])
      ? [hatch([plot.x + at * plot.step, plot.y, plot.step, plot.height], 'axis', 0.35)]
      : [],
  );
}

const dashes = ['6 4', '2 3', '10 3 2 3', '1 6'];

function lineLook({ dash = 0, isTotal = false }: ChartSeries): string {
  const dashed = dash === 0 ? '' : ` stroke-dasharray="${dashes[(dash - 1) % dashes.length]}"`;
  return ` stroke-width="${isTotal ? 3 : 2}"${dashed}`;
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
    if (!partial && !alone && !(few && !series.dash)) continue;
    const look = partial ? withEdge('paper', ink) : fill(ink);
    points += `<circle cx="${n(x)}" cy="${n(y)}" r="${partial || alone ? 3.5 : 2.4}" ${look}/>`;
  }
  const line = path === '' ? '' : `<path d="${path}" ${stroke(ink)} stroke-linejoin="round"${lineLook(series)}/>`;
  return line + points;
}

function barsOf(series: ChartSeries, ink: Ink, plot: Plot, index: number, { series: all }: Panel): string {
  const group = Math.min(plot.step * 0.78, 34 * all.length);
  const wide = group / all.length;
  const bars = series.values.map((value, at) => {
    const number = asDouble(value);
    if (number === undefined) return '';
    const left = plot.at(at) - group / 2 + index * wide;
    const [top, base] = [plot.of(number), plot.of(0)];
    const sides = [left, Math.min(top, base), Math.max(wide - 1.5, 1), Math.abs(top - base)] as const;
    if (series.partial?.[at]) return `${rect(sides, withEdge('paper', ink))}${hatch(sides, ink)}`;
    return barBox(sides, ink, !!series.dash);
  });
  return bars.join('');
}

const lineHeight = 13;

/** Labels at the right of the plot, moved apart where they overlap; a line that ends earlier has its label below its end. */
function endLabels(ends: readonly LastValue[], plot: Plot, inks: readonly Ink[], last: number): string[] {
  const inkOf = ({ series }: LastValue): Ink => inks[series] ?? 'ink';
  const [right, bottom] = [plot.x + plot.width + 5, plot.y + plot.height];
  const ordered = ends.filter(({ period }) => period === last).sort((a, b) => b.value - a.value);
  const natural = ordered.map(({ value }) => plot.of(value));
  const labels = spread(natural, lineHeight, bottom + 4).map((y, at) => {
    const end = ordered[at] as LastValue;
    return text(right, y + 4, end.caption, { ink: inkOf(end), bold: true });
  });
  const early = ends.filter(({ period }) => period < last);
  const earlyLabels = early.map((end) => {
    const y = plot.of(end.value);
    const base = y + 16 > bottom ? y - 8 : y + 14;
    return text(plot.at(end.period) + 5, base, end.caption, { ink: inkOf(end), bold: true, hasHalo: true });
  });
  return [...labels, ...earlyLabels];
}

const size = 12;
const rowHeight = 30;

/** A waterfall as SVG: a line for each total and change, joined where one ends and the next begins. */
export function waterfallSvg(waterfall: Waterfall, { width, head }: Pick<PictureRules, 'width' | 'head'>): string {
  const { bars, notes = [] } = waterfall;
  const { ticks, labels, isCut } = waterfallScale(waterfall);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const top = (head ? headHeight : 0) + 8;
  const names = bars.map(({ label }) => fitCaption(label, size, width * 0.3));
  const left = 10 + Math.max(...names.map((name) => textWidth(name, size))) * 1.06 + 10;
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((each) => textWidth(each, size))) * 1.1;
  const shares = widest(bars.map(({ share = '' }) => share));
  const numbersEnd = width - 10 - (shares > 0 ? shares + 10 : 0);
  const right = width - numbersEnd + widest(bars.map(({ caption }) => caption)) + 12;
  const room = width - left - right;
  const at = (value: number) => left + ((Math.max(value, low) - low) / (high - low)) * room;
  const bottom = top + bars.length * rowHeight;
  // Beside each other only those labels that have room.
  const label = Math.max(...labels.map((each) => textWidth(each, 11))) + 10;
  const every = Math.max(1, Math.ceil(label / (room / Math.max(ticks.length - 1, 1))));
  const parts = ticks.flatMap((tick, index) => [
    rule(at(tick), top, at(tick), bottom, tick === 0 ? 'axis' : 'grid'),
    ...(index % every === 0
      ? [text(at(tick), bottom + 15, labels[index] ?? '', { ink: 'dim', anchor: 'middle' })]
      : []),
  ]);
  for (const [index, { total, from, to, verdict, caption, share }] of bars.entries()) {
    const y = top + index * rowHeight;
    const [one, other] = [at(total ? Math.max(0, low) : from), at(to)];
    const ink: Ink = total ? 'total' : verdict;
    const bar = [Math.min(one, other), y + 6, Math.max(Math.abs(other - one), 1), rowHeight - 12] as const;
    parts.push(rect(bar, fill(ink)));
    if (index < bars.length - 1) {
      parts.push(rule(other, y + 6, other, y + 2 * rowHeight - 6, 'axis', ' stroke-dasharray="2 2"'));
    }
    const base = y + rowHeight / 2 + 4;
    const look = { size, bold: total, anchor: 'end', ink: total ? 'ink' : verdict } as const;
    parts.push(text(10, base, names[index] ?? '', { size, bold: total }), text(numbersEnd, base, caption, look));
    if (share !== undefined) parts.push(text(width - 10, base, share, look));
  }
  const below = [...(isCut ? [`Bars begin at ${labels[0]}, not at zero.`] : []), ...notes];
  for (const [line, note] of below.entries()) {
    parts.push(text(10, bottom + 34 + line * 15, fitCaption(note, 11, width - 20), { ink: 'dim' }));
  }
  const height = bottom + 26 + below.length * 15;
  return picture(width, Math.ceil(height), waterfall.title, head, parts.join(''));
}

/** Each colour in light and in dark; the light one is also the attribute, for programs without style sheets. */
const colors = {
  paper: ['#ffffff', '#16181d'],
  ink: ['#222222', '#e8e8e8'],
  dim: ['#5c6066', '#a8adb5'],
  grid: ['#e2e4e8', '#343841'],
  axis: ['#8a9099', '#767c87'],
  good: ['#0b7a75', '#3fc1ae'],
  bad: ['#c0392b', '#ff8a7a'],
  even: ['#6b7280', '#9aa1ad'],
  total: ['#33526e', '#8fb3d1'],
  // Colours for every kind of vision (Okabe and Ito), adjusted to the background.
  s0: ['#0072b2', '#5cb3e6'],
  s1: ['#c44e00', '#ff9a52'],
  s2: ['#00805c', '#3fcf9f'],
  s3: ['#b0508a', '#e9a6cc'],
  s4: ['#8a6508', '#e3bd55'],
  s5: ['#6a4fb3', '#b7a3ee'],
  s6: ['#6e6e6e', '#a6a6a6'],
} as const;
type Ink = keyof typeof colors;

const hues = ['s0', 's1', 's2', 's3', 's4', 's5', 's6'] as const;
const hueOf = (index: number): Ink => (index < 0 ? 'ink' : (hues[index % hues.length] ?? 's0'));

const font = 'system-ui, -apple-system, Segoe UI, Helvetica Neue, Roboto, Arial, sans-serif';

/** Colours of a dark screen. Paper is light, whatever the screen is. */
export const darkStyle = (() => {
  const rules = Object.entries(colors).flatMap(([name, [, dark]]) => [
    `.f-${name}{fill:${dark}}`,
    `.l-${name}{stroke:${dark}}`,
  ]);
  return `@media screen and (prefers-color-scheme:dark){${rules.join('')}}`;
})();

const fill = (ink: Ink): string => `class="f-${ink}" fill="${colors[ink][0]}"`;
const stroke = (ink: Ink): string => `class="l-${ink}" fill="none" stroke="${colors[ink][0]}"`;

const withEdge = (ink: Ink, edge: Ink): string =>
  `class="f-${ink} l-${edge}" fill="${colors[ink][0]}" stroke="${colors[edge][0]}"`;
/** An edge in the colour of the paper keeps text readable over lines. */
const halo = ' stroke-width="3" stroke-linejoin="round" paint-order="stroke"';

interface TextLook {
  ink?: Ink;
  size?: number;
  anchor?: 'start' | 'middle' | 'end';
  bold?: boolean;
  hasHalo?: boolean;
}

/** One line of text; `y` is its base. */
function text(x: number, y: number, caption: string, look: TextLook = {}): string {
  const { ink = 'ink', size = 11, anchor = 'start', bold = false, hasHalo = false } = look;
  const weight = bold ? ' font-weight="600"' : '';
  const at = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${n(x)}" y="${n(y)}" font-size="${size}"${weight}${at} ${hasHalo ? withEdge(ink, 'paper') + halo : fill(ink)}>${escapeXml(caption)}</text>`;
}

function rule(x0: number, y0: number, x1: number, y1: number, ink: Ink, extra = ''): string {
  return `<path d="M${n(x0)} ${n(y0)}L${n(x1)} ${n(y1)}" ${stroke(ink)}${extra}/>`;
}

type Sides = readonly [x: number, y: number, width: number, height: number];

function rect([x, y, width, height]: Sides, look: string): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(Math.max(height, 0.5))}" ${look}/>`;
}

/** A plan is light, with a dashed edge. */
function barBox(sides: Sides, ink: Ink, isPlan: boolean): string {
  if (!isPlan) return rect(sides, fill(ink));
  return `${rect(sides, `${fill(ink)} opacity="0.22"`)}${rect(sides, `${stroke(ink)} stroke-dasharray="3 2"`)}`;
}

const between = 5;

/** Slanted lines over a box, each drawn to its edges: a pattern would need a name that no other picture of a page has. */
function hatch([x, y, width, height]: Sides, ink: Ink, opacity = 1): string {
  let path = '';
  for (let offset = between; offset < width + height; offset += between) {
    // From the left or lower edge to the upper or right one.
    const [x0, y0] = offset <= height ? [x, y + offset] : [x + offset - height, y + height];
    const [x1, y1] = offset <= width ? [x + offset, y] : [x + width, y + offset - width];
    path += `M${n(x0)} ${n(y0)}L${n(x1)} ${n(y1)}`;
  }
  const faint = opacity < 1 ? ` opacity="${opacity}"` : '';
  return path === '' ? '' : `<path data-hatch="" d="${path}" ${stroke(ink)}${faint}/>`;
}

/** About how wide a text is; no font is measured. */
export function textWidth(caption: string, size: number): number {
  let units = 0;
  for (const letter of caption) {
    if (/[iljtfI.,:;|!'() ]/.test(letter)) units += 0.32;
    else if (/[mwMW%@]/.test(letter)) units += 0.86;
    else units += /[A-Z]/.test(letter) ? 0.66 : letter.charCodeAt(0) > 0x2e7f ? 1 : 0.57;
  }
  return units * size;
}

/** The text, or its beginning and `…` where it has no room. */
function fitCaption(caption: string, size: number, room: number): string {
  if (textWidth(caption, size) <= room) return caption;
  let beginning = '';
  let taken = textWidth('…', size);
  for (const letter of caption) {
    taken += textWidth(letter, size);
    if (taken > room && beginning !== '') break;
    beginning += letter;
  }
  return `${beginning.trimEnd()}…`;
}

/** Notes below the picture, as many lines as they need, at most three. */
function noteLines(notes: readonly string[], room: number, size = 11): string[] {
  const lines: string[] = [];
  for (const note of notes) {
    const joined = lines.length === 0 ? note : `${lines.at(-1)}; ${note}`;
    if (lines.length > 0 && textWidth(joined, size) <= room) lines[lines.length - 1] = joined;
    else lines.push(fitCaption(note, size, room));
  }
  if (lines.length <= 3) return lines;
  return [...lines.slice(0, 2), fitCaption(`and ${notes.length - 2} more`, size, room)];
}

/** A number of an attribute: a tenth of a pixel is enough. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeXml(caption: string): string {
  return caption.replace(/[&<>"']/g, (found) => entities[found] ?? '');
}
