/** A panel as lines of text: axis with units, one line for each series, plans dashed, gaps left open. */
import { shortPeriod } from '../../core/periods.ts';
import { asDouble, type ChartSeries, doubles, gapCount, type Panel } from './panel.ts';
import { type PeriodTick, periodTicks } from './period-ticks.ts';
import { line, type Raster, raster } from './raster.ts';
import { type RowScale, rowScaleOf } from './row-scale.ts';
import { shortNumber } from './scale.ts';

export interface DrawRules {
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

export function drawLines(panel: Panel, rules: DrawRules): string[] {
  const marks = marksFor(panel.series, rules);
  const box = rules.ascii
    ? { side: '|', tick: '+', corner: '+', base: '-', below: '+' }
    : { side: '│', tick: '┤', corner: '└', base: '─', below: '┬' };
  const axis = rowScaleOf(doubles(panel), rules.height);
  const labelWidth = Math.max(...[...axis.labels.values()].map((label) => label.length));
  const ends = rules.width < roomForEnds ? new Map<number, End>() : endsOf(panel, axis, rules.height);
  const endWidth = Math.max(0, ...[...ends.values()].map(({ text }) => text.length + 1));
  const columns = Math.max(8, rules.width - labelWidth - 2 - endWidth);
  const grid = raster(columns, rules.height, marks);
  // Drawn last to first would lose the first: the cell belongs to who takes it first.
  for (const [index, series] of panel.series.entries()) {
    drawSeries(grid, series, index, axis, marks ? dash.marks : dash.braille);
  }
  const rows = grid.rows(rules.paint).map((row, at) => {
    const label = axis.labels.get(at);
    const end = ends.get(at);
    const said = end === undefined ? '' : ` ${rules.paint(end.series, end.text)}`;
    return `${(label ?? '').padStart(labelWidth)} ${label === undefined ? box.side : box.tick}${row}${said}`.trimEnd();
  });
  const time = periodAxis(panel.periods, { left: labelWidth + 2, columns, right: endWidth, marks: box });
  return [
    titleWithRange(panel, rules),
    ...rows,
    `${' '.repeat(labelWidth + 1)}${box.corner}${time.line}`,
    time.labels,
    ...legend(panel.series, marks, rules),
    ...(panel.notes ?? []),
  ];
}

interface End {
  series: number;
  text: string;
}

/** The last value of each series beside the end of its line, on the nearest line that is free. */
function endsOf({ series, unit, periods }: Panel, axis: RowScale, height: number): Map<number, End> {
  const ends = new Map<number, End>();
  for (const [index, { values }] of series.entries()) {
    const at = values.findLastIndex((value) => asDouble(value) !== undefined);
    const value = asDouble(values[at]);
    if (value === undefined || at < periods.length - 1) continue;
    const row = Math.round((axis.top - value) / axis.perRow);
    const rows = Array.from({ length: height }, (_, each) => each).filter((each) => !ends.has(each));
    const free = rows.sort((a, b) => Math.abs(a - row) - Math.abs(b - row))[0];
    if (free !== undefined) ends.set(free, { series: index, text: `${shortNumber(value)}${unit === '%' ? '%' : ''}` });
  }
  return ends;
}

/** The company, and the names of the metrics where they have room; the legend has them anyway. */
export function titleOf(
  { title, company, unit, series }: Panel,
  { width, ascii }: Pick<DrawRules, 'width' | 'ascii'>,
): string {
  const suffix = unit === undefined ? '' : ` (${unit})`;
  const metrics = new Set(series.map(({ metricId }) => metricId)).size;
  const name = company === undefined ? '' : `${company} ${ascii ? '-' : '·'} `;
  const long = metrics > 1 && name.length + title.length + suffix.length > width;
  return `${name}${long ? `${metrics} metrics` : title}${suffix}`;
}

/** The axis does not name every period: the title names the first and the last one where it has room. */
function titleWithRange(panel: Panel, rules: DrawRules): string {
  const { width, ascii } = rules;
  const title = titleOf(panel, rules);
  const [first, last] = [panel.periods[0], panel.periods.at(-1)];
  if (first === undefined || last === undefined) return title;
  const range = first === last ? shortPeriod(first) : `${shortPeriod(first)} to ${shortPeriod(last)}`;
  const whole = `${title} ${ascii ? '-' : '·'} ${range}`;
  return whole.length <= width ? whole : title;
}

/** Braille where lines can be told apart in it: by colour, or because at most one is solid and one is dashed. */
function marksFor(series: readonly ChartSeries[], { ascii, color }: DrawRules): readonly string[] | undefined {
  if (ascii) return asciiMarks;
  const dashed = series.filter((each) => each.dashed).length;
  return color || (dashed <= 1 && series.length - dashed <= 1) ? undefined : unicodeMarks;
}

function drawSeries(
  grid: Raster,
  { values, dashed }: ChartSeries,
  index: number,
  { top, perRow }: RowScale,
  dashLength: number,
): void {
  const place = (at: number): [number, number] | undefined => {
    const value = asDouble(values[at]);
    if (value === undefined) return undefined;
    const x = values.length === 1 ? (grid.width - 1) / 2 : (at * (grid.width - 1)) / (values.length - 1);
    // The value of a line is in its middle, where its tick is.
    const y = ((top - value) / perRow) * grid.perLine + (grid.perLine - 1) / 2;
    return [Math.round(x), Math.round(y)];
  };
  let drawn = 0;
  for (let at = 0; at < values.length; at += 1) {
    const here = place(at);
    if (!here) continue;
    const [before, after] = [at > 0 ? place(at - 1) : undefined, place(at + 1)];
    if (!before && !after) grid.lone(...here, index);
    if (!after) continue;
    for (const [x, y] of line(...here, ...after)) {
      const shown = !dashed || Math.floor(drawn / dashLength) % 2 === 0;
      drawn += 1;
      if (shown) grid.dot(x, y, index);
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
  // Below the middle of its tick, but for the edges of the terminal.
  const start = ({ at, text }: PeriodTick) =>
    Math.max(0, Math.min(left + cell(at) - Math.floor((text.length - 1) / 2), room - text.length));
  const ticks = periodTicks(periods, (some) =>
    some.every((each, index) => {
      const before = some[index - 1];
      return before === undefined || start(each) >= start(before) + before.text.length + between;
    }),
  );
  const line = Array.from({ length: columns }, () => marks.base);
  let labels = '';
  for (const tick of ticks) {
    line[cell(tick.at)] = marks.below;
    labels = labels.padEnd(start(tick)) + tick.text;
  }
  return { line: line.join(''), labels: labels.slice(0, room) };
}

function legend(series: readonly ChartSeries[], marks: readonly string[] | undefined, rules: DrawRules): string[] {
  const entries = series.map((each, index) => {
    const sign = marks ? (marks[index % marks.length] ?? '*') : each.dashed ? '╌╌' : '──';
    const gaps = gapCount(each);
    const says = [
      ...(marks && each.dashed ? ['dashed'] : []),
      ...(gaps > 0 ? [gaps === 1 ? '1 gap' : `${gaps} gaps`] : []),
    ];
    const text = `${sign} ${each.label}${says.length > 0 ? ` (${says.join(', ')})` : ''}`;
    return { text: `${rules.paint(index, sign)}${text.slice(sign.length)}`, width: text.length };
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
