/** A statement before anything runs: one, complete, and one that reads. */
import { usage } from '../../core/errors.ts';
import { refusedNames } from './functions.ts';
import { didYouMean, wrong } from './place.ts';
import { isWord, lex, type Token } from './tokens.ts';

export interface Statement {
  /** Without a final `;`. */
  text: string;
  /** The statement that `explain` explains; else the same. */
  explained: string;
  tokens: readonly Token[];
  /** Names of `:name`, `@name` and `$name`, each once, with the first place. */
  parameters: ReadonlyMap<string, Token>;
}

const reads = ['select', 'with', 'values', 'explain'];
const writes = ['insert', 'update', 'delete', 'replace'];
const reading = 'begin it with select, with, values or explain';

/** What to use instead of a statement that SQLite has and comem refuses. */
const instead: Readonly<Record<string, string>> = {
  insert: 'use `comem entries create` or `comem entries import`',
  update: 'use `comem entries update`',
  delete: 'use `comem entries delete`',
  replace: 'use `comem entries import --mode upsert`',
  create: 'use a `with` clause for an intermediate result',
  pragma: 'use `comem sql --tables` and `comem sql --schema`',
  attach: 'export the other data, or import it as a list',
};

/** @throws usage, pointing at what is wrong */
export function readStatement(written: string): Statement {
  const { tokens: all, open } = lex(written);
  const tokens = all.slice(0, all.findLastIndex(({ text }) => text !== ';') + 1);
  const [first] = tokens;
  if (!first) throw usage('the statement is empty', 'try `comem sql "select 1"`, or `comem sql --tables`');
  if (open !== undefined) {
    const what = open === '/*' ? 'a comment' : `the quote ${open}`;
    throw wrong(written, all.at(-1), `${what} is not closed`, `close it with ${closing[open] ?? open}`);
  }
  const separator = tokens.findIndex(({ text }) => text === ';');
  if (separator >= 0) {
    throw wrong(written, tokens[separator + 1], 'a second statement', 'run one at a time', '`comem sql` runs one');
  }
  const explained = isWord(first, 'explain') ? (isWord(tokens[1], 'query') ? 3 : 1) : 0;
  refuseWrites(written, tokens, tokens[explained] ?? first);
  refuseReach(written, tokens);
  refuseBareDates(written, tokens);
  const end = tokens.at(-1)?.end;
  return {
    text: written.slice(0, end),
    explained: written.slice(tokens[explained]?.at, end),
    ...{ tokens, parameters: parametersOf(written, tokens) },
  };
}

const closing: Readonly<Record<string, string>> = { '/*': '*/', '[': ']' };

function refuseWrites(text: string, tokens: readonly Token[], first: Token): void {
  if (!isWord(first, ...statements)) {
    throw wrong(text, first, `a statement cannot begin with "${first.text}"`, didYouMean(first.value, reads, reading));
  }
  // `with … delete`: the verb follows the last parenthesis of the clause.
  const verb = isWord(first, 'with')
    ? tokens.find((token, index) => token.depth === 0 && isWord(token, ...writes) && tokens[index - 1]?.text === ')')
    : first;
  if (!verb || isWord(verb, ...reads)) return;
  const name = verb.value.toLowerCase();
  throw wrong(text, verb, `"${name}" is not allowed`, instead[name] ?? reading, '`comem sql` only reads');
}

/** The words that statements of SQLite begin with. */
const statements = [
  ...reads,
  ...writes,
  ...[
    'create',
    'drop',
    'alter',
    'attach',
    'detach',
    'pragma',
    'vacuum',
    'analyze',
    'reindex',
    'begin',
    'commit',
    'end',
  ],
  ...['rollback', 'savepoint', 'release'],
];

/** Functions and tables that reach files or the engine itself. */
function refuseReach(text: string, tokens: readonly Token[]): void {
  const found = tokens.find(({ kind, value }, index) => {
    if (kind !== 'name' || !refusedNames.has(value.toLowerCase())) return false;
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    return after?.text === '(' || isWord(before, 'from', 'join') || before?.text === ',';
  });
  if (found) {
    const hint = 'a statement reads tables only; `comem sql --tables` lists them';
    throw wrong(text, found, `"${found.value}" is not allowed`, hint, 'it reaches beyond the tables');
  }
}

/** `first_contact >= 2024-01-01` would compare with 2022, and hold for every row. A minus between numbers needs blanks. */
function refuseBareDates(text: string, tokens: readonly Token[]): void {
  const isDigits = (at: number, count: number) => tokens[at]?.kind === 'number' && tokens[at]?.text.length === count;
  const isJoined = (at: number) => tokens[at]?.text === '-' && tokens[at - 1]?.end === tokens[at]?.at;
  for (const [at, token] of tokens.entries()) {
    const end = tokens[at + 2]?.end ?? 0;
    const isMonth = isDigits(at, 4) && isJoined(at + 1) && isDigits(at + 2, 2) && end === token.at + 7;
    const month = Number(tokens[at + 2]?.text);
    if (!isMonth || month < 1 || month > 12) continue;
    const isDay = isJoined(at + 3) && isDigits(at + 4, 2) && tokens[at + 4]?.end === token.at + 10;
    const date = text.slice(token.at, token.at + (isDay ? 10 : 7));
    const place = { at: token.at, end: token.at + date.length };
    throw wrong(text, place, `${date} is a subtraction`, `write '${date}' for the date, or blanks around the minus`);
  }
}

/** `warm_intro = 'true'` holds for no row, although results show `true`. @param isBoolean of a column by its name */
export function refuseTruthTexts({ text, tokens }: Statement, isBoolean: (column: string) => boolean): void {
  for (const [at, token] of tokens.entries()) {
    const [operator, word] = [tokens[at + 1], tokens[at + 2]];
    const compared = operator && (['=', '==', '!=', '<>'].includes(operator.text) || isWord(operator, 'is'));
    const said = /^'(true|false)'$/i.exec(word?.kind === 'string' ? word.text : '')?.[1];
    if (token.kind !== 'name' || !compared || said === undefined || !isBoolean(token.value.toLowerCase())) continue;
    throw wrong(
      text,
      word,
      `${token.value} is true or false, and ${word?.text} is text`,
      `write ${said.toLowerCase()}`,
    );
  }
}

function parametersOf(text: string, tokens: readonly Token[]): Map<string, Token> {
  const found = new Map<string, Token>();
  for (const token of tokens) {
    if (token.kind !== 'parameter') continue;
    if (token.text.startsWith('?')) {
      throw wrong(text, token, 'a parameter needs a name', 'write :name, and give --param name=VALUE');
    }
    const name = token.text.slice(1);
    if (!found.has(name)) found.set(name, token);
  }
  return found;
}

/** Whether the text is complete: it ends with `;` outside of quotes and comments. */
export function isComplete(text: string): boolean {
  const { tokens, open } = lex(text);
  return open === undefined && tokens.at(-1)?.text === ';';
}
