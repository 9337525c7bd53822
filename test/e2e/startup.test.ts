/** Which files and packages a start loads. Start-up time is a benchmark; what it is made of is a test. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { modulesIn, packageOf, root } from '../helpers/built.ts';
import { binary, type CliOptions, runBinary, temporaryFolder } from '../helpers/cli.ts';
import { onTerminal } from '../helpers/terminal.ts';

const hook = join(root, 'test/helpers/loaded.cjs');

/** What the command loaded of comem: files relative to the project, and the npm packages that are bundled in them. */
async function loads(argv: string[], options: CliOptions = {}) {
  const list = join(temporaryFolder(), 'loaded.json');
  const env = { ...options.env, NODE_OPTIONS: `--require ${hook}`, COMEM_LOADED: list };
  const result = await runBinary(argv, { ...options, env });
  const loaded = JSON.parse(readFileSync(list, 'utf8')) as string[];
  const files = loaded.map((file) => relative(root, file)).filter((file) => !file.startsWith('test/'));
  const inputs = files.flatMap((file) => modulesIn(join(root, file)));
  const packages = inputs.flatMap((input) => packageOf(input)?.replace(/^.*node_modules\//, '') ?? []);
  return { ...result, files, packages: [...new Set(packages)].sort(), inputs };
}

const main = relative(root, binary);

test.each(['--version', '-V'])('a bare %s loads nothing but the entry and package.json', async (line) => {
  const { files, code, stdout } = await loads([line]);
  expect({ code, files }).toEqual({ code: 0, files: [main, 'package.json'] });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([90, 132])('a page fits a terminal of %i columns', async (columns) => {
  const { screen } = await onTerminal(['metrics', 'series', '--help'], { home: temporaryFolder(), columns }).ended;
  const { stdout } = await runBinary(['help', 'metrics', 'series'], { env: { COLUMNS: String(columns) } });
  expect(screen).toBe(stdout);
});

test.each([['nothing', '--help'], ['../help/metrics', '--help'], ['']])(
  'help of words that do not exist is refused: %s',
  async (...argv) => {
    expect(await runBinary(argv)).toMatchObject({ code: 2, stdout: '' });
  },
);

test('without arguments the help is printed', async () => {
  const { stdout } = await runBinary([]);
  expect(stdout).toBe((await runBinary(['--help'])).stdout);
});

/** What parses a command line, and measures the width of a line that is said. */
const always = ['commander', 'fast-string-truncated-width', 'fast-string-width'];

test.each([
  [['help', 'lists', 'list'], 0],
  [['help', 'lists'], 0],
  [['lists', 'list', '--help', '--long'], 0],
  [['lists', 'list', '--nope'], 2],
  [['lists', 'list', '--limit', 'x'], 2],
  [['help', 'exit-codes'], 0],
  [['completion', 'bash'], 0],
])('%j loads little from npm', async (argv, expected) => {
  const { packages, code } = await loads(argv);
  expect(code).toBe(expected);
  expect(packages).toEqual(always);
});

test.each(['entries import', 'entries dedupe', 'entries list', 'grants revoke', 'undo', 'sql'])(
  'the help of %s loads nothing that sends or computes',
  async (path) => {
    const { inputs, packages, code } = await loads([...path.split(' '), '--help', '--long']);
    expect(code).toBe(0);
    expect(packages).toEqual(always);
    expect(
      inputs.filter((input) => /^src\/(client|server|output\/write)\/|^src\/core\/spool\.ts$/.test(input)),
    ).toEqual([]);
  },
);

test('one command does not load another', async () => {
  const { inputs } = await loads(['lists', 'list', '--help', '--long']);
  expect(inputs.filter((input) => input.startsWith('src/commands/')).sort()).toEqual([
    'src/commands/index.ts',
    // What the verbs of the noun share.
    'src/commands/lists/columns.ts',
    'src/commands/lists/list.ts',
    'src/commands/lists/read.ts',
  ]);
});

test.each(['json', 'csv', 'tsv', 'ndjson'])('a GET printed as %s adds undici alone', async (format) => {
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end('[]'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const env = {
    COMEM_BASE_URL: `http://127.0.0.1:${port}`,
    COMEM_SESSION_COOKIE: 'comem-auth-token=x',
    COMEM_COMPANY_ID: '11111111-1111-4111-8111-111111111111',
  };
  try {
    const { packages, code, stderr, inputs, files } = await loads(['lists', 'list', '-o', format], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(packages).toEqual([...always, 'undici']);
    expect(inputs.filter((input) => input.startsWith('src/server/'))).toEqual([]);
    // The groups of rolldown.config.mjs are found: without them it is forty.
    expect(files.length).toBeLessThanOrEqual(20);
  } finally {
    server.close();
  }
});
