import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { binary, cli, runBinary, temporaryFolder } from '../helpers/cli.ts';
import { kinds, seed } from './check-fixture.ts';

const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const env = { COMEM_BASE_URL: `embedded:${dataDir}`, COMEM_COMPANY_ID: seed.companies[0]?.id, COMEM_NOW: seed.clock };
const comem = (...argv: string[]) => cli(argv, { cwd: folder, env });

interface Json {
  version: number;
  counts: Record<string, number>;
  results: {
    name: string;
    subject: string;
    status: string;
    verdict: string;
    observed: string;
    threshold: string;
    failed: number;
    line?: number;
    findings: { id: string; title: string; detail: string }[];
  }[];
}

const indented = (expectations: string[]) => expectations.map((text) => `      - ${JSON.stringify(text)}`).join('\n');

function checkFile(which: 2 | 3): string {
  const of = (subject: string) =>
    kinds.filter((kind) => kind[0] === subject && kind[which] !== '').map((kind) => kind[which]);
  return [
    'version: 1',
    'checks:',
    '  - list: deals',
    '    expect:',
    indented(of('deals')),
    '  - metrics: acme',
    '    last: 6',
    '    expect:',
    indented(of('metrics')),
    '  - grants: acme',
    '    expect:',
    indented(of('grants')),
    '',
  ].join('\n');
}

beforeAll(async () => {
  writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed));
  writeFileSync(join(folder, 'comem.checks.yaml'), checkFile(2));
  writeFileSync(join(folder, 'broken.yaml'), checkFile(3));
  const loaded = await comem('server', 'load', 'seed.json', '--data-dir', dataDir);
  expect(loaded).toMatchObject({ code: 0 });
});

describe('comem check', () => {
  it('passes every kind of expectation that holds, with what it saw', async () => {
    const { stdout, stderr, code } = await comem('check', '-o', 'json');
    const report = JSON.parse(stdout) as Json;
    const wrong = report.results.filter((result) => result.status !== 'pass');
    expect(wrong).toEqual([]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(report.counts.pass).toBe(kinds.filter((kind) => kind[2] !== '').length);
    expect(report.results.every((result) => result.observed !== '' && result.threshold !== '')).toBe(true);
    expect(report.results[1]).toMatchObject({ name: 'count = 3', observed: '3', threshold: '= 3', line: 6 });
  });

  it('fails every kind of expectation that does not hold', async () => {
    const { stdout, stderr, code } = await comem('check', '-f', 'broken.yaml', '-o', 'json');
    const report = JSON.parse(stdout) as Json;
    expect(report.results.filter((result) => result.status !== 'fail')).toEqual([]);
    expect(report.counts.fail).toBe(kinds.filter((kind) => kind[3] !== '').length);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'check_failed', exitCode: 1 } });
    const named = (name: string) => report.results.find((result) => result.name === name);
    expect(named('unique(email)')).toMatchObject({ failed: 1, findings: [{ title: 'Two' }] });
    expect(named('type(founded, year)')?.findings).toMatchObject([{ detail: 'founded = 2013 (1888)' }]);
    expect(named('if stage = "Won" then amount > 0')?.findings).toMatchObject([
      { title: 'Two', detail: 'amount = empty' },
    ]);
    expect(named('no_gaps(nrr)')?.findings.map((finding) => finding.detail)).toEqual([
      '2025-12: no value',
      '2026-02: the value is null',
    ]);
  });

  it('looks at archived rows where it is asked to, and knows invalid values', async () => {
    const text =
      'version: 1\nchecks:\n  - {list: deals, archived: include, expect: [no_archived, count = 4]}\n  - {list: deals, archived: only, expect: [count = 1]}\n';
    writeFileSync(join(folder, 'archived.yaml'), text);
    const { stdout, code } = await comem('check', '-f', 'archived.yaml', '-o', 'json');
    expect((JSON.parse(stdout) as Json).results.map(({ status, failed }) => [status, failed])).toEqual([
      ['fail', 1],
      ['pass', 0],
      ['pass', 0],
    ]);
    expect(code).toBe(1);
  });

  it('warns without failing, unless --fail-on says so', async () => {
    const text = 'version: 1\nchecks:\n  - {list: deals, severity: warn, tags: [nightly], expect: [count > 100]}\n';
    writeFileSync(join(folder, 'warn.yaml'), text);
    expect(await comem('check', '-f', 'warn.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 warned'),
    });
    expect(await comem('check', '-f', 'warn.yaml', '--fail-on', 'warn')).toMatchObject({ code: 1 });
    expect(await comem('check', '-f', 'warn.yaml', '--only', 'nightly')).toMatchObject({ code: 0 });
    expect(await comem('check', '-f', 'warn.yaml', '--only', 'weekly')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('tags in the file: nightly'),
    });
  });

  it('fails only on new findings under a baseline, and on a change that is too large', async () => {
    const text =
      'version: 1\nchecks:\n  - {list: deals, expect: [unique(email), change(count) <= 10%, "change(sum(amount)) <= 5"]}\n';
    writeFileSync(join(folder, 'change.yaml'), text);
    const run = (...more: string[]) =>
      comem('check', '-f', 'change.yaml', '--baseline', 'known.json', '-o', 'json', ...more);
    expect((await comem('check', '-f', 'change.yaml')).code).toBe(1);
    expect((await run()).code).toBe(2);
    expect((await run('--update-baseline')).code).toBe(0);
    expect((await run()).code).toBe(0);
    const made = await comem(
      'entries',
      'create',
      'deals',
      '--title',
      'Four',
      '--set',
      'email=a@x.example',
      '--set',
      'amount=6',
    );
    expect(made.code).toBe(0);
    const after = await run();
    expect((JSON.parse(after.stdout) as Json).results.map(({ verdict }) => verdict)).toEqual(['fail', 'fail', 'fail']);
    expect(after.code).toBe(1);
    expect((await comem('entries', 'delete', 'deals', 'Four', '--yes')).code).toBe(0);
  });

  it('is never a pass when data could not be read', async () => {
    writeFileSync(
      join(folder, 'missing.yaml'),
      'version: 1\nchecks:\n  - {list: nowhere, expect: [count > 0]}\n  - {list: deals, expect: [exists]}\n',
    );
    const missing = await comem('check', '-f', 'missing.yaml', '-o', 'json');
    expect((JSON.parse(missing.stdout) as Json).results.map(({ status }) => status)).toEqual(['error', 'pass']);
    expect(missing.code).toBe(3);
    expect(await comem('check', 'entries', 'nowhere', '--expect', 'exists')).toMatchObject({ code: 1 });
    const refused = await cli(['check', 'entries', 'deals', '--expect', 'count > 0'], {
      env: {
        COMEM_BASE_URL: 'http://127.0.0.1:9',
        COMEM_SESSION_COOKIE: 'a=b',
        COMEM_COMPANY_ID: env.COMEM_COMPANY_ID,
        COMEM_RETRIES: '0',
      },
    });
    expect(refused.code).toBe(5);
  });

  it('reports ten mistakes of a file with line and column, exit 2', async () => {
    const text = `version: 2
checks:
  - list: deals
    archved: yes
    expect:
      - count >
      - unique()
      - {expect: unique(title), severity: fatal}
      - if a = then b
      - range(amount, 9, 1)
  - metrics: x
    from: 2024-13
    expect:
      - growth(mrr, weekly)
  - expect: [exists]
`;
    writeFileSync(join(folder, 'ten.yaml'), text);
    const { stdout, stderr, code } = await comem('check', 'lint', '-f', 'ten.yaml');
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain('ten.yaml has 10 mistakes');
    const places = [...stderr.matchAll(/ten\.yaml:(\d+):(\d+): /g)].map((match) => [
      Number(match[1]),
      Number(match[2]),
    ]);
    expect(places).toEqual([
      [1, 10],
      [4, 14],
      [6, 9],
      [7, 9],
      [8, 43],
      [9, 9],
      [10, 9],
      [12, 11],
      [14, 9],
      [15, 5],
    ]);
    expect((await comem('check', '-f', 'ten.yaml')).code).toBe(2);
    expect(await comem('check', 'lint')).toMatchObject({ code: 0, stdout: '' });
  });

  it('writes a first file that holds', async () => {
    const made = await comem('check', 'init', 'deals', '--out', 'first.yaml');
    expect(made).toMatchObject({ code: 0, stdout: '' });
    const run = await comem('check', '-f', 'first.yaml', '-o', 'json');
    expect(run.code).toBe(0);
    expect((JSON.parse(run.stdout) as Json).counts.pass).toBeGreaterThan(10);
  });

  it('checks what `serve --seed` serves, for as long as the check runs', async () => {
    const argv = ['serve', '--seed', 'seed.json', '--', process.execPath, binary, 'check'];
    const { stdout, code } = await runBinary(argv, { cwd: folder });
    expect(stdout).toContain('held');
    expect(code).toBe(0);
  });
});
