/** The failure for a word that is no noun or verb, with the nearest one that is. */

import { type Failure, usage } from '../core/errors.ts';
import { editDistance, nearest } from '../core/nearest.ts';
import type { WithoutCommand } from './route.ts';
import { standardAliases, type Tree, verbsOf } from './tree.ts';

/** `topics`: further first words that would do where the failure is shown. */
export async function unknownWordOf(
  found: WithoutCommand,
  tree: Tree,
  topics: readonly string[] = [],
): Promise<Failure> {
  const word = found.unknown ?? '';
  if (found.kind === 'root') {
    const known = [...Object.keys(tree.nouns), ...Object.keys(tree.shortcuts), ...topics];
    return unknownWord(word, 'noun', known, topics.length > 0 ? 'comem help' : 'comem');
  }
  const before = found.group ? `${found.group} ` : '';
  const verbs = Object.keys(await verbsOf(tree, found.noun)).filter((verb) => verb.startsWith(before));
  const words = [...new Set(verbs.map((verb) => verb.slice(before.length).split(' ')[0] ?? ''))];
  const place = `comem ${found.noun}${found.group ? ` ${found.group}` : ''}`;
  if (Object.hasOwn(tree.nouns, word)) {
    return usage(`"${word}" is a noun, and \`${place}\` needs a verb`, `its verbs are ${words.join(', ')}`);
  }
  const aliases = Object.keys(standardAliases).filter((alias) => words.includes(standardAliases[alias] ?? ''));
  return unknownWord(word, 'verb', [...words, ...aliases], place);
}

function unknownWord(word: string, what: 'noun' | 'verb', known: readonly string[], place: string): Failure {
  const near = nearest(word, known) ?? slip(word, known);
  const hint = near ? `did you mean \`${place} ${near}\`?` : `${what}s are ${known.join(', ')}`;
  return usage(`\`${place}\` has no ${what} "${word}"`, hint);
}

/** Nouns and verbs are few and short, so more may be wrong of them: two letters where the first is right, or the number. */
function slip(word: string, known: readonly string[]): string | undefined {
  const many = word.length > 2 && word.endsWith('y') ? `${word.slice(0, -1)}ies` : undefined;
  return known.find((each) => each === many || (each[0] === word[0] && editDistance(word, each) <= 2));
}
