/** An analysis as panels of a chart: metrics of one unit share their axes. */

import { formatPeriod, markedPeriod, partialWords } from '../../../core/periods.ts';
import { linesOf, type MetricLine } from '../../../domain/analysis/points.ts';
import type { ChartSeries, Panel } from '../../../output/chart/panel.ts';
import { cleanLine } from '../../../output/terminal-text.ts';
import type { Analysis } from '../read.ts';

/** @param apart each metric has its own panel */
export function panelsOf({ items, metrics, type, range, anyRange }: Analysis, apart: boolean): Panel[] {
  const lines = linesOf(
    items,
    metrics.map(({ id }) => id),
  );
  const indexes = lines.flatMap(({ points }) => points.map(({ index }) => index));
  if (indexes.length === 0) return [];
  const last = indexes.reduce((a, b) => Math.max(a, b));
  // Requested periods are drawn even without values.
  const asked = anyRange ? undefined : range.from?.index;
  const first = asked ?? indexes.reduce((a, b) => Math.min(a, b));
  const all = Array.from({ length: last - first + 1 }, (_, step) => first + step);
  const partial = new Map(
    lines.flatMap(({ points }) => points.flatMap(({ index, incomplete }) => (incomplete ? [[index, incomplete]] : []))),
  );
  const periods = all.map((index) => markedPeriod(formatPeriod({ type, index }), partial.get(index)));
  const scaleOf = scales();
  const panels = new Map<string, { unit?: string; labels: string[]; series: ChartSeries[] }>();
  for (const { id, label = id, unit } of metrics) {
    const own = lines.filter(({ metricId }) => metricId === id);
    if (own.length === 0) continue;
    const key = apart ? id : scaleOf(unit ?? '', own);
    const panel = panels.get(key) ?? { ...(unit && { unit: cleanLine(unit) }), labels: [], series: [] };
    panels.set(key, panel);
    panel.labels.push(cleanLine(label));
    for (const line of own) {
      const values = new Map(line.points.map(({ index, value }) => [index, value]));
      panel.series.push({
        label: cleanLine(line.version === 'actual' ? label : `${label} ${line.version}`),
        metricId: id,
        version: line.version,
        dashed: line.version !== 'actual',
        values: all.map((index) => values.get(index)),
        partial: all.map((index) => line.points.some((point) => point.index === index && point.incomplete)),
      });
    }
  }
  const labelOf = (id: string) => cleanLine(metrics.find((metric) => metric.id === id)?.label ?? id);
  const notesOf = (series: readonly ChartSeries[]) => {
    const drawn = new Set(series.map(({ metricId, version }) => `${metricId} ${version}`));
    const partly = lines
      .filter(({ metricId, version }) => drawn.has(`${metricId} ${version}`))
      .flatMap(({ metricId, points }) =>
        points.flatMap(({ index, incomplete }) =>
          incomplete ? [`${labelOf(metricId)} of ${formatPeriod({ type, index })}: ${partialWords(incomplete)}`] : [],
        ),
      );
    return partly.length > 0 ? { notes: partly } : {};
  };
  return [...panels.values()].map(({ unit, labels, series }) => ({
    title: labels.join(', '),
    ...(unit !== undefined && { unit }),
    periods,
    series,
    ...notesOf(series),
  }));
}

/** On one scale a metric five times as large would make a flat line of the other. */
const mostApart = 5;

/** The name of the panel of a metric: that of an earlier one of its unit whose values are about as large. */
function scales(): (unit: string, lines: readonly MetricLine[]) => string {
  const known: { unit: string; least: number; most: number }[] = [];
  return (unit, lines) => {
    const sizes = lines.flatMap(({ points }) => points.map(({ value }) => Math.abs(Number(value))));
    const size = Math.max(0, ...sizes.filter(Number.isFinite));
    const fits = known.findIndex(
      (scale) =>
        scale.unit === unit && Math.max(scale.most, size) <= mostApart * Math.min(scale.least, size || scale.least),
    );
    const held = known[fits];
    if (held === undefined) return `${known.push({ unit, least: size, most: size }) - 1}`;
    held.least = Math.min(held.least, size || held.least);
    held.most = Math.max(held.most, size);
    return `${fits}`;
  };
}
