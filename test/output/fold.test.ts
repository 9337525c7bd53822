import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldedCommand, foldLines } from '../../src/output/terminal-text.ts';
import { width } from '../../src/output/width.ts';
import { capture } from './capture.ts';

const path = '/home/anna/.config/comem/profiles-of-the-office.json';

describe('a long message', () => {
  it.each([
    [
      'between words, below its text',
      'comem: list "deals" not found in company lumen',
      'comem: list "deals" not found in\n       company lumen',
    ],
    [
      'as a hint is',
      '  hint: name one of the lists of the company',
      '  hint: name one of the lists of\n        the company',
    ],
    ['as it is set in', '  + attribute stage of the kind select', '  + attribute stage of the kind\n  select'],
    [
      'with a command whole',
      'to see all of the names: `comem lists list`',
      'to see all of the names:\n`comem lists list`',
    ],
    ['with a value whole', 'there is no metric called "net revenue"', 'there is no metric called\n"net revenue"'],
    [
      'with a flag and its value whole',
      'say what is to be read with --limit 100',
      'say what is to be read with\n--limit 100',
    ],
    ['with a path on a line of its own', `${path} cannot be read`, `${path}\ncannot be read`],
    [
      'with a long command on lines of its own',
      `run \`comem x --file ${path}\` again`,
      `run\n\`comem x --file ${path}\`\nagain`,
    ],
    [
      'also within long quotes',
      '"a text that is longer than a line has room for"',
      '"a text that is longer than a line\nhas room for"',
    ],
    ['between dots', '4 lists · comem entries list NAME for rows', '4 lists ·\ncomem entries list NAME for rows'],
    ['by the width of letters', '日本語の会社 日本語の会社 日本語の会社', '日本語の会社 日本語の会社\n日本語の会社'],
    ['not where it fits', 'a  b   c', 'a  b   c'],
    ['line by line', `${'a '.repeat(20)}\nb`, `${'a '.repeat(17).trimEnd()}\n${'a '.repeat(3)}\nb`],
  ])('is broken %s', (_, text, lines) => {
    expect(foldLines(text, 34)).toBe(lines);
  });

  it('loses nothing but blanks, whatever it is', () => {
    const word = fc.constantFrom(
      'a',
      '`run it`',
      '"quoted text"',
      '--flag',
      'value',
      '`',
      '"',
      '·',
      '会社',
      'x'.repeat(50),
    );
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 1, max: 90 }), (words, columns) => {
        const text = words.join(' ');
        const lines = foldLines(text, columns).split('\n');
        expect(lines.map((line) => line.trim()).join(' ')).toBe(text);
        for (const line of lines.filter((line) => width(line) > columns)) {
          expect(line.trim()).toMatch(/^\S+$|`|^--flag \S+$/);
        }
      }),
    );
  });

  it('stays one line in a pipe', () => {
    const text = `this is said in more than eighty letters, so that a terminal has two lines of it: ${path}`;
    const shown = (tty: boolean) => {
      const captured = capture({ format: 'table', tty });
      captured.out.note(text);
      captured.out.warn(text);
      return captured.stderr();
    };
    expect(shown(false)).toBe(`${text}\ncomem: warning: ${text}\n`);
    expect(shown(true)).toBe(
      `this is said in more than eighty letters, so that a terminal has two lines of\nit: ${path}\ncomem: warning: this is said in more than eighty letters, so that a terminal has\n       two lines of it: ${path}\n`,
    );
  });
});

it.each([
  ["comem sql 'select stage, count(*) from deals'", "comem sql \\|    'select stage, count(*)|     from deals'"],
  [
    "comem lists create Deals --description 'All of them'",
    "comem lists create Deals \\|    --description \\|    'All of them'",
  ],
  ['comem sql "select 1"', 'comem sql "select 1"'],
])('a command is folded so that a shell reads it: %s', (command, lines) => {
  expect(foldedCommand(command, 32, '')).toEqual(lines.split('|'));
});
