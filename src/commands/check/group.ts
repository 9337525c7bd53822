/** What goes into the reading of one group of sections, and what comes out. */
import type { Baseline } from '../../domain/checks/baseline.ts';
import type { CheckSection } from '../../domain/checks/check-file.ts';
import type { CheckSpec, Outcome } from '../../domain/checks/model.ts';

export interface RunOptions {
  /** How many findings of one check are kept. */
  cap: number;
  baseline?: Baseline;
}

/** What one group of sections came to: a result for each check, or why the data could not be read. */
export interface GroupResult {
  /** By check. */
  outcomes: Map<CheckSpec, Outcome>;
  /** For a baseline: `count`, `sum(value)`. */
  aggregates: Record<string, number>;
}

/** What reports call a section: `list pipeline`, `metrics acme`, `grants`. */
export function subjectOf({ subject, label }: CheckSection): string {
  return label === '' ? subject : `${subject} ${label}`;
}
