/** The result of a run of checks as every report sees it. */
import type { CheckResult } from '../../../domain/checks/model.ts';

export interface Report {
  /** The check file as it was named, or the command line for the inline form. */
  file: string;
  /** ISO 8601. */
  startedAt: string;
  durationMs: number;
  profile: string;
  results: readonly CheckResult[];
}

/** How a result counts. `warn` and `known` do not fail a run; `error` could not run. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'known' | 'error';

export function verdict({ status, spec, known }: CheckResult): Verdict {
  if (status === 'error') return 'error';
  if (status === 'pass') return 'pass';
  if (known) return 'known';
  return spec.severity === 'warn' ? 'warn' : 'fail';
}

export type Counts = Record<Verdict, number>;

export function counts(results: readonly CheckResult[]): Counts {
  const found: Counts = { pass: 0, fail: 0, warn: 0, known: 0, error: 0 };
  for (const result of results) found[verdict(result)] += 1;
  return found;
}

const words: [Verdict, string][] = [
  ['error', 'could not run'],
  ['fail', 'failed'],
  ['warn', 'warned'],
  ['known', 'known'],
  ['pass', 'held'],
];

/** `2 failed, 1 warned, 14 held`; only what there is. */
export function summary(results: readonly CheckResult[]): string {
  const found = counts(results);
  const parts = words.filter(([key]) => found[key] > 0).map(([key, word]) => `${found[key]} ${word}`);
  return parts.length === 0 ? 'no checks' : parts.join(', ');
}

/** Results with what needs attention first, each kind in the order of the file. */
export function attentionFirst(results: readonly CheckResult[]): CheckResult[] {
  const rank = (result: CheckResult): number => words.findIndex(([key]) => key === verdict(result));
  return results
    .map((result, index) => ({ result, index }))
    .sort((a, b) => rank(a.result) - rank(b.result) || a.index - b.index)
    .map(({ result }) => result);
}

/** `observed 3; expected >= 10` */
export function observation(result: CheckResult): string {
  return `observed ${result.observed}; expected ${result.threshold}`;
}

/** One line for each finding that was kept, and how many more there are. */
export function findingLines(result: CheckResult): string[] {
  const lines = result.findings.map(({ id, title, detail }) =>
    [title, id === title ? '' : id, detail].filter(Boolean).join(' · '),
  );
  const more = result.failed - result.findings.length;
  return more > 0 && result.findings.length > 0 ? [...lines, `and ${more} more`] : lines;
}
