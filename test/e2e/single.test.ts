/** The single executable, on a machine without Node. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { testIf } from '../helpers/tools.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Of a Node that can be packed: the one of the tests may be older.
const node = process.env.COMEM_TEST_NODE24;
const testSingle = testIf(node !== undefined, 'Node 24: npm install node@24; its path goes into COMEM_TEST_NODE24');
const folder = mkdtempSync(join(tmpdir(), 'comem-single-'));
const executable = join(folder, 'comem');

beforeAll(() => {
  if (node) execFileSync(node, ['scripts/single.mjs', executable], { cwd: root, stdio: 'ignore' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Nothing but a home folder is there. */
function comem(...argv: string[]): Promise<Result> {
  return new Promise((resolve) => {
    execFile(executable, argv, { cwd: folder, env: { HOME: folder, PATH: '/nowhere' } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

testSingle('unpacks itself once and has the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const both = await Promise.all([comem('--version'), comem('--version')]);
  expect(both.map(({ stdout }) => stdout)).toEqual([`${version}\n`, `${version}\n`]);
  expect(readdirSync(join(folder, '.cache/comem'))).toEqual([expect.stringMatching(/^program-[0-9a-f]{16}$/)]);
});

testSingle('reads and writes the embedded API, with pictures and jq', async () => {
  expect(await comem('-p', 'demo', 'lists', 'list', '--jq', '.[0].slug')).toMatchObject({ stdout: 'deal-pipeline\n' });
  expect(await comem('init', '--company', 'My Co')).toMatchObject({ code: 0 });
  expect(await comem('lists', 'create', 'Deals')).toMatchObject({ code: 0 });
  writeFileSync(join(folder, 'deals.csv'), 'title,value\nA,1.10\nB,2\n');
  expect(await comem('entries', 'import', 'Deals', 'deals.csv', '--create-attrs', '--yes')).toMatchObject({ code: 0 });
  expect((await comem('entries', 'list', 'Deals', '--fields', 'title,value')).stdout).toBe(
    'title\tvalue\nA\t1.10\nB\t2\n',
  );
  expect(await comem('-p', 'demo', '-c', 'lumen', 'metrics', 'chart', '-m', 'mrr', '--out', 'mrr.png')).toMatchObject({
    code: 0,
  });
  expect(readFileSync(join(folder, 'mrr.png')).subarray(1, 4).toString()).toBe('PNG');
});

testSingle('guards SQL as the package does, by the SQLite of Node', async () => {
  const sql = (statement: string) => comem('-p', 'demo', 'sql', statement, '--timeout', '5');
  expect(await sql('select count(*) as n from hiring')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^n\n\d+\n$/),
  });
  for (const statement of [
    "attach '/tmp/x.db' as x",
    'select * from sqlite_master',
    'select * from pragma_database_list',
    "select load_extension('x')",
    'select length(zeroblob(900000000))',
    'create table t (x)',
  ]) {
    expect(await sql(statement), statement).toMatchObject({ code: 2, stdout: '' });
  }
  const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';
  expect(await comem('-p', 'demo', 'sql', endless, '--timeout', '1')).toMatchObject({ code: 5 });
});

testSingle('says in one line that it has no keyring', () => {
  const login = ['auth', 'login', '--profile', 'x', '--base-url', 'https://x.example', '--stdin', 'key', '--no-check'];
  const { status, stderr } = spawnSync(executable, [...login, '--storage', 'keyring'], {
    env: { HOME: folder, PATH: '/nowhere' },
    input: 'cmk_0123456789abcdef',
    encoding: 'utf8',
  });
  expect([status, stderr.split('\n')[0]]).toEqual([
    4,
    expect.stringContaining('the keyring of this system does not work'),
  ]);
});
