/** The screen of a real terminal: what is waited for, long output through a pager, colour by the environment. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binary, cli, temporaryFolder } from '../helpers/cli.ts';
import { keys, onTerminal } from '../helpers/terminal.ts';

const home = temporaryFolder();
const csi = '\u001b[';

// Tests run at once: most of their time is that of programs that start, and of a server that is slow.
const seeded = cli(['-p', 'demo', 'lists', 'list'], { home });
async function on(line: string, env: Record<string, string | undefined> = {}, rows = 30) {
  expect((await seeded).code).toBe(0);
  return onTerminal(['-p', 'demo', ...line.split(' ')], { home, env, rows }).ended;
}

describe.concurrent('a slow server', () => {
  it('is waited for with one line, which is gone when the result is there', async () => {
    const command = [process.execPath, binary, 'lists', 'list'];
    const terminal = onTerminal(['serve', '--latency', '2s', '--', ...command], { home });
    await terminal.shows('Reading lists…');
    const { raw, screen, code } = await terminal.ended;
    expect(code).toBe(0);
    // The line is replaced in place, and removed before the table is drawn.
    const [before = '', after = ''] = raw.split('Deal pipeline');
    expect(before.lastIndexOf(`\r${csi}K`)).toBeGreaterThan(before.lastIndexOf('Reading lists…'));
    expect(after).not.toContain('Reading');
    expect(screen).toContain('4 lists');
  });
});

describe.concurrent('a pager', () => {
  // It says that it ran, and shows what it was given.
  const pager = join(home, 'pager.sh');
  writeFileSync(pager, 'echo PAGED\ncat\n');
  const command = `sh ${pager}`;

  it.each([
    ['output that is longer than the screen', 'metrics catalog', 10, true],
    ['output that fits', 'metrics catalog', 40, false],
  ])('is for %s', async (_, line, rows, isPaged) => {
    const { screen, code } = await on(line, { COMEM_PAGER: command }, rows);
    expect([code, screen.includes('PAGED')]).toEqual([0, isPaged]);
    expect(screen.split('LTV / CAC')).toHaveLength(2);
  });

  it('is not for a pipe, and that of PAGER where comem has none of its own', async () => {
    expect((await seeded).code).toBe(0);
    const piped = await cli(['-p', 'demo', 'metrics', 'catalog'], { home, env: { COMEM_PAGER: command } });
    expect(piped.stdout).not.toContain('PAGED');
    const env = { COMEM_PAGER: undefined, PAGER: command };
    expect((await on('metrics catalog', env, 10)).screen).toContain('PAGED');
  });

  it('is less, which ends by itself at the end of a short screen', async () => {
    const { screen, code } = await on('metrics catalog', { COMEM_PAGER: undefined }, 40);
    expect([code, screen.includes('LTV / CAC')]).toEqual([0, true]);
  });

  it('is not needed for the first and the last rows', async () => {
    const folder = join(home, 'bin');
    mkdirSync(folder, { recursive: true });
    symlinkSync(
      execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim(),
      join(folder, 'python3'),
    );
    const { screen, code } = await on('entries list deal-pipeline', { COMEM_PAGER: undefined, PATH: folder }, 20);
    expect(code).toBe(0);
    const lines = screen.split('\n');
    expect(lines.find((line) => /^… \d+ more \(--out FILE or a pipe has all\)$/.test(line))).toBeDefined();
    expect(lines.length).toBeLessThan(22);
    expect(screen).toMatch(/306 entries/);
  });

  it.each([
    [
      'that is missing is said, and the first and last rows follow',
      'nosuchpager -S',
      ['"nosuchpager" was not found', '… '],
    ],
    ['that is an empty PAGER is none', '', ['LTV / CAC']],
  ])('%s', async (_, PAGER, texts) => {
    const { screen, code } = await on('metrics catalog', { COMEM_PAGER: undefined, PAGER }, 10);
    expect([code, ...texts.map((text) => screen.includes(text))]).toEqual([0, ...texts.map(() => true)]);
  });

  const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select x from c';

  it('that ends early ends the reading', async () => {
    const { ended } = onTerminal(['-p', 'demo', 'sql', endless], { home, rows: 10, env: { COMEM_PAGER: 'head -3' } });
    expect(await ended).toMatchObject({ code: 0, screen: expect.stringMatching(/^ *x\n *1\n *2\n$/) });
  });

  it('that is open outlives Ctrl-C, also a second one, and is waited for', async () => {
    const slow = join(home, 'slow.sh');
    const quit = join(home, 'quit');
    // A shell runs a trap between commands, so the pager waits in short ones.
    writeFileSync(slow, `trap 'echo HEARD' INT\necho OPEN\nuntil test -e ${quit}; do sleep 0.1; done\necho ENDED\n`);
    const { shows, type, ended } = onTerminal(['-p', 'demo', 'sql', endless], {
      ...{ home, rows: 10, env: { COMEM_PAGER: `sh ${slow}` } },
    });
    await shows('OPEN');
    for (const _ of [1, 2]) {
      type(keys.interrupt);
      await shows('HEARD');
    }
    writeFileSync(quit, '');
    expect(await ended).toMatchObject({ code: 130, screen: expect.stringMatching(/ENDED\s+comem: interrupted/) });
  });

  it('is a setting of a profile, which the environment overrules', async () => {
    expect((await cli(['profiles', 'set', 'paged', 'base-url=embedded:', `pager=${command}`], { home })).code).toBe(0);
    const long = ['-p', 'paged', 'metrics', 'catalog'];
    expect((await onTerminal(long, { home, rows: 10, env: { COMEM_PAGER: undefined } }).ended).screen).toContain(
      'PAGED',
    );
    const other = await onTerminal(long, { home, rows: 10, env: { COMEM_PAGER: 'cat' } }).ended;
    expect([other.code, other.screen.includes('PAGED'), other.screen.includes('LTV / CAC')]).toEqual([0, false, true]);
  });
});

describe.concurrent('colour', () => {
  it.each([
    ['a terminal', {}, true],
    ['a terminal with NO_COLOR', { NO_COLOR: '1' }, false],
  ])('of %s', async (_, env, isColored) => {
    const { raw } = await on('lists list', env);
    expect(raw.includes(`${csi}1m`)).toBe(isColored);
  });
});
