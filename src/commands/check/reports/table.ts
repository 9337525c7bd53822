/** The report for people: what needs attention first and in full, what held in one line each. */
import type { CheckResult } from '../../../domain/checks/model.ts';
import { cleanLine } from '../../../output/terminal-text.ts';
import { attentionFirst, findingLines, type Report, summary, type Verdict, verdict } from './report.ts';

const words: Record<Verdict, string> = { pass: 'ok', fail: 'FAIL', warn: 'warn', known: 'known', error: 'ERROR' };

export interface TableRules {
  /** Cells of the terminal; undefined: lines are not cut. */
  width?: number;
  paint(verdict: Verdict, text: string): string;
}

export function tableReport(report: Report, rules: TableRules): string {
  const results = attentionFirst(report.results);
  const lines: string[] = [];
  let subject: string | undefined;
  for (const result of results) {
    if (result.subject !== subject) lines.push(...(lines.length > 0 ? [''] : []), cleanLine(result.subject));
    subject = result.subject;
    lines.push(...resultLines(result, report, rules));
  }
  return `${[...lines, '', `${summary(report.results)} in ${(report.durationMs / 1000).toFixed(1)} s (${report.file})`].join('\n')}\n`;
}

function resultLines(result: CheckResult, report: Report, { paint, width }: TableRules): string[] {
  const kind = verdict(result);
  const cut = (line: string): string =>
    width === undefined || line.length <= width ? line : `${line.slice(0, width - 1)}…`;
  const name = cleanLine(result.spec.name);
  const head = `  ${words[kind].padEnd(5)}  ${name}`;
  const painted = (line: string): string => line.replace(words[kind], () => paint(kind, words[kind]));
  if (kind === 'pass') return [painted(cut(`${head}  (${cleanLine(result.observed)})`))];
  const place = result.spec.line === undefined ? [] : [`at        ${report.file}:${result.spec.line}`];
  const details = [
    ...(name === result.spec.expect ? [] : [`expect    ${cleanLine(result.spec.expect)}`]),
    `observed  ${cleanLine(result.observed)}`,
    `expected  ${cleanLine(result.threshold)}`,
    ...findingLines(result).map((line) => `- ${cleanLine(line)}`),
    ...(result.spec.owner ? [`owner     ${cleanLine(result.spec.owner)}`] : []),
    ...place,
  ];
  return [painted(cut(head)), ...details.map((line) => cut(`         ${line}`))];
}
