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

/** @param nameOf what people call a company: a terminal shows it before the id */
export const statusColumns = (nameOf: (id: string) => string | undefined): readonly Column<StatusRow>[] => [
  {
    key: 'setting',
    heading: 'Setting',
    type: 'id',
    rank: 1,
    get: (row) => row.setting,
  },
  {
    ...{ key: 'value', heading: 'Value', wraps: true },
    get: (row) => row.value,
    onScreen({ setting, value }) {
      const name = setting === 'company' && typeof value === 'string' ? nameOf(value) : undefined;
      return name === undefined ? undefined : `${name} (${String(value).slice(0, 8)}…)`;
    },
  },
  { key: 'origin', heading: 'Origin', get: (row) => row.origin, hidden: true },
  { key: 'from', heading: 'From', wraps: true, get: (row) => row.from },
  { key: 'note', heading: 'Note', wraps: true, get: (row) => row.note },
];
