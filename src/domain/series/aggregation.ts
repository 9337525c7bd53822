/** The words for how months become a quarter or year. */
import { usage } from '../../core/errors.ts';

export const aggregations = ['sum', 'average', 'last', 'first', 'min', 'max'] as const;
export type Aggregation = (typeof aggregations)[number];

/** Reads `mrr=sum`. Throws a usage failure. */
export function parseAggregation(text: string): [string, Aggregation] {
  const at = text.lastIndexOf('=');
  const [metric, how] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const found = aggregations.find((known) => known === how);
  if (at <= 0 || metric === '' || !found) {
    throw usage(`--agg must be METRIC=${aggregations.join('|')}, got "${text}"`);
  }
  return [metric, found];
}
