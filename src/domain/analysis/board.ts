/** The board's table: what has to be explained, the scale of amounts, and sums of metrics that add up. */

import { compare, magnitude, product, rounded, sum } from '../../core/decimal.ts';
import { isInteger, isNumeric, type Numeric, numeric, plainDecimal } from '../../core/json.ts';
import type { AnalysisItem } from './points.ts';

/** From which difference a variance has to be explained. */
export interface Material {
  limits: readonly { amount: Numeric; relative: boolean }[];
  /** Every limit has to be reached, or one of them. */
  joined: 'and' | 'or';
}

/** Reads `10%`, `10000`, `10% and 10000`, `10% or 10000`; undefined for any other text. */
export function parseMaterial(text: string): Material | undefined {
  const parts = text
    .trim()
    .replace(/\s+/g, ' ')
    .split(/ (and|or) /);
  const words = new Set(parts.filter((_, at) => at % 2 === 1));
  const limits = parts.flatMap((part, at) => {
    if (at % 2 === 1) return [];
    const match = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(part);
    return match ? [{ amount: numeric(match[1] ?? ''), relative: match[2] === '%' }] : [];
  });
  if (words.size > 1 || limits.length !== (parts.length + 1) / 2) return undefined;
  return { limits, joined: words.has('or') ? 'or' : 'and' };
}

/** Whether a difference reaches the limits. No difference is not material; any of a plan of zero reaches every percentage. */
export function isMaterial(difference: Numeric | null, plan: unknown, { limits, joined }: Material): boolean {
  if (difference === null || !isNumeric(plan) || compare(difference, 0) === 0) return false;
  const size = magnitude(difference);
  const reached = limits.map(({ amount, relative }) =>
    // Products are exact, and quotients are not.
    relative ? compare(product(size, 100), product(amount, magnitude(plan))) >= 0 : compare(size, amount) >= 0,
  );
  return joined === 'and' ? reached.every(Boolean) : reached.some(Boolean);
}

export type Scale = 'none' | 'k' | 'M';

const factors = { none: numeric('1'), k: numeric('0.001'), M: numeric('0.000001') } as const;

/** The scale in which the greatest amount has few digits. */
export function autoScale(amounts: Iterable<Numeric>): Scale {
  let scale: Scale = 'none';
  for (const amount of amounts) {
    const size = magnitude(amount);
    if (compare(size, 100_000_000) >= 0) return 'M';
    if (compare(size, 100_000) >= 0) scale = 'k';
  }
  return scale;
}

export function scaled(value: Numeric, scale: Scale): Numeric {
  return scale === 'none' ? value : product(value, factors[scale]);
}

/** Exactly so many digits after the point, rounded half up: 1.25 is `1.3`, 2 is `2.0`. */
export function fixed(value: Numeric, digits: number): string {
  const [whole = '', fraction = ''] = plainDecimal(rounded(value, digits)).split('.');
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`;
}

const mostDigits = 2;

/** The digits of a row: as many as its values have, at most two; of scaled values one. None where all are integers. */
export function digitsOf(values: readonly Numeric[], scale: Scale, digits: number | undefined): number {
  if (scale !== 'none') return digits ?? 1;
  if (values.every(isInteger)) return 0;
  const fractions = values.map((value) => plainDecimal(value).split('.')[1]?.length ?? 0);
  return digits ?? Math.min(mostDigits, Math.max(...fractions));
}

/** A metric, as far as it decides the group. */
interface Grouped {
  id: string;
  aggregation?: string | null | undefined;
  direction?: string | null | undefined;
  unit?: string | undefined;
  /** The catalog's `valueSemantics`. */
  semantics?: string | null | undefined;
}

interface Group<M> {
  /** Unique; undefined: the metric is not additive, and is a group of its own. */
  name: string | undefined;
  metrics: M[];
}

/**
 * Groups of metrics that can be added: flows (the catalog aggregates them by sum) of one meaning, unit and direction, since
 * income and costs do not add up. Others stay in their places.
 */
export function groupsOf<M extends Grouped>(metrics: readonly M[]): Group<M>[] {
  const groups: Group<M>[] = [];
  for (const metric of metrics) {
    const { aggregation, semantics, unit, direction } = metric;
    const words = [semantics ?? 'sum', unit, direction].filter((word) => word !== undefined && word !== null);
    const name = aggregation === 'sum' ? words.join(', ') : undefined;
    const known = name === undefined ? undefined : groups.find((group) => group.name === name);
    if (known) known.metrics.push(metric);
    else groups.push({ name, metrics: [metric] });
  }
  return groups;
}

/** The rows with the sum of the metrics under another name; without it where one of them has no number. */
export function withSum(items: Iterable<AnalysisItem>, ids: readonly string[], as: string): AnalysisItem[] {
  return Array.from(items, (item) => {
    const values = ids.map((id) => item.metrics[id]);
    if (!values.every(isNumeric)) return item;
    const parts = ids.flatMap((id) => item.incomplete?.[id] ?? []).sort();
    return {
      ...item,
      metrics: { ...item.metrics, [as]: sum(values) } as AnalysisItem['metrics'],
      ...(parts[0] !== undefined && { incomplete: { ...item.incomplete, [as]: parts[0] } }),
    };
  });
}
