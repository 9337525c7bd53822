/** Help texts, printed from the command definitions. */
import { type AnyCommand, type Argument, type Example, type Flag, type Flags, longName } from './define.ts';
import { definitions, paragraphs, wrap } from './layout.ts';
import { globalsBeside, synopsis } from './synopsis.ts';
import { aliasPaths, type Tree, verbOf } from './tree.ts';

/** Help is set for a screen of at most this width: longer lines are hard to read. */
const widest = 100;

/** The help of one command. */
export function commandHelp(command: AnyCommand, tree: Tree, columns: number): string {
  const width = Math.min(columns, widest);
  const aliases = aliasPaths(tree, command).map((path) => `comem ${path}`);
  const args = (command.args as readonly Argument[]).map(({ name, summary }) => [name.toUpperCase(), summary] as const);
  return page([
    wrap(`${command.summary}.`, width),
    [...usageLines(synopsis(command), width), ...(aliases.length > 0 ? [`Also:  ${aliases.join(', ')}`] : [])],
    command.description ? paragraphs(command.description, width) : [],
    section('Arguments', definitions(args, width)),
    section('Flags', definitions(flagRows(command.flags), width)),
    section('Global flags', globalNames(command, width)),
    section('Examples', exampleLines(command.examples, width)),
    wrap('`comem help flags` explains the global flags, `comem help exit-codes` the exit codes.', width),
  ]);
}

/** The help of a noun, or of a group of its verbs (`server keys`). */
export function nounHelp(
  noun: string,
  commands: readonly AnyCommand[],
  tree: Tree,
  columns: number,
  group?: string,
): string {
  const width = Math.min(columns, widest);
  const words = group ? `${noun} ${group}` : noun;
  const verbs = commands.filter((command) => !group || verbOf(command).startsWith(`${group} `));
  const rows = verbs.map((command) => [command.path.slice(words.length + 1), command.summary] as const);
  return page([
    group ? [] : wrap(`${tree.nouns[noun]?.summary ?? noun}.`, width),
    [`Usage: comem ${words} VERB [flags]`],
    section('Verbs', definitions(rows, width)),
    section('Examples', exampleLines(verbs.flatMap(({ examples }) => examples.slice(0, 1)).slice(0, 3), width)),
    wrap(`\`comem ${words} VERB --help\` explains one verb.`, width),
  ]);
}

/** The help of the program. Its lines fit a narrow screen, so that it is the same on every screen. */
export function rootHelp(tree: Tree): string {
  const nouns = Object.entries(tree.nouns).map(([noun, { summary }]) => [noun, summary] as const);
  return page([
    ['Custom lists and company metrics from the command line.'],
    ['Usage: comem NOUN VERB [TARGET] [flags]'],
    section('Nouns', definitions(nouns, 72)),
    section(
      'Examples, on demo data inside the program',
      exampleLines(
        [
          { run: 'comem -p demo lists list', says: 'the lists of the demo company' },
          { run: 'comem -p demo entries list portfolio -o csv', says: 'all entries of a list, as CSV' },
          { run: 'comem -p demo metrics series --last 12', says: 'twelve months of every metric' },
          { run: 'comem auth login', says: 'save a credential for your own company' },
        ],
        72,
      ),
    ),
    [
      'comem NOUN --help         the verbs of a noun',
      'comem NOUN VERB --help    flags and examples of a verb',
      'comem help flags          flags that every command takes',
      'comem help environment    environment variables',
      'comem help exit-codes     what each exit code means',
    ],
  ]);
}

/** Flags with their meaning, hidden ones left out. */
export function flagRows(flags: Flags): [string, string][] {
  return Object.entries(flags).flatMap(([key, flag]) => {
    if (flag.hidden) return [];
    const notes = [
      flag.choices && !flag.summary.includes(flag.choices[0] ?? '') && !flag.value?.includes('|')
        ? `one of ${flag.choices.join(', ')}`
        : '',
      flag.minimum !== undefined && flag.maximum !== undefined ? `${flag.minimum} to ${flag.maximum}` : '',
      flag.required ? 'required' : '',
      flag.kind === 'list' ? 'may be repeated' : '',
    ].filter((note) => note !== '');
    const row: [string, string] = [flagLabel(key, flag), [flag.summary, ...notes].join('; ')];
    return [row];
  });
}

/** The global flags in short form; those of writes only where the command writes. */
function globalNames(command: AnyCommand, width: number): string[] {
  const ofWrites = new Set(['dryRun', 'keepUndo', 'yes', 'confirm']);
  const names = Object.entries(globalsBeside(command.flags))
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

function usageLines(text: string, width: number): string[] {
  return wrap(text, width - 7).map((line, index) => (index === 0 ? `Usage: ${line}` : `       ${line}`));
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

/** Blocks parted by an empty line. */
export function page(blocks: readonly (readonly string[])[]): string {
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** `-o, --output FORMAT`, aligned so that long names stand under each other. */
function flagLabel(key: string, flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : '    ';
  return `${short}${longName(key)}${flag.value ? ` ${flag.value}` : ''}`;
}
