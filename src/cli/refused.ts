/** Command lines that are refused: unknown words and flags with the nearest name, and what commander refuses in our words. */
import { Failure, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { parsePeriod, writtenPeriod } from '../core/periods.ts';
import { shortFlags } from './applies.ts';
import {
  type AnyCommand,
  type Argument,
  checkChoice,
  type Flag,
  globalsBeside,
  joinWords,
  longName,
  synopsis,
  synopsisWords,
} from './define.ts';
import { type Command, CommanderError, isFlag, pathOf, splitFlags, unknownIn } from './parser.ts';
import { topics } from './topics.ts';
import { commandsOf, type OtherNames, resolveAlias, type Tree, verbsOf } from './tree.ts';
import { shellWord } from './words.ts';

/** The arguments of a command that lacks some of them. @throws usage for one that is not a choice, or too many */
export function argumentValues(parser: Command, command: AnyCommand): unknown[] {
  const words = (command.args as readonly Argument[]).map(({ name, choices, variadic }, at) => {
    const words = variadic ? parser.args.slice(at) : parser.args.slice(at, at + 1);
    for (const word of words) checkChoice(name.toUpperCase(), choices, word);
    return variadic ? words : words[0];
  });
  if (parser.args.length <= words.flat().length) return words;
  throw usageRefusal(new CommanderError(1, 'commander.excessArguments', ''), parser, command);
}

/** Translates commander's refusal of a known command's arguments. */
export function usageRefusal(
  error: CommanderError,
  parser: Command,
  command: AnyCommand,
  argv: readonly string[] = [],
): Failure {
  const { args, options, registeredArguments } = parser;
  const usageLine = command.unlisted ? `use ${command.unlisted}` : `usage: ${synopsis(command)}`;
  switch (error.code) {
    case 'commander.missingArgument': {
      const missing = registeredArguments.find(({ required }, at) => required && args[at] === undefined);
      return usage(`${missing?.name()} is missing`, usageLine);
    }
    case 'commander.missingMandatoryOptionValue': {
      const missing = options.find(
        (option) => option.mandatory && parser.getOptionValue(option.attributeName()) === undefined,
      );
      return usage(`${missing?.long} is required`, usageLine);
    }
    case 'commander.excessArguments': {
      const names = registeredArguments.map((argument) => argument.name()).join(' ');
      const takes = names === '' ? 'no argument' : `only ${names}`;
      const extra = args[registeredArguments.length];
      return usage(
        `\`comem ${command.path}\` takes ${takes}, got "${extra}"${names === '' ? '' : ' too'}`,
        fieldsMeant(argv) ?? flagMeant(command, extra) ?? verbsHint(parser) ?? usageLine,
      );
    }
    default:
      return usage(error.message);
  }
}

/** The verbs of a noun that also does something without one. */
function verbsHint({ commands }: Command): string | undefined {
  return commands.length === 0 ? undefined : `its verbs are ${commands.map((verb) => verb.name()).join(', ')}`;
}

/** `--json name,slug`, as gh has it: columns are another flag here. */
function fieldsMeant(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word, index) => word === '--json' && /^\w[\w.,-]*$/.test(argv[index + 1] ?? ''));
  return at < 0 ? undefined : `did you mean --json --fields ${argv[at + 1]}?`;
}

/** The flag for a metric, a value or a title that stands where a command takes no argument. */
function flagMeant({ flags }: AnyCommand, extra = ''): string | undefined {
  const [isValue, name = '', value = ''] = /^([\w.-]+)=(.*)$/s.exec(extra) ?? [];
  const flagKey = isValue && Object.keys(flags).find((key) => longName(key) === `--${name}`);
  if (flagKey) return `did you mean --${name} ${shellWord(value)}?`;
  const period = writtenPeriod(extra);
  if (flags.period && parsePeriod(period)) return `did you mean --period ${period}?`;
  const meant =
    (flags.metrics?.short === 'm' && '-m') ||
    (isValue && ((flags.set && '--set') || (flags.filter && '--filter'))) ||
    (flags.where && /[<>=!]/.test(extra) && '--where') ||
    (flags.title && '--title') ||
    (flags.search && '--search');
  return meant ? `did you mean ${meant} ${shellWord(extra)}?` : undefined;
}

/** A flag at the end of argv that has no value. */
export function missingValue(parser: Command, command: AnyCommand | undefined, argv: readonly string[]): Failure {
  // The parser has seen the flag, so there is one.
  const last = argv.at(-1) ?? '';
  const short = last.startsWith('--') ? '' : `-${last.at(-1)}`;
  const flag = parser.options.find((option) => option.long === last || option.short === short);
  const says = `${flag?.long ?? last} needs a value`;
  const choices = Object.entries<Flag>(command?.flags ?? {}).find(([key]) => longName(key) === flag?.long)?.[1].choices;
  return usage(says, choices ? `give ${joinWords(choices)}` : `run \`${pathOf(parser)} --help\` to see the flags`);
}

/** @param command undefined for a noun, whose flags belong to its verbs */
export async function unknownFlag(parser: Command, command: AnyCommand | undefined, tree: Tree): Promise<Failure> {
  const [, flag = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(unknownIn(parser) ?? '') ?? [];
  const path = pathOf(parser);
  const name = flag.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
  const known = [...parser.options.flatMap(({ long }) => long?.slice(2) ?? []), 'help'];
  const says = `unknown flag ${flag} for \`${path}\``;
  if (command && value !== undefined && known.includes(name)) {
    return usage(`${flag} takes no value, got "${value}"`, `write ${flag} alone`);
  }
  const { flags, removed } = await namesOf(tree);
  const keys = [command?.path, parser.name()].map((words) => `${words} --${name}`);
  const replacement = [...keys, `--${name}`].map((key) => removed[key]).find((text) => text !== undefined);
  if (replacement !== undefined) return usage(says, replacement);
  if (command?.unlisted) return usage(`unknown flag ${flag}`, `use ${command.unlisted}`);
  const argument = parser.registeredArguments.find((argument) => argument.name().toLowerCase() === name);
  if (argument) {
    const words = parser.registeredArguments.map((word) => word.name()).join(' ');
    return usage(says, `${argument.name()} has no flag: \`${path} ${words}\``);
  }
  const translated = [name, ...(lookUp(flags, name) ?? [])].find((text) => known.includes(text.split(' ')[0] ?? ''));
  // A flag that help does not list is no suggestion.
  const listedFlags = parser.options.flatMap(({ long, hidden }) => (hidden ? [] : (long?.slice(2) ?? [])));
  const near = translated ?? nearest(name, [...listedFlags, 'help']);
  return usage(says, near === undefined ? flagsHint(path, command) : `did you mean --${near}?`);
}

const maxSuggestions = 3;

/** Few flags are named at once. */
function flagsHint(path: string, command: AnyCommand | undefined): string {
  if (!command) return `run \`${path} --help\` to see its commands`;
  const flags = Object.entries<Flag>(command.flags).filter(([, { hidden }]) => !hidden);
  const names = flags.map(([key]) => longName(key)).join(', ');
  const listing = `run \`${path} --help\` to see the flags${names && flags.length <= shortFlags ? `: ${names}` : ''}`;
  return command.flags.where ? `${listing}; --where 'NAME = VALUE' chooses rows by a column` : listing;
}

/** An unknown noun or verb, and where it stands. */
interface WordProblem {
  parser: Command;
  /** The words are those of `comem help`. */
  isHelp: boolean;
  argv: readonly string[];
  tree: Tree;
}

export async function unknownWord(problem: WordProblem): Promise<Failure> {
  const { parser, isHelp, tree } = problem;
  const [word = ''] = parser.args.filter((arg) => !isFlag(arg));
  const isRoot = parser.parent === null;
  const path = isHelp ? 'comem help' : pathOf(parser);
  const says = isRoot
    ? `unknown noun${isHelp ? ' or topic' : ''} "${word}"`
    : Object.hasOwn(tree.nouns, word)
      ? `"${word}" is a noun, and \`${path}\` needs a verb`
      : `unknown verb "${word}" for \`${path}\``;
  const names = await namesOf(tree);
  const replacement = names.removed[`${parser.name()} ${word}`];
  if (replacement !== undefined) return usage(says, replacement);
  const lines = await Promise.all(pathsMeant(problem, names, word).map((line) => completedLine(problem, line)));
  if (lines.length > 0) return usage(says, `did you mean ${joinWords([...new Set(lines)], 'or')}?`);
  if (isHelp) {
    return usage(says, `run \`comem help\` to see the nouns; the topics are ${joinWords(Object.keys(topics), 'and')}`);
  }
  const words = isRoot ? parser.commands.map((command) => command.name()) : await listedVerbs(tree, parser);
  return usage(says, `use one of ${words.join(', ')}`);
}

/** The commands that an unknown word most likely means: another program's name, the nearest name, a noun, or a verb. */
function pathsMeant({ parser, isHelp, tree }: WordProblem, names: OtherNames, word: string): readonly string[] {
  const [, ...path] = pathOf(parser).split(' ');
  const known = parser.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const verbs = [resolveAlias(word), ...(lookUp(names.verbs, resolveAlias(word)) ?? [])];
  const translated = path.length === 0 ? lookUp(names.commands, word) : undefined;
  if (translated) return translated;
  const verb = path.length > 0 ? verbs.find((each) => known.includes(each.split(' ', 1)[0] ?? '')) : undefined;
  const near = verb ?? nearestWord(word, [...known, ...(isHelp ? Object.keys(topics) : [])]);
  if (near !== undefined) return [[...path, near].join(' ')];
  if (verbsOf(tree, word).list) return [`${word} list`];
  const owners = Object.keys(tree.nouns).filter((noun) => Object.hasOwn(verbsOf(tree, noun), word));
  return owners.length <= maxSuggestions ? owners.map((noun) => `${noun} ${word}`) : [];
}

/** The typed command line with a command in the place of the unknown word, and the words and flags that it takes. */
async function completedLine({ parser, isHelp, argv, tree }: WordProblem, line: string): Promise<string> {
  if (isHelp) return `\`comem help ${line.split(/ (?=[^a-z])/, 1)}\``;
  const depth = pathOf(parser).split(' ').length;
  const lookAt = (operands: readonly string[]) => commandAt(tree, [...line.split(' '), ...operands.slice(depth)]);
  const { command } = await lookAt(splitFlags(argv, [globalsBeside({})]).operands);
  if (!command || /[^a-z ]/.test(line)) return `\`comem ${line}\``;
  if (command.unlisted) return command.unlisted;
  const { operands, flags } = splitFlags(argv, [globalsBeside(command.flags), command.flags]);
  const { words } = await lookAt(operands);
  const flagWords = flags.flatMap(({ token, value }) => [token, ...(value === undefined ? [] : [shellWord(value)])]);
  const args = command.args as readonly Argument[];
  const taken = args.at(-1)?.variadic ? words : words.slice(0, args.length);
  // A prompt asks for the others.
  const unasked = args.slice(taken.length).filter(({ picker }) => picker === undefined);
  const lacking = synopsisWords({ ...command, args: unasked }).filter(
    (word) => !word.startsWith('[') && !flagWords.includes(word.split(' ', 1)[0] ?? ''),
  );
  return `\`${['comem', command.path, ...taken.map(shellWord), ...lacking, ...flagWords].join(' ')}\``;
}

/** The command at the start of some words, and the words after it. */
async function commandAt(tree: Tree, path: readonly string[]): Promise<{ command?: AnyCommand; words: string[] }> {
  const [first = '', ...rest] = path;
  const [noun = '', ...words] = [...(tree.shortcuts[first] ?? [first]), ...rest];
  const verbs = verbsOf(tree, noun);
  for (let length = words.length; length >= 0; length -= 1) {
    const load = verbs[words.slice(0, length).map(resolveAlias).join(' ')];
    if (load) return { command: (await load()).default, words: words.slice(length) };
  }
  return { words };
}

/** The next words of the commands that help lists. */
async function listedVerbs(tree: Tree, parser: Command): Promise<string[]> {
  const path = parser.parent?.parent ? `${parser.parent.name()} ${parser.name()}` : parser.name();
  const [noun = ''] = path.split(' ');
  const paths = (await commandsOf(tree, noun))
    .map((command) => command.path)
    .filter((text) => text.startsWith(`${path} `));
  return [...new Set(paths.map((text) => text.slice(path.length + 1).split(' ')[0] ?? ''))];
}

/** A refused value that an earlier version took: its hint says what to write now. */
export async function withReplacement(error: unknown, argv: readonly string[], tree: Tree): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  const { removed } = await namesOf(tree);
  const words = argv.flatMap((word) => word.split('='));
  const hint = words.map((word, at) => removed[`${words[at - 1]} ${word}`]).find((text) => text !== undefined);
  return hint === undefined ? error : usage(error.message, hint);
}

async function namesOf(tree: Tree): Promise<OtherNames> {
  return (await tree.otherNames?.())?.otherNames ?? { commands: {}, verbs: {}, flags: {}, removed: {} };
}

function lookUp(names: Readonly<Record<string, readonly string[]>>, word: string): readonly string[] | undefined {
  return Object.hasOwn(names, word.toLowerCase()) ? names[word.toLowerCase()] : undefined;
}

/** `entry` is near `entries`, though five letters differ. */
function nearestWord(word: string, known: readonly string[]): string | undefined {
  const plural = pluralOf(word);
  return known.find((candidate) => candidate === plural) ?? nearest(word, known) ?? nearest(plural, known);
}

function pluralOf(word: string): string {
  return word.length > 2 ? `${word.toLowerCase().replace(/y$/, 'ie')}s` : word;
}
