/** Totals of companies. A comparison holds the same companies on both sides: one that lacks a value is left out of both. */

import type { MetricSeriesItem } from '../../contract/metrics.ts';
import { sum } from '../../core/decimal.ts';
import { listSome } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { groupBy } from '../../core/same.ts';
import type { SeriesItem } from '../series/shapes.ts';
import { byTime, likeValues, pointOf } from './points.ts';

export interface Member {
  company: string;
  items: readonly SeriesItem[];
}

/** The values of a metric that are compared: of all periods, of all versions of a period, or none. */
export type Compared = 'periods' | 'versions' | 'nothing';

interface TotalMetric {
  id: string;
  currency?: string | undefined;
  measure?: string | undefined;
  aggregation?: string | null | undefined;
  /** Computed so that the value of several companies is not the sum of theirs. */
  isRatio?: boolean;
}

/** Amounts and counts add up; averages and ratios of companies do not, whatever their unit. */
export function addsUp({ currency, measure, aggregation, isRatio }: TotalMetric): boolean {
  return aggregation !== 'average' && !isRatio && (currency !== undefined || measure === 'count');
}

/**
 * The sums of the members; a company that lacks one of the compared values is left out of all of them. A metric that does
 * not add up is null. Notes name the companies that are left out, and why.
 */
export function totalOf(members: readonly Member[], metrics: readonly TotalMetric[], compared: Compared): SeriesItem[] {
  const items = emptyItems(members).sort(byTime);
  const stored = members.map((member) => new Map(member.items.map((item) => [cellKey(item), item])));
  const keyOf = (item: SeriesItem) =>
    ({ periods: item.version, versions: item.periodKey, nothing: cellKey(item) })[compared];
  for (const group of groupBy(items, keyOf).values()) {
    const cells = stored.map((ofMember) => group.map((item) => ofMember.get(cellKey(item))));
    for (const metric of metrics) {
      const { id } = metric;
      const ofMembers = members.map(({ company }, at) => {
        const values = valuesOf(cells[at] ?? [], id, compared);
        return { company, valueAt: (item: SeriesItem) => values[group.indexOf(item)] };
      });
      const { sums, included, lacking } = comparedSums(ofMembers, group);
      const isSum = addsUp(metric);
      const countsOf = (item: SeriesItem) =>
        included.flatMap((at) => cells[at]?.[group.indexOf(item)]?.incomplete?.[id] ?? []);
      const without = lacking.map(({ company, missing }) => ({
        company,
        reason: missing.length === sums.size && compared === 'periods' ? 'no value' : reasonOf(missing, compared),
      }));
      const note = !isSum ? 'does not add up over companies' : without.length > 0 && withoutCompanies(without);
      for (const [item, value] of sums) {
        item.metrics = { ...item.metrics, [id]: isSum ? value : null } as SeriesItem['metrics'];
        if (note) item.notes = { ...item.notes, [id]: note };
        // Versions are compared over the same months.
        const [months] = (compared === 'versions' ? group.flatMap(countsOf) : countsOf(item)).sort();
        if (isSum && months !== undefined) item.incomplete = { ...item.incomplete, [id]: months };
      }
    }
  }
  return items;
}

/** The values of one member, over the same months where they are compared. */
function valuesOf(items: readonly (SeriesItem | undefined)[], id: string, compared: Compared) {
  const present = items.flatMap((item) => (item && Object.hasOwn(item.metrics, id) ? [pointOf(item, id)] : []));
  const isLike = compared === 'versions' && present.length === items.length && present.some(({ monthly }) => monthly);
  return isLike ? likeValues(present).values : items.map((item) => item?.metrics[id]);
}

/** `without harbor, quill (no value), alder (no budget)`: the companies that a total leaves out, by reason. */
export function withoutCompanies(lacking: readonly { company: string; reason: string }[]): string {
  const reasons = [...new Set(lacking.map(({ reason }) => reason))];
  const groups = reasons.map((reason) => {
    const companies = lacking.flatMap((member) => (member.reason === reason ? [member.company] : []));
    return `${companies.join(', ')} (${reason})`;
  });
  return `without ${groups.join(', ')}`;
}

interface ComparedSums<At> {
  /** The sum at each position; null where no member has all values. */
  sums: Map<At, Numeric | null>;
  /** The members that have every value that one of them has. */
  included: number[];
  lacking: { company: string; missing: At[] }[];
}

/** The sums of values that are compared: of the members that have a value wherever one of them has. */
export function comparedSums<At>(
  members: readonly { company: string; valueAt(at: At): Numeric | null | undefined }[],
  positions: readonly At[],
): ComparedSums<At> {
  const valued = positions.filter((at) => members.some(({ valueAt }) => isNumeric(valueAt(at))));
  const all = members.map(({ company, valueAt }, member) => ({
    member,
    company,
    missing: valued.filter((at) => !isNumeric(valueAt(at))),
  }));
  const included = all.filter(({ missing }) => missing.length === 0).map(({ member }) => member);
  const sumAt = (at: At) => sum(included.map((member) => members[member]?.valueAt(at)).filter(isNumeric));
  return {
    sums: new Map(valued.map((at) => [at, included.length === 0 ? null : sumAt(at)])),
    included,
    lacking: all.filter(({ missing }) => missing.length > 0),
  };
}

const cellKey = ({ periodKey, version }: Pick<MetricSeriesItem, 'periodKey' | 'version'>) => `${periodKey} ${version}`;

/** A row without values for each period and version of the members. */
function emptyItems(members: readonly Member[]): SeriesItem[] {
  const items = new Map<string, SeriesItem>();
  for (const { items: stored } of members) {
    for (const { periodKey, periodType, version, derived, months } of stored) {
      const key = cellKey({ periodKey, version });
      // The least complete row marks the period.
      const counts = [items.get(key)?.months, months].filter((count) => count !== undefined).sort();
      items.set(key, {
        periodKey,
        periodType,
        version,
        source: null,
        updatedAt: null,
        metrics: {},
        ...(derived && { derived }),
        ...(counts[0] !== undefined && { months: counts[0] }),
      });
    }
  }
  return [...items.values()];
}

const maxNames = 3;

function reasonOf(missing: readonly SeriesItem[], compared: Compared): string {
  if (compared === 'versions') return missing.map(({ version }) => `no ${version}`).join(', ');
  const periods = missing.map(({ periodKey }) => periodKey).sort();
  return `no value in ${listSome(periods, maxNames)}`;
}
