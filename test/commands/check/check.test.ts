import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/core/errors.ts';
import { freshApi, type RunOptions, run } from '../../helpers/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'comem-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string) => writeFileSync(join(folder, name), text);
const check = (argv: string[], options: RunOptions = {}) => run(['check', ...argv], { cwd: folder, ...options });

file(
  'comem.checks.yaml',
  `version: 1
checks:
  - list: deal-pipeline
    expect: [count >= 10, unique(title), "valid()", {expect: count > 1000, severity: warn, owner: deal-team}]
  - list: deal-pipeline
    where: stage = "Invested"
    expect: [count > 0]
  - metrics: fund
    last: 6
    expect: [live(mrr), no_gaps(mrr), "arr = 12 * mrr ± 1%"]
  - grants: fund
    expect: [none_expired_active]
`,
);

it.each([
  ['today - first-contact < 4y', 0],
  ['today - first-contact < 1y', 1],
  ['row(first-contact + 30d > 2020)', 0],
  ['if stage = Invested then updated_at - created_at >= 0d', 0],
  ['now - updated_at < 1mo', 1],
])('takes times of rows apart: %s is exit %i', async (expectation, code) => {
  const { code: found, stderr } = await check(['entries', 'deal-pipeline', '--expect', expectation]);
  expect({ found, stderr }).toEqual({ found: code, stderr: code === 0 ? '' : expect.stringContaining('1 failed') });
});

it.each([
  [['small.yaml'], 0, ''],
  [['-f', 'small.yaml'], 0, ''],
  [['lint', 'small.yaml'], 0, 'small.yaml holds 1 check in 1 section.\n'],
  [['small.yaml', '-f', 'small.yaml'], 2, 'comem: the check file is given twice\n  hint: omit -f\n'],
  [
    ['entires'],
    2,
    'comem: FILE of `comem check` ends in .yaml, got "entires"\n  hint: its verbs are entries, init, lint\n',
  ],
])('%j names the check file: exit %i', async (argv, code, stderr) => {
  file('small.yaml', 'version: 1\nchecks:\n  - list: hiring\n    expect: [count >= 1]\n');
  expect(await check(argv)).toMatchObject({ code, stderr });
});

describe('a run that cannot reach its company', () => {
  file('reach.yaml', 'version: 1\nchecks:\n  - list: hiring\n    expect: [exists, count >= 1]\n');
  const unset = { COMEM_COMPANY_ID: undefined, COMEM_PROFILE: undefined };
  const server = {
    ...unset,
    COMEM_BASE_URL: 'https://api.example',
    COMEM_API_KEY: 'cmk_test',
    COMEM_SESSION_COOKIE: 'a=b',
  };
  const dead = async () => {
    throw new TransportError('the connection was refused', false, 'network');
  };
  const refusing = async () => ({
    status: 401,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"error":"The API key is unknown"}'),
  });

  it.each<[string, RunOptions, number, string]>([
    ['a server that is dead', { env: server, transport: dead }, 5, 'got no answer'],
    ['a wrong key', { env: server, transport: refusing }, 4, 'The API key is unknown'],
    ['an unknown company', { env: { COMEM_COMPANY_ID: 'nobody' } }, 3, 'has no company'],
    ['no settings', { env: { ...unset, COMEM_BASE_URL: undefined } }, 2, 'no base URL is set'],
  ])('reports %s as the error of each check', async (_, options, code, reason) => {
    const reports = ['--report', 'junit=reach.xml', '--report', 'sarif=reach.sarif', '--retries', '0'];
    for (const argv of [['reach.yaml'], ['entries', 'hiring', '--expect', 'exists', '--expect', 'count >= 1']]) {
      for (const name of ['reach.xml', 'reach.sarif']) rmSync(join(folder, name), { force: true });
      const result = await check([...argv, ...reports], options);
      expect([result.code, result.stdout, result.stderr]).toEqual([code, '', expect.stringContaining('2 of 2 checks')]);
      expect(result.stderr).toContain(reason);
      const junit = readFileSync(join(folder, 'reach.xml'), 'utf8');
      expect([junit.match(/<error message="[^"]*"/g)?.length, junit]).toEqual([2, expect.stringContaining(reason)]);
      const [run] = JSON.parse(readFileSync(join(folder, 'reach.sarif'), 'utf8')).runs;
      expect(run.results.map(({ level }: { level: string }) => level)).toEqual(['error', 'error']);
    }
  });
});

it('does not replace an existing file by a first check file', async () => {
  file('mine.yaml', '# mine\n');
  const init = (name: string) => check(['init', 'hiring', '--out', name]);
  expect(await init('mine.yaml')).toMatchObject({
    code: 2,
    stderr: 'comem: mine.yaml exists already\n  hint: name another file\n',
  });
  expect(readFileSync(join(folder, 'mine.yaml'), 'utf8')).toBe('# mine\n');
  expect(await init('new.yaml')).toMatchObject({ code: 0 });
  expect(await check(['new.yaml'])).toMatchObject({ code: 0 });
});

it.each([
  ['last: 99999999', /last: must be at most 1200/],
  ['to: 0000-05', /metrics x: 12 months up to 0000-05 begin before the year 0000/],
  ['from: 0001-01', /metrics x: 0001-01 to 2026-02 is more than 1200 months/],
  ['{from: 0000-01, to: 0000-06}', /no change of mrr/],
])('a range of %s is no bug', async (range, says) => {
  const fields = range.replace(/^\{(.*), (.*)\}$/, '$1\n    $2');
  file('far.yaml', `version: 1\nchecks:\n  - metrics: x\n    ${fields}\n    expect: ["growth(mrr, yoy, max=1)"]\n`);
  const { code, stdout, stderr } = await check(['far.yaml']);
  expect(stdout + stderr).toMatch(says);
  expect([1, 2]).toContain(code);
});

it('has color in a pipe where FORCE_COLOR asks for it, and none in a file', async () => {
  const argv = ['entries', 'hiring', '--expect', 'count >= 1'];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that starts a color.
  expect((await check(argv, { color: true })).stdout).toMatch(/\x1b\[32m/);
  expect((await check(argv)).stdout).not.toContain('\x1b');
});

describe('a run', () => {
  it('reads each list, series and grant set once, whatever the number of checks', async () => {
    const { code, stderr, requests } = await check([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const reads = requests.map(({ method, path, query }) =>
      `${method} ${path.replace(/[0-9a-f-]{36}/, 'ID')} ${query.offset ?? ''}`.trim(),
    );
    expect(reads.filter((read) => read.startsWith('GET /api/lists/ID/entries')).length).toBe(
      new Set(reads.filter((read) => read.startsWith('GET /api/lists/ID/entries'))).size,
    );
    for (const once of [
      'GET /api/lists/ID',
      'GET /api/metrics/catalog',
      'GET /api/metrics/series',
      'GET /api/metrics/grants',
      'GET /api/company/metrics',
    ]) {
      expect([once, reads.filter((read) => read === once).length]).toEqual([once, 1]);
    }
  });

  it('asks only for the total where a count of the list is enough', async () => {
    const { requests, code } = await check([
      'entries',
      'deal-pipeline',
      '--expect',
      'count >= 10',
      '--expect',
      'exists',
    ]);
    expect(code).toBe(0);
    const pages = requests.filter(({ path }) => path.endsWith('/entries'));
    expect(pages.map(({ query }) => [query.limit, query.withTotal])).toEqual([['1', 'true']]);
  });

  it('takes a missing list of `references` for what it is, not for the list that is checked', async () => {
    const expectations = ['--expect', 'exists', '--expect', 'references(title, nowhere)'];
    const { stdout, stderr, code } = await check(['entries', 'deal-pipeline', ...expectations, '-o', 'json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).results.map(({ status }: { status: string }) => status)).toEqual(['error', 'error']);
    expect(stderr).toContain('nowhere');
  });

  it('shows failures first, within the terminal, and what each saw', async () => {
    const { stdout, stderr, code } = await check(
      ['entries', 'deal-pipeline', '--expect', 'count >= 10', '--expect', 'unique(sector)'],
      {
        tty: true,
        columns: 60,
      },
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^list deal-pipeline\n {2}FAIL {3}unique\(sector\)\n {9}observed {2}10 distinct, \d+ repeated\n/,
    );
    expect(stdout).toMatch(/- and \d+ more\n/);
    expect(stdout).toMatch(/ok {5}count >= 10 {2}\(306\)/);
    expect(
      Math.max(
        ...stdout
          .split('\n')
          .slice(0, -2)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(60);
    // The report has said it.
    expect(stderr).not.toContain('checks failed');
  });
});

describe('a missing file', () => {
  it('is reported, with the way to a first one', async () => {
    const { code, stderr } = await check([], { cwd: join(folder, '..') });
    expect(code).toBe(2);
    expect(stderr).toContain('`comem check init LIST --out comem.checks.yaml` writes a first one');
  });
});

describe('reports', () => {
  it('go to several places at once, one of them stdout', async () => {
    const { stdout, code } = await check([
      '--report',
      'junit=out.xml',
      '--report',
      'sarif=out.sarif',
      '--report',
      'md=out.md',
      '--report',
      'md',
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^## comem check\n/);
    expect(readFileSync(join(folder, 'out.xml'), 'utf8')).toMatch(/^<\?xml/);
    expect(JSON.parse(readFileSync(join(folder, 'out.sarif'), 'utf8')).version).toBe('2.1.0');
    expect(readFileSync(join(folder, 'out.md'), 'utf8')).toContain('8 held');
    expect(await check(['--report', 'junit', '--report', 'md'])).toMatchObject({ code: 2, stdout: '' });
    expect(await check(['--report', 'pdf'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be table, json, junit, github, sarif or md'),
    });
  });

  it('are annotations and a job summary under GitHub Actions', async () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
    const { stdout } = await check([], { env });
    expect(stdout).toMatch(
      /^::warning file=comem\.checks\.yaml,line=4,col=\d+,title=list deal-pipeline%3A count > 1000::observed 306/,
    );
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('## comem check');
  });
});

describe('a baseline', () => {
  it('knows sections of other rows of one list apart', async () => {
    const stage = (bound: string) =>
      file(
        'parts.yaml',
        `version: 1
checks:
  - {list: deal-pipeline, expect: [count > 1000, change(count) <= 0]}
  - {list: deal-pipeline, where: stage = "Invested", expect: ['${bound}', change(count) <= 0]}
`,
      );
    const known = (...more: string[]) => check(['-f', 'parts.yaml', '--baseline', 'parts.json', ...more]);
    stage('count > 0');
    expect((await known('--update-baseline')).code).toBe(0);
    // Each section is held against its own count.
    expect((await known()).code).toBe(0);
    // That all rows are too few is known; that the chosen ones are is new.
    stage('count > 1000');
    expect((await known()).code).toBe(1);
  });
});

describe('a baseline that is updated every week', () => {
  it('holds the new count, and fails on a new failure until the file is deleted', async () => {
    const week = (...expectations: string[]) => {
      file(
        'week.yaml',
        `version: 1\nchecks:\n  - {list: hiring, expect: [change(count) <= 10%, ${expectations.join()}]}\n`,
      );
      return check(['-f', 'week.yaml', '--baseline', 'week.json', '--update-baseline']);
    };
    expect(await week('count > 1000')).toMatchObject({ code: 0, stderr: 'Created the baseline week.json.\n' });
    const again = await week('count > 1000');
    expect([again.stdout, again.stderr]).toEqual([
      expect.stringContaining('1 known'),
      'Updated the baseline week.json.\n',
    ]);
    for (const _ of [1, 2]) {
      const { code, stderr } = await week('count > 1000', 'count > 2000');
      expect([code, stderr]).toEqual([1, expect.stringContaining('new failures are not in it')]);
    }
  });
});

describe('several reasons', () => {
  it('are counted each, under a heading for each list', async () => {
    file(
      'reasons.yaml',
      `version: 1
checks:
  - {list: hiring, where: title = "nobody", expect: [valid(), unique(title)]}
  - {list: nolist, expect: [count > 1]}
  - {list: hiring, expect: [count > 1]}
`,
    );
    const { code, stdout, stderr } = await check(['-f', 'reasons.yaml']);
    expect(code).toBe(3);
    expect(stderr).toContain('3 of 4 checks could not run: list "nolist" not found (1); no row matches where (2)');
    expect(stdout.match(/^list .*$/gm)).toEqual(['list hiring', 'list nolist']);
  });

  it('one wrong expectation leaves the others', async () => {
    const argv = ['entries', 'hiring', '--expect', 'nosuch > 1', '--expect', 'count > 1'];
    const { code, stdout } = await check(argv);
    expect([code, stdout]).toEqual([2, expect.stringMatching(/ERROR {2}nosuch > 1[\s\S]*ok {5}count > 1/)]);
  });
});

describe('a check that could not run', () => {
  const moved = ['entries', 'hiring', '--expect', 'change(count) <= 10%'];

  it('has no baseline, in a file and on the command line', async () => {
    file('moved.yaml', 'version: 1\nchecks:\n  - {list: hiring, expect: [change(count) <= 10%]}\n');
    for (const argv of [['-f', 'moved.yaml'], moved]) {
      const first = await check(argv);
      expect([first.code, first.stdout]).toEqual([1, expect.stringContaining('ERROR  change(count) <= 10%')]);
      expect(first.stderr).toContain('1 could not run');
      expect(first.stderr).toContain('hint: write a baseline first: --baseline FILE --update-baseline');
      const known = [...argv, '--baseline', `${argv.length}.json`];
      expect((await check([...known, '--update-baseline'])).code).toBe(0);
      const later = await check(known);
      expect([later.code, later.stdout]).toEqual([0, expect.stringMatching(/ok {5}change\(count\).*\d+, was \d+/)]);
    }
  });

  const none = ['entries', 'hiring', '--where', 'title = "nobody"'];
  const expectations = ['valid()', 'unique(title)', 'count <= 10', 'not_future(created_at)', 'title is not empty'];

  it.each(expectations)('has no row to look at: %s', async (text) => {
    const { code, stdout, stderr } = await check([...none, '--expect', text]);
    expect([code, stdout]).toEqual([1, expect.stringContaining('observed  no row matches where')]);
    expect(stderr).toContain('hint: --allow-empty lets a check find nothing');
    expect((await check([...none, '--expect', text, '--allow-empty'])).code).toBe(0);
  });

  it('is about rows for which its condition holds, and none of them', async () => {
    const never = ['entries', 'hiring', '--expect', 'if title = "nobody" then stage is not empty'];
    const { code, stdout } = await check(never);
    expect([code, stdout]).toEqual([1, expect.stringContaining('observed  0 of 0 rows where title = "nobody"')]);
    expect((await check([...never, '--allow-empty'])).code).toBe(0);
  });

  it('is an error in every report', async () => {
    const reports = ['json', 'junit', 'github', 'sarif', 'md'].flatMap((format) => [
      '--report',
      `${format}=none.${format}`,
    ]);
    const { code } = await check([...none, '--expect', 'valid()', '--expect', 'count = 0', ...reports]);
    expect(code).toBe(1);
    const read = (format: string) => readFileSync(join(folder, `none.${format}`), 'utf8');
    expect(JSON.parse(read('json'))).toMatchObject({
      counts: { error: 1, pass: 1 },
      results: [
        { status: 'error', verdict: 'error' },
        { status: 'pass', verdict: 'pass' },
      ],
    });
    expect(read('junit')).toContain('errors="1"');
    expect(read('junit')).toContain('<error message="no row matches where"');
    expect(read('github')).toMatch(/^::error /);
    expect(JSON.parse(read('sarif')).runs[0].results).toMatchObject([{ level: 'error', kind: 'fail' }]);
    expect(read('md')).toContain('1 could not run, 1 held');
  });

  it('may be allowed by its section, and is a warning where it is one', async () => {
    const write = (more: string) =>
      file(
        'none.yaml',
        `version: 1\nchecks:\n  - {list: hiring, where: title = "nobody", ${more}, expect: [valid()]}\n`,
      );
    write('allow-empty: true');
    expect((await check(['-f', 'none.yaml'])).code).toBe(0);
    write('allow-empty: false');
    expect((await check(['-f', 'none.yaml'])).code).toBe(1);
    write('severity: warn');
    expect(await check(['-f', 'none.yaml'])).toMatchObject({ code: 0, stdout: expect.stringContaining('1 warned') });
    write('filter: [stage=Offer]');
    expect((await check(['-f', 'none.yaml'])).code).toBe(1);
  });
});

describe('the company of a section', () => {
  const demo = { env: { COMEM_COMPANY_ID: undefined, COMEM_BASE_URL: undefined } };
  const section = (head: string) =>
    file('company.yaml', `version: 1\nchecks:\n  - ${head}\n    expect: [no_gaps(mrr)]\n`);
  const asked = ({ requests }: { requests: readonly { path: string; query: Record<string, string> }[] }) =>
    new Set(requests.filter(({ path }) => path === '/api/metrics/series').map(({ query }) => query.companyId));

  it('is never told from its label', async () => {
    section('metrics: lumen');
    const wrong = await check(['-p', 'demo', '-f', 'company.yaml'], demo);
    expect([wrong.code, wrong.requests]).toEqual([2, []]);
    expect(wrong.stderr).toContain('add "company: lumen" to the section');
    section('metrics: lumen\n    company: lumen');
    expect(asked(await check(['-p', 'demo', '-f', 'company.yaml'], demo)).size).toBe(1);
    // On another profile the run would be of another company.
    section('metrics: lumen');
    expect((await check(['-p', 'demo', '-c', 'lumen', '-f', 'company.yaml'], demo)).code).toBe(2);
  });

  it('may be a name that the API gives, which is asked for once', async () => {
    section('metrics: all\n    company: lumen ANALYTICS');
    const first = await check(['-p', 'demo', '-f', 'company.yaml'], demo);
    expect([...asked(first)]).toEqual(['c0ffee00-0000-4000-8000-000000000011']);
    section('metrics: LUMEN Analytics');
    const wrong = await check(['-p', 'demo', '-f', 'company.yaml'], demo);
    expect([wrong.code, wrong.requests]).toEqual([2, []]);
    section('metrics: all\n    company: lumn');
    expect((await check(['-p', 'demo', '-f', 'company.yaml'], demo)).code).toBe(3);
  });

  it('is that of its list, and of no other section', async () => {
    const lists = (head: string) => `  - ${head}\n    expect: [exists]\n`;
    const sent = async (...heads: string[]) => {
      file('company.yaml', `version: 1\nchecks:\n${heads.map(lists).join('')}`);
      const { requests } = await check(['-p', 'demo', '-f', 'company.yaml'], demo);
      return requests.filter(({ path }) => path === '/api/lists').map(({ query }) => query.companyId?.slice(-2));
    };
    expect(await sent('list: harbor:deals')).toEqual(['12']);
    expect(await sent('list: deals\n    company: harbor')).toEqual(['12']);
    expect((await sent('list: deals\n    company: [harbor, lumen]', 'list: deals')).sort()).toEqual(['01', '11', '12']);
    expect(await sent('list: deals\n    company: "@portfolio"')).toHaveLength(5);
  });

  it('may be several, each with its own results', async () => {
    section('metrics: portfolio\n    company: [lumen, harbor]');
    const result = await check(['-p', 'demo', '-f', 'company.yaml', '--report', 'json'], demo);
    expect(asked(result).size).toBe(2);
    expect(result.stdout).toContain('portfolio (lumen)');
    expect(result.stdout).toContain('portfolio (harbor)');
  });

  it('may be a group, by itself or in a list', async () => {
    section('metrics: all\n    company: "@portfolio"');
    const result = await check(['-p', 'demo', '-f', 'company.yaml', '--report', 'json'], demo);
    expect(asked(result).size).toBe(5);
    for (const name of ['lumen', 'quill']) expect(result.stdout).toContain(`all (${name})`);
    section('metrics: all\n    company: [northgate, "@portfolio"]');
    expect(asked(await check(['-p', 'demo', '-f', 'company.yaml'], demo)).size).toBe(6);
    section('metrics: all\n    company: "@portfoli"');
    const wrong = await check(['-p', 'demo', '-f', 'company.yaml'], demo);
    expect([wrong.code, wrong.requests]).toEqual([3, []]);
    expect(wrong.stderr).toContain('company: profile "demo" has no group "portfoli"');
  });
});

describe('a label', () => {
  it.each([
    ['metrics', 'lumen', 'lumen'],
    ['metrics', 'Lumen', 'lumen'],
    ['grants', 'TESSERA', 'tessera'],
    ['grants', "'@ALL'", "'@all'"],
  ])('that is a company in any letter case is refused: %s: %s', async (subject, label, meant) => {
    const expectation = subject === 'metrics' ? 'no_gaps(mrr)' : 'count <= 99';
    file('label.yaml', `version: 1\nchecks:\n  - ${subject}: ${label}\n    expect: ['${expectation}']\n`);
    const { code, stderr, requests } = await check(['-p', 'demo', '-f', 'label.yaml'], {
      env: { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined },
    });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain('is only a label');
    expect(stderr).toContain(`add "company: ${meant}" to the section`);
  });
});

it('a row whose condition is unknown fails, unless `if` or `is empty` leaves it out', async () => {
  const count = async (where: string) =>
    Number((await run(['entries', 'count', 'deal-pipeline', '--where', where])).stdout);
  const [empty, all] = [await count('valuation is empty'), await count('id is not empty')];
  const expectations = [
    'valuation > 0',
    'valuation is empty or valuation > 0',
    'if valuation < 0 then stage = Passed',
    'not (valuation > 0)',
  ];
  const { stdout } = await run([
    ...['check', 'entries', 'deal-pipeline', '-o', 'json'],
    ...expectations.flatMap((text) => ['--expect', text]),
  ]);
  const { results } = JSON.parse(stdout) as { results: { failed: number }[] };
  expect(empty).toBeGreaterThan(0);
  expect(results.map(({ failed }) => failed)).toEqual([empty, 0, 0, all]);
});

describe('an option that was removed', () => {
  it('is known by its id while a row holds it, in expectations and in where', async () => {
    const transport = await freshApi();
    const again = { transport };
    await run(['attrs', 'update', 'hiring', 'stage', '--remove-option', 'Interview', '-y'], again);
    const removed = 'stage = "interview"';
    const held = await check(['entries', 'hiring', '--where', removed, '--expect', 'count >= 1'], again);
    expect([held.code, held.stderr]).toEqual([0, '']);
    const rule = await check(['entries', 'hiring', '--expect', `if ${removed} then title is not empty`], again);
    expect([rule.code, rule.stderr]).toEqual([0, '']);
    for (const wrong of [
      ['--where', 'stage = Interviw', '--expect', 'valid()'],
      ['--expect', 'stage != Interviw'],
    ]) {
      const { code, stderr } = await check(['entries', 'hiring', ...wrong], again);
      expect([code, stderr]).toEqual([2, expect.stringContaining('unknown option "Interviw"')]);
      expect(stderr).toContain('options that were removed are named by their ids: interview');
    }
  });
});
