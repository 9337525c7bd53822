import { product } from '../../core/decimal.ts';
import type { Numeric } from '../../core/json.ts';

/** A fraction as percent: 0.125 is 12.5. */
export function percent(ratio: Numeric | null): Numeric | null {
  return ratio === null ? null : product(ratio, 100);
}
