/** The questions of the README, the gallery and the page of metrics: each command prints what they show below it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'comem-questions-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const documents = ['README.md', 'docs/gallery.md', 'docs/metrics.md'].map((name) =>
  readFileSync(join(import.meta.dirname, '../..', name), 'utf8'),
);
const examples = documents.flatMap((text) =>
  [...text.matchAll(/```console\n\$ comem -p demo ([^\n]+)\n([\s\S]*?)```/g)].map(
    ([, words = '', printed = '']): [string, string] => [words, printed],
  ),
);
const rates = documents.map((text) => /```csv\n([\s\S]*?)```/.exec(text)?.[1] ?? '');

/** Words of a shell line whose only quotes are single ones. */
const wordsOf = (line: string) => [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, inner]) => inner ?? word);

it('are found, with the file of rates that they name', () => {
  expect(examples.length).toBeGreaterThan(15);
  expect(rates[0]).toMatch(/^date,currency,rate\n/);
  expect(new Set(rates.filter(Boolean)).size).toBe(1);
  writeFileSync(join(cwd, 'rates.csv'), rates[0] ?? '');
});

it.each(examples)('%s', async (line, printed) => {
  const { code, stdout } = await run(['-p', 'demo', ...wordsOf(line)], { cwd, columns: 120 });
  expect([code, stdout.replace(/ +$/gm, '')]).toEqual([0, printed]);
});
