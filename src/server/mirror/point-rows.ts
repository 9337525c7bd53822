/** Points of a series as they are read, compared and kept. */
import { type Version, versions } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import type { PeriodType } from '../../core/periods.ts';
import type { MirrorTables } from './tables.ts';

/** What is read of a series. */
export interface PointScope {
  companyId: string;
  periodType: PeriodType;
  versions: readonly Version[];
  /** The first period; undefined: all. */
  from?: number | undefined;
  /** Undefined: all. */
  metricIds?: readonly string[] | undefined;
}

/** A point as it was read. */
export interface ReadPoint {
  metricId: string;
  periodKey: string;
  version: string;
  value: string | null;
  source: string | null;
  updatedAt: string | null;
}

/** The points of one period and version, and the text of all of them. */
export interface Block {
  period: number;
  version: number;
  points: ReadPoint[];
  text: string;
}

export type Row = Pick<
  MirrorTables['mirror_points'],
  'period' | 'version' | 'metric' | 'value' | 'source' | 'updated_at'
>;

/** The place of a block in the order of its scope. */
export function placeOf(period: number, version: number): number {
  return period * versions.length + version;
}

export function broken(says: string): Failure {
  return new Failure('rejected', says, { code: 'broken_paging' });
}

/** A number of its own for each point: there are fewer than a million metrics. */
export function keyOf({ period, version, metric }: Row): number {
  return ((period + 1) * versions.length + version) * 2 ** 20 + metric;
}
