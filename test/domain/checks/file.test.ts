/** What a check file may say, where a mistake in it is, and what a baseline makes of results. */
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../../src/core/yaml.ts';
import { readChecks } from '../../../src/domain/checks/check-file.ts';
import { grantFunctionNames } from '../../../src/domain/checks/grant-checks.ts';
import { listFunctionNames } from '../../../src/domain/checks/list-checks.ts';
import { metricFunctionNames } from '../../../src/domain/checks/metric-checks.ts';
import { baselineOf, type CheckResult, type Finding, withBaseline } from '../../../src/domain/checks/model.ts';

async function read(text: string) {
  const { value, place } = await readYaml(text, 'comem.checks.yaml');
  return readChecks(value, place);
}

/** The problems as `LINE:COLUMN PATH: MESSAGE`. */
async function problems(text: string): Promise<string[]> {
  const found = await read(text);
  return found.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

/** A file of one section. */
const section = (text: string): string => `version: 1\nchecks:\n  - ${text.replaceAll('\n', '\n    ')}\n`;

describe('a mistake in a check file', () => {
  it.each([
    ['nothing at all', '', ['1:1 : must be an object']],
    ['no version', 'checks:\n  - {list: a, expect: [exists]}\n', ['1:1 version: is required']],
    ['another version', 'version: 2\nchecks:\n  - {list: a, expect: [exists]}\n', ['1:10 version: must be at most 1']],
    ['no checks', 'version: 1\nchecks: []\n', ['2:9 checks: must not be empty']],
    ['checks that are no list', 'version: 1\nchecks: 5\n', ['2:9 checks: must be an array']],
    ['a section that is a text', section('deals'), ['3:5 checks.0: must name one of list:, metrics: or grants:']],
    ['a section that is empty', section('~'), ['3:5 checks.0: must name one of list:, metrics: or grants:']],
    ['a section that is a list', section('[list]'), ['3:5 checks.0: must name one of list:, metrics: or grants:']],
    [
      'a section of nothing',
      section('expect: [exists]'),
      ['3:5 checks.0: must name one of list:, metrics: or grants:'],
    ],
    [
      'a section of two things',
      section('list: a\ngrants: b\nexpect: [exists]'),
      ['3:5 checks.0: must name one of list:, metrics: or grants:, got list and grants'],
    ],
    [
      'an unknown key',
      section('list: a\narchved: only\nexpect: [exists]'),
      ['4:14 checks.0.archved: is not known here; did you mean archived?'],
    ],
    ['no expectation', section('list: a\nexpect: []'), ['4:13 checks.0.expect: must not be empty']],
    [
      'an expectation that is a number',
      section('list: a\nexpect: [exists, 5]'),
      ['4:22 checks.0.expect.1: must be a text or an object with `expect`'],
    ],
    [
      'an expectation without its text',
      section('list: a\nexpect:\n  - {name: b}'),
      ['5:9 checks.0.expect.0.expect: is required'],
    ],
    [
      'a wrong severity',
      section('list: a\nexpect:\n  - {expect: exists, severity: bad}'),
      ['5:36 checks.0.expect.0.severity: must be one of error, warn'],
    ],
    [
      'a broken expectation, with its hint',
      section('list: a\nexpect:\n  - exists\n  - expect: required(a) by b'),
      [
        '6:17 checks.0.expect.1.expect: "required(a) by b": `by` does not go with required (it goes with count, sum, average, median, min, max and distinct)',
      ],
    ],
    [
      'a broken expectation in a line',
      section('list: a\nexpect: [exists, pattern(a)]'),
      ['4:22 checks.0.expect.1: "pattern(a)": pattern needs a regular expression after the column'],
    ],
    [
      'an expectation of another subject',
      section('metrics: a\nexpect: [expiry_set > 1, "sign(a)"]'),
      ['4:30 checks.0.expect.1: "sign(a)": sign needs one of positive, negative, non_negative and non_positive'],
    ],
    [
      'a condition that cannot be read',
      section('list: a\nwhere: a >\nexpect: [exists]'),
      ['4:12 checks.0.where: where: a value is missing at column 4 of "a >"'],
    ],
    [
      'months that are none',
      section('metrics: a\nfrom: 2024-13\nto: 2024-Q1\nexpect: [live(a)]'),
      [
        '4:11 checks.0.from: must be a month such as 2024-01, got 2024-13',
        '5:9 checks.0.to: must be a month such as 2024-01, got 2024-Q1',
      ],
    ],
    [
      'several of one line',
      'version: 1\nchecks:\n  - {expect: [5], list: a, archved: only}\n',
      [
        '3:15 checks.0.expect.0: must be a text or an object with `expect`',
        '3:37 checks.0.archved: is not known here; did you mean archived?',
      ],
    ],
    [
      'several, in the order of the file',
      'checks:\n  - list: a\n    expect: [pattern(a), 5]\n  - {grants: b, expect: [what]}\nversion: 3\n',
      [
        '3:14 checks.0.expect.0: "pattern(a)": pattern needs a regular expression after the column',
        '3:26 checks.0.expect.1: must be a text or an object with `expect`',
        '4:26 checks.1.expect.0: "what": unknown expectation',
        '5:10 version: must be at most 1',
      ],
    ],
  ])('is told at its line and column: %s', async (_, text, expected) => {
    expect((await problems(text)).map((one) => one.replace(/ \(functions are .*$/, ''))).toEqual(expected);
  });

  it.each([
    ['no month at all', 'metrics: a\nexpect: [live(a)]'],
    ['the words of the day in a condition', 'list: a\nwhere: closed > today - 5d\nexpect: [exists]'],
    ['months', 'metrics: a\nfrom: 2024-01\nto: "2024-02"\nlast: 3\nexpect: [live(a)]'],
  ])('is none: %s', async (_, text) => {
    expect(await problems(section(text))).toEqual([]);
  });

  it('leaves out only the expectation that has it', async () => {
    const { sections } = await read(section('list: a\nexpect: [exists, pattern(a), 5, count > 1]'));
    expect(sections.map(({ checks }) => checks.map(({ expect }) => expect))).toEqual([['exists', 'count > 1']]);
  });

  it.each([
    ['list', [...listFunctionNames]],
    ['metrics', [...metricFunctionNames]],
    ['grants', [...grantFunctionNames]],
  ])('is an argument that no expectation of %s reads', async (subject, heads) => {
    for (const head of heads) {
      const found = await problems(
        section(`${subject}: a\nexpect: ["${head}(a, zz=1)", "${head}(a, a, a, a, a) by b = 1%"]`),
      );
      expect([head, found.length]).toEqual([head, 2]);
    }
  });
});

describe('a check file', () => {
  it('gives each check what its section says, unless it says it itself', async () => {
    const text = section(
      'list: a\nseverity: warn\nowner: ops\ntags: [s]\nexpect:\n  - exists\n' +
        '  - {expect: count > 1, name: many, severity: error, owner: dev, tags: [t, u], description: why}',
    );
    const [found] = (await read(text)).sections;
    expect(found?.checks).toEqual([
      {
        name: 'exists',
        expect: 'exists',
        severity: 'warn',
        tags: ['s'],
        owner: 'ops',
        description: undefined,
        line: 8,
        column: 9,
      },
      {
        name: 'many',
        expect: 'count > 1',
        severity: 'error',
        tags: ['s', 't', 'u'],
        owner: 'dev',
        description: 'why',
        line: 9,
        column: 18,
      },
    ]);
  });

  it('needs neither severity, tags nor owner', async () => {
    const [found] = (await read(section('grants: all\nexpect: [expiry_set]'))).sections;
    expect(found?.checks).toMatchObject([{ severity: 'error', tags: [], owner: undefined }]);
    expect(found).toMatchObject({ subject: 'grants', label: 'all', archived: 'exclude', last: undefined });
  });

  it('says which rows and months are looked at', async () => {
    const [rows] = (await read(section('list: a\narchived: only\nwhere: b > 1\nfilter: [c=1]\nexpect: [exists]')))
      .sections;
    expect(rows).toMatchObject({ archived: 'only', where: 'b > 1', filter: ['c=1'] });
    const [months] = (await read(section('metrics: m\nfrom: 2024-01\nto: 2024-02\nlast: 3\nexpect: [live(a)]')))
      .sections;
    expect(months).toMatchObject({ from: '2024-01', to: '2024-02', last: 3 });
  });

  it.each([
    ['list: deals\ncompany: a', [['a:deals', 'a']]],
    [
      'list: deals\ncompany: [a, b]',
      [
        ['a:deals', 'a'],
        ['b:deals', 'b'],
      ],
    ],
    ['list: deals\ncompany: "@all"', [['deals', '@all']]],
    [
      'list: deals\ncompany: [a, "@all"]',
      [
        ['a:deals', 'a'],
        ['deals', '@all'],
      ],
    ],
    ['list: deals', [['deals', undefined]]],
    ['grants: all\ncompany: a', [['all', 'a']]],
    [
      'grants: all\ncompany: [a, b]',
      [
        ['all (a)', 'a'],
        ['all (b)', 'b'],
      ],
    ],
    [
      'grants: all\ncompany: ["@all", "b@c"]',
      [
        ['all', '@all'],
        ['all (b@c)', 'b@c'],
      ],
    ],
  ])('names the company of a section: %s', async (head, expected) => {
    const expectation = head.startsWith('list') ? 'exists' : 'expiry_set';
    const { sections, problems: none } = await read(section(`${head}\nexpect: [${expectation}]`));
    expect(none).toEqual([]);
    expect(sections.map(({ label, company }) => [label, company])).toEqual(expected);
  });

  it.each([
    ['one section', ['list: a\nwhere: b > 1'], ['']],
    ['the same rows twice', ['list: a\nwhere: b > 1', 'list: a\nwhere: b > 1'], ['', '']],
    ['other lists', ['list: a\nwhere: b > 1', 'list: c'], ['', '']],
    ['a label that is the name of a list', ['list: a\nwhere: b > 1', 'grants: a'], ['', '']],
    ['other rows', ['list: a', 'list: a\nwhere: b > 1'], ['', ' where b > 1']],
    ['archived rows', ['list: a', 'list: a\narchived: only'], ['', ' archived only']],
    [
      'other filters',
      ['list: a\nfilter: [c=1, d=2]', 'list: a\nfilter: [c=1]'],
      [' filter c=1 and d=2', ' filter c=1'],
    ],
    [
      'other months',
      ['metrics: a\nfrom: 2024-01\nto: 2024-02', 'metrics: a\nlast: 3'],
      [' from 2024-01 to 2024-02', ' last 3'],
    ],
  ])('tells sections of one subject apart by what they look at: %s', async (_, heads, expected) => {
    const expectations = { list: 'exists', grants: 'expiry_set', metrics: 'live(a)' } as Record<string, string>;
    const text = heads.map((head) => {
      const expectation = expectations[head.split(':')[0] ?? ''];
      return `  - ${head.replaceAll('\n', '\n    ')}\n    expect: [${expectation}]\n`;
    });
    const { sections } = await read(`version: 1\nchecks:\n${text.join('')}`);
    expect(sections.map(({ part }) => part)).toEqual(expected);
  });

  it('gives each company its own checks', async () => {
    const { sections } = await read(section('list: deals\ncompany: [a, b]\nexpect: [exists]'));
    expect(sections[0]?.checks).toEqual(sections[1]?.checks);
    expect(sections[0]?.checks[0]).not.toBe(sections[1]?.checks[0]);
  });
});

describe('a baseline', () => {
  const result = (ids: readonly string[], more: Partial<CheckResult> = {}): CheckResult => {
    const findings = ids.map((id): Finding => ({ id, title: id, detail: '', keys: [id] }));
    const spec = { name: 'n', expect: 'required(a)', severity: 'error' as const, tags: [] };
    return {
      spec,
      subject: 'list a',
      part: '',
      status: 'fail',
      observed: '',
      threshold: '',
      failed: ids.length,
      findings,
      ...more,
    };
  };
  const under = (before: readonly CheckResult[], now: CheckResult) =>
    withBaseline([now], baselineOf(before, {}))[0]?.known;

  it.each<[string, CheckResult[], CheckResult, true | undefined]>([
    ['the same findings', [result(['1', '2'])], result(['1', '2']), true],
    ['fewer', [result(['1', '2'])], result(['2']), true],
    ['a new one in the place of another', [result(['1', '2'])], result(['1', '3']), undefined],
    ['one more', [result(['1'])], result(['1', '2']), undefined],
    ['more than are shown', [result(['1'])], result(['1'], { failed: 2 }), undefined],
    ['a check of all rows together', [result([], { failed: 0 })], result([], { failed: 0 }), true],
    [
      'another name and line',
      [result(['1'])],
      result(['1'], { spec: { ...result([]).spec, name: 'm', line: 9 } }),
      true,
    ],
    [
      'another expectation',
      [result(['1'])],
      result(['1'], { spec: { ...result([]).spec, expect: 'required(b)' } }),
      undefined,
    ],
    ['another list', [result(['1'])], result(['1'], { subject: 'list b' }), undefined],
    ['other rows of the list', [result(['1'])], result(['1'], { part: ' where b > 1' }), undefined],
    ['what passed then', [result([], { status: 'pass' })], result([], { failed: 0 }), undefined],
    ['what could not run then', [result([], { status: 'error' })], result([], { failed: 0 }), undefined],
    ['what passes now', [result(['1'])], result([], { status: 'pass' }), undefined],
    ['what cannot run now', [result([])], result([], { status: 'error' }), undefined],
    [
      'the name of something every object has',
      [],
      result([], { subject: 'constructor', spec: { ...result([]).spec, expect: '' } }),
      undefined,
    ],
  ])('knows a failure by its findings: %s', (_, before, now, known) => {
    expect(under(before, now)).toBe(known);
  });

  it('keeps failures only, and what later runs compare with', () => {
    const aggregates = { 'list a': { count: 3 } };
    expect(baselineOf([result(['1']), result([], { status: 'pass', subject: 'list b' })], aggregates)).toEqual({
      version: 2,
      findings: { 'list a: required(a)': ['1'] },
      aggregates,
    });
  });
});

describe('a baseline that is written again', () => {
  const failing = (expect: string, ...ids: string[]): CheckResult => ({
    spec: { name: 'n', expect, severity: 'error', tags: [] },
    ...{ subject: 'list a', part: '', status: 'fail', observed: '', threshold: '', failed: ids.length },
    findings: ids.map((id) => ({ id, title: id, detail: '', keys: [id] })),
  });
  const before = baselineOf([failing('a', '1', '2'), failing('b', '1'), failing('all'), failing('elsewhere', '9')], {
    'list a': { count: 20 },
    'list b': { count: 1 },
  });

  it('takes new counts, drops what no longer fails, and accepts no new failure', () => {
    const now = [
      failing('a', '2', '3'),
      { ...failing('b'), status: 'pass' as const },
      failing('all'),
      failing('new', '5'),
    ];
    expect(baselineOf(now, { 'list a': { count: 23 } }, before)).toEqual({
      version: 2,
      findings: { 'list a: a': ['2'], 'list a: all': [], 'list a: elsewhere': ['9'] },
      aggregates: { 'list a': { count: 23 }, 'list b': { count: 1 } },
    });
  });
});

describe('a check file with too many checks', () => {
  it.each([
    ['in one section', `checks:\n  - list: a\n    expect: [${'exists,'.repeat(10_001)}]\n`, 10_001],
    ['for companies', `checks:\n  - list: a\n    company: [x, y]\n    expect: [${'exists,'.repeat(6000)}]\n`, 12_000],
  ])('is one mistake: %s', async (_, checks, count) => {
    expect(await problems(`version: 1\n${checks}`)).toEqual([
      `3:3 checks: ${count} checks, and the limit is 10000; split the file`,
    ]);
  });

  it('is not one with 10,000 of as many lists', async () => {
    const sections = Array.from(
      { length: 10_000 },
      (_, n) => `  - {list: l${n % 7}, where: a = ${n}, expect: [exists]}\n`,
    );
    expect(await problems(`version: 1\nchecks:\n${sections.join('')}`)).toEqual([]);
  }, 30_000);
});
