/** What changed between two readings of the same series. */

import { compare, difference, magnitude, quotient } from '../../core/decimal.ts';
import type { Numeric } from '../../core/json.ts';

/** One value with what identifies it. */
export interface Reading {
  /** Where readings of several companies are compared. */
  companyId?: string;
  /** Its name, where the readings say it. */
  company?: string;
  periodKey: string;
  periodType: string;
  version: string;
  metricId: string;
  value: Numeric | null;
  /** `2/3`: of a period that was not complete. */
  months?: string;
}

export type RestatementKind = 'added' | 'removed' | 'changed';

export interface Restatement {
  kind: RestatementKind;
  companyId?: string;
  company?: string;
  periodKey: string;
  periodType: string;
  version: string;
  metricId: string;
  before: Numeric | null | undefined;
  after: Numeric | null | undefined;
  difference: Numeric | null;
  ratio: Numeric | null;
}

/** The readings that differ, in the order of `before`, then those that are new. Equal numbers in other digits (1.10, 1.1) are equal. */
export function restatements(before: Iterable<Reading>, after: Iterable<Reading>): Restatement[] {
  const later = new Map<string, Reading>();
  for (const reading of after) later.set(identity(reading), reading);
  const found: Restatement[] = [];
  for (const reading of before) {
    const other = later.get(identity(reading));
    later.delete(identity(reading));
    if (!other) found.push(restatement('removed', reading, reading.value, undefined));
    else if (!same(reading.value, other.value)) found.push(restatement('changed', reading, reading.value, other.value));
  }
  for (const reading of later.values()) found.push(restatement('added', reading, undefined, reading.value));
  return found;
}

export function identity({ companyId, periodType, periodKey, version, metricId }: Omit<Reading, 'value'>): string {
  return JSON.stringify([companyId, periodType, periodKey, version, metricId]);
}

function same(a: Numeric | null, b: Numeric | null): boolean {
  if (a === null || b === null) return a === b;
  return compare(a, b) === 0;
}

function restatement(
  kind: RestatementKind,
  { companyId, company, periodKey, periodType, version, metricId }: Reading,
  before: Numeric | null | undefined,
  after: Numeric | null | undefined,
): Restatement {
  const known = before !== null && before !== undefined && after !== null && after !== undefined;
  const gap = known ? difference(after, before) : null;
  const ratio = known && gap !== null ? quotient(gap, magnitude(before)) : null;
  const place = {
    ...(company && { company }),
    ...(companyId && { companyId }),
    periodKey,
    periodType,
    version,
    metricId,
  };
  return { kind, ...place, before, after, difference: gap, ratio };
}
