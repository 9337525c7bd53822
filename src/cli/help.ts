/** Pages of help, on one screen or with `--long`. commander lays out their items. */

import { version } from '../../package.json';
import { globalFlags } from '../config/global-flags.ts';
import { foldedCommand } from '../output/terminal-text.ts';
import { firstFlags, firstSentence, shortExamples, shortFlags, usefulGlobals } from './applies.ts';
import { type AnyCommand, type Argument, type Example, type Flag, type Flags, longName, synopsis } from './define.ts';
import { type Command, FlagOption, type Help, minWidthToWrap, pathOf, printedHelp, wrap } from './parser.ts';
import { type HelpRequest, Route } from './route.ts';
import { confirmation, exitCodeRows, flagLabel, flagText, topics } from './topics.ts';
import { aliasPaths, commandsOf, type Tree } from './tree.ts';

/** Longer lines are hard to read. */
const widest = 100;

/** The help of the program, a noun, a group of verbs or a command; `isLong`: with all that the man page has. */
export async function helpText(request: HelpRequest, tree: Tree, columns: number): Promise<string> {
  const { parser, command, isLong } = request;
  const path = pathOf(parser);
  const below = parser.commands.length > 0 ? await commandsBelow(path, tree) : [];
  for (const child of below) parserOf(child, parser, path)?.summary(child.summary);
  const width = Math.min(columns, parser.parent ? widest : 80);
  const rules = command && isLong ? (await import('./query.ts')).rowFlagsManual(command.flags) : [];
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
      if (command) return commandPage({ parser, command, tree, help, width, isLong, rules });
      return parser.parent ? nounPage(parser, below, tree, help, width) : programPage(parser, tree, help, width);
    },
  });
  return printedHelp(parser, width);
}

/** The help that `comem help WORD...` asks for. @throws usage for an unknown command or topic */
export async function helpOf(tree: Tree, words: readonly string[], columns: number, isLong = false): Promise<string> {
  const [word = ''] = words;
  const topic = words.length === 1 && Object.hasOwn(topics, word) ? topics[word] : undefined;
  if (topic) return topic.text(columns);
  const argv = [...words, '--help', ...(isLong ? ['--long'] : [])];
  const request = await new Route(argv, tree, { isHelp: true }).find();
  if (request.kind !== 'help') throw new Error('--help did not ask for help');
  return helpText(request, tree, columns);
}

async function commandsBelow(path: string, tree: Tree): Promise<AnyCommand[]> {
  const [, noun] = path.split(' ');
  const commands = noun === undefined ? [] : await commandsOf(tree, noun);
  return commands.filter((command) => `comem ${command.path}`.startsWith(`${path} `));
}

function parserOf(command: AnyCommand, top: Command, path: string): Command | undefined {
  const words = `comem ${command.path}`.slice(path.length + 1).split(' ');
  return words.reduce<Command | undefined>((at, word) => at?.commands.find((command) => command.name() === word), top);
}

/** The verbs themselves, without the groups that they are in. */
function leaves(parser: Command): Command[] {
  return parser.commands
    .filter((command) => command.summary() !== '' || command.commands.length > 0)
    .flatMap((command) => (command.commands.length > 0 ? leaves(command) : [command]));
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
  /** The paragraphs about its row flags, of a long page. */
  rules: readonly string[];
}

function commandPage({ parser, command, tree, help, width, isLong, rules }: CommandHelp): string {
  const { description = '', manual = '', file = [], path, summary } = command;
  const aliases = aliasPaths(tree, command).map((alias) => `comem ${alias}`);
  const usage = [
    ...wrap(`Usage: ${help.commandUsage(parser)}`, width),
    ...(aliases.length > 0 ? [`Also:  ${aliases.join(', ')}`] : []),
  ];
  const start = [wrap(`${summary}.`, width)];
  const confirms = wrapParagraphs([confirmation(command) ?? ''], width);
  const args = [titled('ARGUMENTS', argumentItems(parser, help))];
  if (isLong) {
    return textOf([
      ...start,
      ...wrapParagraphs([description, manual, ...rules], width),
      ...confirms,
      usage,
      titled('EXAMPLES', exampleItems(command.examples, width)),
      ...args,
      ...flagBlocks(parser, help, command.flags),
      titled('VERBS', verbItems(parser, help)),
      titled('FILE', [wrapParagraphs(file, width - 2).flatMap(indented)]),
      ['GLOBAL FLAGS', ...indented(wrap(globalsOf(command).join(' '), width - 2))],
      wrap('`comem help flags` explains the global flags, `comem help exit-codes` the exit codes.', width),
    ]);
  }
  const all = Object.values<Flag>(command.flags).filter(({ hidden }) => !hidden);
  const short = (flags: Flags): string => {
    const more = all.filter((flag) => !Object.values(flags).includes(flag)).length;
    const rest = more > 0 ? `explains ${more} more ${more === 1 ? 'flag' : 'flags'} and` : 'explains';
    return textOf([
      ...start,
      ...wrapParagraphs([firstSentence(description)], width),
      ...confirms,
      usage,
      titled('EXAMPLES', exampleItems(command.examples.slice(0, shortExamples), width)),
      ...args,
      ...flagBlocks(parser, help, flags),
      titled('VERBS', verbItems(parser, help)),
      [shortGlobals(command, flags, width), ...wrap(`\`comem ${path} --help --long\` ${rest} every rule.`, width)],
    ]);
  };
  let most = shortFlags;
  let page = short(firstFlags(command, most));
  while (most > 0 && page.split('\n').length > pageLines + 1) {
    most -= 1;
    page = short(firstFlags(command, most));
  }
  return page;
}

/** The longest page without `--long`. */
const pageLines = 40;

/** A paragraph each, wrapped. */
function wrapParagraphs(parts: readonly string[], width: number): string[][] {
  return parts
    .flatMap((part) => part.split(/\n\s*\n/))
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter((part) => part !== '')
    .map((part) => wrap(part, width));
}

/** Nothing where there are no items. */
function titled(title: string, items: readonly (readonly string[])[]): string[] {
  const lines = items.flat();
  return lines.length > 0 ? [title, ...lines] : [];
}

function linesOf(blocks: readonly (readonly string[])[]): string[] {
  return blocks.filter((block) => block.length > 0).flatMap((block, at) => (at > 0 ? ['', ...block] : block));
}

function textOf(blocks: readonly (readonly string[])[]): string {
  return `${linesOf(blocks).join('\n')}\n`;
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

/** The longest flag with its meaning on the same line. */
const longestTerm = 26;

/** A block for each group of flags. */
function flagBlocks(parser: Command, help: Help, selection: Flags): string[][] {
  const options = parser.options.filter(
    (option) => option instanceof FlagOption && selection[option.key] && option.long === longName(option.key),
  );
  const longest = Math.min(Math.max(...options.map((option) => help.optionTerm(option).length)), longestTerm);
  const groups = help.groupItems([], options, (option) => option.helpGroupHeading ?? 'FLAGS');
  return [...groups].map(([title, members]) => [
    title,
    ...members.flatMap((option) => {
      const term = help.optionTerm(option);
      const meaning = help.optionDescription(option);
      return term.length > longest
        ? [`  ${term}`, ...help.formatItem(' ', longest, meaning, help).split('\n')]
        : help.formatItem(term, longest, meaning, help).split('\n');
    }),
  ]);
}

function nounPage(parser: Command, commands: readonly AnyCommand[], tree: Tree, help: Help, width: number): string {
  const isNoun = parser.parent?.parent === null;
  const summary = isNoun ? tree.nouns[parser.name()]?.summary : undefined;
  const examples = commands.flatMap((command: AnyCommand) => command.examples.slice(0, 1)).slice(0, shortExamples);
  return textOf([
    summary === undefined ? [] : wrap(`${summary}.`, width),
    [`Usage: ${help.commandUsage(parser)}`],
    titled('EXAMPLES', exampleItems(examples, width)),
    titled('VERBS', verbItems(parser, help)),
    wrap(`\`${pathOf(parser)} VERB --help\` explains one verb.`, width),
  ]);
}

function programPage(parser: Command, tree: Tree, help: Help, width: number): string {
  const { summary, examples } = tree.about;
  const nouns = Object.entries(tree.nouns);
  const groups = (['DATA', 'AUTOMATION', 'SETUP'] as const).flatMap((title) => {
    const items = nouns
      .filter(([, { group = 'SETUP' }]) => group === title)
      .map(([noun, { brief, summary }]) => `${noun.padEnd(12)}${brief ?? summary}`);
    return [title, ...twoColumns(items, width)];
  });
  return textOf([
    [`${summary}.`],
    [`Usage: ${help.commandUsage(parser)}`],
    [
      'EXAMPLES (-p demo is data inside the program)',
      ...examples.flatMap(({ run }) => foldedCommand(run, width, '  ')),
    ],
    [...groups, ...wrap('More: comem NOUN --help, comem help conditions|flags|environment|exit-codes', width)],
  ]);
}

function twoColumns(cells: readonly string[], width: number): string[] {
  if (cells.some((cell) => cell.length > width / 2 - 2)) return indented(cells);
  const rows = Math.ceil(cells.length / 2);
  return cells.slice(0, rows).map((cell, at) => `  ${cell.padEnd(width / 2)}${cells[at + rows] ?? ''}`.trimEnd());
}

/** The names of the global flags that are not explained and fit into one line. */
function shortGlobals(command: AnyCommand, explained: Flags, width: number): string {
  const end = ' …: `comem help flags`';
  const names = globalsOf(command, explained);
  let line = names.length < globalsOf(command).length ? 'More:' : 'Global flags:';
  for (const name of names) {
    const next = name.replace(/^(-.)\/.*/, '$1');
    if (line.length + next.length + 1 + end.length > width) break;
    line += ` ${next}`;
  }
  return line + end;
}

function globalsOf(command: AnyCommand, explained: Flags = {}): string[] {
  const globals = Object.entries<Flag>(usefulGlobals(command)).filter(([key]) => !explained[key]);
  // Commands that write list the flags for a dry run and for confirmation first.
  const isFirst = ([key]: [string, Flag]) => (key === 'dryRun' || key === 'yes' ? 0 : 1);
  return globals
    .sort((left, other) => isFirst(left) - isFirst(other))
    .map(([key, flag]) => (flag.short ? `-${flag.short}/${longName(key)}` : longName(key)));
}

function exampleItems(examples: readonly Example[], width: number): string[][] {
  return examples.map(({ run, says }) => [
    ...run.split('\n').flatMap((line) => foldedCommand(line, width, '  ')),
    ...wrap(says, width - 6).map((line) => `      ${line}`),
  ]);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

export async function helpTree(tree: Tree) {
  const nouns = Object.entries(tree.nouns).map(async ([name, { summary }]) => ({
    name,
    summary,
    commands: (await commandsOf(tree, name)).map((command) => commandTree(command, tree)),
  }));
  return {
    name: 'comem',
    version,
    globalFlags: flagTrees(globalFlags),
    nouns: await Promise.all(nouns),
    exitCodes: Object.fromEntries(exitCodeRows),
  };
}

function commandTree(command: AnyCommand, tree: Tree) {
  const { path, summary, description, manual, file, operations, examples, stdout, writes = false, confirms } = command;
  return {
    path,
    aliases: aliasPaths(tree, command),
    usage: synopsis(command),
    summary,
    description,
    manual,
    file,
    operations,
    arguments: (command.args as readonly Argument[]).map(({ name, summary, optional = false, variadic = false }) => ({
      name: name.toUpperCase(),
      summary,
      required: !optional,
      repeats: variadic,
    })),
    flags: flagTrees(command.flags),
    examples,
    stdout,
    writes,
    confirms,
  };
}

function flagTrees(flags: Flags) {
  return Object.entries(flags)
    .filter(([, { hidden }]) => !hidden)
    .map(([key, { kind, value, summary, short, choices, minimum, maximum, pattern, required = false }]) => ({
      name: longName(key),
      short: short && `-${short}`,
      kind,
      value,
      summary,
      choices,
      minimum,
      maximum,
      pattern: pattern?.source,
      required,
    }));
}
