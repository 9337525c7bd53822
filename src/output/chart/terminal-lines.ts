/** A panel as lines of text: axis with units, one line for each series, plans dashed, gaps left open. */
import { asDouble, type ChartSeries, doubles, gapCount, type Panel } from './panel.ts';
import { line, type Raster, raster } from './raster.ts';
import { scaleOf } from './scale.ts';

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

export function drawLines(panel: Panel, rules: DrawRules): string[] {
  const marks = marksFor(panel.series, rules);
  const box = rules.ascii
    ? { side: '|', tick: '+', corner: '+', base: '-' }
    : { side: '│', tick: '┤', corner: '└', base: '─' };
  const { ticks, labels } = scaleOf(doubles(panel), Math.max(2, Math.min(5, Math.floor(rules.height / 3))));
  const labelWidth = Math.max(...labels.map((label) => label.length));
  const columns = Math.max(8, rules.width - labelWidth - 2);
  const grid = raster(columns, rules.height, marks);
  // Drawn last to first would lose the first: the cell belongs to who takes it first.
  for (const [index, series] of panel.series.entries()) {
    drawSeries(grid, series, index, { from: ticks[0] ?? 0, to: ticks.at(-1) ?? 1 }, marks ? dash.marks : dash.braille);
  }
  const tickLines = new Map(
    labels.map((label, index) => [
      Math.round(((ticks.length - 1 - index) * (rules.height - 1)) / (ticks.length - 1)),
      label,
    ]),
  );
  const rows = grid.rows(rules.paint).map((row, at) => {
    const label = tickLines.get(at);
    return `${(label ?? '').padStart(labelWidth)} ${label === undefined ? box.side : box.tick}${row}`.trimEnd();
  });
  const indent = ' '.repeat(labelWidth + 1);
  return [
    titleOf(panel, rules.width),
    ...rows,
    `${indent}${box.corner}${box.base.repeat(columns)}`,
    `${indent} ${periodLabels(panel.periods, columns)}`.trimEnd(),
    ...legend(panel.series, marks, rules),
    ...(panel.notes ?? []),
  ];
}

/** The names of the metrics where they have room; the legend has them anyway. */
export function titleOf({ title, unit, series }: Panel, width: number): string {
  const suffix = unit === undefined ? '' : ` (${unit})`;
  const metrics = new Set(series.map(({ metricId }) => metricId)).size;
  return `${metrics > 1 && title.length + suffix.length > width ? `${metrics} metrics` : title}${suffix}`;
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
  axis: { from: number; to: number },
  dashLength: number,
): void {
  const place = (at: number): [number, number] | undefined => {
    const value = asDouble(values[at]);
    if (value === undefined) return undefined;
    const x = values.length === 1 ? (grid.width - 1) / 2 : (at * (grid.width - 1)) / (values.length - 1);
    const y = ((axis.to - value) / (axis.to - axis.from)) * (grid.height - 1);
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

/** The first and the last period, and those between that have room. */
export function periodLabels(periods: readonly string[], columns: number): string {
  const [first] = periods;
  if (first === undefined) return '';
  const width = first.length;
  if (periods.length === 1) return `${' '.repeat(Math.max(0, Math.floor((columns - width) / 2)))}${first}`;
  const most = Math.max(2, Math.min(periods.length, Math.floor((columns + 3) / (width + 3))));
  if (columns < 2 * width + 1) return first;
  let text = '';
  for (let label = 0; label < most; label += 1) {
    const at = Math.round((label * (periods.length - 1)) / (most - 1));
    const center = (at * (columns - 1)) / (periods.length - 1);
    const start = Math.round(Math.min(Math.max(center - width / 2, 0), columns - width));
    if (label > 0 && start <= text.length) continue;
    // From the first to the last.
    text = text.padEnd(start) + (periods[at] ?? '');
  }
  return text;
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
