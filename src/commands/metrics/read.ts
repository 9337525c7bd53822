/** Metric ids as flags carry them: `-m mrr,arr -m runway`. */

import { flag } from '../../cli/define.ts';
import { usage } from '../../core/errors.ts';

export const metricsFlag = (summary: string, field: string) => flag.list('ID[,ID]', summary, { short: 'm', field });

/** The ids in the order given, each once; undefined when the flag was not given. */
export function metricIds(given: readonly string[] | undefined, name = '--metrics'): string[] | undefined {
  if (given === undefined) return undefined;
  const ids = given.flatMap((part) => part.split(',').map((id) => id.trim()));
  if (ids.includes('')) throw usage(`${name} must not hold an empty id, got "${given.join(',')}"`);
  return [...new Set(ids)];
}
