/** `comem tour` on a real terminal: each step runs, and nothing is left behind. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { steps } from '../../src/commands/tour.ts';
import { cli, runBinary, temporaryFolder } from '../helpers/cli.ts';
import { keys, onTerminal } from '../helpers/terminal.ts';

const home = temporaryFolder();
const temporary = join(home, 'tmp');
mkdirSync(temporary);
const tour = (env: Record<string, string> = {}, columns = 100) =>
  onTerminal(['tour'], { home, env: { TMPDIR: temporary, ...env }, columns });

/** Newer releases of Node keep compiled code in the folder for temporary files. */
const isKeptByNode = (name: string) => name.split('/').includes('node-compile-cache');

/** Every file below the folder, with its content. */
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !isKeptByNode(name))
    .sort()
    .map((name) => [name, statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), 'latin1') : '']);

it('runs every step on data of its own, and leaves nothing behind', async () => {
  expect((await runBinary(['-p', 'demo', 'lists', 'create', 'Mine'], { home })).code).toBe(0);
  expect((await cli(['profiles', 'set', 'work', 'base-url=https://api.example.com'], { home })).code).toBe(0);
  const before = filesOf(home);
  const terminal = tour({ COMEM_PROFILE: 'work', COMEM_API_KEY: 'cmk_mine' }, 60);
  for (const at of steps.keys()) {
    await terminal.shows(`${at + 1}/${steps.length}`);
    await terminal.shows('Enter runs it');
    terminal.type(keys.enter);
  }
  const { screen, code } = await terminal.ended;
  const text = screen.replace(/\s+/g, ' ');
  expect(steps.filter(({ says, see }) => !text.includes(says) || !text.includes(see))).toEqual([]);
  // A prompt is drawn several times on its line.
  const lines = screen.split('\n').filter((line) => !line.includes('Enter runs it'));
  expect(lines.filter((line) => stringWidth(line) > 60)).toEqual([]);
  expect(code).toBe(0);
  expect(screen).not.toContain('ended with exit code');
  expect(screen).not.toContain('Mine');
  // The steps are those of the job: a filter, a chart, CSV, a revocation, an undo, a check.
  for (const says of ['Diligence', 'periodKey', 'revoked', 'restored', 'unique(title)']) expect(screen).toContain(says);
  expect(filesOf(home)).toEqual(before);
});

it('breaks what it says between words', async () => {
  const terminal = onTerminal(['tour'], { home, env: { TMPDIR: temporary }, columns: 40 });
  await terminal.shows('Enter runs it');
  terminal.type(keys.enter);
  await terminal.shows('2/');
  await terminal.shows('Enter runs it');
  terminal.type(`q${keys.enter}`);
  const { screen } = await terminal.ended;
  expect(screen).toContain('comem in 11 steps, on demo data in a\ntemporary folder.');
  expect(screen).toContain('The second column is what commands call\na list.\n');
});

it.each([
  ['q', `q${keys.enter}`, 0],
  ['Esc', keys.esc, 130],
  ['^C', keys.interrupt, 130],
  ['^D', keys.end, 130],
])('ends at %s, and leaves nothing behind', async (_, key, expected) => {
  const terminal = tour();
  await terminal.shows('Enter runs it');
  terminal.type(`s${keys.enter}`);
  await terminal.shows('2/');
  await terminal.shows('Enter runs it');
  terminal.type(key);
  const { code } = await terminal.ended;
  expect([code, readdirSync(temporary).filter((name) => !isKeptByNode(name))]).toEqual([expected, []]);
});

it('prints its steps in a pipe', async () => {
  const { stdout, code } = await cli(['tour'], { home });
  expect([code, steps.filter(({ says, see }) => !stdout.includes(says) || !stdout.includes(see))]).toEqual([0, []]);
});
