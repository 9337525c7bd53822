/** Actuals of a month that has not ended are part of a month: they are marked, and not compared with complete ones. */

import { merged } from '../../core/objects.ts';
import { runningMonths } from '../../core/periods.ts';

const running: Marked = { months: runningMonths };

interface Placed {
  periodKey: string;
  version: string;
}

/**
 * The rows by month, those that are running marked with `months`.
 * @param newest the current month, such as `2006-01`
 */
export function markRunning<Row extends Placed>(rows: readonly Row[], newest: string): readonly (Row & Marked)[] {
  if (!rows.some((row) => isRunning(row, newest))) return rows;
  return rows.map((row) => (isRunning(row, newest) ? merged(row, running) : row));
}

/** What a row that has not ended says. */
export interface Marked {
  months?: string;
}

function isRunning({ periodKey, version }: Placed, newest: string): boolean {
  return version === 'actual' && periodKey >= newest;
}
