/** Where words lead that are not a noun or a verb: the command to type instead. Loaded only for a wrong word. */
import { editDistance } from '../core/nearest.ts';
import { shellWord } from '../core/shell-word.ts';
import type { AnyCommand, Argument } from './define.ts';
import { aliasOf, type Tree, verbsOf } from './tree.ts';

/** What people of other programs type, by what they mean. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  get: ['get', 'show', 'view', 'describe', 'info', 'cat', 'read', 'open', 'inspect'],
  create: ['create', 'new', 'add', 'make', 'insert'],
  update: ['update', 'edit', 'set', 'change', 'modify', 'patch'],
  delete: ['delete', 'rm', 'remove', 'destroy', 'del', 'drop'],
  list: ['list', 'ls', 'all', 'index', 'find', 'search', 'query', 'export'],
};

/** The verbs here for a meaning: the first that a noun has. */
const verbWords: Readonly<Record<string, readonly string[]>> = {
  get: ['get', 'status', 'list'],
  create: ['create', 'add', 'set', 'login'],
  update: ['update', 'set'],
  delete: ['delete', 'remove', 'revoke', 'prune', 'logout'],
  list: ['list', 'catalog', 'status', 'periods'],
};

/** A hint for a wrong first word, and the words after it; undefined if none is likely. */
export async function hintOfFirst(words: readonly string[], tree: Tree, isHelp: boolean): Promise<string | undefined> {
  const [word = '', second] = words;
  const typed = (paths: readonly string[]) =>
    alternatives(
      paths.map(
        (path) => `\`comem ${isHelp && !path.startsWith('-') ? `help ${path.replace(/ (-|[A-Z]).*$/, '')}` : path}\``,
      ),
    );
  const swapped = second === undefined ? undefined : nounOf(second, tree);
  if (swapped !== undefined) {
    const verb = await verbOf(swapped, word, tree);
    if (verb !== undefined) return `did you mean ${typed([[swapped, verb, ...words.slice(2)].join(' ')])}?`;
  }
  const known = (await tree.words?.())?.words ?? {};
  const direct = Object.hasOwn(known, word.toLowerCase()) ? known[word.toLowerCase()] : undefined;
  if (direct) return `did you mean ${typed(direct)}?`;
  const noun = nounOf(word, tree);
  if (noun !== undefined) {
    const hint = second === undefined ? noun : await lineOf(noun, words.slice(1), tree);
    return `did you mean ${typed([hint])}?`;
  }
  const found: string[] = [];
  for (const each of Object.keys(tree.nouns)) {
    const verb = await verbOf(each, word, tree);
    // Only what is called so, or as everywhere.
    if (verb !== undefined && (verb === word || verb === meaningOf(word))) found.push(`${each} ${verb}`);
  }
  return found.length === 0 ? undefined : `did you mean ${typed(found.slice(0, 4))}?`;
}

/** A hint for a wrong verb: another word for one, or a target whose verb was left out. */
export async function hintOfVerb(
  path: string,
  words: readonly string[],
  near: string | undefined,
  tree: Tree,
): Promise<string | undefined> {
  const [noun = '', ...group] = path.split(' ').slice(1);
  if (group.length > 0) return undefined;
  // A word of other programs is surer than one that looks alike.
  if (near !== undefined && (await verbOf(noun, words[0] ?? '', tree)) === undefined) return undefined;
  const line = await lineOf(noun, words, tree);
  return line === noun ? undefined : `did you mean \`comem ${line}\`?`;
}

/** `metrics mrr` → `metrics get mrr`; `lists view x` → `lists get x`. */
async function lineOf(noun: string, words: readonly string[], tree: Tree): Promise<string> {
  const [word = '', ...rest] = words.map(shellWord);
  const verb = await verbOf(noun, words[0] ?? '', tree);
  if (verb !== undefined) {
    const taken = await placesOf(noun, verb, tree);
    return [noun, verb, ...rest.slice(0, taken), ...(word === 'export' ? ['-o csv'] : [])].join(' ');
  }
  // No target is called like a verb.
  if (meaningOf(word) !== undefined) return noun;
  const verbs = await verbsOf(tree, noun);
  for (const name of ['get', 'list', 'use', 'diff']) {
    const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
    const command: AnyCommand | undefined = load && (await load()).default;
    const args = (command?.args ?? []) as readonly Argument[];
    if (args.length === 1) return [noun, name, word, ...rest].join(' ');
  }
  return noun;
}

/** How many words a verb takes. */
async function placesOf(noun: string, verb: string, tree: Tree): Promise<number> {
  const load = (await verbsOf(tree, noun))[verb];
  const args = (load ? (await load()).default.args : []) as readonly Argument[];
  return args.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : args.length;
}

/** The noun of a word: itself, its singular or plural, whatever its case. */
function nounOf(word: string, tree: Tree): string | undefined {
  const text = word.toLowerCase();
  const forms = [text, `${text}s`, text.replace(/s$/, ''), text.replace(/y$/, 'ies'), text.replace(/ies$/, 'y')];
  return Object.keys(tree.nouns).find(
    (noun) => forms.includes(noun) || tree.nouns[noun]?.alsoCalled?.some((name) => forms.includes(name)),
  );
}

/** The verb of a noun that a word means, by itself, its alias, or what other programs call it. */
async function verbOf(noun: string, word: string, tree: Tree): Promise<string | undefined> {
  const verbs = Object.keys(await verbsOf(tree, noun)).filter((verb) => verb !== '');
  const text = word.toLowerCase();
  const itself = verbs.find((verb) => verb === text || aliasOf(verb) === text);
  return itself ?? verbWords[meaningOf(text) ?? '']?.find((verb) => verbs.includes(verb));
}

function meaningOf(word: string): string | undefined {
  return Object.keys(meanings).find((meaning) => meanings[meaning]?.includes(word.toLowerCase()));
}

/** `a`, `b` or `c`. */
function alternatives(names: readonly string[]): string {
  return names.join(', ').replace(/, (?!.*, )/, ' or ');
}

/** Nouns and verbs are few and short, so more may be wrong: two letters where the first is right, or the number. */
export function slip(word: string, known: readonly string[]): string | undefined {
  const plural = word.length > 2 && word.endsWith('y') ? `${word.slice(0, -1)}ies` : undefined;
  return known.find((each) => each === plural || (each[0] === word[0] && editDistance(word, each) <= 2));
}
