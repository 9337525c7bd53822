/**
 * The answer to a Tab: `comem __complete SHELL -- WORD…`, which the scripts of completion call with the words of the
 * line. The first line is what the shell does (`words`, `open`, `files PREFIX`, `folders PREFIX`), each further line an
 * offer; for files in bash, the start of the path.
 */

import type { Environment } from '../../config/store.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import type { Tree } from '../tree.ts';
import { offersFor } from './offers.ts';

/** More offers are not read by anybody. */
const most = 1000;

/** Never fails: a word that cannot be completed has no offers. */
export async function completionAnswer(argv: readonly string[], tree: Tree, env: Environment): Promise<string> {
  try {
    return `${(await answer(argv, tree, env)).join('\n')}\n`;
  } catch {
    return 'words\n';
  }
}

async function answer([shell, , ...words]: readonly string[], tree: Tree, env: Environment): Promise<string[]> {
  const given = words.pop() ?? '';
  // zsh removes quotes itself; PowerShell drops empty arguments, so that its script adds a sign.
  const typed = shell === 'zsh' ? given : shell === 'powershell' ? given.slice(1) : unquoted(given);
  const before = shell === 'bash' ? words.map(unquoted) : words;
  const { offers, files, prefix = '', isOpen } = await offersFor([...before, typed], tree, env);
  if (files) return [`${files} ${prefix}`, ...(shell === 'bash' ? [typed.slice(prefix.length)] : [])];
  // A name with a line break or an escape sequence cannot be typed.
  const typable = offers.filter(({ word }) => cleanLine(word) === word).slice(0, most);
  const lines = typable.map(({ word, says }) => {
    if (shell === 'bash') return bashWord(word, given);
    return `${shell === 'powershell' ? powershellWord(word) : word}\t${cleanLine(says ?? '')}`;
  });
  return [isOpen ? 'open' : 'words', ...lines];
}

/** A word of a line as the shell reads it. */
function unquoted(word: string): string {
  return word.replace(/\\(.)|["']/gs, '$1');
}

/** What precedes a quote that is still open. */
const openQuote = /^((?:[^"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')*)(["'])/s;

/** The text that bash puts in the place of what was typed, or of what follows an open quote in it. */
export function bashWord(word: string, typed: string): string {
  const unclosed = typed.replace(/^(?:[^"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')*$/s, '');
  const [, before = '', quote = ''] = openQuote.exec(unclosed) ?? [];
  const rest = word.slice(unquoted(before).length);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  return quote === '"' ? rest.replace(/["\\$`]/g, '\\$&') : rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}

/** PowerShell ends a bare word at blanks and at what it would run. */
export function powershellWord(word: string): string {
  return /^[\p{L}\p{N}_%+=:./\\-]+$/u.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
}
