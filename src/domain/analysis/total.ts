/** Totals of companies. A comparison holds the same companies on both sides: one that lacks a value is left out of both. */

import type { MetricSeriesItem } from '../../contract/metrics.ts';
import { sum } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { type AnalysisItem, byTime } from './points.ts';

/** A company of a total, with the metrics that it has. */
export interface Member {
  company: string;
  metricIds: readonly string[];
  items: readonly AnalysisItem[];
}

/** The values of a metric that are compared: of all periods, of all versions of a period, or none. */
export type Compared = 'periods' | 'versions' | 'nothing';

export interface Total {
  items: AnalysisItem[];
  /** The companies that are left out and why, by metric and version or by metric and period. */
  leftOut: ReadonlyMap<string, string>;
}

/** The sums of the members; a company that lacks one of the compared values is left out of all of them. */
export function totalOf(members: readonly Member[], ids: readonly string[], compared: Compared): Total {
  const items = emptyItems(members);
  const cells = members.map(({ items: stored }) => new Map(stored.map((item) => [cellKey(item), item])));
  const leftOut = new Map<string, string>();
  for (const id of ids) {
    const memberValue = (member: number, item: AnalysisItem) => cells[member]?.get(cellKey(item))?.metrics[id];
    for (const [group, all] of groupsOf(items, id, compared)) {
      const { valued, included, lacking } = alike(members, all, memberValue);
      for (const item of valued) {
        const summed = compared === 'nothing' ? members.map((_, member) => member) : included;
        const values = summed.map((member) => memberValue(member, item)).filter(isNumeric);
        setValue(item, id, values.length > 0 ? sum(values) : null);
        const months = summed.flatMap((member) => cells[member]?.get(cellKey(item))?.incomplete?.[id] ?? []).sort();
        if (months[0] !== undefined) item.incomplete = { ...item.incomplete, [id]: months[0] };
      }
      const named = members.flatMap(({ company, metricIds }, member) => {
        const missing = lacking[member] ?? [];
        return missing.length === 0 || !metricIds.includes(id) ? [] : [`${company} (${reasonOf(missing, compared)})`];
      });
      if (named.length > 0) leftOut.set(group, `without ${named.join(', ')}`);
    }
  }
  return { items: items.sort(byTime), leftOut };
}

const cellKey = ({ periodKey, version }: Pick<MetricSeriesItem, 'periodKey' | 'version'>) => `${periodKey} ${version}`;

/** A row without values for each period and version of the members. */
function emptyItems(members: readonly Member[]): AnalysisItem[] {
  const items = new Map<string, AnalysisItem>();
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

function setValue(item: AnalysisItem, id: string, value: Numeric | null): void {
  item.metrics = { ...item.metrics, [id]: value } as AnalysisItem['metrics'];
}

function groupsOf(items: readonly AnalysisItem[], id: string, compared: Compared): Map<string, AnalysisItem[]> {
  const groups = new Map<string, AnalysisItem[]>();
  for (const item of items) {
    const { version, periodKey } = item;
    const key = { periods: version, versions: periodKey, nothing: cellKey(item) }[compared];
    groups.set(`${id} ${key}`, [...(groups.get(`${id} ${key}`) ?? []), item]);
  }
  return groups;
}

const mostNamed = 3;

function reasonOf(missing: readonly AnalysisItem[], compared: Compared): string {
  if (compared === 'versions') return missing.map(({ version }) => `no ${version}`).join(', ');
  const periods = missing.map(({ periodKey }) => periodKey).sort();
  if (compared === 'nothing') return 'no value';
  const more = periods.length > mostNamed ? ` and ${periods.length - mostNamed} more` : '';
  return `no value in ${periods.slice(0, mostNamed).join(', ')}${more}`;
}

/** The positions at which a member has a value, the members that have them all, and what each of the others lacks. */
function alike<At>(
  members: readonly unknown[],
  positions: readonly At[],
  valueIn: (member: number, at: At) => Numeric | null | undefined,
): { valued: At[]; included: number[]; lacking: At[][] } {
  const valued = positions.filter((at) => members.some((_, member) => isNumeric(valueIn(member, at))));
  const lacking = members.map((_, member) => valued.filter((at) => !isNumeric(valueIn(member, at))));
  return { valued, lacking, included: members.flatMap((_, member) => (lacking[member]?.length === 0 ? [member] : [])) };
}

/** The values of a total at some positions, of the members that have all those that one of them has. */
export function alignedValues(
  members: readonly { company: string; valueAt(index: number): Numeric | null | undefined }[],
  indexes: readonly number[],
): { values: Map<number, Numeric>; without: { company: string; missing: number[] }[] } {
  const valueIn = (member: number, index: number) => members[member]?.valueAt(index);
  const { valued, included, lacking } = alike(members, indexes, valueIn);
  const sums = valued.map(
    (index) => [index, sum(included.map((member) => valueIn(member, index)).filter(isNumeric))] as const,
  );
  return {
    values: new Map(included.length === 0 ? [] : sums),
    without: members.flatMap(({ company }, member) =>
      lacking[member]?.length ? [{ company, missing: lacking[member] }] : [],
    ),
  };
}
