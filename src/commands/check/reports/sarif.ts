import type { CheckResult } from '../../../domain/checks/model.ts';
import { findingLines, observation, type Report, verdict } from './report.ts';

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
