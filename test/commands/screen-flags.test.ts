/** What a person asks of the screen: all digits, one scale, colour; and what is said of a file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Host, runtimeOf } from '../../src/cli/runtime.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { run } from '../helpers/run.ts';

const growth = ['metrics', 'growth', '-m', 'mrr', '--last', '1'];
const cwd = temporaryFolder();
const csi = '\u001b[';

/** The row of the metric on a terminal, without the cells that say how it changed. */
async function row(...flags: string[]): Promise<string> {
  const { stdout, code } = await run([...growth, ...flags], { tty: true, columns: 200 });
  expect(code).toBe(0);
  return stdout.split('\n')[1]?.replace(/ *▲.*/, '') ?? '';
}

describe('amounts', () => {
  it.each([
    [[], 'MRR     2026-02  USD M   2.00'],
    [['--scale', 'auto'], 'MRR     2026-02  USD M   2.00'],
    [['--scale', 'k'], 'MRR     2026-02  USD k  2,001'],
    [['--scale', 'M'], 'MRR     2026-02  USD M   2.00'],
    [['--scale', 'none'], 'MRR     2026-02  USD  2,000,608.22'],
    [['--exact'], 'MRR     2026-02  USD  2,000,608.22'],
  ])('of a terminal with %j', async (flags, says) => {
    expect((await row(...flags)).replaceAll(/ +/g, ' ')).toBe(says.replaceAll(/ +/g, ' '));
  });

  it.each([[], ['--scale', 'k'], ['--exact']])('of a pipe are exact, with %j', async (...flags) => {
    const { stdout } = await run([...growth, ...flags, '--fields', 'value']);
    expect(stdout).toBe('value\n2000608.22\n');
  });
});

describe('the order of a series', () => {
  it.each([
    ['a terminal', [], true, 'asc'],
    ['a terminal, cut to a number of rows', ['--limit', '2'], true, 'asc'],
    ['a terminal, as JSON', ['-o', 'json'], true, 'asc'],
    ['a pipe', [], false, 'asc'],
  ])('on %s', async (_, flags, tty, order) => {
    const { requests, code } = await run(['metrics', 'series', '-m', 'mrr', '--last', '3', ...flags], { tty });
    expect(code).toBe(0);
    expect(requests.find(({ path }) => path.endsWith('/series'))?.query.order).toBe(order);
  });
});

describe('a plan', () => {
  it('marks what is made, changed and removed, in colour where it may', async () => {
    const home = cwd;
    expect((await run(['lists', 'pull', 'hiring', '-d', '.'], { cwd, home })).code).toBe(0);
    const file = join(cwd, 'hiring.yaml');
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace(/^name: .*$/m, 'name: Recruiting')
        .replace('Offer', 'Offered'),
    );
    const plan = async (color: boolean) =>
      (await run(['lists', 'plan', '-d', '.'], { cwd, home, tty: true, color })).stdout;
    const plain = await plan(false);
    expect(plain).toMatch(/^~ +hiring +hiring +name Hiring -> Recruiting$/m);
    expect(plain).not.toContain(csi);
    expect(await plan(true)).toContain(`${csi}33m~${csi}39m`);
    const piped = await run(['lists', 'plan', '-d', '.', '--fields', 'action'], { cwd, home });
    expect(piped.stdout).toMatch(/^action\nupdate\n/);
    const dry = await run(['lists', 'apply', '-d', '.', '--dry-run', '--color', 'always'], { cwd, home, tty: true });
    expect(dry.stderr).toContain(`${csi}33m  ~ list hiring: name Hiring -> Recruiting${csi}39m`);
  });
});

describe('colour', () => {
  it.each([
    ['--color always, in a pipe', ['--color', 'always'], { tty: false, color: false }, true],
    ['--color never, though the environment wants it', ['--color', 'never'], { tty: true, color: true }, false],
    ['--color auto, where the environment wants it', ['--color', 'auto'], { tty: true, color: true }, true],
    ['--color auto, where it does not', ['--color', 'auto'], { tty: true, color: false }, false],
  ])('of %s', async (_, flags, given, isColored) => {
    const { stdout } = await run(['-o', 'table', 'grants', 'list', ...flags], given);
    expect(stdout.includes(csi)).toBe(isColored);
  });

  const given = (env: Record<string, string>): Host => ({
    ...{ env, cwd: () => cwd, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
  });

  it.each([
    ['a terminal', {}, true, true],
    ['a pipe', {}, false, false],
    ['a terminal with NO_COLOR', { NO_COLOR: '1' }, true, false],
    ['a terminal with an empty NO_COLOR', { NO_COLOR: '' }, true, true],
    ['a terminal with NO_COLOR beside FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    ['a terminal with FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false],
    ['a terminal that is dumb', { TERM: 'dumb' }, true, false],
    ['a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, false, true],
  ])('by the environment: %s', (_, env, tty, isColored) => {
    const { color } = runtimeOf(
      given(env),
      () => tty,
      () => new AbortController().signal,
    ).terminal;
    expect(color).toEqual({ stdout: isColored, stderr: isColored });
  });

  it('is one of three words', async () => {
    const { code, stderr } = await run(['lists', 'list', '--color', 'sometimes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('always')]);
  });
});

describe('a file', () => {
  it.each([
    [['lists', 'list', '--out', 'lists.csv'], /^Wrote 4 rows to lists\.csv \([\d.]+ kB\)\n$/],
    [['lists', 'get', 'hiring', '--out', 'list.json'], /^Wrote list\.json \([\d.]+ kB\)\n$/],
    [['entries', 'list', 'hiring', '--limit', '1', '--out', 'one.csv'], /Wrote 1 row to one\.csv \(\d+ bytes\)\n$/],
  ])('is said to be written on a terminal: %j', async (argv, says) => {
    const { stdout, stderr } = await run(argv, { tty: true, cwd });
    expect(stdout).toBe('');
    expect(stderr).toMatch(says);
    expect((await run(argv, { cwd })).stderr).not.toContain('Wrote');
    expect((await run([...argv, '--quiet'], { tty: true, cwd })).stderr).toBe('');
  });
});
