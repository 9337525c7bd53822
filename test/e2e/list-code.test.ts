/** Lists as code through the binary, on embedded APIs of their own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { cli, temporaryFolder } from '../helpers/cli.ts';
import { fillWithDemo } from '../helpers/demo-folder.ts';

const home = temporaryFolder();
const cwd = temporaryFolder();
const comem = (...argv: string[]) => cli(argv, { home, cwd });
const demo = (...argv: string[]) => comem('-p', 'demo', 'lists', ...argv);
const path = join(cwd, 'code/hiring.yaml');

beforeAll(async () => {
  const made = await comem(
    'profiles',
    'set',
    'branch',
    `base-url=embedded:${await fillWithDemo(join(home, 'branch'))}`,
  );
  expect(made).toMatchObject({ code: 0 });
});

it('pull, edit, plan, apply, plan again', async () => {
  expect(await demo('pull', '-d', 'code')).toMatchObject({ code: 0, stderr: '' });
  expect(await demo('plan', '-d', 'code', '--exit-code')).toMatchObject({ code: 0 });
  const text = readFileSync(path, 'utf8');
  const edited = text
    .replace('name: "Stage"\n', 'name: Phase\n')
    .replace(/ {6}- id: "rejected"\n {8}label: "Rejected"\n/, '')
    .concat('  - name: Start\n    type: date\n');
  writeFileSync(path, edited);
  const plan = await demo(
    'plan',
    '-d',
    'code',
    '--exit-code',
    '-o',
    'tsv',
    '--no-header',
    '--fields',
    'action,kind,target,impact',
  );
  expect(plan).toMatchObject({ code: 1 });
  expect(plan.stdout.split('\n')).toEqual([
    'update\tattribute\tstage\t',
    'delete\toption\tstage: Rejected\tremoving option Rejected touches 40 entries',
    'create\tattribute\tStart\t',
    '',
  ]);
  expect(await demo('apply', '-d', 'code')).toMatchObject({ code: 2, stdout: '' });
  const applied = await demo('apply', '-d', 'code', '--yes', '--prune', '-o', 'json');
  expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining('Wrote ids into code/hiring.yaml.') });
  expect(JSON.parse(applied.stdout)).toMatchObject({ created: 1, updated: 1, failed: 0 });
  expect(readFileSync(path, 'utf8')).toMatch(
    / {2}- id: "[-0-9a-f]{36}"\n {4}slug: "start"\n {4}name: Start\n {4}type: date\n$/,
  );
  expect(await demo('plan', '-d', 'code', '--exit-code')).toMatchObject({ code: 0 });
  expect(await demo('apply', '-d', 'code', '-o', 'csv', '--no-header')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^0,0,\d+,0,0,0,0\n$/),
  });
});

it('mistakes have a place, and exit 2', async () => {
  writeFileSync(join(cwd, 'code/wrong.yaml'), 'name: Wrong\nattributes:\n  - name: A\n    type: txt\n');
  const { code, stdout, stderr } = await demo('plan', 'wrong', '-d', 'code');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('code/wrong.yaml:4:11: attributes.0.type: must be one of text, number');
  writeFileSync(join(cwd, 'code/wrong.yaml'), 'name: Wrong\n');
});

it('the files of one profile make the lists of another, by slug', async () => {
  const branch = (...argv: string[]) => comem('-p', 'branch', 'lists', ...argv, 'hiring', '-d', 'code', '--by-slug');
  expect(await branch('plan', '--exit-code')).toMatchObject({ code: 1 });
  const before = readFileSync(path, 'utf8');
  expect(await branch('apply', '--yes', '--prune')).toMatchObject({ code: 0 });
  expect(await branch('plan', '--exit-code')).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(await comem('-p', 'demo', 'lists', 'diff', 'hiring', 'branch:hiring', '--exit-code')).toMatchObject({
    code: 0,
  });
});

it('copy takes a list and its 400 entries to another profile', async () => {
  const copy = ['copy', 'deal-pipeline', '--to-profile', 'branch', '--name', 'Deals of the demo', '--with-entries'];
  expect(await demo(...copy)).toMatchObject({ code: 2, stdout: '' });
  const { code, stdout } = await demo(...copy, '--yes', '-o', 'json');
  const total = Number((await comem('-p', 'demo', 'entries', 'count', 'deal-pipeline', '--archived')).stdout);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { created: 1 + 17 + total, failed: 0 }]);
  const rows = (profile: string, list: string) =>
    comem(
      '-p',
      profile,
      'entries',
      'list',
      list,
      '--archived',
      '-o',
      'csv',
      '--fields',
      'title,stage,tags,raising,first-contact,warm-intro,archived',
    );
  const [one, other] = [await rows('demo', 'deal-pipeline'), await rows('branch', 'deals-of-the-demo')];
  expect(one.stdout.split('\n').length).toBeGreaterThan(300);
  expect(other.stdout).toBe(one.stdout);
  const again = await demo(...copy, '--yes', '--resume', '-o', 'json');
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { created: 0, unchanged: 1 + 17 + total }]);
});
