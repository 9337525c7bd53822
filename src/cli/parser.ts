/** Commands, arguments and flags as commander parses them. The only file that imports commander. */
import { Command, CommanderError, Help, Option, Argument as Positional } from 'commander';
import { usage } from '../core/errors.ts';
import { type Argument, checkChoice, type Flag, type Flags, flagValue, globalsBeside, longName } from './define.ts';

export { type Command, CommanderError };

/** A flag with its definition, which help prints, or an older spelling of it: its value is that of the flag. */
export class FlagOption extends Option {
  readonly key: string;
  readonly flag: Flag;

  constructor(key: string, flag: Flag, name = longName(key), valueTemplate = flag.kind === 'boolean' ? '' : 'VALUE') {
    // commander splits names at `|`, `,` and blanks, so the placeholder of the definition is printed by help.
    const short = flag.short && name === longName(key) ? `-${flag.short}, ` : '';
    super(`${short}${name}${valueTemplate.includes('VALUE') ? ' <value>' : ''}`, flag.summary);
    this.key = key;
    this.flag = flag;
    this.makeOptionMandatory(flag.required ?? false);
    if (valueTemplate === '') return;
    if (!valueTemplate.includes('VALUE')) this.preset(valueTemplate);
    this.argParser((written: string, before: unknown) => {
      // `-o=json` is `-o json`; commander takes the sign for a part of the value.
      const text = flag.short && /^=./.test(written) ? written.slice(1) : written;
      const value = flagValue(
        name,
        flag,
        valueTemplate.includes('VALUE') ? valueTemplate.replace('VALUE', () => text) : text,
      );
      if (flag.kind === 'list') return [...(Array.isArray(before) ? before : []), value];
      refuseSecond(name, flag, before, value);
      return value;
    });
  }
}

/** @throws usage for another value of a flag that has one */
function refuseSecond(name: string, { value, isReplaceable }: Flag, first: unknown, second: unknown): void {
  // commander starts `input` at true, for `--no-input`.
  if (isReplaceable || first === undefined || first === true || first === second) return;
  const isList = value?.includes(',') === true;
  const hint = isList ? `give both at once: ${name} '${first},${second}'` : 'give one of them';
  throw usage(`${name} is given twice: ${first} and ${second}`, hint);
}

/** The program's own parser. It writes nothing: help and errors are thrown as a CommanderError. */
export function rootParser(version: string): Command {
  const root = new Command('comem')
    .exitOverride()
    // Without these commander creates the process's streams to learn their width and colors.
    .configureOutput({
      writeOut: () => {},
      writeErr: () => {},
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .version(version, '-V, --version', 'show the version');
  return addFlags(root, {});
}

/** Adds a command's own flags, their older spellings, and the global ones. */
export function addFlags(parser: Command, flags: Flags): Command {
  for (const [key, flag] of Object.entries(flags)) parser.addOption(new FlagOption(key, flag));
  for (const [key, flag] of Object.entries<Flag>(globalsBeside(flags))) parser.addOption(globalOption(key, flag));
  for (const [key, flag] of Object.entries(flags)) {
    for (const [name, meaning] of Object.entries(flag.also ?? {})) {
      parser.addOption(new FlagOption(key, flag, `--${name}`, meaning));
    }
  }
  return parser;
}

/** One option for all parsers of a command line: values are kept by the parsers. */
const globalOptions = new WeakMap<Flag, FlagOption>();

function globalOption(key: string, flag: Flag): FlagOption {
  const option = globalOptions.get(flag) ?? new FlagOption(key, flag);
  globalOptions.set(flag, option);
  return option;
}

export function addArguments(parser: Command, args: readonly Argument[]): Command {
  for (const { name, summary, optional, variadic, choices } of args) {
    const word = `${name.toUpperCase()}${variadic ? '...' : ''}`;
    const argument = new Positional(optional ? `[${word}]` : `<${word}>`, summary);
    argument.argParser((text: string, before: unknown) => {
      checkChoice(name.toUpperCase(), choices, text);
      return variadic ? [...(Array.isArray(before) ? before : []), text] : text;
    });
    parser.addArgument(argument);
  }
  return parser;
}

/** The values of flags before and after the command's name. */
export function readFlagValues(parser: Command): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (let command: Command | null = parser; command; command = command.parent) {
    for (const option of command.options) {
      const name = option.attributeName();
      if (!(option instanceof FlagOption) || command.getOptionValueSource(name) !== 'cli') continue;
      const value: unknown = command.getOptionValue(name);
      const inner = values.get(option.key);
      const isSpelling = !Array.isArray(value) && option.long !== longName(option.key);
      if (isSpelling && inner !== undefined) {
        throw usage(`${option.long} is an older name of ${longName(option.key)}`, 'give one of them');
      }
      // commander keeps `--no-header` as `header: false`.
      if (option.negate) values.set(option.key, value === false || undefined);
      else if (Array.isArray(value) && Array.isArray(inner)) values.set(option.key, [...value, ...inner]);
      else {
        if (inner !== undefined) refuseSecond(longName(option.key), option.flag, value, inner);
        values.set(option.key, inner ?? value);
      }
    }
  }
  return Object.fromEntries(values);
}

interface SplitWords {
  operands: string[];
  flags: { token: string; value?: string }[];
  /** Flags that no set has, with the words after them. */
  unknown: string[];
  /** `--` and what follows it. */
  rest: string[];
}

/**
 * The words and the flags of argv, for flags that precede the name of their command.
 * `sets`: the flags of all commands that it may be.
 */
export function splitFlags(argv: readonly string[], sets: readonly Flags[]): SplitWords {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const takesValue = new Map(['-h', '--help', '-V', '--version'].map((token) => [token, false]));
  for (const [key, { kind, short, also = {} }] of sets.flatMap((set) => Object.entries(set))) {
    for (const token of [longName(key), ...(short ? [`-${short}`] : [])]) {
      takesValue.set(token, (takesValue.get(token) ?? false) || kind !== 'boolean');
    }
    for (const [name, meaning] of Object.entries(also)) takesValue.set(`--${name}`, meaning.includes('VALUE'));
  }
  const scout = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .helpOption(false);
  const flags: SplitWords['flags'] = [];
  for (const [token, takes] of takesValue) {
    const option = new Option(`${token}${takes ? ' <value>' : ''}`);
    scout.addOption(option).on(`option:${option.name()}`, (value) => flags.push({ token, ...(takes && { value }) }));
  }
  const { operands, unknown } = scout.parseOptions(argv.slice(0, end));
  return { operands, flags, unknown, rest: argv.slice(end) };
}

/** The first of a parser's arguments that is a flag; commander takes negative numbers for arguments of a command. */
export function unknownIn({ args, commands }: Command): string | undefined {
  return args.find((word) => isFlag(word) && (commands.length > 0 || Number.isNaN(Number(word))));
}

export function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/** `comem server keys`. */
export function pathOf(parser: Command): string {
  return parser.parent ? `${pathOf(parser.parent)} ${parser.name()}` : parser.name();
}

/** Words broken at blanks into lines, as commander does it. */
export function wrap(text: string, width: number): string[] {
  return layout(width).boxWrap(text, width).split('\n');
}

/** Terms with their meaning beside them, as commander lays out flags; below a term that is longer than the column. */
export function definitions(
  rows: readonly (readonly [string, string])[],
  width: number,
  column = Math.max(...rows.map(([term]) => term.length), 0),
): string[] {
  const help = layout(width);
  return rows.flatMap(([term, meaning]) => {
    if (term.length <= column) return help.formatItem(term, column, meaning, help).split('\n');
    return [`  ${term}`, ...help.formatItem(' ', column, meaning, help).split('\n')];
  });
}

function layout(helpWidth: number): Help {
  // Commander stops wrapping descriptions that are narrower than this.
  return Object.assign(new Help(), { helpWidth, minWidthToWrap: 12 });
}
