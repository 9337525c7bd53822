/** The examples in the help of lists, attrs and entries are real: each runs on the demo as printed. */
import { expect, it } from 'vitest';
import type { AnyCommand } from '../../src/cli/define.ts';
import { commandsOf } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';
import { run } from '../helpers/run.ts';

const byDeletion = (a: AnyCommand, b: AnyCommand) =>
  Number(a.path.endsWith('delete')) - Number(b.path.endsWith('delete'));
const commands = (await Promise.all(['entries', 'attrs', 'lists'].map((noun) => commandsOf(tree, noun))))
  .flat()
  .sort(byDeletion);

/** Words of a command line with single and double quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
}

// One database for all, in this order: what an example deletes is not needed after it.
// An example that names a profile of one's own, or a second program, shows what the demo cannot.
const onDemo = (line: string) => line.startsWith('comem -p demo ') && !line.includes('|');
const lines = commands.flatMap((command) => command.examples.map(({ run: line }) => line)).filter(onDemo);

it.sequential.each(lines.map((line) => [line]))('%s', async (line) => {
  const [program, ...argv] = words(line);
  const { code, stderr, stdout } = await run(argv, {
    env: { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined },
  });
  expect([program, code, code === 0 ? '' : stderr]).toEqual(['comem', 0, '']);
  if (!/delete .*(--yes)/.test(line)) expect(stdout).not.toBe('');
});
