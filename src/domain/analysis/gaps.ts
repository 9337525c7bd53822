/** Problems in the data of a series: holes, nulls, stale values, suspicious repeats. */
import { compare } from '../../core/decimal.ts';
import { Failure } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { dayOfTime, readDay, readInstant } from '../../core/periods.ts';
import { sameValue } from '../../core/same.ts';
import type { Point } from './points.ts';

export type GapKind = 'missing' | 'null' | 'stale' | 'repeated' | 'none';

interface Gap {
  kind: GapKind;
  /** First and last position of the gap, inclusive, in the series' grain. */
  from: number;
  to: number;
  detail: string;
}

interface GapRules {
  from: number;
  to: number;
  /** A newest value written more days ago is stale; undefined: not checked. */
  staleAfterDays?: number | undefined;
  /** This many equal values in a row are suspicious; undefined: not checked. */
  repeatedFrom?: number;
  now: Date;
}

/** Every finding of one series, in order of kind and position. A series without any point is one finding, `none`. */
export function gaps(points: readonly Point[], rules: GapRules): Gap[] {
  const inRange = points.filter((point) => point.index >= rules.from && point.index <= rules.to);
  if (inRange.length === 0) return [{ kind: 'none', from: rules.from, to: rules.to, detail: 'no value in the range' }];
  const byIndex = new Map(inRange.map((point) => [point.index, point]));
  const holes = runs(rules, (index) => !byIndex.has(index));
  const nulls = runs(rules, (index) => byIndex.get(index)?.value === null);
  return [
    ...holes.map((run): Gap => ({ kind: 'missing', ...run, detail: 'no value' })),
    ...nulls.map((run): Gap => ({ kind: 'null', ...run, detail: 'the value is null' })),
    ...stale(inRange, rules),
    ...repeatedGaps(inRange, rules),
  ];
}

function runs(
  range: { from: number; to: number },
  belongs: (index: number) => boolean,
): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (let index = range.from; index <= range.to; index += 1) {
    if (!belongs(index)) continue;
    const last = ranges.at(-1);
    if (last && last.to === index - 1) last.to = index;
    else ranges.push({ from: index, to: index });
  }
  return ranges;
}

const dayMs = 86_400_000;

function stale(points: readonly Point[], { staleAfterDays, now }: GapRules): Gap[] {
  if (staleAfterDays === undefined) return [];
  const newest = points.reduce((a, b) => (b.index > a.index ? b : a));
  if (!newest.updatedAt) return [];
  const written = readInstant(newest.updatedAt) ?? readDay(newest.updatedAt);
  if (written === undefined) {
    const says = `updatedAt of the newest value is ${JSON.stringify(newest.updatedAt)}, which cannot be read as a time`;
    throw new Failure('rejected', says, { code: 'unreadable_time' });
  }
  const days = Math.floor(now.getTime() / dayMs) - Math.floor(written / dayMs);
  if (!(days > staleAfterDays)) return [];
  const detail = `last written ${days} days ago, on ${dayOfTime(newest.updatedAt)}`;
  return [{ kind: 'stale', from: newest.index, to: newest.index, detail }];
}

function repeatedGaps(points: readonly Point[], { repeatedFrom }: GapRules): Gap[] {
  if (repeatedFrom === undefined) return [];
  const equal: { from: number; to: number; value: Numeric | null }[] = [];
  for (const { index, value } of [...points].sort((a, b) => a.index - b.index)) {
    const last = equal.at(-1);
    if (last && last.to === index - 1 && sameValue(last.value, value)) last.to = index;
    else equal.push({ from: index, to: index, value });
  }
  return equal.flatMap(({ from, to, value }): Gap[] => {
    const length = to - from + 1;
    // A flat line at zero is normal for a metric that has not begun.
    if (value === null || compare(value, 0) === 0 || length < repeatedFrom) return [];
    return [{ kind: 'repeated', from, to, detail: `${value} for ${length} periods in a row` }];
  });
}
