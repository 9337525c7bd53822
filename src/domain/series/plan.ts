/** The planner of metric series: windows of at most 60 periods, each read in chunks of at most 50 metrics. */

import { type Version, versions as versionOrder } from '../../contract/metrics.ts';
import { maxMetricIds, maxWindowPeriods } from '../../contract/rules.ts';
import { Failure } from '../../core/errors.ts';
import { type Period, type PeriodType, parsePeriod, startMonth } from '../../core/periods.ts';
import { writtenRange } from './range.ts';

export type Order = 'asc' | 'desc';

export const aggregations = ['sum', 'average', 'last', 'first', 'min', 'max'] as const;
export type Aggregation = (typeof aggregations)[number];

/** The replacements of a missing row or value. */
export const fills = ['none', 'null', 'zero', 'prev'] as const;
export type Fill = (typeof fills)[number];

/** One row for each period and version, or for each value. */
export const seriesShapes = ['wide', 'long'] as const;
export type SeriesShape = (typeof seriesShapes)[number];

/** Reads `mrr=sum`; undefined when the text is not a metric with an aggregation. */
export function parseAggregation(text: string): [metricId: string, aggregation: Aggregation] | undefined {
  const at = text.lastIndexOf('=');
  const [metric, name] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const aggregation = aggregations.find((known) => known === name);
  return at <= 0 || metric === '' || !aggregation ? undefined : [metric, aggregation];
}

export interface SeriesScope {
  periodType: PeriodType;
  /** Bounds in the grain of `periodType`, both included; without one of them the range is open there. */
  from?: Period | undefined;
  to?: Period | undefined;
  metricIds?: readonly string[] | undefined;
  order: Order;
}

/** One or several requests for the same periods. An open range is one window, which the API pages by cursor. */
export interface Window {
  from?: Period | undefined;
  to?: Period | undefined;
  /** The metrics of each request; `[undefined]` is one request for all metrics. */
  chunks: readonly (readonly string[] | undefined)[];
}

export interface Keyed {
  periodKey: string;
  version: string;
}

export function planSeries({ from, to, metricIds, order }: SeriesScope): Window[] {
  const chunks = metricIds === undefined ? [undefined] : chunk([...new Set(metricIds)], maxMetricIds);
  if (!from || !to) return [{ from, to, chunks }];
  const windows: Window[] = [];
  for (let first = from.index; first <= to.index; first += maxWindowPeriods) {
    const last = Math.min(first + maxWindowPeriods - 1, to.index);
    windows.push({ from: { type: from.type, index: first }, to: { type: to.type, index: last }, chunks });
  }
  return order === 'asc' ? windows : windows.reverse();
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** The bounds of the unread windows when a run ends within `window`. */
export function remainder(window: Window, scope: SeriesScope): { from: string | undefined; to: string | undefined } {
  const bounds = scope.order === 'asc' ? { from: window.from, to: scope.to } : { from: scope.from, to: window.to };
  return writtenRange(bounds);
}

/** Joins the rows of a window's chunks, one period at a time. @throws rejected when those of a chunk are not in order */
export async function* joinChunks<Row extends Keyed>(
  chunks: readonly AsyncIterable<readonly Row[]>[],
  order: Order,
): AsyncGenerator<Row[]> {
  const sign = order === 'asc' ? 1 : -1;
  const readers = chunks.map((pages) => byPeriod(pages, sign));
  try {
    let heads = await Promise.all(readers.map(next));
    for (;;) {
      const least = Math.min(...heads.map((head) => (head ? sign * head.start : Number.POSITIVE_INFINITY)));
      if (least === Number.POSITIVE_INFINITY) return;
      const here = heads.map((head) => head !== undefined && sign * head.start === least);
      yield heads
        .flatMap((head, index) => (head && here[index] ? head.rows : []))
        .sort((a, b) => rank(a.version) - rank(b.version));
      heads = await Promise.all(heads.map((head, index) => (here[index] ? next(readers[index]) : head)));
    }
  } finally {
    await Promise.all(readers.map((reader) => reader.return(undefined)));
  }
}

interface PeriodRows<Row> {
  start: number;
  rows: Row[];
}

async function next<T>(reader: AsyncIterator<T> | undefined): Promise<T | undefined> {
  const result = await reader?.next();
  return result?.done === false ? result.value : undefined;
}

async function* byPeriod<Row extends Keyed>(
  pages: AsyncIterable<readonly Row[]>,
  sign: number,
): AsyncGenerator<PeriodRows<Row>> {
  let current: (PeriodRows<Row> & { key: string }) | undefined;
  for await (const page of pages) {
    for (const row of page) {
      if (current?.key === row.periodKey) {
        current.rows.push(row);
        continue;
      }
      const start = startMonth(periodOf(row));
      if (current && sign * start <= sign * current.start) {
        throw new Failure('rejected', `the series is out of order: ${row.periodKey} came after ${current.key}`, {
          hint: `read at most ${maxMetricIds} metrics at once: then nothing is joined`,
        });
      }
      if (current) yield current;
      current = { key: row.periodKey, start, rows: [row] };
    }
  }
  if (current) yield current;
}

/** The period of a row. @throws rejected for a key that is not a period */
export function periodOf({ periodKey }: Pick<Keyed, 'periodKey'>): Period {
  const period = parsePeriod(periodKey);
  if (period) return period;
  throw new Failure('rejected', `the series holds a period that is not valid: "${periodKey}"`);
}

function rank(version: string): number {
  const rank = versionOrder.indexOf(version as Version);
  return rank < 0 ? versionOrder.length : rank;
}
