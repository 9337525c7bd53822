/** What Tab completes at the prompt: tables, columns, functions and words of SQL, and the commands of the prompt. */
import { formats } from '../../core/output-formats.ts';
import { functions } from '../../domain/sql/functions.ts';
import { keywords } from '../../domain/sql/mistake.ts';
import { isWord, lex } from '../../domain/sql/tokens.ts';
import type { SqlTables } from './tables.ts';

/** @returns the words that continue the text, and the part of the text that they replace */
type Completer = (text: string) => Promise<[words: string[], part: string]>;

export function completer(tables: SqlTables, commands: readonly string[]): Completer {
  const columns = new Map<string, Promise<string[]>>();
  const columnsOf = (table: string): Promise<string[]> => {
    const name = table.toLowerCase();
    const known = columns.get(name) ?? readColumns(tables, name);
    columns.set(name, known);
    return known;
  };
  const tableNames = async () => (await tables.all()).map(({ name }) => name);

  const candidates = async (text: string, owner: string | undefined): Promise<readonly string[]> => {
    if (/^\s*\.\w*$/.test(text)) return commands;
    if (/^\s*\.schema\s/.test(text)) return tableNames();
    if (/^\s*\.mode\s/.test(text)) return formats;
    if (/^\s*\.once\s/.test(text)) return [];
    const { tokens } = lex(text);
    const named = tokens.filter((_, at) => isWord(tokens[at - 1], 'from', 'join') || tokens[at - 1]?.text === ',');
    if (owner !== undefined) return columnsOf(tableOf(owner, text));
    const written = /[\w$]$/.test(text) ? tokens.at(-2) : tokens.at(-1);
    const all = await tableNames();
    if (isWord(written, 'from', 'join')) return all;
    // Where no table is named yet, the columns of each may be meant.
    const chosen = named.map(({ value }) => value.toLowerCase()).filter((name) => all.includes(name));
    const some = await Promise.all((chosen.length > 0 ? chosen : all).map(columnsOf));
    return [...some.flat(), ...all, ...[...functions].filter((name) => /^\w+$/.test(name)), ...keywords];
  };

  return async (text) => {
    const [, owner, part = ''] = /(?:([\w$]+)\.)?([\w$]*)$/u.exec(text) ?? [];
    const isCommand = /^\s*\.\w*$/.test(text);
    const typed = isCommand ? text.trim() : part;
    const found = await candidates(text, isCommand ? undefined : owner);
    const words = found.filter((word) => word.toLowerCase().startsWith(typed.toLowerCase()));
    return [[...new Set(words)].sort(), typed];
  };
}

async function readColumns(tables: SqlTables, name: string): Promise<string[]> {
  const table = await tables.find(name);
  return table ? (await table.open()).columns.map((column) => column.name) : [];
}

/** The table of `d` in `from deal_pipeline d` and `from deal_pipeline as d`. */
function tableOf(alias: string, text: string): string {
  const { tokens } = lex(text);
  const at = tokens.findIndex(
    ({ value }, index) =>
      value.toLowerCase() === alias.toLowerCase() &&
      index > 1 &&
      isName(tokens[index - 1]) &&
      tokens[index + 1]?.text !== '.',
  );
  const before = isWord(tokens[at - 1], 'as') ? tokens[at - 2] : tokens[at - 1];
  return at < 0 || !before || isWord(before, 'from', 'join') ? alias : before.value;
}

function isName(token: { kind: string } | undefined): boolean {
  return token?.kind === 'name';
}
