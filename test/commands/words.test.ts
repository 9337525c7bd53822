/**
 * Screens of the documented commands, read at four widths: every word of a narrow screen is a word of the widest one, or
 * ends in the mark of a cut; no line is wider than the terminal.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';

const text = ['guide', 'gallery', 'query', 'history']
  .map((page) => readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8'))
  .join('\n');
/** Tables of what the demo holds: nothing is written, and nothing goes through a pipe or into a file. */
const lines = [
  ...text.matchAll(
    /^(?:\$ )?comem -p demo ((?:entries (?:list|get|count|summarize|funnel|history)|metrics|grants (?:list|audit|matrix|expiring)|published|lists (?:list|get)|attrs list|companies).*)$/gm,
  ),
]
  .map(([, line = '']) => line.replace(/ -o table$| +# .*/g, ''))
  .filter((line) => !/[|>\\]|--out|-o |--json|--jq|chart|bridge|--fail|@|\$/.test(line));

const shellWord = /(?:'([^']*)'|"([^"]*)"|([^\s'"]+))/g;
const argvOf = (line: string) => [...line.matchAll(shellWord)].map(([, a, b, c]) => a ?? b ?? c ?? '');

async function stdoutOf(line: string, columns: number): Promise<{ screen: string; code: number }> {
  const { stdout, code } = await run(['-p', 'demo', ...argvOf(line)], { tty: true, columns, network: false });
  return { screen: stdout, code };
}

/** Words without what a table adds: signs of changes, sparklines, separators. */
const wordsOf = (screen: string) => screen.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

it('the documents have such commands', () => {
  expect(lines.length).toBeGreaterThan(10);
});

describe.each(lines)('comem -p demo %s', (line) => {
  it('breaks no word, and marks what it cuts', async () => {
    const widest = await stdoutOf(`${line} --no-truncate`, 400);
    const known = new Set(wordsOf(widest.screen));
    for (const columns of [60, 80, 120, 200]) {
      const { screen, code } = await stdoutOf(line, columns);
      expect(code, `${columns} columns`).toBe(widest.code);
      const broken = wordsOf(screen).filter((word) => !known.has(word) && !word.endsWith('…'));
      expect(broken, `${columns} columns`).toEqual([]);
      const wide = screen.split('\n').filter((each) => [...each].length > columns);
      expect(wide, `${columns} columns`).toEqual([]);
    }
  });
});
