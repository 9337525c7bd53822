/** Columns of funnels, and of entries that sit longer than usual. */
import { rounded } from '../../../core/decimal.ts';
import type { Numeric } from '../../../core/json.ts';
import type { StageCounts } from '../../../domain/history/funnel.ts';
import type { Quantile } from '../../../domain/history/survival.ts';
import type { Column } from '../../../output/column.ts';

export interface FunnelRow extends Omit<StageCounts, 'reached'> {
  cohort: Numeric | string | boolean | null;
  stageId: string;
  /** How many were in the next stage afterwards; null for the last stage. */
  next: number | null;
  /** The same of each later stage, by label. */
  to: Record<string, number>;
}

const rare = { hidden: true };

export function funnelColumns(
  stages: readonly { label: string }[],
  cohort: string | undefined,
  isPath: boolean,
): Column<FunnelRow>[] {
  const count = (
    key: keyof FunnelRow & ('already' | 'entered' | 'left' | 'now' | 'gone' | 'skipped' | 'repeated'),
    heading: string,
    rank: number,
  ): Column<FunnelRow> => ({
    ...{ key, heading, type: 'integer', rank },
    get: (row) => row[key],
  });
  return [
    ...(cohort === undefined
      ? []
      : [{ key: 'cohort', heading: cohort, rank: 0, get: (row: FunnelRow) => row.cohort, shown: cohortShown }]),
    { key: 'stage', heading: 'Stage', rank: 1, whole: true, get: (row) => row.stage },
    count('entered', 'Entered', 2),
    count('now', 'Now', 3),
    count('left', 'Left', 4),
    { key: 'next', heading: 'To next', type: 'integer', rank: 5, get: (row) => row.next },
    {
      ...{ key: 'nextPercent', heading: '%', type: 'percent', digits: 1, rank: 6 },
      get: ({ next, entered }) => (next === null || entered === 0 ? null : rounded((next / entered) * 100, 4)),
    },
    days('median', 'Median days', 7, ({ median }) => median),
    days('p90', '90% days', 8, ({ p90 }) => p90),
    { key: 'stale', heading: 'Stale', type: 'integer', rank: 9, get: (row) => row.stale },
    // Where no path is named, an option such as Passed is a later stage, and going there is no skipping.
    { ...count('skipped', 'Skipped', 30), hidden: !isPath },
    count('repeated', 'Again', 31),
    count('gone', 'Archived', 32),
    count('already', 'Already', 33),
    ...stages.slice(1).map(
      ({ label }, index): Column<FunnelRow> => ({
        ...{ key: `to.${label}`, heading: `To ${label}`, type: 'integer', rank: 40 + index, path: ['to', label] },
        get: ({ to }) => (Object.hasOwn(to, label) ? to[label] : undefined),
      }),
    ),
    { key: 'medianBeyond', type: 'number', ...rare, get: ({ median }) => day(median.beyond) },
    { key: 'p90Beyond', type: 'number', ...rare, get: ({ p90 }) => day(p90.beyond) },
    { key: 'stageId', heading: 'Stage ID', type: 'id', ...rare, get: (row) => row.stageId },
  ];
}

function cohortShown({ cohort }: FunnelRow): string | undefined {
  return cohort === null ? '(empty)' : undefined;
}

/** Where fewer have ended, a table says how long the longest has lasted. */
function days(key: string, heading: string, rank: number, of: (row: FunnelRow) => Quantile): Column<FunnelRow> {
  return {
    ...{ key, heading, type: 'number', digits: 1, rank },
    get: (row) => day(of(row).time),
    shown: (row) => {
      const { time, beyond } = of(row);
      return time === null && beyond !== null ? `> ${day(beyond)}` : undefined;
    },
  };
}

/** To a tenth of a day: syncs are further apart. */
function day(time: number | null): Numeric | null {
  return time === null ? null : rounded(time, 1);
}

export interface StaleRow {
  id: string | undefined;
  title: string | undefined;
  stage: string;
  /** Null: before the first sync. */
  since: string | null;
  days: number;
  usual: number;
  over: number;
}

export const staleColumns: Column<StaleRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'title', heading: 'Title', rank: 1, get: (row) => row.title },
  { key: 'stage', heading: 'Stage', rank: 2, get: (row) => row.stage },
  { key: 'since', heading: 'Since', type: 'datetime', rank: 3, absent: 'first sync', get: (row) => row.since },
  { key: 'days', heading: 'Days', type: 'number', digits: 1, rank: 4, get: (row) => day(row.days) },
  { key: 'usual', heading: 'Usual', type: 'number', digits: 1, rank: 5, get: (row) => day(row.usual) },
  { key: 'over', heading: 'Over', type: 'number', digits: 1, rank: 6, get: (row) => day(row.over) },
];
