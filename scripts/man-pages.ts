/** Man pages in man(7) macros, printed from the command tree: comem.1, one for each noun, comem-exit-codes.7. */

import { version } from '../package.json';
import { type AnyCommand, type Argument, type Example, synopsis } from '../src/cli/define.ts';
import { wrap } from '../src/cli/parser.ts';
import { rowFlagsManual } from '../src/cli/query.ts';
import { confirmation, environmentRows, exitCodeRows, flagRows, precedence } from '../src/cli/topics.ts';
import { aliasPaths, commandsOf, type Tree } from '../src/cli/tree.ts';
import { globalFlags } from '../src/config/global-flags.ts';

/** The date of the pages. Update it when the content changes. */
const date = '2026-11-22';

/** Text of every page by its file name. */
export async function manPages(tree: Tree): Promise<Record<string, string>> {
  const nouns = Object.keys(tree.nouns);
  const pages = nouns.map(async (noun) => [`comem-${noun}.1`, nounPage(noun, await commandsOf(tree, noun), tree)]);
  return Object.fromEntries([
    ['comem.1', mainPage(tree)],
    ...(await Promise.all(pages)),
    ['comem-exit-codes.7', exitCodesPage()],
  ]);
}

function mainPage(tree: Tree): string {
  const { about } = tree;
  const nouns = Object.entries(tree.nouns).map(([noun, { summary }]) => [`comem ${noun}`, `${summary}.`] as const);
  const others = Object.keys(tree.nouns).map((noun) => `comem-${noun}(1)`);
  return page('COMEM', 1, [
    section('NAME', `comem \\- ${escapeRoff(lowerFirst(about.summary))}`),
    section('SYNOPSIS', `.B comem\n.I NOUN VERB\n.RI [ TARGET ]\n.RI [ flags ]`),
    section('DESCRIPTION', text(about.description)),
    section('COMMANDS', terms(nouns)),
    section('GLOBAL FLAGS', terms(flagRows(globalFlags))),
    section('ENVIRONMENT', `${terms(environmentRows)}\n.PP\n${text(precedence)}`),
    section('EXIT STATUS', text('0 on success. comem-exit-codes(7) lists the others.')),
    section('EXAMPLES', exampleLines(about.examples)),
    section('SEE ALSO', text([...others, 'comem-exit-codes(7)'].join(', '))),
  ]);
}

function nounPage(noun: string, commands: readonly AnyCommand[], tree: Tree): string {
  const summary = tree.nouns[noun]?.summary ?? noun;
  const related = (tree.nouns[noun]?.related ?? []).map((other) => `comem-${other}(1)`);
  return page(`COMEM-${noun.toUpperCase()}`, 1, [
    section('NAME', `comem\\-${escapeRoff(noun)} \\- ${escapeRoff(lowerFirst(summary))}`),
    section('SYNOPSIS', commands.map((command) => `.B ${escapeRoff(synopsis(command))}`).join('\n.br\n')),
    section('DESCRIPTION', commands.map((command) => commandPart(command, tree)).join('\n')),
    ...choosingRows(commands),
    section('GLOBAL FLAGS', text('Every command takes the global flags and environment variables of comem(1).')),
    section('EXIT STATUS', text('See comem-exit-codes(7).')),
    section('SEE ALSO', text(['comem(1)', ...related, 'comem-exit-codes(7)'].join(', '))),
  ]);
}

/** The flags that several verbs share are explained once. */
function choosingRows(commands: readonly AnyCommand[]): string[] {
  const parts = new Set(commands.flatMap(({ flags }) => rowFlagsManual(flags)));
  return parts.size > 0 ? [section('CHOOSING ROWS', [...parts].map(text).join('\n.PP\n'))] : [];
}

function commandPart(command: AnyCommand, tree: Tree): string {
  const aliases = aliasPaths(tree, command).map((path) => `comem ${path}`);
  const args = (command.args as readonly Argument[]).map(({ name, summary }) => [name.toUpperCase(), summary] as const);
  const rows = [...args, ...flagRows(command.flags)];
  return [
    `.SS comem ${escapeRoff(command.path)}`,
    text(`${command.summary}.`),
    ...paragraphs(command).flatMap((part) => ['.PP', text(part)]),
    ...(aliases.length > 0 ? ['.PP', text(`Also: ${aliases.join(', ')}.`)] : []),
    ...(rows.length > 0 ? [terms(rows)] : []),
    ...(command.examples.length > 0 ? ['.PP', text('Examples:'), exampleLines(command.examples)] : []),
  ].join('\n');
}

function paragraphs(command: AnyCommand): string[] {
  const { description = '', file = [], manual = '' } = command;
  return [description, confirmation(command) ?? '', ...file, manual]
    .flatMap((parts) => parts.split(/\n\s*\n/))
    .filter((part) => part.trim() !== '');
}

function exitCodesPage(): string {
  return page('COMEM-EXIT-CODES', 7, [
    section('NAME', 'comem\\-exit\\-codes \\- what the exit codes of comem mean'),
    section(
      'DESCRIPTION',
      `${text('A script can tell from the exit code of comem(1) what to do next.')}\n${terms(exitCodeRows)}`,
    ),
    section(
      'ERRORS AS JSON',
      text(
        'With -o json or -o ndjson an error is one line of JSON on stderr, with the fields code, message, status, details, request, hint, retryable and exitCode under the key error.',
      ),
    ),
    section('SEE ALSO', text('comem(1)')),
  ]);
}

function page(title: string, chapter: number, sections: readonly string[]): string {
  return `.\\" Printed from the command definitions by "npm run man".\n.TH ${title} ${chapter} ${date} "comem ${version}" "comem"\n${sections.join('\n')}\n`;
}

function section(title: string, body: string): string {
  return `.SH ${title}\n${body}`;
}

/** Every sentence begins a line, and lines are short, as roff likes it. */
function text(words: string): string {
  const sentences = words
    .trim()
    .replace(/\s+/g, ' ')
    .split(/(?<=[.:;]) (?=[A-Z`])/);
  return sentences.flatMap((sentence) => wrap(escapeRoff(sentence), 78).map(escapeLeadingDot)).join('\n');
}

function terms(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([term, meaning]) => `.TP\n.B ${escapeRoff(term.trim())}\n${text(meaning)}`).join('\n');
}

function exampleLines(examples: readonly Example[]): string {
  return examples
    .map(
      ({ run, says }) =>
        `.TP\n${text(says)}\n.EX\n${run
          .split('\n')
          .map((line) => escapeLeadingDot(escapeRoff(line)))
          .join('\n')}\n.EE`,
    )
    .join('\n');
}

function lowerFirst(words: string): string {
  return /^[A-Z][a-z ]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}

function escapeRoff(words: string): string {
  return (
    words
      .replaceAll('\\', '\\e')
      .replaceAll('-', '\\-')
      .replaceAll('…', '...')
      // roff implementations count bytes and may not read UTF-8.
      .replace(/[^\x20-\x7e\n]/gu, (char) => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`)
      .replaceAll("'", '\\(aq')
      .replaceAll('`', '\\(ga')
      .replaceAll('"', '\\(dq')
  );
}

/** A line that begins with a dot would be a request. */
function escapeLeadingDot(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}
