/** Completion in real shells: a line is typed on a pseudo-terminal, and the shell says what it read. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../helpers/built.ts';
import { binary, cli, finished } from '../helpers/cli.ts';
import { has, testIf } from '../helpers/tools.ts';

let home: string;
let env: Record<string, string>;
const name = 'Q1: Joe\'s "big" list $x';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'comem-shells-'));
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, 'work'));
  for (const file of ['my file.csv', 'we$ird.csv']) writeFileSync(join(home, 'work', file), '');
  const program = join(home, 'bin/comem');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`);
  chmodSync(program, 0o755);
  env = {
    HOME: home,
    ...Object.fromEntries(['CONFIG', 'DATA', 'CACHE', 'STATE'].map((each) => [`XDG_${each}_HOME`, join(home, each)])),
  };
  for (const argv of [
    ['lists', 'create', name],
    ['lists', 'list'],
    ['lists', 'get', 'deal-pipeline'],
    ['metrics', 'catalog'],
  ]) {
    expect((await cli(['-p', 'demo', ...argv], { env })).code).toBe(0);
  }
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What the words of each line are after it was typed, and Tab and Enter pressed. */
async function typed(shell: string, lines: readonly string[]): Promise<unknown> {
  const load = {
    bash: 'source <(command comem completion bash)',
    zsh: 'autoload -Uz compinit; compinit -D -u; source <(command comem completion zsh)',
    fish: 'command comem completion fish | source',
  }[shell];
  const child = spawn('python3', [join(root, 'test/helpers/shell-on-terminal.py'), shell, load ?? ''], {
    cwd: join(home, 'work'),
    env: { ...process.env, ...env, PATH: `${join(home, 'bin')}:${process.env.PATH}` },
  });
  const { stdout } = await finished(child, JSON.stringify(lines.map((line) => `comem ${line}\t`)));
  return JSON.parse(stdout);
}

const demo = ['-p', 'demo'];
const cases: [line: string, words: string[]][] = [
  ['li', ['lists']],
  ['check --rep', ['check', '--report']],
  ['help metrics ser', ['help', 'metrics', 'series']],
  ['serve --ret', ['serve', '--ret']],
  ['-p demo entries list deal', [...demo, 'entries', 'list', 'deal-pipeline']],
  [
    '-p demo entries list deal-pipeline --filter sta\tTer',
    [...demo, 'entries', 'list', 'deal-pipeline', '--filter', 'stage=Term sheet'],
  ],
  [
    '-p demo entries list deal-pipeline --filter=stage=Fi',
    [...demo, 'entries', 'list', 'deal-pipeline', '--filter=stage=First meeting'],
  ],
  ['-p demo metrics series -m mrr,ar', [...demo, 'metrics', 'series', '-m', 'mrr,arr']],
  ['-p demo -c lum', [...demo, '-c', 'lumen']],
  ['-p demo lists get Q1', [...demo, 'lists', 'get', name]],
  ['-p demo lists get "Q1', [...demo, 'lists', 'get', name]],
  ["-p demo lists get 'Q1", [...demo, 'lists', 'get', name]],
  ['entries import x my', ['entries', 'import', 'x', 'my file.csv']],
  ['entries import x we', ['entries', 'import', 'x', 'we$ird.csv']],
  ['entries import x --plan-out=my', ['entries', 'import', 'x', '--plan-out=my file.csv']],
];

// At once: a shell waits for the program at each Tab.
describe.concurrent.each(['bash', 'zsh', 'fish'])('%s', (shell) => {
  testIf(has(shell) && has('python3'), `${shell} and python3: apt-get install ${shell} python3`)(
    'completes words, names and files, and quotes what needs it',
    async () => {
      expect(
        await typed(
          shell,
          cases.map(([line]) => line),
        ),
      ).toEqual(cases.map(([, words]) => words));
    },
    60_000,
  );
});

test('a Tab on an API that is dead offers static words, and sends nothing', async () => {
  const dead = {
    ...env,
    COMEM_BASE_URL: 'http://127.0.0.1:9',
    COMEM_COMPANY_ID: 'c0ffee00-0000-4000-8000-000000000001',
  };
  const { stdout, stderr, code } = await cli(['__complete', 'zsh', '--', 'entries', 'list', ''], { env: dead });
  expect({ stdout, stderr, code }).toEqual({ stdout: 'words\n', stderr: '', code: 0 });
});
