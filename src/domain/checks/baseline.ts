/** What an earlier run found, so that only new findings fail and changes can be measured. */
import { array, type Infer, integer, number, object, record, string } from '../../contract/schema.ts';
import type { CheckResult } from './model.ts';

export const BaselineSchema = object(
  {
    version: integer({ minimum: 1, maximum: 1 }),
    /** Failing checks, by identity, with the ids of their findings; an empty list for a check of the whole. */
    findings: record(array(string())),
    /** Aggregates by list: `pipeline` → `count` → 420. */
    aggregates: record(record(number())),
  },
  { required: ['version', 'findings', 'aggregates'], additionalProperties: false },
);
export type Baseline = Infer<typeof BaselineSchema>;

/** What a check is recognised by in a later run: its subject and its expectation, not its name or line. */
export function identity(result: Pick<CheckResult, 'subject' | 'spec'>): string {
  return `${result.subject}: ${result.spec.expect}`;
}

/** The results with `known` set on failures that the baseline has seen, all of their findings with them. */
export function withBaseline(results: readonly CheckResult[], baseline: Baseline): CheckResult[] {
  return results.map((result) => {
    const before = Object.hasOwn(baseline.findings, identity(result)) ? baseline.findings[identity(result)] : undefined;
    if (result.status !== 'fail' || !before) return result;
    const seen = new Set(before);
    const fresh = result.findings.filter((finding) => !seen.has(finding.id));
    // More failures than then are new ones, even where the cap hides which.
    const grew = before.length > 0 && result.failed > before.length;
    return fresh.length > 0 || grew ? result : { ...result, known: true };
  });
}

export function baselineOf(
  results: readonly CheckResult[],
  aggregates: Record<string, Record<string, number>>,
): Baseline {
  const failing = results.filter((result) => result.status === 'fail');
  return {
    version: 1,
    findings: Object.fromEntries(
      failing.map((result) => [identity(result), result.findings.map((finding) => finding.id)]),
    ),
    aggregates,
  };
}
