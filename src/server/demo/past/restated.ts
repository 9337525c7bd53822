/** What the demo's series said before three restatements. */
import { demo } from '../../../core/demo.ts';
import type { Point } from '../../../domain/history/versions.ts';
import { restatedPoints } from '../restatements.ts';

interface Before {
  value: string | null;
  source: string | null;
  /** When it was written. */
  at: string;
}

/** The value until then; undefined: it was written once. */
export function restatedBefore({ companyId, metricId, periodKey, version, value }: Point): Before | undefined {
  if (version !== 'actual' || value === null) return undefined;
  const found = restatedPoints.find(
    ({ company, period }) => demo.companies[company] === companyId && period === periodKey,
  );
  if (!found) return undefined;
  const { was } = found;
  const change = Object.hasOwn(was, metricId) ? was[metricId] : undefined;
  return { value: change === undefined ? value : String(change(Number(value))), source: found.source, at: found.first };
}
