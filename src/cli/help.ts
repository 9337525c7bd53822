/** Help texts: which blocks a page has. commander lays out their items, and src/cli/help-page.ts fits them. */
import { type AnyCommand, type Example, type Flag, longName, synopsis } from './define.ts';
import { type Block, fitted, textOf } from './help-page.ts';
import { type Command, FlagOption, type Help, minWidthToWrap, pathOf, printedHelp, wrap } from './parser.ts';
import { askManual } from './query.ts';
import { type FoundHelp, Route } from './route.ts';
import { confirmation, flagLabel, flagText, topics } from './topics.ts';
import { aliasPaths, commandsOf, type Tree } from './tree.ts';
import { usefulGlobals } from './useful-flags.ts';

/** Longer lines are hard to read. */
export const widest = 100;

/** The help of the program, a noun, a group of verbs or a command; `isLong`: with all that the man page has. */
export async function helpText(found: FoundHelp, tree: Tree, columns: number): Promise<string> {
  const { parser, command, isLong } = found;
  const path = pathOf(parser);
  const below = parser.commands.length > 0 ? await commandsBelow(path, tree) : [];
  for (const each of below) parserOf(each, parser, path)?.summary(each.summary);
  // The program's own fits a narrow screen, so that it is the same on every screen.
  const width = parser.parent ? Math.min(columns, widest) : 80;
  parser.configureHelp({
    minWidthToWrap,
    commandUsage: () => usageOf(parser, command),
    visibleCommands: leaves,
    // Help has a line of its own at the end.
    visibleOptions: () => parser.options.filter((option) => option instanceof FlagOption && !option.hidden),
    subcommandTerm: (verb) => pathOf(verb).slice(path.length + 1),
    optionTerm: (option) => (option instanceof FlagOption ? flagLabel(option.key, option.flag) : option.flags),
    optionDescription: (option) => (option instanceof FlagOption ? flagText(option.flag) : option.description),
    formatHelp: (_, help) => {
      if (command) return commandPage({ parser, command, tree, help, width, isLong });
      return parser.parent ? nounPage(parser, below, tree, help, width) : programPage(parser, tree, help, width);
    },
  });
  return printedHelp(parser, width);
}

/** The help that `comem help WORD...` asks for. @throws usage for an unknown command or topic */
export async function helpOf(tree: Tree, words: readonly string[], columns: number, isLong = false): Promise<string> {
  const [word = ''] = words;
  const topic = words.length === 1 && Object.hasOwn(topics, word) ? topics[word] : undefined;
  if (topic) return topic.text(columns, isLong);
  const argv = [...words, '--help', ...(isLong ? ['--long'] : [])];
  const found = await new Route(argv, tree, Object.keys(topics)).find();
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

interface CommandHelp {
  parser: Command;
  command: AnyCommand;
  tree: Tree;
  help: Help;
  width: number;
  isLong: boolean;
}

function commandPage({ parser, command, tree, help, width, isLong }: CommandHelp): string {
  const { description = '', manual = '', file = [], path, summary } = command;
  const aliases = aliasPaths(tree, command).map((alias) => `comem ${alias}`);
  const [first = '', ...rest] = description.split(/\n\s*\n/).map((text) => text.trim().replace(/\s+/g, ' '));
  const texts = (parts: readonly string[]): Block[] =>
    parts.filter((part) => part.trim() !== '').map((part) => ({ items: [wrap(part.trim(), width)] }));
  const blocks: Block[] = [
    { items: [wrap(`${summary}.`, width)] },
    ...texts([first]).map((block): Block => ({ ...block, optional: true })),
    ...(isLong ? texts([...rest, ...manual.split(/\n\s*\n/), ...askManual(command.flags)]) : []),
    ...texts([confirmation(command) ?? '']),
    {
      items: [
        [`Usage: ${help.commandUsage(parser)}`],
        ...(aliases.length > 0 ? [[`Also:  ${aliases.join(', ')}`]] : []),
      ],
    },
    { title: 'EXAMPLES', items: exampleItems(command.examples, width), least: 3, most: 5 },
    { title: 'ARGUMENTS', items: argumentItems(parser, help) },
    ...flagBlocks(parser, help, isLong),
    { title: 'VERBS', items: verbItems(parser, help) },
    ...(isLong ? [{ title: 'FILE', items: file.map((text) => indented(wrap(text, width - 2))) }] : []),
    { items: [isLong ? globalNames(command, width) : shortGlobals(command, width)] },
    {
      tight: !isLong,
      items: isLong
        ? [wrap(`\`comem help flags\` explains the global flags, \`comem help exit-codes\` the exit codes.`, width)]
        : [wrap(`\`comem ${path} --help --long\` has the rest.`, width)],
    },
  ];
  const namesOf = (left: readonly string[]) => indented(wrap(left.join(' '), width - 2));
  return textOf(isLong ? blocks : fitted(blocks, namesOf));
}

function argumentItems(parser: Command, help: Help): string[][] {
  const widest = help.longestArgumentTermLength(parser, help);
  return help
    .visibleArguments(parser)
    .map((argument) =>
      help.formatItem(help.argumentTerm(argument), widest, help.argumentDescription(argument), help).split('\n'),
    );
}

function verbItems(parser: Command, help: Help): string[][] {
  const widest = help.longestSubcommandTermLength(parser, help);
  return help
    .visibleCommands(parser)
    .map((verb) => help.formatItem(help.subcommandTerm(verb), widest, verb.summary(), help).split('\n'));
}

/** The widest flag of a short page whose meaning is beside it; that of a wider one is below it. */
const widestTerm = 26;

/** A block for each group of flags. A short page leaves out rules that need a second line. */
function flagBlocks(parser: Command, help: Help, isLong: boolean): Block[] {
  const widest = Math.min(help.padWidth(parser, help), isLong ? Number.POSITIVE_INFINITY : widestTerm);
  const itemOf = (term: string, meaning: string): string[] =>
    term.length > widest
      ? [`  ${term}`, ...help.formatItem(' ', widest, meaning, help).split('\n')]
      : help.formatItem(term, widest, meaning, help).split('\n');
  const groups = help.groupItems([], help.visibleOptions(parser), (option) => option.helpGroupHeading ?? 'FLAGS');
  return [...groups].map(([title, options]) => ({
    title,
    ...(isLong ? {} : { names: options.map((option) => (option.mandatory ? undefined : (option.long ?? undefined))) }),
    items: options.map((option) => {
      const term = help.optionTerm(option);
      const full = itemOf(term, help.optionDescription(option));
      return isLong || full.length === 1 ? full : itemOf(term, option.description);
    }),
  }));
}

function nounPage(parser: Command, commands: readonly AnyCommand[], tree: Tree, help: Help, width: number): string {
  const isNoun = parser.parent?.parent === null;
  const summary = isNoun ? tree.nouns[parser.name()]?.summary : undefined;
  const examples = commands.flatMap((command: AnyCommand) => command.examples.slice(0, 1)).slice(0, 3);
  const blocks: Block[] = [
    { items: summary === undefined ? [] : [wrap(`${summary}.`, width)] },
    { items: [[`Usage: ${help.commandUsage(parser)}`]] },
    { title: 'EXAMPLES', items: exampleItems(examples, width), least: 1, most: 3 },
    { title: 'VERBS', items: verbItems(parser, help) },
    { items: [wrap(`\`${pathOf(parser)} VERB --help\` explains one verb.`, width)] },
  ];
  return textOf(fitted(blocks));
}

function programPage(parser: Command, tree: Tree, help: Help, width: number): string {
  const { summary, examples } = tree.about;
  const nouns = Object.entries(tree.nouns);
  const groups = (['DATA', 'AUTOMATION', 'SETUP'] as const).map((title, at): Block => {
    const items = nouns
      .filter(([, { group = 'SETUP' }]) => group === title)
      .map(([noun, { brief, summary }]) => `${noun.padEnd(12)}${brief ?? summary}`);
    return { title, items: twoColumns(items, width).map((line) => [line]), tight: at > 0 };
  });
  return textOf([
    { items: [[`${summary}.`]] },
    { items: [[`Usage: ${help.commandUsage(parser)}`]] },
    { title: 'EXAMPLES (-p demo is data inside the program)', items: examples.map(({ run }) => [`  ${run}`]) },
    ...groups,
    { items: [['More: comem NOUN [VERB] --help, comem help flags|environment|exit-codes']], tight: true },
  ]);
}

function twoColumns(cells: readonly string[], width: number): string[] {
  const rows = Math.ceil(cells.length / 2);
  return cells.slice(0, rows).map((cell, at) => `  ${cell.padEnd(width / 2)}${cells[at + rows] ?? ''}`.trimEnd());
}

/** The names of the global flags; those of writes only where the command writes. */
function globalNames(command: AnyCommand, width: number): string[] {
  return ['GLOBAL FLAGS', ...indented(wrap(globalsOf(command).join(' '), width - 2))];
}

/** As many of them as one line holds. */
function shortGlobals(command: AnyCommand, width: number): string[] {
  const end = ' …: `comem help flags`';
  let line = 'Global flags:';
  for (const name of globalsOf(command)) {
    const next = name.replace(/^(-.)\/.*/, '$1');
    if (line.length + next.length + 1 + end.length > width) break;
    line += ` ${next}`;
  }
  return [line + end];
}

function globalsOf(command: AnyCommand): string[] {
  const shown = Object.entries<Flag>(usefulGlobals(command));
  // A write says first how it is tried and confirmed.
  const isFirst = ([key]: [string, Flag]) => (key === 'dryRun' || key === 'yes' ? 0 : 1);
  return shown
    .sort((one, other) => isFirst(one) - isFirst(other))
    .map(([key, flag]) => (flag.short ? `-${flag.short}/${longName(key)}` : longName(key)));
}

function exampleItems(examples: readonly Example[], width: number): string[][] {
  return examples.map(({ run, says }) => [
    ...run.split('\n').map((line) => `  ${line}`),
    ...wrap(says, width - 6).map((line) => `      ${line}`),
  ]);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
