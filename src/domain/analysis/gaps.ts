/** Problems in the data of a series: holes, nulls, stale values, suspicious repeats. */
import { compare } from '../../core/decimal.ts';
import { Failure } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { dayOfTime, readDay, readInstant } from '../../core/periods.ts';
import { sameValue } from '../../core/same.ts';

interface DatedPoint {
  index: number;
  value: Numeric | null;
  updatedAt?: string | null | undefined;
}

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
export function gaps(points: readonly DatedPoint[], rules: GapRules): Gap[] {
  const inRange = points.filter((point) => point.index >= rules.from && point.index <= rules.to);
  if (inRange.length === 0) return [{ kind: 'none', from: rules.from, to: rules.to, detail: 'no value in the range' }];
  const byIndex = new Map(inRange.map((point) => [point.index, point]));
  return [
    ...runs(rules, (index) => !byIndex.has(index)).map((run) => ({
      kind: 'missing' as const,
      ...run,
      detail: 'no row',
    })),
    ...runs(rules, (index) => byIndex.get(index)?.value === null).map((run) => ({
      kind: 'null' as const,
      ...run,
      detail: 'the value is null',
    })),
    ...stale(inRange, rules),
    ...repeated(inRange, rules),
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

function stale(points: readonly DatedPoint[], { staleAfterDays, now }: GapRules): Gap[] {
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

function repeated(points: readonly DatedPoint[], { repeatedFrom }: GapRules): Gap[] {
  if (repeatedFrom === undefined) return [];
  const sorted = [...points].sort((a, b) => a.index - b.index);
  const repeats: Gap[] = [];
  let start = 0;
  for (let at = 1; at <= sorted.length; at += 1) {
    const first = sorted[start];
    const here = sorted[at];
    const continues =
      here && first && here.index === (sorted[at - 1]?.index ?? 0) + 1 && sameValue(here.value, first.value);
    if (continues) continue;
    const length = at - start;
    const last = sorted[at - 1];
    // A flat line at zero is normal for a metric that has not begun.
    if (first && last && first.value !== null && compare(first.value, 0) !== 0 && length >= repeatedFrom) {
      repeats.push({
        kind: 'repeated',
        from: first.index,
        to: last.index,
        detail: `${first.value} in ${length} consecutive periods`,
      });
    }
    start = at;
  }
  return repeats;
}
