import type { Column } from '../../output/column.ts';

/** One line of `doctor`. */
export interface Finding {
  /** `Node`, `settings file`, `API key`, … */
  check: string;
  /** `note`: not wrong, but worth knowing; `skipped`: an earlier problem has to be fixed first. */
  status: 'ok' | 'note' | 'wrong' | 'skipped';
  found: string;
  /** What to do about it. */
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
