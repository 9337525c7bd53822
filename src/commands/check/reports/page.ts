/** The report of checks as a page: what needs attention first, then the findings of each check. */

import type { CheckResult } from '../../../domain/checks/model.ts';
import { pageOf, tableSection } from '../../../output/chart/page.ts';
import type { Column } from '../../../output/column.ts';
import { attentionFirst, counts, type Report, summary, verdict } from './report.ts';

const columns: Column<CheckResult>[] = [
  { key: 'result', heading: 'Result', get: verdict },
  { key: 'check', heading: 'Check', get: ({ spec }) => spec.name },
  { key: 'subject', heading: 'Subject', get: ({ subject }) => subject },
  { key: 'observed', heading: 'Observed', get: ({ observed }) => observed },
  { key: 'expected', heading: 'Expected', get: ({ threshold }) => threshold },
  { key: 'owner', heading: 'Owner', get: ({ spec }) => spec.owner },
];

interface Found {
  title: string;
  detail: string;
  id: string;
}

const findingColumns: Column<Found>[] = [
  { key: 'title', heading: 'Where', get: ({ title, id }) => title || id },
  { key: 'detail', heading: 'What', get: ({ detail }) => detail },
  { key: 'id', heading: 'ID', get: ({ id }) => id, hidden: true },
];

export function pageReport(report: Report): string {
  const results = attentionFirst(report.results);
  const { fail, error, warn, known, pass } = counts(results);
  const owned = results.some(({ spec }) => spec.owner !== undefined);
  const shown = owned ? columns : columns.filter(({ key }) => key !== 'owner');
  const findings = results.flatMap(({ spec, subject, findings: kept, failed }) => {
    if (kept.length === 0) return [];
    const more = failed - kept.length;
    const rows = more > 0 ? [...kept, { title: `and ${more} more`, detail: '', id: '' }] : kept;
    return [tableSection({ heading: `${subject}: ${spec.name}`, columns: findingColumns, rows })];
  });
  return pageOf({
    title: `Checks: ${summary(results)}`,
    facts: [report.file, `profile ${report.profile}`, `${report.startedAt.slice(0, 16).replace('T', ' ')} UTC`],
    keyFigures: [
      {
        label: 'Failed',
        value: String(fail + error),
        ...(error > 0 && { change: `${error} could not run`, verdict: 'bad' as const }),
      },
      { label: 'Warned', value: String(warn) },
      ...(known > 0 ? [{ label: 'Known', value: String(known) }] : []),
      { label: 'Held', value: String(pass) },
    ],
    sections: [
      tableSection({ heading: 'Checks', columns: shown, rows: results, tone: toneOf, wraps: true }),
      ...findings,
    ],
  });
}

/** The colour of the first cell; its word says the same. */
function toneOf(result: CheckResult): 'good' | 'bad' | undefined {
  const found = verdict(result);
  if (found === 'pass') return 'good';
  return found === 'fail' || found === 'error' ? 'bad' : undefined;
}
