/** The result of a run of checks as every report sees it. */
import type { CheckResult } from '../../../domain/checks/model.ts';
import { cleanLine, messageLine } from '../../../output/terminal-text.ts';

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

export function verdict({ status, spec, known, lacks }: CheckResult): Verdict {
  if (status === 'pass') return 'pass';
  if (known) return 'known';
  // Data that could not be read is no warning, whatever the check is.
  if (status === 'error' && lacks === undefined) return 'error';
  if (status === 'error' && spec.severity === 'error') return 'error';
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

const labels: Record<Verdict, string> = { pass: 'ok', fail: 'FAIL', warn: 'warn', known: 'known', error: 'ERROR' };

export interface TableRules {
  /** Cells of the terminal; undefined: lines are not cut. */
  width?: number | undefined;
  paint(verdict: Verdict, text: string): string;
}

export function tableReport(report: Report, rules: TableRules): string {
  const results = attentionFirst(report.results);
  const lines: string[] = [];
  let subject: string | undefined;
  for (const result of results) {
    if (result.subject !== subject) lines.push(...(lines.length > 0 ? [''] : []), messageLine(result.subject));
    subject = result.subject;
    lines.push(...resultLines(result, report, rules));
  }
  return `${[...lines, '', `${summary(report.results)} in ${(report.durationMs / 1000).toFixed(1)} s (${report.file})`].join('\n')}\n`;
}

function resultLines(result: CheckResult, report: Report, { paint, width }: TableRules): string[] {
  const kind = verdict(result);
  const cut = (line: string): string =>
    width === undefined || line.length <= width ? line : `${line.slice(0, width - 1)}…`;
  const name = messageLine(result.spec.name);
  const head = `  ${labels[kind].padEnd(5)}  ${name}`;
  const painted = (line: string): string => line.replace(labels[kind], () => paint(kind, labels[kind]));
  if (kind === 'pass') return [painted(cut(`${head}  (${messageLine(result.observed)})`))];
  const place = result.spec.line === undefined ? [] : [`at        ${report.file}:${result.spec.line}`];
  const details = [
    ...(name === result.spec.expect ? [] : [`expect    ${messageLine(result.spec.expect)}`]),
    `observed  ${messageLine(result.observed)}`,
    `expected  ${messageLine(result.threshold)}`,
    ...findingLines(result).map((line) => `- ${messageLine(line)}`),
    ...(result.spec.owner ? [`owner     ${messageLine(result.spec.owner)}`] : []),
    ...place,
  ];
  return [painted(cut(head)), ...details.map((line) => cut(`         ${line}`))];
}

const marks = { pass: '✅', fail: '❌', warn: '⚠️', known: '☑️', error: '⛔' } as const;

/** Markdown for a job summary or a comment: what needs attention in full, what passed in one table. */
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
  return cleanLine(text).replace(/[\\`*_<>|[\]]/g, '\\$&');
}
