import type { Context } from '../../cli/context.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { shortAskFlags } from '../../cli/query.ts';
import type { Numeric } from '../../core/json.ts';
import { formatPeriod } from '../../core/periods.ts';
import { changes, percent } from '../../domain/analysis/growth.ts';
import { indexOf, type Point, whole } from '../../domain/analysis/points.ts';
import { sparkline } from '../../domain/analysis/sparkline.ts';
import { asciiOnly } from '../../output/terminal-text.ts';
import { type PivotRow, pivotColumns, pivotPeriod } from './columns.ts';
import { analysisFlags, asciiFlag, partialFlag, totalFlag, versionsFlag } from './flags.ts';
import { type Analysis, grainOf, linesIn, versionsOf } from './read.ts';
import { directionsOf, showAnalyses } from './several.ts';

export default defineCommand({
  path: 'metrics table',
  summary: 'Show metrics by period, with sparkline and latest change',
  description: [
    'A row for each metric (and for each version, if there are several), a column for each period, on a terminal the newest at the right and elsewhere first. Trend is a sparkline, the oldest period at its left; a blank is a period without a value. Its scale runs from the least to the greatest value and may not begin at zero. Change compares the newest value with the previous period, in percent. A period of which some months are missing is marked, as 2026-Q1 (2/3), and compared only with --partial.',
    'Without a range the newest twelve months that have ended are shown, or as many as the terminal has room for.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  args: [],
  flags: {
    ...analysisFlags,
    versions: versionsFlag,
    order: flag.text('asc|desc', 'order of the periods; default asc in tables', { choices: ['asc', 'desc'] }),
    ascii: asciiFlag,
    partial: partialFlag,
    total: totalFlag,
    ...shortAskFlags,
  },
  examples: [
    { run: 'comem -p demo metrics table', says: 'every metric' },
    { run: 'comem -p demo -c lumen metrics table -m mrr,burn --last 8q --versions actual,budget', says: 'by quarter' },
    { run: 'comem -p demo metrics table --ytd', says: 'the year so far' },
  ],
  stdout: 'rows',
  manyCompanies: true,
  async run(ctx, { flags }) {
    const versions = versionsOf(flags.versions);
    const look = { versions: versions.length > 1, order: flags.order, grain: grainOf(flags) };
    const ascii = flags.ascii ?? asciiOnly(ctx.runtime.env);
    const { verdict } = await showAnalyses(ctx, flags, {
      options: { versions, last: '12' },
      known: pivotColumns({ periods: [], partial: new Map() }, { ...look, directions: new Map() }),
      more: pivotPeriod,
      rowsOf: (analysis) => pivotRows(analysis, { ascii, partial: flags.partial === true }),
      columnsOf(analyses) {
        const periods = [...new Set(analyses.parts.flatMap(({ value }) => periodsOf(value)))].sort();
        if (orderOf(ctx, flags.order) === 'desc') periods.reverse();
        const partial = new Map(analyses.parts.flatMap(({ value }) => partialPeriods(value)));
        return pivotColumns({ periods, partial }, { ...look, directions: directionsOf(analyses) });
      },
      empty: 'No values in the range.',
    });
    verdict();
  },
});

/** Time runs from left to right where people read; data begin with the newest period, as series do. */
function orderOf({ settings }: Context, order: string | undefined): string {
  if (order !== undefined) return order;
  return settings.output.value === 'table' || settings.output.value === 'md' ? 'asc' : 'desc';
}

/** The periods from the start of the range to the newest with a value; those without any are included. */
function indexesOf({ items, metrics, range }: Analysis): number[] {
  const ids = metrics.map(({ id }) => id);
  const valued = items.filter((item) => ids.some((id) => Object.hasOwn(item.metrics, id))).map(indexOf);
  if (valued.length === 0) return [];
  const newest = valued.reduce((a, b) => Math.max(a, b));
  const oldest = range.from?.index ?? valued.reduce((a, b) => Math.min(a, b));
  return Array.from({ length: Math.max(newest - oldest + 1, 0) }, (_, step) => oldest + step);
}

function periodsOf(analysis: Analysis): string[] {
  return indexesOf(analysis).map((index) => formatPeriod({ type: analysis.type, index }));
}

/** Periods of which only some months have data, with `2/3`. */
function partialPeriods(analysis: Analysis): (readonly [period: string, months: string])[] {
  return linesIn(analysis).flatMap(({ points }) =>
    points.flatMap(({ index, incomplete }) =>
      incomplete ? [[formatPeriod({ type: analysis.type, index }), incomplete] as const] : [],
    ),
  );
}

function pivotRows(analysis: Analysis, { ascii, partial }: { ascii: boolean; partial: boolean }): PivotRow[] {
  const key = (index: number) => formatPeriod({ type: analysis.type, index });
  const byId = new Map(analysis.metrics.map((metric) => [metric.id, metric]));
  const indexes = indexesOf(analysis);
  return linesIn(analysis).map(({ metricId, version, points }) => {
    const { label, unit } = byId.get(metricId) ?? {};
    const byIndex = new Map(points.map(({ index, value }) => [index, value]));
    const incomplete = new Map(points.flatMap((point) => (point.incomplete ? [[point.index, point.incomplete]] : [])));
    return {
      metricId,
      ...(label !== undefined && { label }),
      ...(unit !== undefined && { unit }),
      version,
      change: percent(lastChange(partial ? points : whole(points))),
      trend: sparkline(
        indexes.map((index) => byIndex.get(index)),
        { ascii, partial: new Set(indexes.flatMap((index, at) => (incomplete.has(index) ? [at] : []))) },
      ),
      values: Object.fromEntries(points.map(({ index, value }) => [key(index), value])),
      ...(incomplete.size > 0 && {
        months: Object.fromEntries([...incomplete].map(([index, months]) => [key(index), months])),
      }),
    };
  });
}

/** Of the newest value against the period before it. */
function lastChange(points: readonly Point[]): Numeric | null {
  const newest = points.findLast(({ value }) => value !== null);
  if (!newest) return null;
  const two = points.filter(({ index }) => index === newest.index || index === newest.index - 1);
  return changes(two, 1).findLast(({ value }) => value !== null)?.ratio ?? null;
}
