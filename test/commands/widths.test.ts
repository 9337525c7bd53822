/**
 * The screens of all examples at four widths. Each is compared with the same screen on a terminal without an end: no line
 * is wider than the terminal, no word is broken or cut without a mark, and each number is an exact one, rounded, or the
 * difference of two beside it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';
import { documents, wordsOf } from '../helpers/examples.ts';
import { run } from '../helpers/run.ts';

const widths = [60, 80, 120, 200];
const noEnd = 1000;

/** The examples of commands that read, and the commands of documents whose output is printed below them. */
const reading = (await allCommands(tree)).flatMap(({ writes, examples }) =>
  writes ? [] : examples.map((example) => example.run),
);
const printed = documents.flatMap((name) => {
  const text = readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
  return [...text.matchAll(/^\$ (comem -p demo .+)$/gm)].map(([, line = '']) => line.replace(/ -o table\b/, ''));
});

/** What needs a file, a second program or settings, prints a format for programs, or says no. */
const others =
  / (?:mirror|check|doctor|server|sql|companies \w+ \S+|lists (?:plan|pull)|diff @portfolio) ?|--(?:out|rates|report|exit-code|jq)| -o |\.yaml/;
const lines = [...new Set([...reading, ...printed])].filter(
  (line) => line.startsWith('comem -p demo ') && !others.test(line) && wordsOf(line),
);

it('are those of many commands', () => expect(lines.length).toBeGreaterThan(50));

it.each(lines)('%s', async (line) => {
  const argv = wordsOf(line)?.slice(1) ?? [];
  const unbound = await screen([...argv, '--no-truncate'], noEnd);
  const exact = await screen([...argv, '--no-truncate', '--scale', 'exact'], noEnd);
  expect(wrongNumbers(unbound.stdout, exact.stdout)).toEqual([]);
  for (const columns of widths) {
    const { stdout, stderr } = await screen(argv, columns);
    expect([columns, ...tooWide(stdout + stderr, columns), ...brokenWords(stdout, unbound.stdout)]).toEqual([columns]);
  }
});

it('help pages fit, too', async () => {
  for (const { path } of await allCommands(tree)) {
    const { stdout } = await screen([...path.split(' '), '--help'], 60);
    expect([path, ...tooWide(stdout, 60)]).toEqual([path]);
  }
});

async function screen(argv: readonly string[], columns: number) {
  const { stdout, stderr, code } = await run(argv, { columns, tty: true, network: false });
  expect(code, stderr).toBe(0);
  return { stdout, stderr };
}

/** Lines that the terminal breaks, although they could end before a word or a command in backticks. */
const tooWide = (text: string, columns: number) =>
  text.split('\n').filter((line) => {
    const parts = line.match(/`[^`]+`|\S+/g) ?? [];
    return [...line].length > columns && parts.every((part) => [...part].length <= columns);
  });

/** Words and numbers without quotes and punctuation around them. */
const tokensOf = (text: string) =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/^[("'`]+|[)"'`,.:;]+$/g, ''))
    .filter((word) => /[\p{L}\d]/u.test(word));

/** Words that a terminal without an end does not show: broken, or cut without a mark. */
function brokenWords(text: string, unbound: string): string[] {
  const known = new Set([...tokensOf(unbound), 'k', 'M']);
  const words = tokensOf(text).filter((word) => !number.test(word) && !known.has(word));
  const broken = words.filter((word) => {
    const start = word.replace(/,?…$/, '');
    return start === word || ![...known].some((each) => each.startsWith(start));
  });
  return [...broken, ...wrongNumbers(text, unbound)];
}

const number = /^[+-]?\d[\d,]*(?:\.\d+)?[kMB]?%?$/;
const numbersOf = (text: string) => tokensOf(text).filter((word) => number.test(word));
const amountOf = (text: string) => Number(text.replace(/[,%kMB]/g, ''));

/** Numbers that are neither one of the exact ones in some scale, rounded, nor the difference of two in their line. */
function wrongNumbers(text: string, exact: string): string[] {
  const values = [...new Set(numbersOf(exact))].map(amountOf);
  return text.split('\n').flatMap((line) => {
    const beside = numbersOf(line).map(amountOf);
    return numbersOf(line).filter((each) => {
      const value = amountOf(each);
      const decimals = each.split('.')[1]?.replace(/\D/g, '').length ?? 0;
      const half = 0.5000001 * 10 ** -decimals;
      const isRounded = values.some((size) =>
        [1, 1e3, 1e6, 1e9].some((scale) => Math.abs(Math.abs(size) / scale - Math.abs(value)) <= half),
      );
      return !isRounded && !beside.some((a) => beside.some((b) => Math.abs(a - b - value) < 1e-6));
    });
  });
}
