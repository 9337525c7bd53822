/** Command lines that are refused: unknown words and flags with the nearest name, and what commander refuses in our words. */
import { Failure, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { parsePeriod, writtenPeriod } from '../core/periods.ts';
import { type AnyCommand, type Argument, checkChoice, globalsBeside, longName, synopsis } from './define.ts';
import { type Command, CommanderError, isFlag, pathOf, unknownIn } from './parser.ts';
import { commandsOf, type OtherNames, type Tree } from './tree.ts';
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
        fieldsMeant(argv) ?? flagMeant(command, extra) ?? verbsOf(parser) ?? usageLine,
      );
    }
    default:
      return usage(error.message);
  }
}

/** The verbs of a noun that also does something without one. */
function verbsOf({ commands }: Command): string | undefined {
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

/** @param commands those that may be meant, besides that of the parser */
export async function unknownFlag(parser: Command, commands: readonly AnyCommand[], tree: Tree): Promise<Failure> {
  const [flag = ''] = (unknownIn(parser) ?? '').split('=', 1);
  const known = [
    ...parser.options.flatMap(({ long }) => long ?? []),
    '--help',
    ...commands.flatMap(({ flags }) => Object.keys({ ...globalsBeside(flags), ...flags }).map(longName)),
  ];
  const name = flag.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
  const { flags, removed } = await namesOf(tree);
  const translated = [name, ...(lookUp(flags, name) ?? [])].find((flagText) =>
    known.includes(`--${flagText.split(' ')[0]}`),
  );
  const likely = translated === undefined ? nearest(flag, known) : `--${translated}`;
  const path = pathOf(parser);
  const argument = parser.registeredArguments.find((argument) => argument.name().toLowerCase() === name);
  const says = `unknown flag ${flag} for \`${path}\``;
  const replacement = removed[`${parser.name()} --${name}`] ?? removed[`--${name}`];
  if (replacement !== undefined) return usage(says, replacement);
  if (argument) {
    const words = parser.registeredArguments.map((word) => word.name()).join(' ');
    return usage(says, `${argument.name()} has no flag: \`${path} ${words}\``);
  }
  if (likely === flag) {
    const owners = commands.filter(({ flags }) => Object.keys(flags).map(longName).includes(flag));
    const [owner] = owners;
    if (owner && owners.length === 1) return usage(says, `\`comem ${owner.path}\` has this flag`);
    return usage(says, `a command under it has this flag: run \`${path} --help\` to see them`);
  }
  return usage(says, likely ? `did you mean ${likely}?` : `run \`${path} --help\` to see the flags`);
}

/** @param topics the words that `comem help` knows besides nouns; empty for every other command line */
export async function unknownWord(parser: Command, topics: readonly string[], tree: Tree): Promise<Failure> {
  const [word = '', ...rest] = parser.args.filter((arg) => !isFlag(arg));
  const isRoot = parser.parent === null;
  const path = topics.length > 0 ? 'comem help' : pathOf(parser);
  const verbs = parser.commands.map((command) => command.name());
  if (!isRoot && Object.hasOwn(tree.nouns, word)) {
    return usage(`"${word}" is a noun, and \`${path}\` needs a verb`, `use one of ${verbs.join(', ')}`);
  }
  const known = [...parser.commands.flatMap((command) => [command.name(), ...command.aliases()]), ...topics];
  const names = await namesOf(tree);
  const replacement = names.removed[`${parser.name()} ${word}`];
  if (replacement !== undefined) return usage(`unknown verb "${word}" for \`${path}\``, replacement);
  const near = nearestWord(word, known);
  const translated = isRoot
    ? lookUp(names.commands, word)?.map((command) => (topics.length > 0 ? nounOf(command) : command))
    : lookUp(names.verbs, word)
        ?.filter((verb) => verbs.includes(verb.split(' ', 1)[0] ?? ''))
        .slice(0, 1);
  const likely = translated?.length ? translated : near === undefined ? [] : [near];
  // A whole command takes none of the words that were typed.
  const isWhole = translated?.some((translation) => isRoot || translation.includes(' '));
  const end = isWhole ? [] : rest.map(shellWord);
  const commands = likely.map((suggestion) => `\`${[path, suggestion, ...end].join(' ')}\``);
  return usage(
    isRoot ? `unknown noun${topics.length > 0 ? ' or topic' : ''} "${word}"` : `unknown verb "${word}" for \`${path}\``,
    commands.length > 0
      ? `did you mean ${alternatives([...new Set(commands)])}?`
      : `use one of ${(isRoot ? known : await listedVerbs(tree, parser)).join(', ')}`,
  );
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

/** The part of a command that `comem help` takes: `metrics series` of `metrics series -o csv`. */
function nounOf(command: string): string {
  return command.replace(/ (-|[A-Z]).*$/, '');
}

/** `a`, `b` or `c`. */
function alternatives(names: readonly string[]): string {
  return names.join(', ').replace(/, (?!.*, )/, ' or ');
}
