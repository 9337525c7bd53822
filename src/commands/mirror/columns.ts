/** Columns of what the `mirror` commands show. */

import type { MirrorPart } from '../../mirror/report.ts';
import type { Changes } from '../../mirror/tables.ts';
import type { Column } from '../../output/column.ts';

export interface PartRow extends Changes {
  company: string;
  /** `lists`, `entries`, `catalog`, `series` … */
  part: string;
  /** The list, or the company that published; empty for what a company has one of. */
  name: string;
  outcome: 'read' | 'stale' | 'deleted';
  reason: string | null;
}

export const partColumns: readonly Column<PartRow>[] = [
  { key: 'company', heading: 'Company', rank: 4, get: (row) => row.company },
  { key: 'part', heading: 'Part', rank: 1, get: (row) => row.part },
  { key: 'name', heading: 'Name', rank: 2, get: (row) => row.name },
  { key: 'read', heading: 'Read', type: 'integer', get: (row) => row.read },
  { key: 'added', heading: 'Added', type: 'integer', get: (row) => row.added },
  { key: 'changed', heading: 'Changed', type: 'integer', get: (row) => row.changed },
  { key: 'deleted', heading: 'Deleted', type: 'integer', get: (row) => row.deleted },
  {
    key: 'outcome',
    heading: 'Outcome',
    tones: { read: 'green', stale: 'red', deleted: 'yellow' },
    rank: 3,
    get: (row) => row.outcome,
  },
  { key: 'reason', heading: 'Reason', wraps: true, get: (row) => row.reason },
];

export interface StatusRow extends MirrorPart {
  name: string;
  state: 'current' | 'stale' | 'older';
}

export const statusColumns: readonly Column<StatusRow>[] = [
  { key: 'part', heading: 'Part', rank: 1, get: (row) => row.part },
  { key: 'name', heading: 'Name', rank: 2, get: (row) => row.name },
  { key: 'current', heading: 'Current', type: 'integer', get: (row) => row.current },
  { key: 'versions', heading: 'Versions', type: 'integer', get: (row) => row.versions },
  {
    key: 'state',
    heading: 'State',
    tones: { current: 'green', stale: 'red', older: 'yellow' },
    rank: 3,
    get: (row) => row.state,
  },
  { key: 'readAt', heading: 'Read', type: 'datetime', dates: 'minute', get: (row) => row.readAt },
  { key: 'staleSince', heading: 'Stale since', type: 'datetime', hidden: true, get: (row) => row.staleSince },
  { key: 'reason', heading: 'Reason', wraps: true, get: (row) => row.reason },
  { key: 'owner', heading: 'Owner', hidden: true, get: (row) => row.owner },
];
