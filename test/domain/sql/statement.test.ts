/** What of a statement is seen before SQLite is asked: its tokens, its parameters, and whether it only reads. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { isComplete, readStatement } from '../../../src/domain/sql/statement.ts';
import { lex } from '../../../src/domain/sql/tokens.ts';

function failureOf(statement: string): Failure {
  try {
    readStatement(statement);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`${statement} was accepted`);
}

describe('a statement is refused', () => {
  it.each([
    ['', 'the statement is empty', ''],
    [' -- only this', 'the statement is empty', ''],
    ['select 1; select 2', 'a second statement at line 1, column 11', 'run one at a time'],
    ['selct 1', 'a statement cannot begin with "selct"', 'did you mean select?'],
    ["select 'x", "the quote ' is not closed", ''],
    ['select 1 /* x', 'a comment is not closed', ''],
    ['select ?', 'a parameter needs a name', ''],
    ['delete from portfolio', '"delete" is not allowed at line 1, column 1: `comem sql` only reads', 'entries delete'],
    [
      'with x as (select 1) update portfolio set title = 1',
      '"update" is not allowed at line 1, column 22',
      'entries update',
    ],
    ['explain insert into portfolio values (1)', '"insert" is not allowed', 'entries create'],
    ['explain query plan delete from portfolio', '"delete" is not allowed', ''],
    ["attach 'x' as y", '"attach" is not allowed', ''],
    ['pragma journal_mode = wal', '"pragma" is not allowed', ''],
    ["vacuum into 'x'", '"vacuum" is not allowed', ''],
    ['create table x (y)', '"create" is not allowed', ''],
    ["select readfile('/etc/passwd')", '"readfile" is not allowed at line 1, column 8: it reaches beyond', ''],
    [`select "writefile" ('x', 'y')`, '"writefile" is not allowed', ''],
    ["select * from fsdir where path = '/'", '"fsdir" is not allowed', ''],
    ["select load_extension('x')", '"load_extension" is not allowed', ''],
    ["select sha3_query('delete from x')", '"sha3_query" is not allowed', ''],
    ['select fts3_tokenizer(1)', '"fts3_tokenizer" is not allowed', ''],
    ['explain query plan with x as (select 1) delete from y', '"delete" is not allowed', ''],
    ['begin; select 1', 'a second statement', ''],
    ['?', 'a statement cannot begin with "?"', ''],
    ["select 1 from x, fsdir('/')", '"fsdir" is not allowed', ''],
    ['select 1 from x where d >= 2024-01-01', '2024-01-01 is a subtraction at line 1, column 28', "write '2024-01-01'"],
    ['select 1 from x where d between 2024-01 and 2024-02', '2024-01 is a subtraction', "write '2024-01'"],
  ])('%j', (statement, message, hint) => {
    const failure = failureOf(statement);
    expect(failure.message).toContain(message);
    expect(failure.hint ?? '').toContain(hint);
    expect(failure.exitCode).toBe(2);
  });
});

describe('a statement is accepted', () => {
  it.each([
    'select 1;',
    'select 2024 - 01 - 01, 2024-13, 12024-01-01, 2024-100, 2024-1',
    'select \'2024-01-01\', x."2024-01-01"',
    'values (1), (2)',
    '-- delete\nselect \'insert\' as "update", [drop], `pragma`',
    'with a as (select 1), b as (select 2) select case when x in (1) end from a, b',
    "select replace(title, 'a', 'b') from (select 1) where exists (select 1)",
    'select readfile from files',
    'explain select 1',
    'explain query plan with x as (select 1) select * from x',
    'select json_each.value from json_each(:list)',
  ])('%j', (statement) => {
    expect(readStatement(statement).tokens.length).toBeGreaterThan(1);
  });

  it('without its last semicolon, with its parameters and what is explained', () => {
    const { text, explained, parameters } = readStatement('/* a */ explain select :a, $b, @c, :a ; -- end');
    expect({ text, explained }).toEqual({
      text: '/* a */ explain select :a, $b, @c, :a',
      explained: 'select :a, $b, @c, :a',
    });
    expect([...parameters.keys()]).toEqual(['a', 'b', 'c']);
  });
});

test('a place is shown in its line, also in a long one', () => {
  const { details } = failureOf(`select 1,\n  ${'x, '.repeat(60)}?`);
  const { line, column, excerpt } = details as { line: number; column: number; excerpt: [string, string] };
  expect({ line, column }).toEqual({ line: 2, column: 183 });
  expect(excerpt[0].slice(excerpt[1].indexOf('^'))).toBe('?');
  expect(excerpt[0].length).toBeLessThanOrEqual(100);
});

test('a statement is complete at a semicolon outside of quotes and comments', () => {
  for (const text of ['select 1;', "select ';';", 'select 1; -- more', ';']) expect(isComplete(text)).toBe(true);
  for (const text of ['select 1', "select ';", 'select 1 -- ;', 'select /* ;', '', 'select "a;']) {
    expect(isComplete(text)).toBe(false);
  }
});

test('tokens cover the text but for blanks and comments', () => {
  const piece = fc.constantFrom(
    ...['select', ' ', '\n', "'a''b'", '"a""b"', '[x]', '`y`', '-- c\n', '/* d */', ':p', '?1', '1.5e3', '0xff', '.5'],
    ...['->>', '<=', '(', ')', 'é_1', '#', '\\', "'", '"', '[', '/*', '-', '.'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const { tokens } = lex(text);
      let at = 0;
      for (const token of tokens) {
        expect(token.at).toBeGreaterThanOrEqual(at);
        expect(text.slice(at, token.at)).toMatch(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?(\*\/|$))*$/);
        expect(text.slice(token.at, token.end)).toBe(token.text);
        expect(token.end).toBeGreaterThan(token.at);
        at = token.end;
      }
      expect(text.slice(at)).toMatch(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?(\*\/|$))*$/);
    }),
    { numRuns: 300 },
  );
});
