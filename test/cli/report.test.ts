import { expect, it } from 'vitest';
import { asFailure, report, reportFlags } from '../../src/cli/report.ts';
import { Failure, usage } from '../../src/core/errors.ts';
import type { Transport } from '../../src/core/wire.ts';
import { run } from '../helpers/run.ts';

/** A colour, a title, a link, a change of direction, C1 controls and a bell. */
const hostile = 'a\u001b[31mb\u001b]0;title\u0007c\u001b]8;;http://x\u001b\\d\u202ee\u009b1mf\u0007g\rh';
const failure = new Failure('rejected', `the server says ${hostile}`, {
  status: 400,
  hint: `look at ${hostile}`,
  details: { issues: [{ path: hostile, message: hostile }] },
});

it.each([true, false])('what a server says moves nothing and is one line each; on a terminal: %s', (terminal) => {
  const shown = report(failure, { json: false, terminal, debug: false });
  expect(shown).toBe('comem: the server says abcdefg h\n  hint: look at abcdefg h\n  abcdefg h: abcdefg h\n');
});

it('says no more of a bug on a line than there is', () => {
  const bug = asFailure(new TypeError(`x is not a function\n::error::${hostile}\ncomem: forged`));
  const lines = report(bug, { json: false, terminal: false, debug: true }).split('\n');
  expect(lines.filter((line) => /^\s*(?:::|comem: forged)/.test(line))).toEqual([]);
});

it('is red and its hint dim in colour, line by line, with the same text', () => {
  const two = new Failure('usage', 'first', { lines: ['second'], hint: 'third' });
  const options = { json: false, terminal: true, debug: false };
  const shown = report(two, { ...options, color: true });
  expect(shown).toBe('\u001b[31mcomem: first\u001b[39m\n  second\n\u001b[2m  hint: third\u001b[22m\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of colours.
  expect(shown.replace(/\u001b\[\d+m/g, '')).toBe(report(two, options));
  expect(report(two, { ...options, json: true, color: true })).not.toContain('\u001b');
});

it('breaks long lines of a terminal between words, but neither commands nor what the user wrote', () => {
  const long = new Failure('usage', 'the condition names a column that the list does not have: "stagee"', {
    hint: 'run `comem attrs list deal-pipeline` to see them, or quote it',
    details: { issues: [{ path: 'filter', message: 'no such column among those' }], excerpt: [`${'x '.repeat(30)}`] },
    status: 400,
  });
  const options = { json: false, terminal: true, debug: false, columns: 40 };
  const shown = [
    'comem: the condition names a column that',
    '       the list does not have: "stagee"',
    `  ${'x '.repeat(30)}`,
    '  hint: run',
    '        `comem attrs list deal-pipeline`',
    '        to see them, or quote it',
    '  filter: no such column among those',
  ];
  expect(report(long, options).split('\n').slice(0, -1)).toEqual(shown);
  expect(report(long, { ...options, color: true })).toContain(
    '\u001b[31m       the list does not have: "stagee"\u001b[39m\n',
  );
  expect(report(long, { ...options, terminal: false }).split('\n')).toHaveLength(5);
  expect(report(long, { ...options, json: true }).split('\n')).toHaveLength(2);
});

it.each([
  [['--no-color', 'x'], 'never'],
  [['x', '--color', 'always'], 'always'],
  [['x', '--color=never'], 'never'],
  [['x', '--', '--no-color'], undefined],
])('%j asks for colour: %s', (argv, expected) => {
  expect(reportFlags(argv).color).toBe(expected);
});

it('in JSON on a terminal characters are escaped, not lost', () => {
  const shown = report(failure, { json: true, terminal: true, debug: false });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(JSON.parse(shown).error.message).toBe(`the server says ${hostile}`);
});

it.each([
  ['`comem lists list` shows them', '`comem -p demo lists list` shows them'],
  ['run `comem sql --tables`, or `comem undo`', 'run `comem -p demo sql --tables`, or `comem -p demo undo`'],
  ['run `comem lists list -p other`', 'run `comem lists list -p other`'],
  ['run `comem help flags`', 'run `comem help flags`'],
  ['run `comem serve`', 'run `comem serve`'],
  ['run `comem listsx`', 'run `comem listsx`'],
])('a hint is for the profile that -p named: %s', (hint, expected) => {
  const nouns = ['lists', 'sql', 'undo'];
  const shown = (options: { json: boolean; profile: string | undefined }) =>
    report(new Failure('notFound', 'x', { hint }), { terminal: false, debug: false, nouns, ...options });
  expect(shown({ json: false, profile: 'demo' })).toBe(`comem: x\n  hint: ${expected}\n`);
  expect(JSON.parse(shown({ json: true, profile: 'demo' })).error.hint).toBe(expected);
  expect(shown({ json: false, profile: undefined })).toBe(`comem: x\n  hint: ${hint}\n`);
});

it('every command that hints at another one of the profile names the profile', async () => {
  const of = async (...argv: string[]) => (await run(['-p', 'demo', ...argv])).stderr;
  expect(await of('lists', 'diff', 'hiring', 'nosuch')).toContain('hint: `comem -p demo lists list` shows them');
  expect(await of('metrics', 'get', 'nosuchx')).toContain('hint: run `comem -p demo metrics catalog`');
});

it('the log and the questions of a command are cleaned too', async () => {
  const list = { id: '00000000-0000-4000-8000-000000000011', name: hostile, slug: 'deals' };
  const transport: Transport = async ({ url }) => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'x-says': hostile },
    body: Buffer.from(JSON.stringify(url.includes('/entries') ? [] : [list])),
  });
  const argv = ['lists', 'delete', 'deals', '-v'];
  const { stderr, code } = await run(argv, { tty: true, transport, answers: [['Delete', 'n\r']] });
  expect(code).toBe(1);
  expect(stderr).toContain('x-says: abcdefg');
  // The question draws itself with sequences of its own; those of the name are gone.
  expect(stderr).toContain('abcdefg h');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(stderr).not.toMatch(/\u001b\]|\u202e|\u009b|\u0007/);
});

it('repeats only the beginning of a very long text in a line', () => {
  const failure = usage(`unknown column "${'x'.repeat(100_000)}"`, 'y'.repeat(100_000));
  const text = report(failure, { json: false, terminal: false, debug: false });
  expect(text.split('\n').map((line) => line.length < 4100)).toEqual([true, true, true]);
  expect(JSON.parse(report(failure, { json: true, terminal: false, debug: false })).error.message).toHaveLength(
    100_017,
  );
});
