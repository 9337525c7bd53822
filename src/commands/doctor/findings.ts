/** The findings of `doctor` and their columns. */

import { isFailedPart } from '../../core/errors.ts';
import type { Column } from '../../output/column.ts';

/** One line of `doctor`. */
export interface Finding {
  /** `Node`, `settings file`, `API key`, … */
  check: string;
  /** `note`: not wrong, but worth knowing; `skipped`: an earlier problem has to be fixed first. */
  status: 'ok' | 'note' | 'wrong' | 'skipped';
  found: string;
  advice: string | null;
}

export const doctorColumns: readonly Column<Finding>[] = [
  { key: 'check', heading: 'Check', whole: true, get: (row) => row.check },
  {
    key: 'status',
    heading: 'Status',
    tones: { ok: 'green', note: 'yellow', wrong: 'red', skipped: 'yellow' },
    get: (row) => row.status,
  },
  { key: 'found', heading: 'Found', wraps: true, get: (row) => row.found },
  {
    key: 'advice',
    heading: 'What to do',
    wraps: true,
    get: (row) => row.advice,
  },
];

export function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found, advice: null };
}

export function note(check: string, found: string, advice: string | null = null): Finding {
  return { check, status: 'note', found, advice };
}

export function wrong(check: string, found: string, advice: string | null): Finding {
  return { check, status: 'wrong', found, advice };
}

export function skipped(check: string, found: string): Finding {
  return { check, status: 'skipped', found, advice: null };
}

/** A failure of the work is what was found; only an interruption and a bug end the command. */
export async function attempt(check: string, work: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await work();
  } catch (error) {
    if (!isFailedPart(error)) throw error;
    return wrong(check, error.message, error.hint ?? null);
  }
}
