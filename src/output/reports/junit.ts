import type { CheckResult } from '../../domain/checks/model.ts';
import { counts, findingLines, observation, type Report, verdict } from './report.ts';

/** JUnit XML as CI servers read it: a suite for each subject, a case for each check. Warnings and known failures are passes with a text. */
export function junitReport(report: Report): string {
  const all = counts(report.results);
  const bySubject = new Map<string, CheckResult[]>();
  for (const result of report.results)
    bySubject.set(result.subject, [...(bySubject.get(result.subject) ?? []), result]);
  const suites = [...bySubject].map(([subject, results], index) => suite(subject, results, index, report));
  const totals = {
    name: 'comem check',
    tests: report.results.length,
    failures: all.fail,
    errors: all.error,
    time: seconds(report),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', totals, `\n${suites.join('')}`)}\n`;
}

function suite(subject: string, results: readonly CheckResult[], index: number, report: Report): string {
  const found = counts(results);
  const attributes = {
    name: subject,
    id: index,
    package: 'comem.check',
    hostname: 'localhost',
    timestamp: report.startedAt.replace(/\.\d+/, '').replace(/Z$/, ''),
    tests: results.length,
    failures: found.fail,
    errors: found.error,
    skipped: 0,
    time: seconds(report),
  };
  const cases = results.map((result) => testCase(result, report)).join('');
  return `  ${element('testsuite', attributes, `\n    <properties/>\n${cases}    <system-out/>\n    <system-err/>\n  `)}\n`;
}

function testCase(result: CheckResult, report: Report): string {
  const file = result.spec.line === undefined ? undefined : `${report.file}:${result.spec.line}`;
  const attributes = { name: result.spec.name, classname: result.subject, time: 0 };
  const text = [observation(result), ...findingLines(result), ...(file ? [file] : [])].join('\n');
  const kind = verdict(result);
  const message = kind === 'error' ? result.observed : observation(result);
  const inner =
    kind === 'fail' || kind === 'error'
      ? `\n      ${element(kind === 'fail' ? 'failure' : 'error', { message, type: result.spec.severity }, xmlText(text))}\n    `
      : `\n      <system-out>${xmlText(`${kind}: ${text}`)}</system-out>\n    `;
  return `    ${element('testcase', attributes, inner)}\n`;
}

const seconds = (report: Report): string => (report.durationMs / 1000).toFixed(3);

function element(name: string, attributes: Record<string, string | number>, content: string): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(String(value))}"`);
  return `<${name}${pairs.join('')}>${content}</${name}>`;
}

/** XML text: markup escaped, characters that XML 1.0 cannot hold replaced. */
function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}
