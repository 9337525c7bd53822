/**
 * Finds the command that argv names. A noun's verbs are loaded when the noun is used, the flags and arguments of a verb
 * when the verb is.
 */
import { version } from '../../package.json';
import type { GlobalFlags } from '../config/global-flags.ts';
import type { Failure } from '../core/errors.ts';
import { type AnyCommand, type Argument, type Flag, type Flags, globalsBeside, type Verbs } from './define.ts';
import {
  addArguments,
  addFlags,
  type Command,
  CommanderError,
  isFlag,
  readFlagValues,
  rootParser,
  splitFlags,
  unknownIn,
} from './parser.ts';
import { aliasOf, allCommands, commandsOf, type Tree, verbsOf } from './tree.ts';

export interface Parsed {
  args: Record<string, string | string[] | undefined>;
  flags: Record<string, unknown>;
  globals: GlobalFlags;
}

/** Help of the program, a noun, a group of verbs (only `parser`), or a command. */
export interface HelpRequest {
  kind: 'help';
  parser: Command;
  command: AnyCommand | undefined;
  /** False when it is printed because a word is missing. */
  isRequested: boolean;
  /** The flag `--long` was given. */
  isLong: boolean;
}

export interface CommandRequest {
  kind: 'command';
  command: AnyCommand;
  parsed: Parsed;
  /** The command lacks an argument or a flag that a prompt can ask for. */
  isIncomplete: boolean;
  /** The failure without a terminal. */
  missing?: Failure;
}

type Destination = CommandRequest | HelpRequest | { kind: 'version' };

interface RouteOptions {
  /** The words are those of `comem help`. */
  isHelp?: boolean;
  /** The flags of argv follow its words. */
  isSorted?: boolean;
}

export class Route {
  private readonly argv: readonly string[];
  private readonly root = rootParser(version);
  /** Loaders that add verbs, flags and arguments to a parser on first use. */
  private readonly loaders = new Map<Command, () => Promise<void>>();
  /** The innermost parser that a word named, and its command. */
  private parser = this.root;
  private command: AnyCommand | undefined;
  private destination: Destination | undefined;

  constructor(
    argv: readonly string[],
    private readonly tree: Tree,
    private readonly options: RouteOptions = {},
  ) {
    this.argv = argv.map((word, at) =>
      argv.lastIndexOf('--', at) < 0 ? word.replace(/^--excel=/, '--excel-for=') : word,
    );
    this.root.hook('preSubcommand', this.enter);
    for (const noun of Object.keys(tree.nouns)) {
      const parser = this.root.command(noun);
      this.loaders.set(parser, () => this.addVerbs(parser, noun));
    }
    for (const [word, [noun = '', ...verb]] of Object.entries(tree.shortcuts)) {
      const parser = this.root.command(word);
      this.loaders.set(parser, async () => this.define(parser, verbsOf(tree, noun)[verb.join(' ')]));
    }
  }

  /** @throws usage for words and flags that do not exist, and values that are refused */
  async find(): Promise<Destination> {
    try {
      await this.root.parseAsync([...this.argv], { from: 'user' });
    } catch (error) {
      if (error instanceof CommanderError) return this.stopped(error);
      throw await (await import('./refused.ts')).withReplacement(error, this.argv, this.tree);
    }
    if (this.destination === undefined) throw new Error('no command was found');
    return this.destination;
  }

  private readonly enter = async (parent: Command, child: Command): Promise<void> => {
    const end = this.argv.indexOf('--');
    const words = end < 0 ? this.argv : this.argv.slice(0, end);
    // Everything after `--` is an argument.
    if (![child.name(), ...child.aliases()].some((word) => words.includes(word))) parent.help({ error: true });
    this.parser = child;
    this.command = undefined;
    await this.loaders.get(child)?.();
    if (this.command === undefined) addFlags(child, {});
  };

  private async addVerbs(parser: Command, noun: string): Promise<void> {
    const { '': itself, ...verbs } = verbsOf(this.tree, noun);
    parser.hook('preSubcommand', this.enter);
    for (const [path, load] of Object.entries(verbs)) {
      const verb = path.split(' ').reduce((group, word) => this.childOf(group, word), parser);
      this.loaders.set(verb, () => this.define(verb, load));
    }
    await this.define(parser, itself);
  }

  /** The subcommand of a word, created when it is first met. */
  private childOf(group: Command, word: string): Command {
    const known = group.commands.find((command) => command.name() === word);
    if (known) return known;
    const child = group.command(word).hook('preSubcommand', this.enter);
    const alias = aliasOf(word);
    return alias === undefined ? child : child.alias(alias);
  }

  private async define(parser: Command, load: Verbs[string] | undefined): Promise<void> {
    if (load === undefined) return;
    const command: AnyCommand = (await load()).default;
    this.command = command;
    addArguments(addFlags(parser, command.flags), command.args).action(() => {
      const parsed = parsedOf(command, parser, parser.processedArgs);
      this.destination = { kind: 'command', command, parsed, isIncomplete: isOpen(command, parsed) };
    });
  }

  /** Handles an exit of commander: prints help, tries again with the flags last, or refuses. */
  private async stopped(error: CommanderError): Promise<Destination> {
    const { parser, command, argv, tree } = this;
    const { isSorted } = this.options;
    const isGroup = parser.commands.length > 0;
    const hasWords = parser.args.some((word) => !isFlag(word));
    switch (error.code) {
      case 'commander.version':
        return { kind: 'version' };
      case 'commander.help':
        return { kind: 'help', parser, command, isRequested: false, isLong: false };
      case 'commander.helpDisplayed':
      case 'commander.unknownOption': {
        const isHelp = error.code === 'commander.helpDisplayed';
        // A command's flags may precede its words; commander accepts them only after the words.
        if (isGroup && hasWords && !isSorted) {
          const { operands, unknown, flags, rest } = splitFlags(argv, await this.flagSets());
          const last = flags.flatMap(({ token, value }) => (value === undefined ? [token] : [token, value]));
          const sorted = [...operands, ...unknown, ...last, ...rest];
          return new Route(sorted, tree, { ...this.options, isSorted: true }).find();
        }
        if (!isHelp) throw await this.unknownFlag();
        if (isGroup && hasWords && command === undefined) throw await this.unknownWord();
        return { kind: 'help', parser, command, isRequested: true, isLong: argv.includes('--long') };
      }
      case 'commander.unknownCommand':
        throw await this.unknownWord();
      case 'commander.optionMissingArgument':
        throw (await import('./refused.ts')).missingValue(parser, command, argv);
      case 'commander.missingMandatoryOptionValue':
        // A mistyped flag is likely the one that is missing.
        if (!argv.includes('--') && unknownIn(parser)) throw await this.unknownFlag();
        return this.withMissing(error);
      case 'commander.missingArgument':
        return this.withMissing(error);
      default:
        throw command ? (await import('./refused.ts')).usageRefusal(error, parser, command, argv) : error;
    }
  }

  /** The command with the arguments and flags that are there. */
  private async withMissing(error: CommanderError): Promise<Destination> {
    const { parser, command } = this;
    if (!command) throw error;
    const { argumentValues, usageRefusal } = await import('./refused.ts');
    const missing = usageRefusal(error, parser, command);
    const parsed = parsedOf(command, parser, argumentValues(parser, command));
    return { kind: 'command', command, parsed, isIncomplete: true, missing };
  }

  /** The flags of the commands that the words may still name. */
  private async flagSets(): Promise<Flags[]> {
    const noun = nounOf(this.parser);
    const commands = await (noun === undefined ? allCommands(this.tree) : commandsOf(this.tree, noun.name()));
    return commands.map(({ flags }) => ({ ...globalsBeside(flags), ...flags }));
  }

  private async unknownFlag(): Promise<Failure> {
    return (await import('./refused.ts')).unknownFlag(this.parser, this.command, this.tree);
  }

  private async unknownWord(): Promise<Failure> {
    const { parser, argv, tree } = this;
    const { isHelp = false } = this.options;
    return (await import('./refused.ts')).unknownWord({ parser, isHelp, argv, tree });
  }
}

function nounOf(parser: Command): Command | undefined {
  return parser.parent?.parent ? nounOf(parser.parent) : parser.parent ? parser : undefined;
}

/** Whether an optional argument that asks is missing, and no flag chooses instead. */
function isOpen(command: AnyCommand, { args, flags, globals }: Parsed): boolean {
  const values: Readonly<Record<string, unknown>> = { ...globals, ...flags };
  return (command.args as readonly Argument[]).some(
    ({ name, picker, instead }) =>
      picker !== undefined && !args[name]?.length && !instead?.some((key) => values[key] !== undefined),
  );
}

function parsedOf(command: AnyCommand, parser: Command, words: readonly unknown[]): Parsed {
  const values = readFlagValues(parser);
  const commandFlags = Object.entries<Flag>(command.flags).map(([key, { kind }]) => {
    const value = values[key];
    // A global list before the noun (`-c`) that the command itself takes once.
    return [key, kind !== 'list' && Array.isArray(value) ? value.at(-1) : value];
  });
  const args = (command.args as AnyCommand['args']).map(({ name }: { name: string }, at: number) => [name, words[at]]);
  const globals = Object.keys(globalsBeside(command.flags)).map((key) => [key, values[key]]);
  return {
    args: Object.fromEntries(args),
    flags: Object.fromEntries(commandFlags),
    globals: Object.fromEntries(globals),
  };
}
