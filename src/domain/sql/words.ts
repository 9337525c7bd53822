/** Words of a statement, for parameters and hints. */
import { nearest } from '../../core/nearest.ts';

export type Words = ReturnType<typeof wordsOf>;

const parts = [
  String.raw`(?<![\w.])(?<date>(?:19|20)\d\d-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|0[1-9])(?![\w.-]))`,
  `'(?<text>(?:[^']|'')*)'`,
  String.raw`"(?:[^"]|"")*"|\x60[^\x60]*\x60|\[[^\]]*\]|--[^\n]*|/\*[^]*?(?:\*/|$)`,
  String.raw`[:@$](?<parameter>[\p{L}_][\p{L}\p{M}\p{N}_$]*)`,
  String.raw`(?<name>[\p{L}_][\p{L}\p{M}\p{N}_$]*)`,
].join('|');

export function wordsOf(statement: string) {
  const words = {
    parameters: new Set<string>(),
    texts: new Set<string>(),
    /** Bare words, in lower case. */
    names: new Set<string>(),
    /** A text that looks like a date and is a subtraction in SQL. */
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

/** The statement without comments; an `x` stands for each quoted text. */
function codeOf(statement: string): string {
  return statement.replace(skipped, (text) => (/^(?:--|\/\*)/.test(text) ? ' ' : 'x'));
}

export function isEmpty(statement: string): boolean {
  return /^[\s;]*$/.test(codeOf(statement));
}

/** Whether the text has a second statement. SQLite compiles the first one only. */
export function hasSecond(statement: string): boolean {
  return /;[\s;]*[^\s;]/.test(codeOf(statement));
}

const maxWords = 200;

/** The hint for a misspelled name: a table after `from`, else a column. `listTables` where no table is near. */
export function hintOfNames(
  statement: string,
  { names }: Words,
  { tables, columns, listTables }: { tables: readonly string[]; columns: readonly string[]; listTables: string },
): string | undefined {
  const known = [...tables, ...columns];
  const slug = known.find((name) => name.includes('_') && statement.includes(name.replaceAll('_', '-')));
  if (slug !== undefined) return `did you mean ${slug}?`;
  const code = codeOf(statement).toLowerCase();
  const ofTables = new Set([...code.matchAll(/\b(?:from|join)\s+(\w+)/g)].map(([, name = '']) => name));
  const defined = new Set([...code.matchAll(/\b(\w+)\s+as\s*\(|\b(\w+)\s*\(/g)].map(([, cte, call]) => cte ?? call));
  for (const word of [...names].slice(0, maxWords)) {
    if (known.includes(word) || defined.has(word) || word.length < 3 || keywords.has(word)) continue;
    const meant = namesLike(word, ofTables.has(word) ? tables : columns);
    if (meant.length > 0) return `did you mean ${meant.join(' or ')}?`;
    if (ofTables.has(word)) return listTables;
  }
  const [, text] = /(?<!\bas\s+)"([^"]*)"/is.exec(statement) ?? [];
  const isText = text !== undefined && !known.includes(text);
  return isText ? `write a text in single quotes: '${text.replaceAll("'", "''")}'` : undefined;
}

/** Names that begin with a word or its singular, else the nearest one. */
function namesLike(word: string, known: readonly string[]): readonly string[] {
  const begun = known.filter((name) => name.startsWith(`${word}_`) || name.startsWith(`${word.replace(/s$/, '')}_`));
  if (begun.length > 0) return begun;
  const near = nearest(word, known);
  return near === undefined ? [] : [near];
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
