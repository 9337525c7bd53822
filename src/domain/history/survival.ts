/** Times of which some have not ended: the product-limit estimator of Kaplan and Meier (1958). */

export interface Observed {
  /** The length of the stay, up to the end of the observation. */
  time: number;
  /** Whether it ended; else the end was not seen. */
  ended: boolean;
}

interface SurvivalStep {
  time: number;
  /** The number of stays that lasted until just before this time. */
  atRisk: number;
  /** The number of stays that ended at this time. */
  ended: number;
  /** The share that lasts longer than this time. */
  survival: number;
}

/**
 * A step for each time at which one ended. An observation that is cut at a time at which others end was still at risk
 * then. Between two cuts the factors cancel out, so that a share without cuts is one division.
 */
export function survivalSteps(all: readonly Observed[]): SurvivalStep[] {
  const sorted = [...all].sort((a, b) => a.time - b.time);
  const steps: SurvivalStep[] = [];
  // The survival when the block began, and how many were at risk then: no observation was cut since.
  let [before, atBlock] = [1, sorted.length];
  let survival = 1;
  for (let at = 0; at < sorted.length; ) {
    const time = sorted[at]?.time ?? 0;
    const atRisk = sorted.length - at;
    let [ended, cut] = [0, 0];
    for (; at < sorted.length && sorted[at]?.time === time; at += 1) {
      if (sorted[at]?.ended) ended += 1;
      else cut += 1;
    }
    if (ended > 0) {
      survival = (before * (atRisk - ended)) / atBlock;
      steps.push({ time, atRisk, ended, survival });
    }
    if (cut > 0) [before, atBlock] = [survival, sorted.length - at];
  }
  return steps;
}

/** A time that a share of all has ended by. */
export interface Quantile {
  /** Null: fewer than the share have ended, as far as was seen, or nothing was observed. */
  time: number | null;
  /** The longest time observed, where the quantile is beyond it. */
  beyond: number | null;
}

/** Shares are quotients of whole numbers: what differs by less is the same share. */
const same = 1e-12;

/** The first time at which at most `1 - share` last longer. */
export function quantile(steps: readonly SurvivalStep[], all: readonly Observed[], share: number): Quantile {
  const found = steps.find(({ survival }) => survival <= 1 - share + same);
  if (found) return { time: found.time, beyond: null };
  const longest = all.reduce((most: number | null, { time }) => Math.max(most ?? time, time), null);
  return { time: null, beyond: longest };
}
