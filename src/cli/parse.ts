/** Flags and arguments of one command, typed and checked. The only file that imports commander. */
import { CommanderError, Option, Command as Parser } from 'commander';
import { Failure, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { AnyCommand, Argument, Flag, Flags } from './define.ts';
import { longName } from './define.ts';
import { checkChoice, flagValue } from './flag-values.ts';
import type { GlobalFlags } from './global-flags.ts';
import { globalsBeside, usageLine } from './synopsis.ts';

export interface Parsed {
  args: Record<string, string | string[] | undefined>;
  flags: Record<string, unknown>;
  globals: GlobalFlags;
}

/**
 * Parses what stands after a command's path; `help` when `-h` stands in it.
 * @throws usage naming the flag or argument, the value and the rule
 */
export function parse(command: AnyCommand, argv: readonly string[]): Parsed | 'help' {
  const own: Flags = command.flags;
  const globals = globalsBeside(own);
  const all = Object.entries({ ...own, ...globals });
  const options = new Map(all.filter(isNamedIn(argv)).map(([key, flag]) => [key, option(key, flag)]));
  const parser = new Parser(command.path)
    .exitOverride()
    // Asked for nothing, so that commander does not make the process's streams to learn their width and colours.
    .configureOutput({
      writeOut: () => {},
      writeErr: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
    })
    // What was meant is told by our own search (nearest).
    .showSuggestionAfterError(false)
    .helpOption('-h, --help')
    .allowExcessArguments()
    .argument('[words...]')
    .action(() => {});
  // Help is printed from the command definition, not by commander.
  parser.helpInformation = () => '';
  for (const each of options.values()) parser.addOption(each);
  try {
    parser.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return 'help';
    throw usageOf(
      error,
      command,
      all.map(([key]) => longName(key)),
    );
  }
  const given = parser.opts();
  const read = (flags: Flags) =>
    Object.fromEntries(Object.keys(flags).map((key) => [key, optionValue(given, options.get(key))]));
  const flags = read(own);
  const missing = Object.keys(own).find((key) => own[key]?.required && flags[key] === undefined);
  if (missing) throw usage(`${longName(missing)} is required`, usageLine(command));
  return { args: argumentsOf(command, parser.args), flags, globals: read(globals) as GlobalFlags };
}

/** Only flags that argv names are made known to commander: forty of them would take longer than all else here. */
function isNamedIn(argv: readonly string[]) {
  const long = new Set(argv.map((token) => token.split('=', 1)[0] ?? ''));
  const short = argv.some((token) => /^-[^-]/.test(token));
  return ([key, flag]: [string, Flag]) => long.has(longName(key)) || (short && flag.short !== undefined);
}

function option(key: string, flag: Flag): Option {
  // commander reads `|` and `,` as separators of names, so the placeholder goes without them.
  const value = flag.kind === 'boolean' ? '' : ` <${(flag.value ?? 'value').replace(/[^\w=:]/g, '/')}>`;
  const made = new Option(`${flag.short ? `-${flag.short}, ` : ''}${longName(key)}${value}`);
  if (flag.kind === 'boolean') return made;
  return made.argParser((text: string, before: unknown) => {
    const typed = flagValue(longName(key), flag, text);
    return flag.kind === 'list' ? [...((before as unknown[] | undefined) ?? []), typed] : typed;
  });
}

/** commander keeps `--no-header` as `header: false`; here every flag stands under its own key. */
function optionValue(given: Record<string, unknown>, made: Option | undefined): unknown {
  if (!made) return undefined;
  const value = given[made.attributeName()];
  return made.negate ? value === false || undefined : value;
}

function argumentsOf(command: AnyCommand, words: readonly string[]): Parsed['args'] {
  const definitions = command.args as readonly Argument[];
  const args: Parsed['args'] = {};
  for (const [index, { name, optional, variadic, choices }] of definitions.entries()) {
    if (!optional && words[index] === undefined) throw usage(`${name.toUpperCase()} is missing`, usageLine(command));
    const given = variadic ? words.slice(index) : words.slice(index, index + 1);
    for (const word of given) checkChoice(name.toUpperCase(), choices, word);
    args[name] = variadic ? given : given[0];
  }
  const excess = definitions.at(-1)?.variadic ? undefined : words[definitions.length];
  if (excess === undefined) return args;
  const most =
    definitions.length === 0 ? 'no argument' : `${definitions.map((a) => a.name.toUpperCase()).join(' ')} alone`;
  throw usage(`\`comem ${command.path}\` takes ${most}, but got "${excess}" too`, usageLine(command));
}

/** The failure that commander found, in our words. `known`: all flags that there are. */
function usageOf(error: CommanderError, command: AnyCommand, known: readonly string[]): Failure {
  const message = error.message.replace(/^error: /, '').split('\n')[0] ?? '';
  const name = /'([^' ]+)/.exec(message)?.[1] ?? '';
  const messages: Record<string, string> = {
    'commander.unknownOption': `\`comem ${command.path}\` has no flag ${name}`,
    'commander.optionMissingArgument': `${/(--[\w-]+)/.exec(message)?.[1] ?? name} needs a value`,
  };
  const near = error.code === 'commander.unknownOption' ? nearest(name, known) : undefined;
  const hint = near ? `did you mean ${near}?` : `\`comem ${command.path} --help\` shows the flags`;
  return new Failure('usage', messages[error.code] ?? message, { hint, cause: error });
}
