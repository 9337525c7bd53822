/** Which metrics a search of the catalog finds. */
import type { MetricDefinition } from '../../contract/metrics.ts';

/** Definitions with the text in id, label or description; only the company's own with `custom`. */
export function matchingMetrics(
  definitions: readonly MetricDefinition[],
  search: string | undefined,
  custom: boolean | undefined,
): MetricDefinition[] {
  const text = search?.toLowerCase();
  return definitions.filter(
    ({ metricId, label, description, custom: own }) =>
      (!custom || own) &&
      (text === undefined || [metricId, label, description].some((part) => part?.toLowerCase().includes(text))),
  );
}
