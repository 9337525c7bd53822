/** The rows of an analysis, in bounded memory: those of all companies of a command share a temporary file. */

import type { Context } from '../../../cli/context.ts';
import { versions } from '../../../contract/metrics.ts';
import { readWhole } from '../../../core/errors.ts';
import { type Rows, Share, Spool } from '../../../core/spool.ts';
import { type AnalysisItem, linesOf, type MetricLine } from '../../../domain/analysis/points.ts';

/** Oldest first. */
export interface AnalysisItems extends Rows<AnalysisItem> {
  /** The metrics of the rows, in the order in which they come. */
  readonly ids: ReadonlySet<string>;
  /** Some values are of part of their period. */
  readonly partial: boolean;
  /** Some rows say of how many months they are. */
  readonly marked: boolean;
}

/** So many rows of a command stay in memory: a row may have hundreds of metrics. */
const fewItems = 500;

const spools = new WeakMap<Context['settings'], Spool<AnalysisItem>>();

/** Keeps rows that come in any order. */
export async function keptItems(
  { settings, runtime }: Context,
  ...sources: readonly (Iterable<AnalysisItem> | AsyncIterable<AnalysisItem>)[]
): Promise<AnalysisItems> {
  const spool = spools.get(settings) ?? new Spool<AnalysisItem>(undefined, fewItems);
  spools.set(settings, spool);
  const kept = new Kept(spool);
  for (const source of sources) {
    for await (const item of readWhole(source)) {
      kept.push(item);
      if (kept.length === fewItems) runtime.keepHeapSmall?.();
    }
  }
  return kept.inOrder();
}

class Kept implements AnalysisItems {
  readonly ids = new Set<string>();
  partial = false;
  marked = false;
  private readonly share: Share<AnalysisItem>;
  private last: Placed | undefined;
  private isSorted = true;

  constructor(spool: Spool<AnalysisItem>) {
    this.share = new Share(spool);
  }

  get length(): number {
    return this.share.length;
  }

  at(index: number): AnalysisItem | undefined {
    return this.share.at(index);
  }

  [Symbol.iterator](): Iterator<AnalysisItem> {
    return this.share[Symbol.iterator]();
  }

  push(item: AnalysisItem): void {
    const { periodKey, version, metrics, incomplete, months } = item;
    for (const id in metrics) this.ids.add(id);
    this.partial ||= incomplete !== undefined;
    this.marked ||= months !== undefined;
    this.isSorted &&= this.last === undefined || inOrder(this.last, item) <= 0;
    this.last = { periodKey, version };
    this.share.push(item);
  }

  inOrder(): this {
    if (this.isSorted) return this;
    this.share.sort(({ periodKey, version }): Placed => ({ periodKey, version }), inOrder);
    this.ids.clear();
    for (const { metrics } of this.share) for (const id in metrics) this.ids.add(id);
    return this;
  }
}

type Placed = Pick<AnalysisItem, 'periodKey' | 'version'>;

/** By period, within it in the order of the versions. */
export function inOrder(a: Placed, b: Placed): number {
  if (a.periodKey !== b.periodKey) return a.periodKey < b.periodKey ? -1 : 1;
  return versions.indexOf(a.version) - versions.indexOf(b.version);
}

/** The rows of each period. */
export function* byPeriod(items: Iterable<AnalysisItem>): Generator<AnalysisItem[]> {
  let period: AnalysisItem[] = [];
  for (const item of items) {
    if (period.length > 0 && period[0]?.periodKey !== item.periodKey) {
      yield period;
      period = [];
    }
    period.push(item);
  }
  if (period.length > 0) yield period;
}

/** So many points are held at once: a longer series is read again for its other metrics. */
const heldPoints = 60_000;

/** The lines of each metric, as `linesOf` gives them, a few metrics at a time. */
export function* linesByMetric(
  items: Rows<AnalysisItem>,
  ids: readonly string[],
): Generator<[metricId: string, lines: MetricLine[]]> {
  const atOnce = Math.max(1, Math.floor(heldPoints / Math.max(1, items.length)));
  for (let start = 0; start < ids.length; start += atOnce) {
    const some = ids.slice(start, start + atOnce);
    const lines = linesOf(items, some);
    for (const id of some) yield [id, lines.filter(({ metricId }) => metricId === id)];
  }
}

/** The same one after the other. */
export function* linesInTurn(items: Rows<AnalysisItem>, ids: readonly string[]): Generator<MetricLine> {
  for (const [, lines] of linesByMetric(items, ids)) yield* lines;
}
