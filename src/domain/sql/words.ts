/** Words of a statement, for its parameters and for hints. What a statement may do does not depend on them. */
import { nearest } from '../../core/nearest.ts';

export interface Words {
  /** Names of `:name`, `@name` and `$name`. */
  parameters: ReadonlySet<string>;
  /** Texts in single quotes. */
  texts: ReadonlySet<string>;
  /** Bare words, in lower case. */
  names: ReadonlySet<string>;
  /** What is written like a date, and is a subtraction in SQL. */
  dates: ReadonlySet<string>;
}

const parts = [
  String.raw`(?<![\w.])(?<date>(?:19|20)\d\d-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|0[1-9])(?![\w.-]))`,
  `'(?<text>(?:[^']|'')*)'`,
  String.raw`"(?:[^"]|"")*"|\x60[^\x60]*\x60|\[[^\]]*\]|--[^\n]*|/\*[^]*?(?:\*/|$)`,
  String.raw`[:@$](?<parameter>[\p{L}_][\p{L}\p{M}\p{N}_$]*)`,
  String.raw`(?<name>[\p{L}_][\p{L}\p{M}\p{N}_$]*)`,
].join('|');

export function wordsOf(statement: string): Words {
  const words = {
    parameters: new Set<string>(),
    texts: new Set<string>(),
    names: new Set<string>(),
    dates: new Set<string>(),
  };
  for (const { groups = {} } of statement.matchAll(new RegExp(parts, 'gu'))) {
    const { text, parameter, name, date } = groups;
    if (text !== undefined) words.texts.add(text.replaceAll("''", "'"));
    if (parameter !== undefined) words.parameters.add(parameter);
    if (date !== undefined) words.dates.add(date);
    if (name !== undefined) words.names.add(name.toLowerCase());
  }
  return words;
}

const skipped = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** Whether the text has a second statement. SQLite compiles the first one only. */
export function hasSecond(statement: string): boolean {
  const isComment = (text: string) => text.startsWith('--') || text.startsWith('/*');
  return /;[\s;]*[^\s;]/.test(statement.replace(skipped, (text) => (isComment(text) ? ' ' : 'x')));
}

/** The number of words that are compared for a hint. */
const mostWords = 200;

/** The table or column whose name is nearest to a word of the statement. */
export function meantName(statement: string, { names }: Words, known: readonly string[]): string | undefined {
  const slug = known.find((name) => name.includes('_') && statement.includes(name.replaceAll('_', '-')));
  if (slug !== undefined) return slug;
  for (const word of [...names].slice(0, mostWords)) {
    if (known.includes(word) || word.length < 3 || keywords.has(word)) continue;
    const near = known.find((name) => name.startsWith(`${word}_`)) ?? nearest(word, known);
    if (near !== undefined) return near;
  }
  return undefined;
}

const keywords: ReadonlySet<string> = new Set(
  [
    'all and as asc between by case cast collate cross current desc distinct else end escape except exists explain false',
    'filter first following from full glob group having inner intersect isnull join last left like limit materialized',
    'natural not notnull null nulls offset order outer over partition preceding range recursive right row rows select',
    'then ties true unbounded union using values when where window with count sum min max avg',
  ]
    .join(' ')
    .split(' '),
);
