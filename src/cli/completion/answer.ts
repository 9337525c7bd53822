/**
 * The answer to a Tab: `comem __complete SHELL …`, which the scripts of completion call. The first line is what the
 * shell does (`words`, `open`, `files PREFIX`, `folders PREFIX`), and each further line is an offer.
 */

import type { Environment } from '../../config/store.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import type { Tree } from '../tree.ts';
import { type Offers, offersFor } from './offers.ts';

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
    const offers = await offersFor(line.words.slice(1), tree, env);
    return linesOf(offers, ({ word }) => bashReply(word, line), filePart(line, offers));
  }
  const words = rest.slice(1);
  const last = words.pop() ?? '';
  // A shell without quote removal for the word that is being typed; PowerShell drops empty arguments.
  const typed =
    shell === 'fish' ? (bashLine(last, '').words.at(-1) ?? '') : shell === 'powershell' ? last.slice(1) : last;
  const choices = await offersFor([...words, typed], tree, env);
  const quote = shell === 'powershell' ? powershellWord : (word: string) => word;
  return linesOf(choices, ({ word, says }) => `${quote(word)}\t${cleanLine(says ?? '')}`, choices.prefix ?? '');
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

/** Quoting of shells: splits a line of bash into words, and quotes a word for bash and PowerShell. */

interface BashLine {
  /** The words without their quotes; the last one is being typed. */
  words: string[];
  /** The quote that the last word is in. */
  quote: '' | '"' | "'";
  /** The length of the last word before the part that bash replaces. */
  kept: number;
}

/** `breaks` is COMP_WORDBREAKS: bash replaces only what follows the last of them, or an opening quote. */
export function bashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: BashLine['quote'] = '';
  let prefixLength = 0;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote === "'") {
      if (char === "'") quote = '';
      else word += char;
    } else if (char === '\\' && next !== '' && (quote === '' || '"\\$`'.includes(next))) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote === '"') {
      if (char === '"') quote = '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
      prefixLength = word.length;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      prefixLength = 0;
    } else {
      word = (word ?? '') + char;
      if (breaks.includes(char)) prefixLength = word.length;
    }
  }
  return { words: [...words, word ?? ''], quote, kept: prefixLength };
}

/** The text that bash puts in place of the part that it replaces. */
export function bashReply(word: string, { quote, kept }: BashLine): string {
  const rest = word.slice(kept);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  if (quote === '"') return rest.replace(/["\\$`]/g, '\\$&');
  return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}

/** PowerShell ends a bare word at blanks and at what it would run. */
export function powershellWord(word: string): string {
  return /^[\p{L}\p{N}_%+=:./\\-]+$/u.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
}
