/** Help texts. commander lays them out; examples and the names of the global flags come below. */
import { type AnyCommand, type Example, type Flag, globalsBeside, longName, synopsis } from './define.ts';
import { type Command, FlagOption, minWidthToWrap, pathOf, printedHelp, wrap } from './parser.ts';
import { type FoundHelp, Route } from './route.ts';
import { flagLabel, flagText, page, section, topics } from './topics.ts';
import { aliasPaths, commandsOf, type Tree } from './tree.ts';

/** Longer lines are hard to read. */
const widest = 100;

/** The help of the program, a noun, a group of verbs or a command. */
export async function helpText({ parser, command }: FoundHelp, tree: Tree, columns: number): Promise<string> {
  const path = pathOf(parser);
  const below = parser.commands.length > 0 ? await commandsBelow(path, tree) : [];
  for (const each of below) parserOf(each, parser, path)?.summary(each.summary);
  parser.configureHelp({
    minWidthToWrap,
    commandUsage: () => usageOf(parser, command),
    visibleCommands: leaves,
    // A noun has none of its own.
    ...(parser.parent && !command ? { visibleOptions: () => [] } : {}),
    subcommandTerm: (verb) => pathOf(verb).slice(path.length + 1),
    optionTerm: (option) => (option instanceof FlagOption ? flagLabel(option.key, option.flag) : option.flags),
    optionDescription: (option) => (option instanceof FlagOption ? flagText(option.flag) : option.description),
  });
  // The program's own fits a narrow screen, so that it is the same on every screen.
  const width = parser.parent ? Math.min(columns, widest) : 80;
  if (command) describeCommand(parser, command, tree, width);
  else if (parser.parent) describeNoun(parser, below, tree, width);
  else describeProgram(parser, width);
  return printedHelp(parser, width);
}

/** The help that `comem help WORD...` asks for. @throws usage for an unknown command or topic */
export async function helpOf(tree: Tree, words: readonly string[], columns: number): Promise<string> {
  const [word = ''] = words;
  const topic = words.length === 1 && Object.hasOwn(topics, word) ? topics[word] : undefined;
  if (topic) return topic.text(columns);
  const found = await new Route([...words, '--help'], tree, Object.keys(topics)).find();
  if (found.kind !== 'help') throw new Error('--help did not ask for help');
  return helpText(found, tree, columns);
}

async function commandsBelow(path: string, tree: Tree): Promise<AnyCommand[]> {
  const [, noun] = path.split(' ');
  const commands = noun === undefined ? [] : await commandsOf(tree, noun);
  return commands.filter((command) => `comem ${command.path}`.startsWith(`${path} `));
}

function parserOf(command: AnyCommand, top: Command, path: string): Command | undefined {
  const words = `comem ${command.path}`.slice(path.length + 1).split(' ');
  return words.reduce<Command | undefined>((at, word) => at?.commands.find((each) => each.name() === word), top);
}

/** The verbs themselves, without the groups that they are in. */
function leaves(parser: Command): Command[] {
  return parser.commands
    .filter((each) => each.summary() !== '' || each.commands.length > 0)
    .flatMap((each) => (each.commands.length > 0 ? leaves(each) : [each]));
}

function usageOf(parser: Command, command: AnyCommand | undefined): string {
  if (command) return synopsis(command);
  return parser.parent ? `${pathOf(parser)} VERB [flags]` : 'comem NOUN VERB [TARGET] [flags]';
}

function describeCommand(parser: Command, command: AnyCommand, tree: Tree, width: number): void {
  const paragraphs = (command.description ?? '').split(/\n\s*\n/).map((text) => text.trim().replace(/\s+/g, ' '));
  parser.description([`${command.summary}.`, ...paragraphs].filter((text) => text !== '').join('\n\n'));
  below(parser, [
    section('Global flags', globalNames(command, width)),
    section(
      'Aliases',
      aliasPaths(tree, command).map((path) => `  comem ${path}`),
    ),
    section('File', fileLines(command.file, width)),
    section('Examples', exampleLines(command.examples, width)),
    wrap('`comem help flags` explains the global flags, `comem help exit-codes` the exit codes.', width),
    ...(command.manual ? [wrap(`\`man comem-${command.path.split(' ')[0]}\` has the details.`, width)] : []),
  ]);
}

function fileLines(paragraphs: readonly string[] = [], width: number): string[] {
  return paragraphs.flatMap((text) => wrap(text, width - 2)).map((line) => `  ${line}`);
}

function describeNoun(parser: Command, commands: readonly AnyCommand[], tree: Tree, width: number): void {
  const isNoun = parser.parent?.parent === null;
  parser.description(isNoun ? `${tree.nouns[parser.name()]?.summary}.` : '');
  const examples = commands.flatMap((command: AnyCommand) => command.examples.slice(0, 1)).slice(0, 3);
  below(parser, [
    section('Examples', exampleLines(examples, width)),
    wrap(`\`${pathOf(parser)} VERB --help\` explains one verb.`, width),
  ]);
}

function describeProgram(parser: Command, width: number): void {
  const examples = [
    { run: 'comem -p demo lists list', says: 'the lists of the demo company' },
    { run: 'comem -p demo entries list portfolio -o csv', says: 'all entries of a list, as CSV' },
    { run: 'comem -p demo metrics series --last 12', says: 'twelve months of every metric' },
    { run: 'comem auth login', says: 'save a credential for your own company' },
  ];
  parser.description('Custom lists and company metrics from the command line.');
  below(parser, [
    section('Examples, on demo data inside the program', exampleLines(examples, width)),
    [
      'comem NOUN --help         the verbs of a noun',
      'comem NOUN VERB --help    flags and examples of a verb',
      'comem help flags          flags that every command takes',
      'comem help environment    environment variables',
      'comem help exit-codes     what each exit code means',
    ],
  ]);
}

function below(parser: Command, blocks: readonly (readonly string[])[]): void {
  parser.addHelpText('after', `\n${page(blocks).trimEnd()}`);
}

/** The names of the global flags; those of writes only where the command writes. */
function globalNames(command: AnyCommand, width: number): string[] {
  const ofWrites = new Set(['dryRun', 'keepUndo', 'yes', 'confirm']);
  const names = Object.entries<Flag>(globalsBeside(command.flags))
    .filter(([key]) => command.writes || !ofWrites.has(key) || (key === 'yes' && command.asks))
    .map(([key, flag]) => (flag.short ? `-${flag.short}/${longName(key)}` : longName(key)));
  return wrap(names.join(' '), width - 2).map((line) => `  ${line}`);
}

function exampleLines(examples: readonly Example[], width: number): string[] {
  return examples.flatMap(({ run, says }) => [
    ...run.split('\n').map((line) => `  ${line}`),
    ...wrap(says, width - 6).map((line) => `      ${line}`),
  ]);
}
