/** The help that `comem help WORD...` asks for. */

import { commandHelp, nounHelp, rootHelp } from './help.ts';
import { route } from './route.ts';
import { topics } from './topics.ts';
import { commandsOf, type Tree } from './tree.ts';
import { unknownWordOf } from './unknown.ts';

/** @throws usage for words that are no command and no topic */
export async function helpOf(
  tree: Tree,
  words: readonly string[],
  { json, columns }: { json: boolean; columns: number },
): Promise<string> {
  if (words.length === 0) {
    if (!json) return rootHelp(tree);
    const { helpTree } = await import('./help-tree.ts');
    return `${JSON.stringify(await helpTree(tree), undefined, 2)}\n`;
  }
  const [word = ''] = words;
  const topic = words.length === 1 && Object.hasOwn(topics, word) ? topics[word] : undefined;
  if (topic) return topic.text(columns);
  const found = await route(words, tree);
  if (found.kind === 'command') return commandHelp(found.command, tree, columns);
  if (found.unknown !== undefined) throw await unknownWordOf(found, tree, Object.keys(topics));
  if (found.kind === 'root') return rootHelp(tree);
  return nounHelp(found.noun, await commandsOf(tree, found.noun), tree, columns, found.group);
}
