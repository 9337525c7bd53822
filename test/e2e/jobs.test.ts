/** The jobs that docs/checks.md prints for cron, GitHub and GitLab run as printed: their files, variables and commands. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { demo } from '../../src/core/demo.ts';
import { binary, cli, finished, start, temporaryFolder } from '../helpers/cli.ts';

const document = readFileSync(fileURLToPath(new URL('../../docs/checks.md', import.meta.url)), 'utf8');
const home = temporaryFolder();
const bin = join(home, 'bin');
let baseUrl = '';
let server: ReturnType<typeof start>;

/** The block of the document that begins with this text. */
const block = (first: string) => {
  const at = document.indexOf(first);
  expect(at).toBeGreaterThan(0);
  return document.slice(at, document.indexOf('\n```', at));
};

beforeAll(async () => {
  mkdirSync(bin);
  symlinkSync(binary, join(bin, 'comem'));
  // What the jobs install is the program under test; that the package installs and runs is tested elsewhere.
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\ntest "$1 $2 $3" = "install --global ./vendor/comem-0.1.0.tgz"\n', {
    mode: 0o755,
  });
  const checks =
    'version: 1\nchecks:\n  - list: hiring\n    expect: [count >= 10]\n  - metrics: fund\n    expect: [catalog(mrr)]\n';
  for (const name of ['comem.checks.yaml', 'comem.checks.yml']) writeFileSync(join(home, name), checks);
  writeFileSync(join(home, '.comem-key'), `${demo.apiKey}\n`);
  writeFileSync(join(home, '.comem-cookie'), `comem-auth-token=${demo.session.replace(/^.*?=/, '')}\n`);
  server = start(['serve', '--seed', 'demo', '--port', '0', '--data-dir', join(home, 'server')], { home });
  baseUrl = await new Promise<string>((done, fail) => {
    let said = '';
    const read = (chunk: Buffer) => {
      said += chunk.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (found) done(found[0]);
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.on('exit', () => fail(new Error(said)));
  });
});
afterAll(() => void server?.kill());

async function sh(line: string, env: Record<string, string>) {
  // The day of the data: a server of today has no other clock than this machine.
  const all = {
    COMEM_NOW: '2026-03-31T09:00:00Z',
    HOME: home,
    PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
    ...env,
  };
  return finished(spawn('sh', ['-e', '-c', line], { cwd: home, env: all }));
}

describe('cron', () => {
  it('is silent while all checks pass, and prints the report when one fails', async () => {
    const set = ['profiles', 'set', 'work', `base-url=${baseUrl}`, `company=${demo.companyId}`];
    const xdg = { XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
    expect((await cli(set, { home })).code).toBe(0);
    const line = /^0 6 \* \* \* (.*)$/m.exec(block('# crontab'))?.[1] ?? '';
    const write = await sh(line.replace('--baseline', '--update-baseline --baseline'), xdg);
    expect(write).toMatchObject({ code: 0, stdout: '', stderr: expect.not.stringContaining('comem:') });
    const passed = await sh(line, xdg);
    expect(passed).toMatchObject({ code: 0, stdout: '', stderr: '' });
    writeFileSync(
      join(home, 'comem.checks.yaml'),
      'version: 1\nchecks:\n  - list: hiring\n    expect: [count >= 1000]\n',
    );
    const failed = await sh(line, xdg);
    expect(failed.stdout).toContain('count >= 1000');
    writeFileSync(join(home, 'comem.checks.yaml'), readFileSync(join(home, 'comem.checks.yml')));
    // A profile named by -p overrides the variables: the hint says so instead of naming them.
    const named = await sh(line.replace('COMEM_PROFILE=work ', '').replace('comem check', 'comem -p work check'), xdg);
    expect(named.stderr).toMatch(
      /COMEM_PROFILE=work instead of -p, which overrides COMEM_(API_KEY|SESSION_COOKIE)_FILE/,
    );
  });
});

describe('CI', () => {
  const company = demo.companyId;

  it('GitHub: with the inputs of action.yml, whose steps are tested in action.test.ts', () => {
    const { jobs } = parse(block('# .github/workflows/data.yaml')) as {
      jobs: { data: { steps: { uses: string; with?: Record<string, string> }[] } };
    };
    const file = fileURLToPath(new URL('../../action.yml', import.meta.url));
    const { inputs } = parse(readFileSync(file, 'utf8')) as { inputs: Record<string, unknown> };
    const given = Object.keys(jobs.data.steps.at(-1)?.with ?? {});
    expect(given).toEqual(['base-url', 'api-key', 'session-cookie']);
    expect(given.filter((name) => !(name in inputs))).toEqual([]);
  });

  it('GitLab', async () => {
    const { data } = parse(block('# .gitlab-ci.yml')) as {
      data: { script: string[]; variables: Record<string, string> };
    };
    // GitLab gives a variable of type File the path of its file.
    const files: Record<string, string> = {
      $API_KEY: join(home, '.comem-key'),
      $SESSION_COOKIE: join(home, '.comem-cookie'),
    };
    const env = Object.fromEntries(Object.entries(data.variables).map(([name, text]) => [name, files[text] ?? text]));
    const result = await sh(data.script.join('\n'), {
      CI: 'true',
      ...env,
      COMEM_BASE_URL: baseUrl,
      COMEM_COMPANY_ID: company,
    });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('2 held') });
  });
});
