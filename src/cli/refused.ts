/** Command lines that are refused: unknown words and flags with the nearest name, and what commander refuses in our words. */
import type { Environment } from '../config/store.ts';
import { Failure, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { parsePeriod, writtenPeriod } from '../core/periods.ts';
import { shortFlags } from './applies.ts';
import {
  type AnyCommand,
  type Argument,
  checkChoice,
  type Flag,
  type Flags,
  globalsBeside,
  listed,
  longName,
  synopsis,
  synopsisWords,
} from './define.ts';
import { type Command, CommanderError, isFlag, pathOf, readFlagValues, splitFlags, unknownIn } from './parser.ts';
import { allCommands, commandsOf, type OtherNames, type Tree, unaliased, verbsOf } from './tree.ts';
import { shellWord } from './words.ts';

/** The arguments of a command that lacks some of them. @throws usage for one that is not a choice, or too many */
export function argumentValues(parser: Command, command: AnyCommand): unknown[] {
  const words = (command.args as readonly Argument[]).map(({ name, choices, variadic }, at) => {
    const words = variadic ? parser.args.slice(at) : parser.args.slice(at, at + 1);
    for (const word of words) checkChoice(name.toUpperCase(), choices, word);
    return variadic ? words : words[0];
  });
  if (parser.args.length <= words.flat().length) return words;
  throw refused(new CommanderError(1, 'commander.excessArguments', ''), parser, command);
}

/** Translates commander's refusal of a known command's arguments. */
export function refused(
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
export function missingValue(parser: Command, argv: readonly string[]): Failure {
  // The parser has seen the flag, so there is one.
  const last = argv.at(-1) ?? '';
  const short = last.startsWith('--') ? '' : `-${last.at(-1)}`;
  const flag = parser.options.find((option) => option.long === last || option.short === short);
  return usage(`${flag?.long ?? last} needs a value`, `run \`${pathOf(parser)} --help\` to see the flags`);
}

/** An unknown flag, and where it stands. */
interface FlagProblem {
  parser: Command;
  /** The command of the parser; undefined for a noun. */
  command: AnyCommand | undefined;
  /** The commands that the words may still name. */
  commands: readonly AnyCommand[];
  argv: readonly string[];
  tree: Tree;
  env: Environment;
}

export async function unknownFlag(problem: FlagProblem): Promise<Failure> {
  const { parser, command, commands, argv, tree } = problem;
  const [, flag = '', inner] = /^([^=]*)(?:=(.*))?$/s.exec(unknownIn(parser) ?? '') ?? [];
  const path = pathOf(parser);
  const name = flag.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
  const known = [
    ...parser.options.flatMap(({ long }) => long?.slice(2) ?? []),
    'help',
    ...commands.flatMap(({ flags }) => Object.keys({ ...globalsBeside(flags), ...flags }).map(bareName)),
  ];
  const says = `unknown flag ${flag} for \`${path}\``;
  if (command && inner !== undefined && known.includes(name)) {
    return usage(`${flag} takes no value, got "${inner}"`, `write ${flag} alone`);
  }
  const { flags, removed } = await namesOf(tree);
  const replacement = removed[`${parser.name()} --${name}`] ?? removed[`--${name}`];
  if (replacement !== undefined) return usage(says, replacement);
  const argument = parser.registeredArguments.find((argument) => argument.name().toLowerCase() === name);
  if (argument) {
    const words = parser.registeredArguments.map((word) => word.name()).join(' ');
    return usage(says, `${argument.name()} has no flag: \`${path} ${words}\``);
  }
  const owners = commands.filter((each) => Object.keys(each.flags).map(longName).includes(flag));
  if (owners.length > 0) return usage(says, ownersHint(owners) ?? `run \`${path} --help\` to see its commands`);
  const translated = [name, ...(lookUp(flags, name) ?? [])].find((text) => known.includes(text.split(' ')[0] ?? ''));
  if (translated !== undefined) return usage(says, `did you mean --${translated}?`);
  const next = argv[argv.indexOf(flag) + 1];
  const value = inner ?? (next === undefined || isFlag(next) ? undefined : next);
  const near = nearest(name, known);
  const hint =
    (command && (await columnMeant(problem, name, value))) ??
    (near && `did you mean --${near}?`) ??
    (command && (settingMeant(command, name, value) ?? (await elsewhereMeant(command, name, tree))));
  return usage(says, hint || flagsHint(path, command));
}

function bareName(key: string): string {
  return longName(key).slice(2);
}

/** A condition for a flag that names a column of the result, or a word of one. */
async function columnMeant(problem: FlagProblem, name: string, value = 'VALUE'): Promise<string | undefined> {
  const { command } = problem;
  if (!command?.flags.where) return undefined;
  const columns = (await command.columns?.()) ?? [];
  const isNamed = (text = '') => folded(text) === folded(name);
  const column = columns.find(({ key, heading, aliases = [] }) => [key, heading, ...aliases].some(isNamed));
  const key = column?.key ?? (await cachedAttributes(problem)).find(isNamed);
  // A text needs quotes, and an option may have them.
  const isBare = column?.type !== 'id' && /^-?\d[\w.-]*$|^(?:true|false|VALUE)$/.test(value);
  const written = isBare ? value : JSON.stringify(value);
  if (key !== undefined) return `did you mean --where '${key} = ${written}'?`;
  const owner = columns.find(({ tones = {} }) => Object.keys(tones).some(isNamed));
  return owner && `did you mean --where '${owner.key} = "${name}"'?`;
}

/** `expires_at`, `expires-at` and `expiresAt` are one name. */
function folded(name: string): string {
  return name.replace(/[-_ ]/g, '').toLowerCase();
}

/** The slugs of LIST's attributes, if an earlier command has read them. */
async function cachedAttributes({ command, parser, env }: FlagProblem): Promise<string[]> {
  const args: readonly Argument[] = command?.args ?? [];
  const at = args.findIndex(({ name }) => name === 'LIST');
  const list = parser.args.filter((word) => !isFlag(word))[at];
  if (list === undefined) return [];
  const { knownTo } = await import('./completion/names.ts');
  try {
    return knownTo(readFlagValues(parser), env)
      .attributes(list)
      .map(({ word }) => word);
  } catch {
    return [];
  }
}

/** `protected=true` for `--protected`, where a command takes settings as words. */
function settingMeant({ args }: AnyCommand, name: string, value = 'true'): string | undefined {
  const takesPairs = (args as readonly Argument[]).some((argument) => argument.name === 'KEY=VALUE');
  return takesPairs ? `settings are written without dashes: ${name}=${shellWord(value)}` : undefined;
}

/** Another verb of the noun that has this name or this flag; else a flag or a verb whose help has the word. */
async function elsewhereMeant(command: AnyCommand, name: string, tree: Tree): Promise<string | undefined> {
  const [noun = ''] = command.path.split(' ');
  const others = (await commandsOf(tree, noun)).filter((other) => other !== command);
  const verb = others.find(({ path }) => `${name}-`.startsWith(`${path.slice(noun.length + 1)}-`));
  if (verb) return `did you mean \`comem ${verb.path}\`?`;
  const owners = ownersHint(others.filter(({ flags }) => Object.keys(flags).map(bareName).includes(name)));
  if (owners !== undefined) return owners;
  const hasWord = ({ summary }: { summary: string }) => new RegExp(`\\b${name}\\b`, 'i').test(summary);
  const flags = Object.entries<Flag>(command.flags).flatMap(([key, flag]) => (hasWord(flag) ? longName(key) : []));
  const verbs = others.filter(hasWord).map(({ path }) => `\`comem ${path}\``);
  const [only, ...more] = flags.length > 0 ? flags : verbs;
  return only !== undefined && more.length === 0 ? `did you mean ${only}?` : undefined;
}

/** The commands that have a flag; undefined for too many of them. */
function ownersHint(owners: readonly AnyCommand[]): string | undefined {
  if (owners.length === 0 || owners.length > mostSuggestions) return undefined;
  const names = listed(
    owners.map(({ path }) => `\`comem ${path}\``),
    'and',
  );
  return `${names} ${owners.length === 1 ? 'has' : 'have'} this flag`;
}

/** Few flags are named at once. */
function flagsHint(path: string, command: AnyCommand | undefined): string {
  const flags = Object.entries<Flag>(command?.flags ?? {}).filter(([, { hidden }]) => !hidden);
  const names = flags.map(([key]) => longName(key)).join(', ');
  return `run \`${path} --help\` to see the flags${names && flags.length <= shortFlags ? `: ${names}` : ''}`;
}

/** An unknown noun or verb, and where it stands. */
interface WordProblem {
  parser: Command;
  /** The words that `comem help` knows besides nouns; empty for every other command line. */
  topics: readonly string[];
  argv: readonly string[];
  tree: Tree;
  /** The flags of all commands that the line may be. */
  flagSets: readonly Flags[];
}

export async function unknownWord(problem: WordProblem): Promise<Failure> {
  const { parser, topics, tree } = problem;
  const [word = ''] = parser.args.filter((arg) => !isFlag(arg));
  const isRoot = parser.parent === null;
  const path = topics.length > 0 ? 'comem help' : pathOf(parser);
  const says = isRoot
    ? `unknown noun${topics.length > 0 ? ' or topic' : ''} "${word}"`
    : Object.hasOwn(tree.nouns, word)
      ? `"${word}" is a noun, and \`${path}\` needs a verb`
      : `unknown verb "${word}" for \`${path}\``;
  const { removed } = await namesOf(tree);
  const replacement = removed[`${parser.name()} ${word}`];
  if (replacement !== undefined) return usage(says, replacement);
  const lines = await Promise.all((await linesMeant(problem, word)).map((line) => completedLine(problem, line)));
  if (lines.length > 0) return usage(says, `did you mean ${listed([...new Set(lines)], 'or')}?`);
  const words = isRoot
    ? [...parser.commands.map((command) => command.name()), ...topics]
    : await listedVerbs(tree, parser);
  return usage(says, `use one of ${words.join(', ')}`);
}

/** More suggestions are no help. */
const mostSuggestions = 3;

/** The commands that an unknown word most likely means: by name, else by their help. */
async function linesMeant({ parser, topics, tree }: WordProblem, word: string): Promise<readonly string[]> {
  const [, ...path] = pathOf(parser).split(' ');
  const [noun] = path;
  const nouns = Object.keys(tree.nouns);
  const known = parser.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const names = await namesOf(tree);
  const verb = unaliased(word);
  const verbs = [verb, ...(lookUp(names.verbs, verb) ?? [])];
  const translated = noun === undefined ? lookUp(names.commands, word) : undefined;
  const near =
    (noun && verbs.find((each) => known.includes(each.split(' ', 1)[0] ?? ''))) ??
    nearestWord(word, [...known, ...topics]);
  if (translated ?? near) return translated ?? [[...path, near].join(' ')];
  const commands = await (noun === undefined ? allCommands(tree) : commandsOf(tree, noun));
  const withText = (textOf: (command: AnyCommand) => string) =>
    commands.filter((command) => isAbout(textOf(command), word)).map((command) => command.path);
  const named = nouns.filter(
    (each) => verbsOf(tree, each).list && isAbout(`${each} ${tree.nouns[each]?.summary.split(':')[0]}`, word),
  );
  const candidates = [
    named.map((each) => (noun === undefined ? each : `${each} list`)),
    Object.keys(verbsOf(tree, noun ?? '')).flatMap((each) => (isAbout(each, word) ? `${noun} ${each}` : [])),
    withText(({ summary }) => summary),
    nouns.flatMap((each) => (Object.hasOwn(verbsOf(tree, each), word) ? `${each} ${word}` : [])),
    withText(({ description = '', manual = '' }) => `${description} ${manual}`),
  ];
  return candidates.find(({ length }) => length > 0 && length <= mostSuggestions) ?? [];
}

/** Whether a text has a word, or another form of it. */
function isAbout(text: string, word: string): boolean {
  const stem = word.toLowerCase().replace(/(?<=.{4})(?:s|es|ed|ing|ion)$/, '');
  return /^[a-z-]{3,}$/.test(stem) && new RegExp(`\\b${stem}[a-z]{0,6}\\b`, 'i').test(text);
}

/** The command line with a command in the place of the unknown word: with the words and flags that it takes. */
async function completedLine({ parser, topics, argv, tree, flagSets }: WordProblem, line: string): Promise<string> {
  const [start = ''] = line.split(/ (?=[^a-z])/, 1);
  const path = start.split(' ');
  if (topics.length > 0) return `\`comem help ${path.join(' ')}\``;
  const { operands, flags } = splitFlags(argv, flagSets);
  const rest = operands.slice(pathOf(parser).split(' ').length);
  const { command, words } = await commandAt(tree, path.length === line.split(' ').length ? [...path, ...rest] : path);
  if (!command) return `\`comem ${[line, ...rest.map(shellWord)].join(' ')}\``;
  if (command.unlisted) return command.unlisted;
  const takes: Flags = { ...globalsBeside(command.flags), ...command.flags };
  const tokens = new Set(Object.entries(takes).flatMap(([key, { short }]) => [longName(key), `-${short}`]));
  const ofCompany = flags.filter(({ token }) => /^(?:-c|--company)$/.test(token));
  const isSeveral = ofCompany.length > 1 || ofCompany.some(({ value }) => value?.startsWith('@'));
  if (isSeveral && !command.manyCompanies) for (const { token } of ofCompany) tokens.delete(token);
  const kept = flags.filter(({ token }) => tokens.has(token));
  const isFirst = ({ token }: { token: string }) => /^(?:-[cp]|--company|--profile)$/.test(token);
  const written = (some: typeof flags) =>
    some.flatMap(({ token, value }) => [token, ...(value === undefined ? [] : [shellWord(value)])]);
  const args = command.args as readonly Argument[];
  const taken = args.at(-1)?.variadic ? words : words.slice(0, args.length);
  // A prompt asks for the others.
  const unasked = args.slice(taken.length).filter(({ picker }) => picker === undefined);
  const lacking = synopsisWords({ ...command, args: unasked }).filter(
    (word) => !word.startsWith('[') && !kept.some(({ token }) => word.startsWith(`${token} `)),
  );
  const template = line.split(' ').slice(path.length);
  const parts = template.length > 0 ? [...path, ...template] : [command.path, ...taken.map(shellWord), ...lacking];
  const end = written(kept.filter((each) => !isFirst(each) && !template.includes(each.token)));
  return `\`${['comem', ...written(kept.filter(isFirst)), ...parts, ...end].join(' ')}\``;
}

/** The command at the start of some words, and the words after it. */
async function commandAt(tree: Tree, path: readonly string[]): Promise<{ command?: AnyCommand; words: string[] }> {
  const [first = '', ...rest] = path;
  const [noun = '', ...words] = [...(tree.shortcuts[first] ?? [first]), ...rest];
  const verbs = verbsOf(tree, noun);
  for (let length = words.length; length >= 0; length -= 1) {
    const load = verbs[words.slice(0, length).map(unaliased).join(' ')];
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
  const plural = word.length > 2 ? `${word.toLowerCase().replace(/y$/, 'ie')}s` : word;
  return known.find((candidate) => candidate === plural) ?? nearest(word, known) ?? nearest(plural, known);
}
