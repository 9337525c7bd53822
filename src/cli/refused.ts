/** Command lines that commander refuses, in our words, with what was meant. Loaded only for such a line. */
import { type Failure, usage } from '../core/errors.ts';
import { type AnyCommand, type Argument, checkChoice, longName, synopsis } from './define.ts';
import { type Command, CommanderError, pathOf } from './parser.ts';
import { shellWord } from './words.ts';

/** The arguments of a command that lacks some of them. @throws usage for one that is not a choice, or too many */
export function givenWords(parser: Command, command: AnyCommand): unknown[] {
  const words = (command.args as readonly Argument[]).map(({ name, choices, variadic }, at) => {
    const given = variadic ? parser.args.slice(at) : parser.args.slice(at, at + 1);
    for (const word of given) checkChoice(name.toUpperCase(), choices, word);
    return variadic ? given : given[0];
  });
  if (parser.args.length <= words.flat().length) return words;
  throw refused(new CommanderError(1, 'commander.excessArguments', ''), parser, command);
}

/** What commander refused at the end of a known command, in our words. */
export function refused(
  error: CommanderError,
  parser: Command,
  command: AnyCommand,
  argv: readonly string[] = [],
): Failure {
  const { args, options, registeredArguments } = parser;
  const usageLine = `usage: ${synopsis(command)}`;
  switch (error.code) {
    case 'commander.missingArgument': {
      const missing = registeredArguments.find(({ required }, at) => required && args[at] === undefined);
      return usage(`${missing?.name()} is missing`, usageLine);
    }
    case 'commander.missingMandatoryOptionValue': {
      const missing = options.find(
        (each) => each.mandatory && parser.getOptionValue(each.attributeName()) === undefined,
      );
      return usage(`${missing?.long} is required`, usageLine);
    }
    case 'commander.excessArguments': {
      const names = registeredArguments.map((argument) => argument.name()).join(' ');
      const takes = names === '' ? 'no argument' : `only ${names}`;
      const extra = args[registeredArguments.length];
      return usage(
        `\`comem ${command.path}\` takes ${takes}, got "${extra}"${names === '' ? '' : ' too'}`,
        fieldsMeant(argv) ?? flagMeant(command, extra) ?? usageLine,
      );
    }
    default:
      return usage(error.message);
  }
}

/** `--json name,slug`, as gh has it: columns are another flag here. */
function fieldsMeant(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word, index) => word === '--json' && /^\w[\w.,-]*$/.test(argv[index + 1] ?? ''));
  return at < 0 ? undefined : `did you mean --json --fields ${argv[at + 1]}?`;
}

/** A metric, a value or a title where a command takes none: what was meant is a flag, or another command. */
function flagMeant({ flags }: AnyCommand, extra = ''): string | undefined {
  const [isValue, name = '', value = ''] = /^([\w.-]+)=(.*)$/s.exec(extra) ?? [];
  const own = isValue && Object.keys(flags).find((key) => longName(key) === `--${name}`);
  if (own) return `did you mean --${name} ${shellWord(value)}?`;
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
