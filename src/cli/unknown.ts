/** Failures for words and flags that comem does not have, with the nearest name as hint. Loaded only for such a line. */
import { type Failure, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { type Flags, longName } from './define.ts';
import { type Command, isFlag, pathOf, unknownIn } from './parser.ts';
import type { OtherNames, Tree } from './tree.ts';
import { shellWord } from './words.ts';

/** @param flagSets the flags of the commands that may be meant, besides those of the parser */
export async function unknownFlag(parser: Command, flagSets: readonly Flags[], tree: Tree): Promise<Failure> {
  const [flag = ''] = (unknownIn(parser) ?? '').split('=', 1);
  const known = [
    ...parser.options.flatMap(({ long }) => long ?? []),
    '--help',
    ...flagSets.flatMap((flags) => Object.keys(flags).map(longName)),
  ];
  const name = flag.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
  const { flags } = await namesOf(tree);
  const translated = [name, ...(lookUp(flags, name) ?? [])].find((each) => known.includes(`--${each.split(' ')[0]}`));
  const likely = translated === undefined ? nearest(flag, known) : `--${translated}`;
  const path = pathOf(parser);
  return usage(
    `unknown flag ${flag} for \`${path}\``,
    likely ? `did you mean ${likely}?` : `run \`${path} --help\` to see the flags`,
  );
}

/** @param topics the words that `comem help` knows besides nouns; empty for every other command line */
export async function unknownWord(parser: Command, topics: readonly string[], tree: Tree): Promise<Failure> {
  const [word = '', ...rest] = parser.args.filter((each) => !isFlag(each));
  const isRoot = parser.parent === null;
  const path = topics.length > 0 ? 'comem help' : pathOf(parser);
  const verbs = parser.commands.map((each) => each.name());
  if (!isRoot && Object.hasOwn(tree.nouns, word)) {
    return usage(`"${word}" is a noun, and \`${path}\` needs a verb`, `use one of ${verbs.join(', ')}`);
  }
  const known = [...parser.commands.flatMap((each) => [each.name(), ...each.aliases()]), ...topics];
  const names = await namesOf(tree);
  const near = nearestWord(word, known);
  const translated = isRoot
    ? lookUp(names.commands, word)?.map((command) => (topics.length > 0 ? nounOf(command) : command))
    : lookUp(names.verbs, word)
        ?.filter((verb) => verbs.includes(verb.split(' ', 1)[0] ?? ''))
        .slice(0, 1);
  const likely = translated?.length ? translated : near === undefined ? [] : [near];
  // A whole command takes none of the words that were typed.
  const isWhole = translated?.some((each) => isRoot || each.includes(' '));
  const end = isWhole ? [] : rest.map(shellWord);
  const commands = likely.map((each) => `\`${[path, each, ...end].join(' ')}\``);
  return usage(
    isRoot ? `unknown noun${topics.length > 0 ? ' or topic' : ''} "${word}"` : `unknown verb "${word}" for \`${path}\``,
    commands.length > 0 ? `did you mean ${alternatives([...new Set(commands)])}?` : `use one of ${known.join(', ')}`,
  );
}

async function namesOf(tree: Tree): Promise<OtherNames> {
  return (await tree.otherNames?.())?.otherNames ?? { commands: {}, verbs: {}, flags: {} };
}

function lookUp(names: Readonly<Record<string, readonly string[]>>, word: string): readonly string[] | undefined {
  return Object.hasOwn(names, word.toLowerCase()) ? names[word.toLowerCase()] : undefined;
}

/** `entry` is near `entries`, though five letters differ. */
function nearestWord(word: string, known: readonly string[]): string | undefined {
  const plural = word.length > 2 ? `${word.toLowerCase().replace(/y$/, 'ie')}s` : word;
  return known.find((each) => each === plural) ?? nearest(word, known) ?? nearest(plural, known);
}

/** The part of a command that `comem help` takes: `metrics series` of `metrics series -o csv`. */
function nounOf(command: string): string {
  return command.replace(/ (-|[A-Z]).*$/, '');
}

/** `a`, `b` or `c`. */
function alternatives(names: readonly string[]): string {
  return names.join(', ').replace(/, (?!.*, )/, ' or ');
}
