import type { CheckResult } from '../../../domain/checks/model.ts';
import { counts, findingLines, observation, type Report, verdict } from './report.ts';

/** JUnit XML as CI servers read it: a suite for each subject, a case for each check. Warnings and known failures are passes with a text. */
export function junitReport(report: Report): string {
  const bySubject = new Map<string, CheckResult[]>();
  for (const result of report.results)
    bySubject.set(result.subject, [...(bySubject.get(result.subject) ?? []), result]);
  const suites = [...bySubject].map(([subject, results], index) => suite(subject, results, index, report));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', {}, `\n${suites.join('')}`)}\n`;
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
    time: seconds(report),
  };
  const cases = results.map((result) => testCase(result, report)).join('');
  // The common schema has no text inside a case that did not fail, so what warned or held is told by the suite.
  const said = results
    .filter((result) => !fails(result))
    .map((result) => `${verdict(result)}: ${text(result, report)}`);
  const out = element('system-out', {}, xmlText(said.join('\n\n')));
  return `  ${element('testsuite', attributes, `\n    ${properties(report)}\n${cases}    ${out}\n    <system-err/>\n  `)}\n`;
}

/** The schemas differ on whether there may be none. */
function properties({ profile, file }: Report): string {
  const pairs = Object.entries({ profile, file }).map(([name, value]) => element('property', { name, value }, ''));
  return element('properties', {}, pairs.join(''));
}

const fails = (result: CheckResult): boolean => ['fail', 'error'].includes(verdict(result));

function text(result: CheckResult, report: Report): string {
  const place = result.spec.line === undefined ? [] : [`${report.file}:${result.spec.line}`];
  return [result.spec.name, observation(result), ...findingLines(result), ...place].join('\n');
}

function testCase(result: CheckResult, report: Report): string {
  const attributes = { name: result.spec.name, classname: result.subject, time: 0 };
  if (!fails(result)) return `    ${element('testcase', attributes, '')}\n`;
  const kind = verdict(result) === 'fail' ? 'failure' : 'error';
  const message = kind === 'error' ? result.observed : observation(result);
  const inner = element(kind, { message, type: result.spec.severity }, xmlText(text(result, report)));
  return `    ${element('testcase', attributes, `\n      ${inner}\n    `)}\n`;
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
