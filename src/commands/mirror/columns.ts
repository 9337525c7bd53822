/** Columns of what the `mirror` commands show. */
import type { Column } from '../../output/column.ts';
import type { PartRow } from './sync/parts.ts';

export const partColumns: readonly Column<PartRow>[] = [
  { key: 'company', heading: 'Company', rank: 4, get: (row) => row.company },
  { key: 'part', heading: 'Part', rank: 1, get: (row) => row.part },
  { key: 'name', heading: 'Name', rank: 2, get: (row) => row.name },
  { key: 'read', heading: 'Read', type: 'integer', get: (row) => row.read },
  { key: 'added', heading: 'Added', type: 'integer', get: (row) => row.added },
  { key: 'changed', heading: 'Changed', type: 'integer', get: (row) => row.changed },
  { key: 'deleted', heading: 'Deleted', type: 'integer', get: (row) => row.deleted },
  { key: 'outcome', heading: 'Outcome', states: true, rank: 3, get: (row) => row.outcome },
  { key: 'reason', heading: 'Reason', wraps: true, get: (row) => row.reason },
];
