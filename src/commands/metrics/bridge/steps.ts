/** The steps of a bridge of one company: its periods, or the parts that explain the change. */

import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';
import type { Numeric } from '../../../core/json.ts';
import { formatPeriod } from '../../../core/periods.ts';
import { changesBetween, flowBetween } from '../../../domain/analysis/bridge.ts';
import { linesOf, type Point } from '../../../domain/analysis/points.ts';
import type { Analysis, Metric } from '../analysis/parts.ts';
import type { Asked } from './asked.ts';

interface Change {
  name: string;
  value: Numeric;
}

/** A step for each period after the first; one over a hole says so. */
export function periodSteps(ctx: Context, points: readonly Point[], { metric, from, to }: Asked): Change[] {
  const key = (index: number) => formatPeriod({ type: from.type, index });
  return changesBetween(points, from.index, to.index).map(({ since, index, value }) => {
    const hole = index - since > 1;
    if (hole) ctx.out.warn(`${metric} has no value in ${key(since + 1)}: its change is in that of ${key(index)}`);
    return { name: hole ? `${key(since + 1)} to ${key(index)}` : key(index), value };
  });
}

/** A step for each part. One without a value in a period is left to the rest, with a warning. */
export function partsOf(ctx: Context, analysis: Analysis, whole: Metric, { parts = [], from, to }: Asked): Change[] {
  return parts.flatMap((id) => {
    const metric = analysis.metrics.find((one) => one.id === id) ?? { id };
    if (metric.unit !== whole.unit) {
      throw usage(
        `parts of ${whole.id} must be in ${whole.unit ?? 'its unit'}, and ${id} is in ${metric.unit ?? 'none'}`,
        "compute the amount with --calc 'NAME = EXPRESSION'",
      );
    }
    if (metric.aggregation === 'average') throw usage(`${id} cannot be a part: the catalog averages its months`);
    const points = linesOf(analysis.items, [id]).flatMap((line) => line.points);
    const found =
      metric.aggregation === 'last' ? balance(points, from.index, to.index) : flowBetween(points, from.index, to.index);
    const name = metric.label ?? id;
    if (found.value !== undefined) return [{ name, value: found.value }];
    const missing = formatPeriod({ type: from.type, index: found.missing ?? to.index });
    ctx.out.warn(`${id} has no value in ${missing}: its part is in "other"`);
    return [];
  });
}

function balance(points: readonly Point[], from: number, to: number): { value?: Numeric; missing?: number } {
  const ends = points.filter(({ index }) => index === from || index === to);
  const [change] = changesBetween(ends, from, to);
  if (change) return { value: change.value };
  return { missing: ends.some(({ index, value }) => index === from && value !== null) ? to : from };
}
