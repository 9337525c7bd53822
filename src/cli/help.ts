/** Pages of help, on one screen or with `--long`. */

import { version } from '../../package.json';
import { globalFlags } from '../config/global-flags.ts';
import { groupBy } from '../core/same.ts';
import { foldedCommand } from '../output/terminal-text.ts';
import { firstFlags, firstSentence, letterGlobals, shortExamples, shortFlags, usefulGlobals } from './applies.ts';
import { type AnyCommand, type Argument, type Example, type Flag, type Flags, longName, synopsis } from './define.ts';
import { definitions, pathOf, wrap } from './parser.ts';
import { type HelpRequest, Route } from './route.ts';
import { confirmation, exitCodeRows, flagLabel, flagText, topics, topicText } from './topics.ts';
import { aliasPaths, commandsOf, type Tree } from './tree.ts';

/** Longer lines are hard to read. */
const widest = 100;

/** The help of the program, a noun, a group of verbs or a command; `isLong`: with all that the man page has. */
export async function helpText(request: HelpRequest, tree: Tree, columns: number): Promise<string> {
  const { parser, command, isLong } = request;
  const path = pathOf(parser);
  const below = parser.commands.length > 0 ? await commandsBelow(path, tree) : [];
  const verbs = below.map(({ path: verb, summary }) => [`comem ${verb}`.slice(path.length + 1), summary] as const);
  const width = Math.min(columns, parser.parent ? widest : 80);
  if (command) {
    const rules = isLong ? (await import('./query.ts')).rowFlagsManual(command.flags) : [];
    return commandPage({ command, tree, verbs, width, isLong, rules });
  }
  if (!parser.parent) return programPage(tree, width);
  const examples = below.flatMap((command: AnyCommand) => command.examples.slice(0, 1)).slice(0, shortExamples);
  const summary = tree.nouns[path.split(' ').slice(1).join(' ')]?.summary;
  return textOf([
    summary === undefined ? [] : wrap(`${summary}.`, width),
    [`Usage: ${path} VERB [flags]`],
    section('EXAMPLES', exampleItems(examples, width)),
    section('VERBS', definitions(verbs, width)),
    wrap(`\`${path} VERB --help\` explains one verb.`, width),
  ]);
}

/** The help that `comem help WORD...` asks for. @throws usage for an unknown command or topic */
export async function helpOf(tree: Tree, words: readonly string[], columns: number, isLong = false): Promise<string> {
  const [word = ''] = words;
  const topic = words.length === 1 && Object.hasOwn(topics, word) ? topics[word] : undefined;
  if (topic) return topicText(topic, columns);
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

type Definitions = readonly (readonly [term: string, meaning: string])[];

interface CommandHelp {
  command: AnyCommand;
  tree: Tree;
  /** The verbs of a noun that is a command, too. */
  verbs: Definitions;
  width: number;
  isLong: boolean;
  /** The paragraphs about its row flags, of a long page. */
  rules: readonly string[];
}

function commandPage({ command, tree, verbs, width, isLong, rules }: CommandHelp): string {
  const { description = '', manual = '', file = [], path, summary } = command;
  const aliases = aliasPaths(tree, command).map((alias) => `comem ${alias}`);
  const usage = [
    ...wrap(`Usage: ${synopsis(command)}`, width),
    ...(aliases.length > 0 ? [`Also:  ${aliases.join(', ')}`] : []),
  ];
  const start = [wrap(`${summary}.`, width)];
  const confirms = wrapParagraphs([confirmation(command) ?? ''], width);
  const args = (command.args as readonly Argument[]).map(({ name, summary }) => [name.toUpperCase(), summary] as const);
  const flags = Object.entries<Flag>(command.flags).filter(([, { hidden }]) => !hidden);
  if (isLong) {
    return textOf([
      ...start,
      ...wrapParagraphs([description, manual, ...rules], width),
      ...confirms,
      usage,
      section('EXAMPLES', exampleItems(command.examples, width)),
      section('ARGUMENTS', definitions(args, width)),
      ...flagBlocks(command, command.flags, width),
      section('VERBS', definitions(verbs, width)),
      section('FILE', wrapParagraphs(file, width - 2).flatMap(indent)),
      ['GLOBAL FLAGS', ...indent(wrap(globalsOf(command).join(' '), width - 2))],
      wrap('`comem help flags` explains the global flags, `comem help exit-codes` the exit codes.', width),
    ]);
  }
  const short = (selection: Flags): string => {
    const more = flags.filter(([key]) => !selection[key]).length;
    const rest = more > 0 ? `explains ${more} more ${more === 1 ? 'flag' : 'flags'} and` : 'explains';
    return textOf([
      ...start,
      ...wrapParagraphs([firstSentence(description)], width),
      ...confirms,
      usage,
      section('EXAMPLES', exampleItems(command.examples.slice(0, shortExamples), width)),
      section('ARGUMENTS', definitions(args, width)),
      ...flagBlocks(command, selection, width),
      section('VERBS', definitions(verbs, width)),
      [shortGlobals(command, selection, width), ...wrap(`\`comem ${path} --help --long\` ${rest} every rule.`, width)],
    ]);
  };
  const isTooLong = (text: string) => text.split('\n').length > pageLines + 1;
  const all = { ...firstFlags(command), ...letterGlobals(command) };
  const complete = short(all);
  if (Object.keys(all).length <= shortFlags && !isTooLong(complete)) return complete;
  let most = shortFlags;
  let page = short(firstFlags(command, most));
  while (most > 0 && isTooLong(page)) {
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

/** Nothing where there are no lines. */
function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? [title, ...lines] : [];
}

function textOf(blocks: readonly (readonly string[])[]): string {
  const texts = blocks.filter((block) => block.length > 0).map((block) => block.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

/** The longest flag with its meaning on the same line. */
const maxTermWidth = 26;

/** A block for each group of flags. */
function flagBlocks({ flags }: AnyCommand, selection: Flags, width: number): string[][] {
  const rows = Object.entries<Flag>(selection)
    .filter(([, { hidden }]) => !hidden)
    .map(([key, flag]) => ({
      group: flag.group ?? (Object.hasOwn(flags, key) ? 'FLAGS' : 'GLOBAL FLAGS'),
      item: [flagLabel(key, flag), flagText(flag)] as const,
    }));
  const longest = Math.min(Math.max(...rows.map(({ item: [term] }) => term.length)), maxTermWidth);
  return [...groupBy(rows, ({ group }) => group)].map(([title, members]) => {
    const items = members.map(({ item }) => item);
    return [title, ...definitions(items, width, longest)];
  });
}

function programPage(tree: Tree, width: number): string {
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
    ['Usage: comem NOUN VERB [TARGET] [flags]'],
    [
      'EXAMPLES (-p demo is data inside the program)',
      ...examples.flatMap(({ run }) => foldedCommand(run, width, '  ')),
    ],
    [...groups, ...wrap('More: comem NOUN --help, comem help conditions|flags|environment|exit-codes', width)],
  ]);
}

function twoColumns(cells: readonly string[], width: number): string[] {
  if (cells.some((cell) => cell.length > width / 2 - 2)) return indent(cells);
  const rows = Math.ceil(cells.length / 2);
  return cells.slice(0, rows).map((cell, at) => `  ${cell.padEnd(width / 2)}${cells[at + rows] ?? ''}`.trimEnd());
}

/** The names of the global flags that are not explained and fit into one line; those of the examples with their word. */
function shortGlobals(command: AnyCommand, explained: Flags, width: number): string {
  const end = ' …: `comem help flags`';
  const names = globalsOf(command, explained);
  const spelledOut = new Set(Object.keys(letterGlobals(command)).map(longName));
  let line = names.length < globalsOf(command).length ? 'More:' : 'Global flags:';
  for (const name of names) {
    const [short = '', long] = name.split('/');
    const next = long !== undefined && spelledOut.has(long) ? name : short;
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

function exampleItems(examples: readonly Example[], width: number): string[] {
  return examples.flatMap(({ run, says }) => [
    ...run.split('\n').flatMap((line) => foldedCommand(line, width, '  ')),
    ...wrap(says, width - 6).map((line) => `      ${line}`),
  ]);
}

function indent(lines: readonly string[]): string[] {
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
