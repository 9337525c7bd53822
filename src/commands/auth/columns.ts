import type { Column } from '../../output/column.ts';

/** One line of `auth status`. */
export interface StatusRow {
  /** `profile`, `base URL`, `API key`, … */
  setting: string;
  /** Secrets by their last four characters. */
  value: string | number | boolean | null;
  /** flag, environment, profile or default. */
  origin: string;
  /** The flag, variable, file or profile. */
  from: string;
  /** When a session ends, whether a credential was accepted, why it is not sent. */
  note: string | null;
}

export const statusColumns: readonly Column<StatusRow>[] = [
  {
    key: 'setting',
    heading: 'Setting',
    type: 'id',
    rank: 1,
    get: (row) => row.setting,
  },
  { key: 'value', heading: 'Value', wraps: true, get: (row) => row.value },
  { key: 'origin', heading: 'Origin', get: (row) => row.origin, hidden: true },
  { key: 'from', heading: 'From', wraps: true, get: (row) => row.from },
  { key: 'note', heading: 'Note', wraps: true, get: (row) => row.note },
];
