import type { CheckResult } from '../../../domain/checks/model.ts';
import { attentionFirst, findingLines, type Report, summary, verdict } from './report.ts';

const marks = { pass: '✅', fail: '❌', warn: '⚠️', known: '☑️', error: '⛔' } as const;

/** Markdown for a job summary or a comment: what needs attention in full, what held in one table. */
export function markdownReport(report: Report): string {
  const results = attentionFirst(report.results);
  const rows = results.map(
    (result) =>
      `| ${marks[verdict(result)]} ${verdict(result)} | ${cell(result.subject)} | ${cell(result.spec.name)} | ${cell(result.observed)} | ${cell(result.threshold)} |`,
  );
  const table = ['| result | subject | check | observed | expected |', '| --- | --- | --- | --- | --- |', ...rows];
  const details = results.filter((result) => result.findings.length > 0).flatMap(detail);
  return `${['## comem check', '', `${summary(report.results)} (${cell(report.file)})`, '', ...table, '', ...details].join('\n').trimEnd()}\n`;
}

function detail(result: CheckResult): string[] {
  const lines = findingLines(result).map((line) => `- ${cell(line)}`);
  const place = result.spec.line === undefined ? '' : `, line ${result.spec.line}`;
  return [`### ${cell(result.subject)}: ${cell(result.spec.name)}${place}`, '', ...lines, ''];
}

function cell(text: string): string {
  return text.replace(/[\\`*_<>|]/g, '\\$&').replace(/\s*[\r\n]+\s*/g, ' ');
}
