import type { CheckResult } from '../../../domain/checks/model.ts';
import { cleanLines } from '../../../output/terminal-text.ts';
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
  // The common schema has no text inside a case that did not fail, so the suite reports what warned or passed.
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

const levels = { fail: 'error', error: 'error', warn: 'warning', known: 'note', pass: 'none' } as const;

/** SARIF 2.1.0: a rule for each check, a result for each that did not hold. */
export function sarifReport(report: Report, version: string): string {
  const rules = report.results.map((result, index) => ({
    id: ruleId(index),
    name: result.spec.name,
    shortDescription: { text: `${result.subject}: ${result.spec.name}` },
    fullDescription: { text: result.spec.description ?? result.spec.expect },
    defaultConfiguration: { level: result.spec.severity === 'warn' ? 'warning' : 'error' },
    properties: { tags: [...new Set(result.spec.tags)] },
  }));
  const body = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'comem', version, rules } },
        invocations: [
          {
            executionSuccessful: report.results.every((result) => result.status !== 'error'),
            startTimeUtc: report.startedAt,
          },
        ],
        results: report.results.flatMap((result, index) =>
          result.status === 'pass' ? [] : [found(result, index, report)],
        ),
      },
    ],
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}

const ruleId = (index: number): string => `check-${index + 1}`;

function found(result: CheckResult, index: number, report: Report): object {
  const { line, column } = result.spec;
  const location = {
    physicalLocation: {
      artifactLocation: { uri: encodeURI(report.file) },
      ...(line === undefined ? {} : { region: { startLine: line, startColumn: column ?? 1 } }),
    },
  };
  return {
    ruleId: ruleId(index),
    ruleIndex: index,
    level: levels[verdict(result)],
    kind: 'fail',
    message: {
      text: [`${result.subject}: ${result.spec.name}`, observation(result), ...findingLines(result)].join('\n'),
    },
    locations: [location],
    ...(result.known ? { baselineState: 'unchanged' } : {}),
  };
}

const commands = { fail: 'error', error: 'error', warn: 'warning', known: 'notice' } as const;

/** Workflow commands that annotate the lines of the check file. Held checks say nothing. */
export function githubReport(report: Report): string {
  const lines = report.results.flatMap((result) => {
    const kind = verdict(result);
    if (kind === 'pass') return [];
    const { line, column, name } = result.spec;
    const place = line === undefined ? [] : [`file=${property(report.file)}`, `line=${line}`, `col=${column ?? 1}`];
    const title = `title=${property(`${result.subject}: ${name}`)}`;
    const text = [observation(result), ...findingLines(result)].join('\n');
    return [`::${commands[kind]} ${[...place, title].join(',')}::${data(text)}`];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function data(text: string): string {
  return cleanLines(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
