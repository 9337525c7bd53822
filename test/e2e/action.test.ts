/** The steps of action.yml, run as a runner of GitHub Actions runs them, but for the actions of others. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  id?: string;
  name?: string;
  uses?: string;
  env?: Record<string, string>;
  run?: string;
}

interface Action {
  inputs: Record<string, { default: string }>;
  runs: { steps: Step[] };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;
const folder = mkdtempSync(join(tmpdir(), 'comem-action-'));
const [source, temporary, prefix] = ['source', 'temporary', 'prefix'].map((name) => join(folder, name));
const runner = {
  // The settings of npm, such as its registry and cache, stay.
  ...process.env,
  PATH: `${prefix}/bin:${process.env.PATH}`,
  XDG_CONFIG_HOME: folder,
  XDG_DATA_HOME: folder,
  npm_config_prefix: prefix,
  GITHUB_ACTION_PATH: source,
  RUNNER_TEMP: temporary,
  GITHUB_OUTPUT: join(folder, 'output'),
  GITHUB_STEP_SUMMARY: join(folder, 'summary'),
  GITHUB_ACTIONS: 'true',
  CI: 'true',
};
let server: ReturnType<typeof spawn>;
let address = '';

function runStep(step: Step, inputs: Record<string, string>, outputs: Record<string, string> = {}) {
  const values = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, { default: text }]) => [name, text])),
    ...inputs,
  };
  const env = Object.entries(step.env ?? {}).map(([name, text]) => [
    name,
    text.replace(
      /\$\{\{ (?:inputs|steps\.check\.outputs)\.([\w-]+) \}\}/g,
      (_, key) => values[key] ?? outputs[key] ?? '',
    ),
  ]);
  // As the runner calls a step with `shell: bash`.
  const script = join(folder, 'step.sh');
  writeFileSync(script, step.run ?? '');
  writeFileSync(runner.GITHUB_OUTPUT, '');
  const bash = ['--noprofile', '--norc', '-eo', 'pipefail', script];
  const { status, stdout, stderr } = spawnSync('bash', bash, {
    timeout: 240_000,
    ...{ cwd: folder, encoding: 'utf8', env: { ...runner, ...Object.fromEntries(env) } },
  });
  const set = readFileSync(runner.GITHUB_OUTPUT, 'utf8').split('\n').filter(Boolean);
  return { status, stdout, stderr, outputs: Object.fromEntries(set.map((line) => line.split('='))) };
}

const [install, check, verdict] = action.runs.steps.filter(({ run }) => run !== undefined) as [Step, Step, Step];

beforeAll(async () => {
  for (const path of [temporary, prefix]) mkdirSync(path as string);
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${root}`, source as string]);
  const { status, stderr } = runStep(install, {});
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  server = spawn(
    process.execPath,
    [join(root, 'bin/comem.js'), 'serve', '--port', '0', '--seed', 'demo', '--dir', join(folder, 'data')],
    {
      env: runner,
    },
  );
  address = await new Promise((resolve) => {
    server.stderr?.on('data', (text) => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(text)) ?? [];
      if (found) resolve(found);
    });
  });
}, 300_000);
afterAll(() => {
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['count >= 10', 0],
  ['count >= 10000', 1],
])('a check of %s gives reports, annotations and the verdict %d', (expectation, code) => {
  writeFileSync(join(folder, 'data.yaml'), `version: 1\nchecks:\n  - list: hiring\n    expect: ["${expectation}"]\n`);
  const inputs = {
    file: 'data.yaml',
    'base-url': address,
    'api-key': 'cmk_demo_investor_everything',
    'session-cookie': 'comem-auth-token=demo-session-investor-everything',
  };
  const checked = runStep(check, inputs);
  expect([checked.status, checked.outputs]).toEqual([0, { 'exit-code': String(code) }]);
  if (code === 1) expect(checked.stdout).toMatch(/^::error .*file=data\.yaml,line=4/m);
  expect(readFileSync(join(folder, 'comem-reports/checks.xml'), 'utf8')).toMatch(/<testsuites?[^>]* failures="\d"/);
  const sarif = JSON.parse(readFileSync(join(folder, 'comem-reports/checks.sarif'), 'utf8'));
  expect(sarif.runs[0].results).toHaveLength(code);
  expect(runStep(verdict, inputs, checked.outputs).status).toBe(code);
  expect(checked.stdout + checked.stderr).not.toMatch(/cmk_|demo-session/);
});

test('a missing file is the exit code of comem, with nothing but its message', () => {
  const checked = runStep(check, { file: 'missing.yaml' });
  expect(checked.outputs).toEqual({ 'exit-code': '2' });
  expect(checked.stderr).toContain('missing.yaml');
});
