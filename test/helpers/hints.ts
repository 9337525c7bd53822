/** Finds commands and flags in messages that the program would refuse as unknown. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyCommand, type Flag, globalsBeside, longName } from '../../src/cli/define.ts';
import { aliasPaths, allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';
import { wordsOf } from './examples.ts';

let paths: Promise<{ path: string[]; command: AnyCommand }[]> | undefined;

/** Every path of every command, longest first. A file that reads no hint loads none of them. */
function readPaths() {
  paths ??= allCommands(tree).then((commands) =>
    commands
      .flatMap((command) =>
        [command.path, ...aliasPaths(tree, command)].map((path) => ({ path: path.split(' '), command })),
      )
      .sort((a, b) => b.path.length - a.path.length),
  );
  return paths;
}

/** The command that a line of words names, after its global flags; undefined for help, a noun alone, or no command. */
async function commandOf(words: readonly string[]): Promise<AnyCommand | undefined> {
  const bare = withoutLeadingFlags(words);
  return (await readPaths()).find(({ path }) => path.every((word, index) => bare[index] === word))?.command;
}

function withoutLeadingFlags(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined || !first.startsWith('-')) return words;
  const takesValue = !first.includes('=') && flagsOf(undefined).get(first)?.kind !== 'boolean';
  return withoutLeadingFlags(takesValue ? rest.slice(1) : rest);
}

function flagsOf(command: AnyCommand | undefined): Map<string, Flag> {
  const own = (command?.flags ?? {}) as Record<string, Flag>;
  return new Map(
    Object.entries({ ...own, ...globalsBeside(own) }).flatMap(([key, flag]) => [
      [longName(key), flag] as const,
      ...(flag.short === undefined ? [] : [[`-${flag.short}`, flag] as const]),
    ]),
  );
}

const always = new Set(['--help', '-h', '--version', '--long']);

/** What is wrong with a command line that a text names; undefined when nothing is. */
export async function problemOf(line: string): Promise<string | undefined> {
  const words = (wordsOf(line.replaceAll('…', '').replaceAll('...', '')) ?? line.split(' ')).slice(1);
  const bare = withoutLeadingFlags(words);
  const [noun, verb] = bare;
  const command = await commandOf(words);
  if (noun === undefined || noun === 'help') return undefined;
  const isNoun = Object.hasOwn(tree.nouns, noun);
  if (!command && !isNoun && !Object.hasOwn(tree.shortcuts, noun)) return `no command ${noun}`;
  if (!command && verb !== undefined && /^[a-z]/.test(verb)) {
    const isPrefix = (await readPaths()).some(({ path }) => path[0] === noun && path[1] === verb);
    return isPrefix ? undefined : `no command ${noun} ${verb}`;
  }
  const known = flagsOf(command);
  const unknown = words
    .map((word) => word.replace(/=.*/s, ''))
    .find((word) => /^--?[a-z]/.test(word) && !known.has(word) && !always.has(word));
  return unknown === undefined ? undefined : `no flag ${unknown}`;
}

async function commandsOfNoun(argv: readonly string[]): Promise<AnyCommand[]> {
  const [noun] = withoutLeadingFlags(argv);
  return (await readPaths()).filter(({ path }) => path[0] === noun).map(({ command }) => command);
}

/** `comem grants get ID for one`, as the line after a table says it. */
const footerCommands = /(?<![`\w'])comem (?:-p \S+ )?([a-z]+)[^`·]*/g;

const fileName = /(?<![\w/.:*@-])(?:[\w.-]+\/)*[\w-]+\.(\w+)(?![\w/]|\.\w)/g;
/** Formats that comem reads or writes. */
const extensions = /^(?:csv|tsv|json|ndjson|ya?ml|md|xlsx|parquet|html|svg|png|txt|xml|sarif|db)$/;
/** What names a file that is to be made: a flag of output, or a report. */
const output = /(?:--(?:out|failed|plan-out)|-O|>)[ =]$|--report \w+=$/;

/** The files that a text reads, and those that it makes. */
export function filesIn(text: string): { read: string[]; made: string[] } {
  const files = [...text.matchAll(fileName)].filter(([, extension = '']) => extensions.test(extension));
  const isMade = ({ index }: RegExpMatchArray) => output.test(text.slice(0, index));
  const made = files.filter(isMade).map(([name]) => name);
  return { made, read: files.map(([name]) => name).filter((name) => !made.includes(name)) };
}

/** A file in a hint is one that the command was given, that is there, or that the hint has made. */
function fileProblems(argv: readonly string[], line: string, folder: string): string[] {
  const given = argv.join(' ');
  const missing = filesIn(line).read.filter((name) => !given.includes(name) && !existsSync(join(folder, name)));
  return missing.map((name) => `no file ${name}`);
}

/** The problems of all commands, flags and files that the messages of a run name. */
export async function brokenHints(argv: readonly string[], messages: string, folder: string): Promise<string[]> {
  const problems: string[] = [];
  const used = await commandOf(argv);
  // A terminal breaks long lines.
  for (const line of messages.replace(/\n {6,}(?=\S)|(?<=· ?)\n/g, ' ').split('\n')) {
    for (const [command, noun = ''] of line.matchAll(footerCommands)) {
      const problem = Object.hasOwn(tree.nouns, noun) ? await problemOf(command) : undefined;
      if (problem) problems.push(`${problem}: ${line}`);
    }
    const commands = [...line.matchAll(/`(comem [^`]+)`/g)].map(([, command = '']) => command);
    for (const command of commands) {
      const problem = await problemOf(command);
      if (problem) problems.push(`${problem}: ${line}`);
    }
    if (!line.includes('hint: ')) continue;
    problems.push(...fileProblems(argv, line, folder).map((problem) => `${problem}: ${line}`));
    const named = await Promise.all(commands.map((command) => commandOf(command.split(' ').slice(1))));
    const possible = used === undefined ? await commandsOfNoun(argv) : [used];
    const known = new Set([...possible, ...named].flatMap((command) => [...flagsOf(command).keys()]));
    for (const [flag] of line.replace(/`[^`]+`/g, '').matchAll(/(?<![\w"'-])--[a-z][a-z-]*/g)) {
      if (!known.has(flag) && !always.has(flag)) problems.push(`no flag ${flag} of ${used?.path}: ${line}`);
    }
  }
  return problems;
}
