/**
 * What SQLite says of a statement, as data. It has no other way to say which name is missing, so its words are read here
 * and nowhere else.
 */
import { type Failure, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { functions } from './functions.ts';
import { didYouMean, wrong } from './place.ts';
import type { Statement } from './statement.ts';
import { isWord, type Token } from './tokens.ts';

export type Mistake =
  | { kind: 'table' | 'column' | 'function' | 'syntax' | 'token' | 'ambiguous'; name: string }
  | { kind: 'unfinished' }
  | { kind: 'other'; says: string };

const patterns: readonly [RegExp, Exclude<Mistake['kind'], 'unfinished' | 'other'>][] = [
  [/^no such table: (.*)$/s, 'table'],
  [/^no such column: "(.*)" - should this be a string literal in single-quotes\?$/s, 'column'],
  [/^no such column: (.*)$/s, 'column'],
  [/^no such function: (.*)$/s, 'function'],
  [/^ambiguous column name: (.*)$/s, 'ambiguous'],
  [/^near "(.*)": syntax error$/s, 'syntax'],
  [/^unrecognized token: "(.*)"$/s, 'token'],
];

export function mistakeOf(message: string): Mistake {
  for (const [pattern, kind] of patterns) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return { kind, name };
  }
  return message === 'incomplete input' ? { kind: 'unfinished' } : { kind: 'other', says: message };
}

export interface Names {
  tables: readonly string[];
  /** Whose lists are tables, where that was asked for. */
  companies?: readonly string[];
  /** Of the tables that the statement names. */
  columns: readonly string[];
}

export function tablesHint({ companies = [] }: Pick<Names, 'companies'>): string {
  const whose = companies.length === 0 ? '' : `; its lists are those of ${companies.join(', ')} (-c)`;
  return `run \`comem sql --tables\` to list the tables${whose}`;
}

/**
 * The failure of a statement that SQLite refuses.
 * @param isUnfinished whether SQLite accepts a beginning of the statement
 */
export async function refusal(
  { text, tokens }: Statement,
  mistake: Mistake,
  names: Names,
  isUnfinished: (text: string) => Promise<boolean>,
): Promise<Failure> {
  switch (mistake.kind) {
    case 'table':
      return wrong(
        text,
        named(tokens, mistake.name, (after, before) => after?.text !== '(' && isTablePlace(before)),
        `unknown table "${mistake.name}"`,
        didYouMean(mistake.name, names.tables, tablesHint(names)),
      );
    case 'column': {
      const name = mistake.name.split('.').at(-1) ?? '';
      const token = named(tokens, mistake.name, (after) => after?.text !== '(');
      const isText = token?.text.startsWith('"') ?? false;
      const joined = hyphenated(tokens, token);
      if (joined !== undefined && names.columns.includes(joined)) {
        return wrong(text, token, `unknown column "${mistake.name}"`, `write - in names as _: ${joined}`);
      }
      const otherwise = isText ? "put text in single quotes: 'text'" : columnsHint(names.columns);
      return wrong(text, token, `unknown column "${mistake.name}"`, didYouMean(name, names.columns, otherwise));
    }
    case 'function': {
      const near = didYouMean(mistake.name, [...functions], 'the functions are those of SQLite');
      return wrong(text, named(tokens, mistake.name), `unknown function "${mistake.name}"`, near);
    }
    case 'ambiguous': {
      const hint = `write the table before it, such as t.${mistake.name}`;
      return wrong(text, named(tokens, mistake.name), `several tables have a column "${mistake.name}"`, hint);
    }
    case 'syntax':
    case 'token': {
      const token = await breakingToken(text, tokens, mistake.name, isUnfinished);
      return wrong(text, token, `syntax error near "${mistake.name}"`, syntaxHint(token, tokens, names));
    }
    case 'unfinished': {
      const end = text.length;
      return wrong(text, { at: end, end: end + 1 }, 'the statement is not complete', 'add what is missing at its end');
    }
    case 'other':
      return usage(`SQLite refuses the statement: ${mistake.says}`);
  }
}

function columnsHint(columns: readonly string[]): string {
  const some = columns.slice(0, 12).join(', ');
  if (columns.length === 0) return 'the statement has no table; `comem sql --tables` lists them';
  return `the columns are ${some}${columns.length > 12 ? ' …; `comem sql --schema` lists all' : ''}`;
}

function isTablePlace(before: Token | undefined): boolean {
  return isWord(before, 'from', 'join') || before?.text === ',' || before?.text === '.' || before?.text === '(';
}

/** The token of a name as SQLite writes it, `t.column` too. */
function named(
  tokens: readonly Token[],
  name: string,
  fits: (after: Token | undefined, before: Token | undefined) => boolean = () => true,
): Token | undefined {
  const same = ({ kind, value }: Token, wanted: string) =>
    kind === 'name' && value.toLowerCase() === wanted.toLowerCase();
  const fitting = (wanted: string, owner?: string) =>
    tokens.find((token, index) => {
      const [before, dot, after] = [tokens[index - 2], tokens[index - 1], tokens[index + 1]];
      const owned = owner === undefined || (dot?.text === '.' && before !== undefined && same(before, owner));
      return same(token, wanted) && owned && fits(after, dot);
    });
  const [last = '', owner] = name.split('.').reverse();
  return (owner === undefined ? undefined : fitting(last, owner)) ?? fitting(name) ?? fitting(last);
}

/** SQLite names the token, which may occur several times: the first one that it does not accept after what precedes it. */
async function breakingToken(
  text: string,
  tokens: readonly Token[],
  name: string,
  isUnfinished: (text: string) => Promise<boolean>,
): Promise<Token | undefined> {
  const found = tokens.filter((token) => token.text.toLowerCase() === name.toLowerCase());
  for (const token of found.slice(0, -1)) {
    if (!(await isUnfinished(text.slice(0, token.end)))) return token;
  }
  return found.at(-1) ?? tokens.find((token) => token.kind === 'wrong');
}

function syntaxHint(
  token: Token | undefined,
  tokens: readonly Token[],
  { tables, columns }: Names,
): string | undefined {
  if (!token) return undefined;
  const joined = hyphenated(tokens, token);
  if (joined !== undefined) {
    const near = nearest(joined, [...tables, ...columns]) ?? joined;
    return `write - in names as _: ${near}`;
  }
  const isKnown = (name: string) =>
    [...tables, ...columns, ...keywords].some((word) => word.toLowerCase() === name.toLowerCase());
  // `from t wher x`: SQLite takes the word for another name of t, and refuses the next one.
  for (const each of [tokens[tokens.indexOf(token) - 1], token]) {
    if (each?.kind !== 'name' || each.quoted || isKnown(each.value)) continue;
    const near = didYouMean(each.value, keywords, '');
    if (near !== '') return near;
  }
  const known = [...tables, ...columns].find((name) => name.toLowerCase() === token.value.toLowerCase());
  if (known !== undefined && token.kind === 'name' && !token.quoted) return `write the name in quotes: "${known}"`;
  return undefined;
}

/** The name that `deal-pipeline` was meant to be, around a token of it. */
function hyphenated(tokens: readonly Token[], token: Token | undefined): string | undefined {
  const at = token ? tokens.indexOf(token) : -1;
  if (at < 0) return undefined;
  const joins = (index: number) => tokens[index]?.text === '-' && tokens[index]?.at === tokens[index - 1]?.end;
  let [from, to] = [at, at];
  while (joins(from) || joins(from - 1)) from -= 1;
  while (joins(to) || joins(to + 1)) to += 1;
  const name = tokens.slice(from, to + 1).map(({ text }) => (text === '-' ? '_' : text));
  return from === to ? undefined : name.join('');
}

/** Words of select statements, for suggestions and completion. */
export const keywords: readonly string[] = [
  ...['select', 'from', 'where', 'group', 'by', 'order', 'having', 'limit', 'offset', 'join', 'left', 'inner', 'cross'],
  ...['on', 'using', 'as', 'and', 'or', 'not', 'in', 'is', 'null', 'like', 'between', 'exists', 'case', 'when', 'then'],
  ...['else', 'end', 'distinct', 'union', 'all', 'except', 'intersect', 'with', 'recursive', 'values', 'over'],
  ...['partition', 'asc', 'desc', 'nulls', 'first', 'last', 'filter', 'cast', 'collate', 'explain'],
];
