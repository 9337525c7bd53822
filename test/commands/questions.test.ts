/** The README's questions: each command prints what the README shows below it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../helpers/run.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const examples = [...readme.matchAll(/```console\n\$ comem -p demo ([^\n]+)\n([\s\S]*?)```/g)].map(
  ([, words = '', printed = '']): [string, string] => [words, printed],
);

/** Words of a shell line whose only quotes are single ones. */
const wordsOf = (line: string) => [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, inner]) => inner ?? word);

it('are found', () => {
  expect(examples.length).toBeGreaterThan(5);
});

it.each(examples)('%s', async (line, printed) => {
  const { code, stdout } = await run(wordsOf(line));
  expect([code, stdout.replace(/ +$/gm, '')]).toEqual([0, printed]);
});
