/** A waterfall: totals as bars from the left, and the changes between them where they begin and end. */
import { scaleOf } from './scale.ts';

export interface WaterfallBar {
  label: string;
  /** A change has its sign; a total has none. */
  total: boolean;
  /** Where the bar begins and ends, as doubles: a picture needs no more. */
  from: number;
  to: number;
  /** The number as people read it. */
  said: string;
  /** Beside the number: `+1.3%`. */
  share?: string | undefined;
  verdict: 'good' | 'bad' | 'even';
  /** A total of a period of which some months are missing: hatched. */
  partial?: boolean;
}

export interface Waterfall {
  title: string;
  company?: string | undefined;
  unit?: string | undefined;
  bars: readonly WaterfallBar[];
  notes?: readonly string[];
}

/** Changes below this share of the totals could not be seen on an axis from zero. */
const leastSeen = 0.25;

/** The axis of all bars. `cut`: totals begin at its lower end, which is not zero and has to be said. */
export function waterfallScale({ bars }: Waterfall, ticks: number): ReturnType<typeof scaleOf> & { cut: boolean } {
  const ends = bars.flatMap(({ total, from, to }) => (total ? [to] : [from, to]));
  const [least, greatest] = [Math.min(...ends), Math.max(...ends)];
  const cut = least > 0 && greatest - least < leastSeen * greatest;
  if (!cut) return { ...scaleOf(ends, ticks, true), cut };
  // The smallest total stays visible.
  return { ...scaleOf([least - (greatest - least) * 0.35, greatest], ticks), cut };
}
