/** The result of a run of checks as every report sees it. */

import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { version } from '../../../package.json';
import type { Context } from '../../cli/context.ts';
import { usage } from '../../core/errors.ts';
import type { CheckResult } from '../../domain/checks/model.ts';
import { withShortIds } from '../../output/screen-column.ts';
import { type Color, cleanLine, cleanLines, foldLines, messageLine, painter } from '../../output/terminal-text.ts';
import { writeFile } from '../../output/write/sinks.ts';

export interface Report {
  /** The check file as it was named, or the command line for the inline form. */
  file: string;
  /** ISO 8601. */
  startedAt: string;
  durationMs: number;
  profile: string;
  results: readonly CheckResult[];
}

/** The verdict of a result. `warn` and `known` do not fail a run; `error` could not run. */
type Verdict = 'pass' | 'fail' | 'warn' | 'known' | 'error';

export function verdict({ status, spec, known, lacks }: CheckResult): Verdict {
  if (status === 'pass') return 'pass';
  if (known) return 'known';
  // Data that could not be read is no warning, whatever the check is.
  if (status === 'error' && lacks === undefined) return 'error';
  if (status === 'error' && spec.severity === 'error') return 'error';
  return spec.severity === 'warn' ? 'warn' : 'fail';
}

type Counts = Record<Verdict, number>;

export function counts(results: readonly CheckResult[]): Counts {
  const totals: Counts = { pass: 0, fail: 0, warn: 0, known: 0, error: 0 };
  for (const result of results) totals[verdict(result)] += 1;
  return totals;
}

/** How reports show each verdict; what needs attention comes first. */
const styles: Record<Verdict, { words: string; label: string; color: Color; mark: string; level: string }> = {
  error: { words: 'could not run', label: 'ERROR', color: 'red', mark: '⛔', level: 'error' },
  fail: { words: 'failed', label: 'FAIL', color: 'red', mark: '❌', level: 'error' },
  warn: { words: 'warned', label: 'warn', color: 'yellow', mark: '⚠️', level: 'warning' },
  known: { words: 'known', label: 'known', color: 'cyan', mark: '☑️', level: 'note' },
  pass: { words: 'held', label: 'ok', color: 'green', mark: '✅', level: 'none' },
};
const verdicts = Object.keys(styles) as Verdict[];

/** `2 failed, 1 warned, 14 held`; only what there is. */
export function summary(results: readonly CheckResult[]): string {
  const totals = counts(results);
  const parts = verdicts.flatMap((kind) => (totals[kind] > 0 ? `${totals[kind]} ${styles[kind].words}` : []));
  return parts.length === 0 ? 'no checks' : parts.join(', ');
}

/** Results with what needs attention first, each kind in the order of the file. */
function attentionFirst(results: readonly CheckResult[]): CheckResult[] {
  return verdicts.flatMap((kind) => results.filter((result) => verdict(result) === kind));
}

/** In the order of the first result of each subject. */
function bySubject(results: readonly CheckResult[]): Map<string, CheckResult[]> {
  const groups = new Map<string, CheckResult[]>();
  for (const result of results) groups.set(result.subject, [...(groups.get(result.subject) ?? []), result]);
  return groups;
}

/** `observed 3; expected >= 10` */
const observation = (result: CheckResult): string => `observed ${result.observed}; expected ${result.threshold}`;

/** A line for each stored finding, and the number of others. */
function findingLines(result: CheckResult, room = Number.POSITIVE_INFINITY): string[] {
  const whole = result.findings.map(({ id, title, detail, known }) =>
    // All findings of a known result are known.
    [title, id === title ? '' : id, detail, known && !result.known ? 'known' : ''].filter(Boolean).join(' · '),
  );
  // Ids are cut before observed values.
  const isNarrow = whole.some((line) => line.length > room);
  const lines = isNarrow ? withShortIds(whole, { ascii: false, nameOf: () => undefined }) : whole;
  const more = result.failed - result.findings.length;
  return more > 0 && result.findings.length > 0 ? [...lines, `and ${more} more`] : lines;
}

interface TableRules {
  /** Cells of the terminal; undefined: lines are not cut. */
  width?: number | undefined;
  /** The checks that neither held nor are known failures; empty if there are none. */
  quiet?: boolean;
  paint(color: Color, text: string): string;
}

export function tableReport(report: Report, rules: TableRules): string {
  const lines: string[] = [];
  const results = report.results.filter((result) => !rules.quiet || !['pass', 'known'].includes(verdict(result)));
  if (rules.quiet && results.length === 0) return '';
  for (const [subject, ofSubject] of bySubject(attentionFirst(results))) {
    lines.push(...(lines.length > 0 ? [''] : []), messageLine(subject));
    lines.push(...withUnreadJoined(ofSubject).flatMap((result) => resultLines(result, report, rules)));
  }
  return `${[...lines, '', `${summary(report.results)} in ${(report.durationMs / 1000).toFixed(1)} s (${report.file})`].join('\n')}\n`;
}

/** Checks of one subject that could not run for the same reason are one result. */
function withUnreadJoined(results: readonly CheckResult[]): CheckResult[] {
  const reason = ({ status, lacks, observed }: CheckResult) =>
    status === 'error' && lacks === undefined ? observed : undefined;
  const first = results.find((result) => reason(result) !== undefined);
  const same = results.filter((result) => first && reason(result) === first.observed);
  if (!first || same.length < 2) return [...results];
  const name = `${same.length} checks`;
  const spec = { ...first.spec, name, expect: name };
  return [
    { ...first, spec, threshold: same.map((result) => result.spec.name).join(', ') },
    ...results.filter((result) => !same.includes(result)),
  ];
}

const indent = 9;

function resultLines(result: CheckResult, report: Report, { paint, width }: TableRules): string[] {
  const kind = verdict(result);
  const cut = (line: string): string => (width === undefined ? line : foldLines(line, width));
  const name = messageLine(result.spec.name);
  const { label, color } = styles[kind];
  const head = `  ${label.padEnd(5)}  ${name}`;
  const painted = (line: string): string => line.replace(label, () => paint(color, label));
  if (kind === 'pass') return [painted(cut(`${head}  (${messageLine(result.observed)})`))];
  const position = result.spec.line === undefined ? [] : [`at        ${report.file}:${result.spec.line}`];
  const details = [
    ...(name === result.spec.expect ? [] : [`expect    ${messageLine(result.spec.expect)}`]),
    `observed  ${messageLine(result.observed)}`,
    `expected  ${messageLine(result.threshold)}`,
    ...findingLines(result, width === undefined ? undefined : width - indent - 2).map(
      (line) => `- ${messageLine(line)}`,
    ),
    ...(result.spec.owner ? [`owner     ${messageLine(result.spec.owner)}`] : []),
    ...position,
  ];
  return [painted(cut(head)), ...details.map((line) => cut(`${' '.repeat(indent)}${line}`))];
}

/** Markdown for a job summary or a comment: what needs attention in full, what passed in one table. */
export function markdownReport(report: Report): string {
  const results = attentionFirst(report.results);
  const rows = results.map(
    (result) =>
      `| ${styles[verdict(result)].mark} ${verdict(result)} | ${cell(result.subject)} | ${cell(result.spec.name)} | ${cell(result.observed)} | ${cell(result.threshold)} |`,
  );
  const table = ['| result | subject | check | observed | expected |', '| --- | --- | --- | --- | --- |', ...rows];
  const details = results.filter((result) => result.findings.length > 0).flatMap(detail);
  return `${['## comem check', '', `${summary(report.results)} (${cell(report.file)})`, '', ...table, '', ...details].join('\n').trimEnd()}\n`;
}

function detail(result: CheckResult): string[] {
  const lines = findingLines(result).map((line) => `- ${cell(line)}`);
  const position = result.spec.line === undefined ? '' : `, line ${result.spec.line}`;
  return [`### ${cell(result.subject)}: ${cell(result.spec.name)}${position}`, '', ...lines, ''];
}

const cell = (text: string): string => cleanLine(text).replace(/[\\`*_<>|[\]]/g, '\\$&');

/** JUnit XML as CI servers read it: a suite for each subject, a case for each check. Known failures are skipped, and warnings are passes with a text. */
export function junitReport(report: Report): string {
  const suites = [...bySubject(report.results)].map(([subject, results], index) =>
    suite(subject, results, index, report),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', {}, `\n${suites.join('')}`)}\n`;
}

function suite(subject: string, results: readonly CheckResult[], index: number, report: Report): string {
  const totals = counts(results);
  const attributes = {
    name: subject,
    id: index,
    package: 'comem.check',
    hostname: 'localhost',
    timestamp: report.startedAt.replace(/\.\d+/, '').replace(/Z$/, ''),
    tests: results.length,
    failures: totals.fail,
    errors: totals.error,
    // The schema of JUnit itself knows no skipped tests.
    ...(totals.known > 0 && { skipped: totals.known }),
    time: seconds(report),
  };
  const cases = results.map((result) => testCase(result, report)).join('');
  // The common schema has no text inside a case that did not fail, so the suite reports what warned or passed.
  const notes = results
    .filter((result) => ['pass', 'warn'].includes(verdict(result)))
    .map((result) => `${verdict(result)}: ${text(result, report)}`);
  const out = element('system-out', {}, xmlText(notes.join('\n\n')));
  return `  ${element('testsuite', attributes, `\n    ${properties(report)}\n${cases}    ${out}\n    <system-err/>\n  `)}\n`;
}

/** The schemas differ on whether there may be none. */
function properties({ profile, file }: Report): string {
  const pairs = Object.entries({ profile, file }).map(([name, value]) => element('property', { name, value }, ''));
  return element('properties', {}, pairs.join(''));
}

function text(result: CheckResult, report: Report): string {
  const position = result.spec.line === undefined ? [] : [`${report.file}:${result.spec.line}`];
  return [result.spec.name, observation(result), ...findingLines(result), ...position].join('\n');
}

function testCase(result: CheckResult, report: Report): string {
  const attributes = { name: result.spec.name, classname: result.subject, time: 0 };
  const kind = verdict(result);
  if (kind === 'pass' || kind === 'warn') return `    ${element('testcase', attributes, '')}\n`;
  return `    ${element('testcase', attributes, `\n      ${problemOf(result, report)}\n    `)}\n`;
}

function problemOf(result: CheckResult, report: Report): string {
  const kind = verdict(result);
  const content = xmlText(text(result, report));
  if (kind === 'known') return element('skipped', {}, `known: ${content}`);
  const message = kind === 'error' ? result.observed : observation(result);
  return element(kind === 'fail' ? 'failure' : 'error', { message, type: result.spec.severity }, content);
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
  const results = report.results.map((result) => {
    const { spec, part: _part, known: _known, lacks: _lacks, ...rest } = result;
    const findings = result.findings.map(({ keys: _keys, ...finding }) => finding);
    return { ...spec, ...rest, findings, verdict: verdict(result) };
  });
  return `${JSON.stringify({ version: 1, ...report, counts: counts(report.results), results }, null, 2)}\n`;
}

/** SARIF 2.1.0: a rule for each check, a result for each that did not hold. */
export function sarifReport(report: Report): string {
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
          result.status === 'pass' ? [] : [sarifResult(result, index, report)],
        ),
      },
    ],
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}

const ruleId = (index: number): string => `check-${index + 1}`;

function sarifResult(result: CheckResult, index: number, report: Report): object {
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
    level: styles[verdict(result)].level,
    kind: 'fail',
    message: {
      text: [`${result.subject}: ${result.spec.name}`, observation(result), ...findingLines(result)].join('\n'),
    },
    locations: [location],
    ...(result.known ? { baselineState: 'unchanged' } : {}),
  };
}

/** Workflow commands that annotate the lines of the check file. Held checks say nothing. */
export function githubReport(report: Report): string {
  const lines = report.results.flatMap((result) => {
    const kind = verdict(result);
    if (kind === 'pass') return [];
    const { line, column, name } = result.spec;
    const position = line === undefined ? [] : [`file=${property(report.file)}`, `line=${line}`, `col=${column ?? 1}`];
    const title = `title=${property(`${result.subject}: ${name}`)}`;
    const text = [observation(result), ...findingLines(result)].join('\n');
    return [`::${kind === 'known' ? 'notice' : styles[kind].level} ${[...position, title].join(',')}::${data(text)}`];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function data(text: string): string {
  return cleanLines(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');

const renderers = {
  json: jsonReport,
  junit: junitReport,
  github: githubReport,
  sarif: sarifReport,
  md: markdownReport,
};
type Format = 'table' | keyof typeof renderers;
const formats = ['table', ...(Object.keys(renderers) as (keyof typeof renderers)[])] as const;

interface Target {
  format: Format;
  /** Undefined: stdout. */
  file?: string;
}

/** The reports of flags, else that of `-o`, GitHub's under its Actions, or the table. @throws usage */
export function reportTargets(ctx: Context, words: readonly string[] | undefined): Target[] {
  if (!words || words.length === 0) {
    const { value } = ctx.settings.output;
    if (value === 'json' || value === 'md') return [{ format: value }];
    return [{ format: ctx.runtime.env.GITHUB_ACTIONS === 'true' ? 'github' : 'table' }];
  }
  const targets = words.map((text): Target => {
    // The parser has refused other formats.
    const format = formats.find((known) => text.startsWith(known)) ?? 'table';
    const file = text.slice(format.length + 1);
    return file === '' ? { format } : { format, file };
  });
  const onStdout = targets.filter(({ file }) => file === undefined);
  if (onStdout.length > 1) {
    throw usage(
      `--report: ${onStdout.map(({ format }) => format).join(' and ')} would both go to stdout`,
      'give one of them a file: --report junit=out.xml',
    );
  }
  return targets;
}

export async function writeReports(ctx: Context, targets: readonly Target[], report: Report): Promise<void> {
  for (const { format, file } of targets) {
    const text = await render(ctx, format, report, file === undefined);
    if (file === undefined) await ctx.out.text(text);
    else await writeFile(file, ctx.runtime.cwd, text, '--report');
  }
  const summary = ctx.runtime.env.GITHUB_STEP_SUMMARY;
  const onGithub = targets.some(({ format }) => format === 'github');
  if (onGithub && summary) await appendFile(resolve(ctx.runtime.cwd, summary), markdownReport(report));
}

async function render(ctx: Context, format: Format, report: Report, toStdout: boolean): Promise<string> {
  if (format !== 'table') return renderers[format](report);
  const { stdoutIsTTY, columns, color } = ctx.runtime.terminal;
  const onScreen = toStdout && stdoutIsTTY && ctx.settings.out === undefined;
  const width = onScreen && ctx.settings.truncate ? columns : undefined;
  const paint = await painter(toStdout && color.stdout && ctx.settings.out === undefined);
  return tableReport(report, { width, paint, quiet: ctx.settings.quiet });
}
