/** Points of a series as they are read, compared and kept. */
import { type MetricObservation, type Version, versions } from '../contract/metrics.ts';
import { Failure } from '../core/errors.ts';
import type { PeriodType } from '../core/periods.ts';

/** The name of a scope: the series of one company in one grain. */
export function scopeName(companyId: string, periodType: string): string {
  return `${companyId} ${periodType}`;
}

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
export type ReadPoint = Pick<MetricObservation, 'metricId' | 'periodKey' | 'version' | 'source' | 'updatedAt'> & {
  value?: MetricObservation['value'] | string;
};

/** Points of one period and version in columns, which take a tenth of what objects do. */
export interface Block {
  period: number;
  version: number;
  /** Numbers of names. */
  metrics: number[];
  values: (string | null)[];
  sources: (string | null)[];
  updated: (string | null)[];
}

export type Columns = Omit<Block, 'period' | 'version'>;

export function noPoints(): Columns {
  return { metrics: [], values: [], sources: [], updated: [] };
}

/** Adds the point at a place of other columns. */
export function copyPoint(to: Columns, from: Columns, at: number): void {
  to.metrics.push(from.metrics[at] ?? 0);
  to.values.push(from.values[at] ?? null);
  to.sources.push(from.sources[at] ?? null);
  to.updated.push(from.updated[at] ?? null);
}

/** The columns as they are kept: one that says the same everywhere is that text. */
export function textOf({ metrics, values, sources, updated }: Columns): string {
  return JSON.stringify([metrics, values, shortened(sources), shortened(updated)]);
}

export function readColumns(body: string): Columns {
  const [metrics, values, sources, updated] = JSON.parse(body) as [number[], (string | null)[], Short, Short];
  return { metrics, values, sources: whole(sources, metrics.length), updated: whole(updated, metrics.length) };
}

type Short = string | null | (string | null)[];

function shortened(texts: readonly (string | null)[]): Short {
  const [first = null] = texts;
  return texts.every((text) => text === first) ? first : [...texts];
}

function whole(texts: Short, count: number): (string | null)[] {
  return Array.isArray(texts) ? texts : Array.from({ length: count }, () => texts);
}

/** The place of a block in the order of its scope. */
export function placeOf(period: number, version: number): number {
  return period * versions.length + version;
}

export function broken(says: string): Failure {
  return new Failure('rejected', says, { code: 'broken_paging' });
}
