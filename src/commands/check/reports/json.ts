import { counts, type Report, verdict } from './report.ts';

/** Stable: fields are added, never changed, while `version` is 1. */
export function jsonReport(report: Report): string {
  const { results, ...run } = report;
  const body = {
    version: 1,
    ...run,
    counts: counts(results),
    results: results.map((result) => ({
      name: result.spec.name,
      subject: result.subject,
      expect: result.spec.expect,
      severity: result.spec.severity,
      tags: result.spec.tags,
      owner: result.spec.owner,
      description: result.spec.description,
      line: result.spec.line,
      column: result.spec.column,
      status: result.status,
      verdict: verdict(result),
      observed: result.observed,
      threshold: result.threshold,
      failed: result.failed,
      findings: result.findings,
    })),
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}
