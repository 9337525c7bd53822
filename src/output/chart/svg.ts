/** Panels as SVG text. The only file that knows the chart library, which is loaded with it; it needs no browser. */
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { asDouble, type ChartSeries, doubles, type Panel } from './panel.ts';
import { scaleOf } from './scale.ts';

use([LineChart, BarChart, GridComponent, LegendComponent, TitleComponent, MarkLineComponent, SVGRenderer]);

export type ChartType = 'line' | 'bar';

interface PictureRules {
  type: ChartType;
  /** CSS pixels. */
  width: number;
  /** Of one panel. */
  height: number;
  /** Draw the panels' titles; a page has headings for them. */
  titles: boolean;
}

/** Differences that are told apart by eyes of every kind (Okabe and Ito). */
const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#444444'];
const ink = '#333333';
// Without quotes: the library writes it into an attribute as it is.
const font = 'system-ui, -apple-system, Segoe UI, Helvetica Neue, Arial, sans-serif';

/** All panels below each other as one SVG element with a viewBox, without scripts and without anything to load. */
export function svgOf(panels: readonly Panel[], rules: PictureRules): string {
  const places = panels.map((panel, index) => placed(panel, index, rules));
  return render(
    {
      title: rules.titles ? places.flatMap(({ title, note }) => [title, ...note]) : [],
      legend: places.map(({ legend }) => legend),
      grid: places.map(({ grid }) => grid),
      xAxis: places.map(({ xAxis }) => xAxis),
      yAxis: places.map(({ yAxis }) => yAxis),
      series: places.flatMap(({ series }) => series),
    },
    rules.width,
    Math.max(1, panels.length) * rules.height,
    panels.map(({ title }) => title).join(', '),
  );
}

/** One bar for each period with a percentage, in the colour of its verdict; its sign is the direction of the bar. */
export interface VerdictBar {
  period: string;
  percent: number | undefined;
  verdict: 'good' | 'bad' | 'even' | 'unknown';
}

const verdictColors = { good: '#0b7a75', bad: '#c0392b', even: '#777777', unknown: '#777777' };

export function verdictSvg(title: string, bars: readonly VerdictBar[], rules: Omit<PictureRules, 'type'>): string {
  const scale = scaleOf(
    bars.map(({ percent }) => percent).filter((value) => value !== undefined),
    4,
    true,
  );
  const few = rules.width / Math.max(bars.length, 1) > 48;
  const option = {
    grid: { left: leftOf(scale), right: 12, top: 16, bottom: 28 },
    xAxis: { ...categories(bars.map(({ period }) => period)), axisLine: { onZero: true, lineStyle: { color: ink } } },
    yAxis: valueAxis(scale, '%'),
    series: [
      {
        type: 'bar',
        barMaxWidth: 36,
        label: { show: few, color: ink, fontFamily: font, fontSize: 11 },
        data: bars.map(({ percent, verdict }) =>
          percent === undefined
            ? '-'
            : {
                value: percent,
                itemStyle: { color: verdictColors[verdict] },
                label: {
                  position: percent < 0 ? 'bottom' : 'top',
                  formatter: `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`,
                },
              },
        ),
      },
    ],
  };
  return render(option, rules.width, rules.height, title);
}

function render(option: EChartsCoreOption, width: number, height: number, title: string): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, backgroundColor: '#ffffff', textStyle: { fontFamily: font }, ...option });
    const svg = chart.renderToSVGString({ useViewBox: true });
    const named = `<svg role="img" aria-label="${escapeAttribute(title)}"`;
    return svg.replace('<svg', named);
  } finally {
    chart.dispose();
  }
}

/** Room for the longest label of the axis. */
function leftOf({ labels }: { labels: readonly string[] }): number {
  return Math.max(64, 16 + 7 * Math.max(...labels.map((label) => label.length)));
}

function placed(panel: Panel, index: number, { type, width, height, titles }: PictureRules) {
  const top = index * height;
  const scale = scaleOf(doubles(panel), 4, type === 'bar');
  const metrics = [...new Set(panel.series.map(({ metricId }) => metricId))];
  const colorOf = (each: ChartSeries) => palette[metrics.indexOf(each.metricId) % palette.length] ?? ink;
  // Names are what the library knows series by; in several panels they must differ.
  const nameOf = (each: ChartSeries, at: number) => `${index}.${at} ${each.label}`;
  const head = titles ? 28 : 0;
  return {
    title: { text: titleOf(panel), left: 8, top: top + 8, textStyle: { fontSize: 15, color: ink, fontFamily: font } },
    note: note(panel, top + height),
    legend: {
      show: panel.series.length > 1,
      ...{ left: 8, right: 8, top: top + head + 4, itemWidth: 26, itemHeight: 8, itemGap: 20, selectedMode: false },
      textStyle: { color: ink, fontFamily: font, fontSize: 12 },
      formatter: (name: string) => name.slice(name.indexOf(' ') + 1),
      data: panel.series.map((each, at) => ({ name: nameOf(each, at) })),
    },
    grid: {
      ...{
        left: leftOf(scale),
        right: 16,
        top: top + head + (panel.series.length > 1 ? legendHeight(panel, width) : 8) + 18,
      },
      height: height - head - (panel.series.length > 1 ? legendHeight(panel, width) : 8) - 18 - 34,
    },
    xAxis: { ...categories(panel.periods), gridIndex: index, boundaryGap: type === 'bar' },
    yAxis: { ...valueAxis(scale, panel.unit), gridIndex: index },
    series: panel.series.map((each, at) => ({
      ...{ name: nameOf(each, at), type, xAxisIndex: index, yAxisIndex: index, silent: true },
      emphasis: { disabled: true },
      ...(type === 'line' ? lineOf(each, colorOf(each)) : barOf(each, colorOf(each))),
      // A gap stays a gap: nothing is drawn across it.
      connectNulls: false,
      data: each.values.map((value, period) => {
        const number = asDouble(value) ?? '-';
        return each.partial?.[period] ? { value: number, ...partialStyle(each, colorOf(each)) } : number;
      }),
    })),
  };
}

function titleOf({ title, unit }: Panel): string {
  return unit === undefined ? title : `${title} (${unit})`;
}

/** What the picture cannot say by itself, in a small line below it. */
function note({ notes }: Panel, bottom: number) {
  if (notes === undefined || notes.length === 0) return [];
  const textStyle = { fontSize: 11, fontWeight: 'normal' as const, color: '#555555', fontFamily: font };
  return [{ text: notes.join('; '), left: 8, top: bottom - 14, padding: 0, textStyle }];
}

/** Room for the lines that the legend will need, from the length of its texts. */
function legendHeight({ series }: Panel, width: number): number {
  const cells = series.reduce((sum, { label }) => sum + 54 + label.length * 7, 0);
  return 22 * Math.ceil(cells / Math.max(width - 24, 100)) + 4;
}

function lineOf({ version, values }: ChartSeries, color: string) {
  const style = version === 'actual' ? 'solid' : version === 'budget' ? 'dashed' : 'dotted';
  return {
    lineStyle: { color, width: 2, type: style },
    itemStyle: { color },
    symbol: version === 'actual' ? 'circle' : 'emptyCircle',
    symbolSize: values.length > 40 ? 3 : 5,
    showSymbol: true,
    showAllSymbol: true,
  };
}

function barOf({ version }: Pick<ChartSeries, 'version'>, color: string) {
  const plan = { color: `${color}33`, borderColor: color, borderWidth: 1, borderType: 'dashed' as const };
  return { barMaxWidth: 28, itemStyle: version === 'actual' ? { color } : plan };
}

/** A value of some months only is hatched as a bar, and an empty diamond on a line. */
function partialStyle({ version }: ChartSeries, color: string) {
  const hatch = { color, dashArrayX: [1, 0], dashArrayY: [2, 3], rotation: -Math.PI / 4 };
  return { symbol: 'emptyDiamond', symbolSize: 9, itemStyle: { ...barOf({ version }, color).itemStyle, decal: hatch } };
}

function categories(data: readonly string[]) {
  return {
    type: 'category' as const,
    data: [...data],
    axisTick: { alignWithLabel: true },
    axisLine: { onZero: false, lineStyle: { color: '#999999' } },
    axisLabel: { color: ink, fontFamily: font, fontSize: 11, hideOverlap: true },
  };
}

function valueAxis({ ticks, labels }: { ticks: readonly number[]; labels: readonly string[] }, unit?: string) {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  const nearest = (value: number) => labels[Math.round((value - (ticks[0] ?? 0)) / step)] ?? String(value);
  return {
    type: 'value' as const,
    ...{ min: ticks[0], max: ticks.at(-1), interval: step },
    name: unit ?? '',
    nameTextStyle: { color: ink, fontFamily: font, fontSize: 11, align: 'right' as const },
    nameGap: 8,
    axisLabel: { color: ink, fontFamily: font, fontSize: 11, formatter: nearest },
    splitLine: { lineStyle: { color: '#e4e4e4' } },
  };
}

function escapeAttribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
