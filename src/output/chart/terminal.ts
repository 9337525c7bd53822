/** Charts as lines of text, and in words for screen readers. */
import { cut, width, wrap } from '../width.ts';
import {
  asDouble,
  type ChartSeries,
  doubles,
  formatOf,
  gapCount,
  huesOf,
  type LastValue,
  lastValues,
  type Panel,
  periodTicks,
  type RowScale,
  rangeOf,
  rowScaleOf,
  spread,
  styleOf,
  type Waterfall,
  type WaterfallBar,
  waterfallScale,
} from './panel.ts';

interface DrawRules {
  /** Cells of the terminal. */
  width: number;
  /** Lines of the plot. */
  height: number;
  ascii: boolean;
  color: boolean;
  paint(series: number, text: string): string;
}

// No two series of a plot look alike, however many there are.
const letters = [...'abcdefghijklmnpqrstuvwyz'];
const unicodeMarks = ['●', '○', '■', '□', '▲', '△', '◆', '◇', ...letters];
const asciiMarks = ['*', 'o', '+', 'x', '#', '@', '%', '=', ...letters];
/** Dots of a dash, and of the space after it. */
const dash = { braille: 3, marks: 1 };
/** Below this width the values at the ends of lines take too much of the plot. */
const roomForEnds = 40;

function painterOf(panel: Panel, paint: DrawRules['paint']): DrawRules['paint'] {
  const hues = huesOf(panel);
  return (series, text) => paint(hues[series] ?? 0, text);
}

/** A panel as lines of text: axis with units, one line for each series, plans dashed, gaps left open. */
export function drawLines(panel: Panel, { paint, ...others }: DrawRules): string[] {
  const rules = { ...others, paint: painterOf(panel, paint) };
  const marks = marksFor(panel.series, rules);
  const box = rules.ascii
    ? { side: '|', tick: '+', corner: '+', base: '-', below: '+' }
    : { side: '│', tick: '┤', corner: '└', base: '─', below: '┬' };
  const axis = rowScaleOf(doubles(panel), rules.height, styleOf(panel).power);
  const labelWidth = Math.max(...[...axis.labels.values()].map((label) => label.length));
  const ends = rules.width < roomForEnds ? new Map<number, LastValue>() : endsOf(panel, axis);
  const endWidth = Math.max(0, ...[...ends.values()].map(({ caption }) => caption.length + 1));
  const columns = Math.max(8, rules.width - labelWidth - 2 - endWidth);
  const grid = raster(columns, axis.rows, marks);
  // The first series that takes a cell keeps it.
  for (const [index, series] of panel.series.entries()) {
    drawSeries(grid, series, index, axis, marks ? dash.marks : dash.braille);
  }
  const rows = grid.rows(rules.paint).map((row, at) => {
    const label = axis.labels.get(at);
    const end = ends.get(at);
    const caption = end === undefined ? '' : ` ${rules.paint(end.series, end.caption)}`;
    return `${(label ?? '').padStart(labelWidth)} ${label === undefined ? box.side : box.tick}${row}${caption}`.trimEnd();
  });
  const time = periodAxis(panel.periods, { left: labelWidth + 2, columns, right: endWidth, marks: box });
  return [
    ...wrap(titleWithRange(panel, rules), rules.width),
    ...rows,
    `${' '.repeat(labelWidth + 1)}${box.corner}${time.line}`,
    time.labels,
    ...legend(panel.series, marks, rules),
    ...notesOf(panel, rules),
  ];
}

const notesOf = ({ notes = [] }: Pick<Panel, 'notes'>, rules: Pick<DrawRules, 'width'>) =>
  notes.flatMap((note) => wrap(note, rules.width));

/** The last values beside the ends of their lines, in the order of the values, by row. */
function endsOf(panel: Panel, axis: RowScale): Map<number, LastValue> {
  const ends = lastValues(panel)
    .filter(({ period }) => period === panel.periods.length - 1)
    .slice(0, axis.rows)
    .sort((a, b) => b.value - a.value);
  const rows = ends.map(({ value }) => Math.round((axis.top - value) / axis.perRow));
  return new Map(spread(rows, 1, axis.rows - 1).map((row, at) => [row, ends[at] as LastValue]));
}

/** The company, and the names of the metrics where they have room; the legend has them anyway. */
function titleOf(
  { title, company, unit, series }: Panel,
  { width: room, ascii }: Pick<DrawRules, 'width' | 'ascii'>,
): string {
  const suffix = unit === undefined ? '' : ` (${unit})`;
  const metrics = new Set(series.map(({ metricId }) => metricId)).size;
  const name = company === undefined ? '' : `${company} ${ascii ? '-' : '·'} `;
  const isLong = metrics > 1 && width(`${name}${title}${suffix}`) > room;
  return `${name}${isLong ? `${metrics} metrics` : title}${suffix}`;
}

/** The axis does not name every period: the title names the first and the last one where it has room. */
function titleWithRange(panel: Panel, rules: DrawRules): string {
  const { width: room, ascii } = rules;
  const title = titleOf(panel, rules);
  const range = rangeOf(panel);
  const whole = `${title} ${ascii ? '-' : '·'} ${range}`;
  return range !== '' && width(whole) <= room ? whole : title;
}

/** Braille where lines can be told apart in it: by colour, or because at most one is solid and one is dashed. */
function marksFor(series: readonly ChartSeries[], { ascii, color }: DrawRules): readonly string[] | undefined {
  if (ascii) return asciiMarks;
  const dashed = series.filter((each) => each.dash).length;
  return color || (dashed <= 1 && series.length - dashed <= 1) ? undefined : unicodeMarks;
}

function drawSeries(
  grid: Raster,
  { values, dash = 0 }: ChartSeries,
  index: number,
  { top, perRow }: RowScale,
  dashLength: number,
): void {
  const dotOf = (at: number): Dot | undefined => {
    const value = asDouble(values[at]);
    if (value === undefined) return undefined;
    const x = values.length === 1 ? (grid.width - 1) / 2 : (at * (grid.width - 1)) / (values.length - 1);
    // The value of a line is in its middle, where its tick is.
    const y = ((top - value) / perRow) * grid.perLine + (grid.perLine - 1) / 2;
    return [Math.round(x), Math.round(y)];
  };
  let dots = 0;
  for (let at = 0; at < values.length; at += 1) {
    const dot = dotOf(at);
    if (!dot) continue;
    const [before, after] = [at > 0 ? dotOf(at - 1) : undefined, dotOf(at + 1)];
    if (!before && !after) grid.lone(...dot, index);
    if (!after) continue;
    for (const [x, y] of line(dot, after)) {
      const isDash = dash === 0 || Math.floor(dots / dashLength) % 2 === 0;
      dots += 1;
      if (isDash) grid.dot(x, y, index);
    }
  }
}

/** Cells between two labels. */
const between = 2;

interface Base {
  /** Cells before the plot, of the plot and after it. */
  left: number;
  columns: number;
  right: number;
  marks: { base: string; below: string };
}

/** The base of the plot with its ticks, and the periods below these that have room; both begin with the line. */
export function periodAxis(periods: readonly string[], { left, columns, right, marks }: Base) {
  const share = (at: number) => (periods.length === 1 ? 0.5 : at / (periods.length - 1));
  const cell = (at: number) => Math.round(share(at) * (columns - 1));
  const room = left + columns + right;
  const middleOf = (at: number) => left + cell(at) + 0.5;
  const ticks = periodTicks(periods, { middleOf, sizeOf: width, from: 0, to: room, gap: between });
  const line = Array.from({ length: columns }, () => marks.base);
  let labels = '';
  for (const { at, text, start } of ticks) {
    line[cell(at)] = marks.below;
    labels = labels.padEnd(Math.ceil(start)) + text;
  }
  return { line: line.join(''), labels: labels.slice(0, room) };
}

function legend(series: readonly ChartSeries[], marks: readonly string[] | undefined, rules: DrawRules): string[] {
  const entries = series.map((each, index) => {
    const sign = marks ? (marks[index % marks.length] ?? '*') : each.dash ? '╌╌' : '──';
    const gaps = gapCount(each);
    const says = [
      ...(marks && each.dash ? ['dashed'] : []),
      ...(gaps > 0 ? [gaps === 1 ? '1 gap' : `${gaps} gaps`] : []),
    ];
    const remark = says.length > 0 ? ` (${says.join(', ')})` : '';
    const text = ` ${cut(each.label, rules.width - sign.length - 1 - remark.length, rules.ascii)}${remark}`;
    return { text: `${rules.paint(index, sign)}${text}`, width: sign.length + width(text) };
  });
  const lines: { text: string; width: number }[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (last && last.width + 3 + entry.width <= rules.width) {
      last.text += `   ${entry.text}`;
      last.width += 3 + entry.width;
    } else lines.push({ ...entry });
  }
  return lines.map(({ text }) => text);
}

/** The marks of bars; what is planned, or falls, is light. */
const fills = {
  ascii: { full: '#', plan: '=', partial: '/', rise: '+', fall: '-' },
  unicode: { full: '█', plan: '░', partial: '▒', rise: '▓', fall: '░' },
};

/** A panel as horizontal bars from zero: a line for each period and series, the number beside it. */
export function drawBars(panel: Panel, { paint, ...others }: DrawRules): string[] {
  const rules = { ...others, paint: painterOf(panel, paint) };
  // The only company of a currency is named, too.
  const isNamed = panel.series.length > 1 || panel.companies !== undefined;
  const longest = Math.min(maxLabelWidth, Math.floor(rules.width / 3));
  const labels = panel.series.map(({ label }) => cut(label, longest, rules.ascii));
  const labelWidth = isNamed ? Math.max(...labels.map(width)) : 0;
  const periodWidth = Math.max(0, ...panel.periods.map((period) => period.length));
  const format = formatOf(panel);
  // A gap names its kind, so that nobody takes it for a zero.
  const texts = panel.series.map(({ values }) =>
    values.map((value) => (value === undefined ? 'no value' : value === null ? 'null' : format(value))),
  );
  const numberWidth = Math.max(1, ...texts.flat().map((text) => text.length));
  const fixed = periodWidth + 1 + (isNamed ? labelWidth + 1 : 0) + 1 + numberWidth;
  const room = Math.max(6, rules.width - fixed);
  const all = [0, ...doubles(panel)];
  const [least, greatest] = [Math.min(...all), Math.max(...all)];
  const perCell = (greatest - least || 1) / room;
  const zero = Math.round(-least / perCell);
  const fill = fills[rules.ascii ? 'ascii' : 'unicode'];

  const lines = panel.periods.flatMap((period, at) =>
    panel.series.map((series, index) => {
      const size = (asDouble(series.values[at]) ?? 0) / perCell;
      const mark = fill[series.partial?.[at] ? 'partial' : series.dash ? 'plan' : 'full'];
      const ends = size < 0 ? [Math.min(zero + size, zero - 1), zero] : [zero, zero + size];
      const bar = span(ends, room, size === 0 ? ' ' : mark);
      const head = (index === 0 ? period : '').padEnd(periodWidth);
      const label = isNamed ? `${padEnd(labels[index] ?? '', labelWidth)} ` : '';
      // `texts` has the shape of the values.
      const text = (texts[index]?.[at] ?? '').padStart(numberWidth);
      return `${head} ${label}${rules.paint(index, bar)} ${text}`.trimEnd();
    }),
  );
  return [...wrap(titleOf(panel, rules), rules.width), ...lines, ...notesOf(panel, rules)];
}

const padEnd = (text: string, cells: number) => `${text}${' '.repeat(Math.max(cells - width(text), 0))}`;

/** At least one cell, so that no value is drawn as nothing. */
function span([begin = 0, end = 0]: readonly number[], room: number, mark: string): string {
  const first = Math.max(0, Math.min(Math.round(begin), room - 1));
  const count = Math.max(1, Math.min(Math.round(end), room) - first);
  return `${' '.repeat(first)}${mark.repeat(count)}`.padEnd(room);
}

interface WaterfallRules extends Pick<DrawRules, 'width' | 'ascii'> {
  paint(verdict: WaterfallBar['verdict'], text: string): string;
}

const maxLabelWidth = 24;

/** A waterfall as lines of text: a bar for each total and change, its number and share beside it. */
export function drawWaterfall(waterfall: Waterfall, rules: WaterfallRules): string[] {
  const { title, company, unit, bars, notes = [] } = waterfall;
  const { ticks, labels, isCut } = waterfallScale(waterfall);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const longest = Math.min(maxLabelWidth, Math.floor(rules.width / 3));
  const names = bars.map(({ label }) => cut(label, longest, rules.ascii));
  const nameWidth = Math.max(...names.map(width));
  const numberWidth = Math.max(...bars.map(({ caption }) => caption.length));
  const shareWidth = Math.max(...bars.map(({ share = '' }) => share.length));
  const beside = 1 + numberWidth + (shareWidth > 0 ? 2 + shareWidth : 0);
  const room = Math.max(8, rules.width - nameWidth - 1 - beside);
  const columnOf = (value: number) => ((Math.max(value, low) - low) / (high - low)) * room;
  const fill = fills[rules.ascii ? 'ascii' : 'unicode'];
  const lines = bars.map(({ total, from, to, caption, share = '', verdict }, at) => {
    const ends = [total ? Math.max(0, low) : from, to].map(columnOf).sort((a, b) => a - b);
    const mark = fill[total ? 'full' : to < from ? 'fall' : 'rise'];
    const bar = span(ends, room, mark);
    const name = padEnd(names[at] ?? '', nameWidth);
    const number = `${caption.padStart(numberWidth)}${shareWidth > 0 ? `  ${share.padStart(shareWidth)}` : ''}`;
    return `${name} ${total ? bar : rules.paint(verdict, bar)} ${number}`.trimEnd();
  });
  const head = [company, title].filter((word) => word !== undefined).join(rules.ascii ? ' - ' : ' · ');
  return [
    ...wrap(`${head}${unit === undefined ? '' : ` (${unit})`}`, rules.width),
    ...lines,
    ...(isCut ? [`Bars begin at ${labels[0]}, not at zero.`] : []),
    ...notesOf({ notes }, rules),
  ];
}

type Raster = ReturnType<typeof raster>;
type Dot = [x: number, y: number];

interface Cell {
  bits: number;
  series: number;
  lone: boolean;
}

/** Bits of the Braille block by row and column of the dot. */
const braille: readonly (readonly [number, number])[] = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];

/**
 * A grid of character cells that lines are drawn on, in Braille dots (2 by 4 to a cell) or in one mark for each cell.
 * @param marks one for each series; undefined: Braille
 */
function raster(columns: number, lines: number, marks: readonly string[] | undefined) {
  const [across, down] = marks ? [1, 1] : [2, 4];
  const cells: (Cell | undefined)[] = Array.from({ length: columns * lines });
  const touch = (x: number, y: number, series: number): Cell | undefined => {
    const [column, line] = [Math.floor(x / across), Math.floor(y / down)];
    if (column < 0 || column >= columns || line < 0 || line >= lines) return undefined;
    const at = line * columns + column;
    const cell = cells[at] ?? { bits: 0, series, lone: false };
    cells[at] = cell;
    return cell;
  };
  const textOf = (cell: Cell): string => {
    if (marks) return marks[cell.series % marks.length] ?? '*';
    return cell.lone ? '•' : String.fromCharCode(0x2800 + cell.bits);
  };
  return {
    width: columns * across,
    height: lines * down,
    perLine: down,
    /** A dot of a series; y counts from the top. The first series to take a cell keeps its colour and mark. */
    dot(x: number, y: number, series: number) {
      const cell = touch(x, y, series);
      if (cell) cell.bits |= braille[y % down]?.[x % across] ?? 0;
    },
    /** A point that no line leads to: a whole cell, so that it is visible. */
    lone(x: number, y: number, series: number) {
      const cell = touch(x, y, series);
      if (cell) cell.lone = true;
    },
    rows(paint: DrawRules['paint']): string[] {
      const texts = cells.map((cell) => (cell ? paint(cell.series, textOf(cell)) : ' '));
      return Array.from({ length: lines }, (_, row) => texts.slice(row * columns, (row + 1) * columns).join(''));
    },
  };
}

/** The dots from one to another, both ends included. */
function line([x0, y0]: Dot, [x1, y1]: Dot): Dot[] {
  const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1);
  const between = (from: number, to: number, step: number) => Math.round(from + ((to - from) * step) / steps);
  return Array.from({ length: steps + 1 }, (_, step) => [between(x0, x1, step), between(y0, y1, step)]);
}

/** Charts for screen readers: what a reader sees in the picture, in sentences. */
export function panelInWords(panel: Panel): string[] {
  const { title, company, unit, series, notes = [] } = panel;
  const head = [company, `${title}${inUnit(unit)}`, rangeOf(panel)].filter(Boolean).join(', ');
  return [`${head}.`, ...series.map((each) => seriesInWords(each, panel)), ...notes];
}

export function waterfallInWords({ title, company, unit, bars, notes = [] }: Waterfall): string[] {
  const head = `${company === undefined ? '' : `${company}, `}${title}${inUnit(unit)}.`;
  const steps = bars.map(
    ({ label, caption, share }) => `${label}: ${caption}${share === undefined ? '' : `, ${share}`}.`,
  );
  return [head, ...steps, ...notes];
}

interface Point {
  period: string;
  value: number;
}

/** `MRR: from 1.78M in 2025-09 to 2.00M in 2026-02, up 12.2%. Lowest …, highest …` */
function seriesInWords(series: ChartSeries, panel: Panel): string {
  const { periods, unit } = panel;
  const format = formatOf(panel);
  const points = periods.flatMap((period, at): Point[] => {
    const value = asDouble(series.values[at]);
    return value === undefined ? [] : [{ period, value }];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return `${series.label}: no values.`;
  const caption = ({ period, value }: Point) => `${format(value)} in ${period}`;
  if (points.length === 1) return `${series.label}: ${caption(first)}.`;
  const lowest = points.reduce((least, point) => (point.value < least.value ? point : least));
  const highest = points.reduce((most, point) => (point.value > most.value ? point : most));
  const gaps = gapCount(series);
  return [
    `${series.label}: from ${caption(first)} to ${caption(last)}, ${changeOf(first.value, last.value, unit)}.`,
    `Lowest ${caption(lowest)}, highest ${caption(highest)}.`,
    ...(gaps === 0 ? [] : [`No value in ${gaps} ${gaps === 1 ? 'period' : 'periods'} between.`]),
  ].join(' ');
}

/** A share of a percentage would be taken for points of it. */
function changeOf(from: number, to: number, unit: string | undefined): string {
  if (from === to) return 'unchanged';
  const direction = to > from ? 'up' : 'down';
  return from > 0 && to > 0 && unit !== '%' ? `${direction} ${Math.abs((to / from - 1) * 100).toFixed(1)}%` : direction;
}

const inUnit = (unit: string | undefined) => (unit === undefined ? '' : ` (${unit})`);
