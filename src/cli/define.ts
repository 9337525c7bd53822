import { type GlobalFlag, globalFlags } from '../config/global-flags.ts';
import type { OperationId } from '../contract/index.ts';
import type { JsonSchema } from '../contract/schema.ts';
import { issues } from '../contract/validate.ts';
import { shorten, usage } from '../core/errors.ts';
import { isInRange, NumberRangeError } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { writtenPeriod } from '../core/periods.ts';
import type { Context } from './context.ts';

/** The definition of a flag. Built with `flag.…`, never by hand. */
export interface Flag<T = unknown> extends GlobalFlag {
  pattern?: { source: string; says: string } | undefined;
  required?: boolean | undefined;
  /** A list that takes one value in this command. */
  once?: boolean;
  /** Older flags that are accepted for it and listed nowhere, with the value that each stands for: `fail=VALUE`, `ytd`. */
  also?: Readonly<Record<string, string>> | undefined;
  /** The kind of its value, for completion, where the placeholder does not tell it. */
  completionKind?: string | undefined;
  /** Its heading in help: `RANGE`, `SHAPE`; default `FLAGS`. */
  group?: string;
  /** The picker of a prompt for a required flag; default: its choices. */
  picker?: string;
  /** The API's field that it fills (`entity_type`, `config.currency`); a broken rule of that field names this flag. */
  field?: string;
  /** The schema of the field in the contract. The value is validated before anything is sent. */
  schema?: JsonSchema | undefined;
  readonly carried?: T;
}

type Rules = Omit<Flag, 'kind' | 'value' | 'summary' | 'carried'>;

const valued =
  <T>(kind: Flag['kind']) =>
  (value: string, summary: string, rules: Rules = {}): Flag<T> => ({ kind, value, summary, ...rules });

export const flag = {
  boolean: (summary: string, rules: Rules = {}): Flag<boolean> => ({ kind: 'boolean', summary, ...rules }),
  text: valued<string>('text'),
  integer: valued<number>('integer'),
  number: valued<number>('number'),
  /** May be given several times; the values in order. Commas are not split. */
  list: valued<string[]>('list'),
};

export type Flags = Record<string, Flag>;

/** Flags that help lists under a heading of their own. */
export function inGroup<const F extends Flags>(group: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([key, flag]) => [key, { ...flag, group }])) as F;
}

/** One positional argument. The last may be variadic. */
export interface Argument {
  name: string;
  summary: string;
  optional?: boolean;
  variadic?: boolean;
  /** The words that it may be. */
  choices?: readonly string[];
  /** The kind of its value, for completion, where neither its name nor `picker` tells it. */
  completionKind?: string;
  /** The picker of a prompt for it; `text`: free text. */
  picker?: string;
  /** Flags of the command, and global ones, that choose instead of an optional one. */
  instead?: readonly string[];
}

type OneOf<X> = X extends { choices: readonly (infer C extends string)[] } ? C : string;

type ArgValues<A extends readonly Argument[]> = {
  [X in A[number] as X['name']]: X['variadic'] extends true
    ? OneOf<X>[]
    : X['optional'] extends true
      ? OneOf<X> | undefined
      : OneOf<X>;
};
/** Flags are keyed in camelCase (`ifNotExists`) and written in kebab case (`--if-not-exists`). */
export type FlagValues<F extends Flags> = { [K in keyof F]?: F[K] extends Flag<infer T> ? T : never };

interface CommandInput<A extends readonly Argument[] = readonly Argument[], F extends Flags = Flags> {
  args: ArgValues<A>;
  flags: FlagValues<F>;
  /** A prompt asked for a part of it, so further prompts are fine. */
  isInteractive?: boolean;
}

export interface Example {
  /** A whole command line that runs on the demo profile where it can. */
  run: string;
  says: string;
}

/** The content of stdout: rows of a collection, one object, one bare value, text, or nothing. */
type Stdout = 'rows' | 'object' | 'value' | 'text' | 'nothing';

interface Command<A extends readonly Argument[] = readonly Argument[], F extends Flags = Flags> {
  /** Noun and verb: `lists list`; only a noun for those without verbs. */
  path: string;
  /** One line without a full stop. */
  summary: string;
  /** Up to three short paragraphs for help and man page. */
  description?: string;
  /** Further paragraphs for the man page: rules and rare cases. */
  manual?: string;
  /** Paragraphs about the file that the command reads, for a section of help. */
  file?: readonly string[];
  /** The operations of the contract that it calls; none for local commands. */
  operations: readonly OperationId[];
  args: A;
  flags: F;
  examples: readonly Example[];
  stdout: Stdout;
  /** It may change something at the API: shows `--dry-run` and `--yes` in help, obeys guard rails. */
  writes?: boolean;
  /** When it asks for confirmation, for a sentence of help: `before it deletes`. Without a terminal it needs `--yes` then. */
  confirms?: string;
  /** Asks for confirmation without writing to the API: help shows `--yes`. */
  confirmsLocally?: boolean;
  /** The extensions of the files that it writes beside those of rows: `html`, `svg`. */
  files?: readonly string[];
  /** Its rows are periods with numbers, so `-o spark` works. */
  hasSpark?: boolean;
  /** Its rows have no ids for `-o id`. */
  withoutIds?: boolean;
  /** `-c` may be given several times. */
  manyCompanies?: boolean;
  /** A command that writes only with some flags; without them `--as-of` can answer it. */
  mayRead?: boolean;
  /** It describes the live API, so `--as-of` is refused. */
  isLiveOnly?: boolean;
  /** It reads or writes mirrors: `--mirror` only names one. */
  mirrors?: boolean;
  /** It also runs with an unreadable settings file, as if there were none. */
  ignoresBadSettings?: boolean;
  /** It reports failures of requests, and so also why its company cannot be found. */
  reportsFailures?: boolean;
  /** The operation depends on the arguments. */
  callsAny?: boolean;
  /** It reverts writes, and says nothing of reverting its own. */
  reverts?: boolean;
  /** An older name of this command: it works, and no help lists it. */
  unlisted?: string;
  /** Checks the arguments and flags that are there before a prompt asks for the others. */
  check?(ctx: Context, input: { args: Partial<ArgValues<A>>; flags: FlagValues<F> }): Promise<void>;
  run(ctx: Context, input: CommandInput<A, F>): Promise<void>;
}

type Optional = 'operations' | 'args' | 'flags' | 'stdout';

interface Definition<A extends readonly Argument[], F extends Flags>
  extends Omit<Command<A, F>, Optional | 'examples'>,
    Partial<Pick<Command<A, F>, Optional>> {
  /** What each command line does. */
  examples: Readonly<Record<string, string>>;
}

/** Keeps the literal types of arguments and flags, so that `input` is typed. What is left out is empty; stdout has rows. */
export function defineCommand<const A extends readonly Argument[] = [], const F extends Flags = Record<never, never>>(
  definition: Definition<A, F>,
): Command<A, F> {
  const examples = Object.entries(definition.examples).map(([run, says]): Example => ({ run, says }));
  return { operations: [], args: [], flags: {}, stdout: 'rows', ...definition, examples } as Command<A, F>;
}

// biome-ignore lint/suspicious/noExplicitAny: a command of any arguments and flags, as the program keeps them.
export type AnyCommand = Command<any, any>;

/**
 * The verbs of a noun by the words after it (`list`, `keys create`), each loaded when it is used; `''` for a noun that
 * has no verbs, or for what it does without one.
 */
export type Verbs = Record<string, () => Promise<{ default: AnyCommand }>>;

/** `ifNotExists` → `--if-not-exists`. */
export function longName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The flag that fills a field of the API: by the command's own flags, else by the global ones. */
export function flagOfField(field: string, flags: Flags): string | undefined {
  const entry = Object.entries(flags).find(([, flag]) => flag.field === field);
  if (entry) return longName(entry[0]);
  return { companyId: '--company', limit: '--page-size' }[field];
}

/** The global flags that a command does not replace by its own; a short name that it uses is its own. */
export function globalsBeside(commandFlags: Flags): Flags {
  const shorts = new Set(Object.values(commandFlags).map(({ short }) => short));
  const others = Object.entries<Flag>(globalFlags).filter(([key]) => !Object.hasOwn(commandFlags, key));
  return Object.fromEntries(
    others.map(([key, flag]) => [
      key,
      flag.short !== undefined && shorts.has(flag.short) ? { ...flag, short: undefined } : flag,
    ]),
  );
}

/** The synopsis of a command, in one line. */
export function synopsis(command: AnyCommand): string {
  return ['comem', command.path, ...synopsisWords(command), '[flags]'].join(' ');
}

/** The arguments and required flags of a synopsis; optional arguments are in brackets. */
export function synopsisWords({ args, flags }: Pick<AnyCommand, 'args' | 'flags'>): string[] {
  const words = (args as readonly Argument[]).map(({ name, optional, variadic }) => {
    const word = `${name.toUpperCase()}${variadic ? '...' : ''}`;
    return optional ? `[${word}]` : word;
  });
  const required = Object.entries<Flag>(flags).flatMap(([key, flag]) =>
    flag.required ? [`${longName(key)} ${flag.value}`] : [],
  );
  return [...words, ...required];
}

/** The longest text of a value in a message. */
const longest = 80;

/** @throws usage naming the flag, the value and the rule */
export function flagValue(name: string, flag: Flag, typed: string): string | number {
  const text = flag.value === 'PERIOD' ? writtenPeriod(typed) : typed;
  const wrong = (rule: string) => usage(`${name} ${rule}, got ${quote(text)}`);
  checkChoice(name, flag.choices, text);
  if (flag.pattern && !new RegExp(flag.pattern.source, 'u').test(text)) throw wrong(`must be ${flag.pattern.says}`);
  const value = flag.kind === 'integer' || flag.kind === 'number' ? numberOf(flag, text, wrong) : text;
  const broken = flag.schema && issues(flag.schema, value)[0];
  if (broken) throw wrong(broken.message);
  return value;
}

/** @throws usage when there are choices and `text` is not one of them; `name` is a flag or an argument */
export function checkChoice(name: string, choices: readonly string[] | undefined, text: string): void {
  if (!choices || choices.includes(text)) return;
  const near = nearest(text, choices);
  throw usage(`${name} must be ${joinWords(choices)}, got ${quote(text)}`, near && `did you mean ${near}?`);
}

/** In quotes, shortened to a readable length. */
function quote(text: string): string {
  return JSON.stringify(shorten(text, longest));
}

function numberOf(flag: Flag, text: string, wrong: (rule: string) => Error): number {
  const whole = flag.kind === 'integer';
  const value = Number(text);
  const written = whole ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  if (written.test(text) && !isInRange(text)) throw new NumberRangeError(text);
  if (!written.test(text) || !Number.isFinite(value)) throw wrong(`must be a ${whole ? 'whole ' : ''}number`);
  if (whole && !Number.isSafeInteger(value)) throw wrong(`must be a whole number of at most 2^53 - 1`);
  const { minimum, maximum } = flag;
  if (value >= (minimum ?? value) && value <= (maximum ?? value)) return value;
  if (minimum === undefined) throw wrong(`must be at most ${maximum}`);
  throw wrong(maximum === undefined ? `must be at least ${minimum}` : `must be ${minimum} to ${maximum}`);
}

/** `a, b or c`. */
export function joinWords(words: readonly string[], link: 'and' | 'or' = 'or'): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} ${link} ${words.at(-1)}`;
}
