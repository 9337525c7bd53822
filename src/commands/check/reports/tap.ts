import type { CheckResult } from '../../../domain/checks/model.ts';
import { findingLines, type Report, verdict } from './report.ts';

/** TAP version 14. Warnings and known failures are `not ok … # TODO`, which TAP counts as no failure. */
export function tapReport(report: Report): string {
  const tests = report.results.flatMap((result, index) => testLines(result, index + 1, report));
  return `${['TAP version 14', `1..${report.results.length}`, ...tests].join('\n')}\n`;
}

function testLines(result: CheckResult, number: number, report: Report): string[] {
  const kind = verdict(result);
  const title = `${result.subject}: ${result.spec.name}`.replace(/[\r\n]+/g, ' ').replace(/([\\#])/g, '\\$1');
  const directive = kind === 'warn' ? ' # TODO warning' : kind === 'known' ? ' # TODO known from the baseline' : '';
  const line = `${kind === 'pass' ? 'ok' : 'not ok'} ${number} - ${title}${directive}`;
  const details: [string, unknown][] = [
    ['observed', result.observed],
    ['expected', result.threshold],
    ['severity', result.spec.severity],
    ['failed', result.failed],
    ['findings', findingLines(result)],
    ['at', result.spec.line === undefined ? undefined : `${report.file}:${result.spec.line}`],
  ];
  // JSON is YAML, and it quotes whatever a title may hold.
  const block = details.flatMap(([key, value]) => (value === undefined ? [] : [`  ${key}: ${JSON.stringify(value)}`]));
  return [line, '  ---', ...block, '  ...'];
}
