/** Expectations over the metrics of one company: months of actuals, plans beside them, the catalog, the live values. */
import { parseExpectation } from './grammar.ts';
import type { Call, MetricTest } from './metric-facts.ts';
import { growth, identity, planOf, stepOf, varianceTest } from './metric-relations.ts';
import { catalog, fresh, live, noGaps, range, sign } from './metric-values.ts';

/** What an expectation needs read beside the catalog, so that nothing is read in vain. */
export interface MetricNeeds {
  versions: ('actual' | 'budget' | 'forecast')[];
  live: boolean;
  /** Months before the range, for a growth whose base lies there. */
  before: number;
}

interface Head {
  make(call: Call): MetricTest;
  needs?(call: Call): Partial<MetricNeeds>;
}

const heads: Record<string, Head> = {
  catalog: { make: catalog, needs: () => ({ versions: [] }) },
  no_gaps: { make: noGaps },
  fresh: { make: fresh },
  range: { make: range },
  sign: { make: sign },
  growth: { make: growth, needs: (call) => ({ before: stepOf(call) }) },
  variance: { make: varianceTest, needs: (call) => ({ versions: ['actual', planOf(call)] }) },
  live: { make: live, needs: () => ({ live: true }) },
};

export const metricHeads: ReadonlySet<string> = new Set(Object.keys(heads));

/** What must be read for an expectation. @throws Failure usage when it is wrong in itself */
export function metricNeeds(text: string): MetricNeeds {
  const expectation = parseExpectation(text, metricHeads);
  const needs = expectation.kind === 'call' ? heads[expectation.head]?.needs?.(expectation) : undefined;
  return { versions: ['actual'], live: false, before: 0, ...needs };
}

/** Makes the test of one expectation. @throws Failure usage */
export function metricTest(text: string): MetricTest {
  const expectation = parseExpectation(text, metricHeads);
  if (expectation.kind === 'call') {
    const head = heads[expectation.head];
    if (head) return head.make(expectation);
  }
  if (expectation.kind === 'within') {
    const args = [expectation.column, expectation.duration.text].map((word) => ({ text: word, quoted: false }));
    return fresh({ kind: 'call', head: 'fresh', args, text });
  }
  return identity(expectation.text, metricHeads, expectation.kind === 'implies' ? expectation : undefined);
}
