/**
 * The answer to a Tab: `comem __complete SHELL …`, which the scripts of completion call. The first line is what the
 * shell does (`words`, `open`, `files PREFIX`, `folders PREFIX`), and each further line is an offer.
 */
import type { Environment } from '../../config/store.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import type { Tree } from '../tree.ts';
import { offersFor } from './offers.ts';
import { type BashLine, bashLine, bashReply, powershellWord } from './quoting.ts';
import type { Offers } from './values.ts';

/** More offers are not read by anybody. */
const most = 1000;

/** Never fails: a word that cannot be completed has no offers. */
export async function completionAnswer(argv: readonly string[], tree: Tree, env: Environment): Promise<string> {
  try {
    return await answer(argv, tree, env);
  } catch {
    return 'words\n';
  }
}

async function answer([shell, ...rest]: readonly string[], tree: Tree, env: Environment): Promise<string> {
  if (shell === 'bash') {
    const [text = '', point = '', breaks = ''] = rest;
    // bash counts bytes in some locales; what is behind the cursor does not matter.
    const line = bashLine(Buffer.from(text).subarray(0, Number(point)).toString(), breaks);
    const found = await offersFor(line.words.slice(1), tree, env);
    return linesOf(found, ({ word }) => bashReply(word, line), filePart(line, found));
  }
  const words = rest.slice(1);
  const last = words.pop() ?? '';
  // A shell without quote removal for the word that is being typed; PowerShell drops empty arguments.
  const typed =
    shell === 'fish' ? (bashLine(last, '').words.at(-1) ?? '') : shell === 'powershell' ? last.slice(1) : last;
  const found = await offersFor([...words, typed], tree, env);
  const shown = shell === 'powershell' ? powershellWord : (word: string) => word;
  return linesOf(found, ({ word, says }) => `${shown(word)}\t${cleanLine(says ?? '')}`, found.prefix ?? '');
}

function linesOf(
  { offers, files, isOpen }: Offers,
  lineOf: (offer: Offers['offers'][number]) => string,
  prefix: string,
): string {
  const action =
    files === undefined ? (isOpen ? 'open' : 'words') : `${files === 'any' ? 'files' : 'folders'} ${prefix}`;
  // A name with a line break or an escape sequence cannot be typed.
  const typable = offers.filter(({ word }) => cleanLine(word) === word).slice(0, most);
  return `${[action, ...typable.map(lineOf)].join('\n')}\n`;
}

/** The start of a path as bash completes it: without what it keeps of the word. */
function filePart({ words, kept }: BashLine, { prefix = '' }: Offers): string {
  return (words.at(-1) ?? '').slice(Math.max(kept, prefix.length));
}
