/** Statements that reach beyond the tables, or take more than they may: each is refused with a sentence, and costs little. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../helpers/run.ts';
import { sqlEngine } from '../../helpers/sql-engine.ts';

const repeated = (text: string, count: number) => Array.from({ length: count }, () => text);
const endless = 'with recursive r(n) as (select 1 union all select n + 1 from r)';
const notATable = /^comem: the statement cannot read the table "[^"]+"/;
const notAFunction = /^comem: the function "[^"]+" is not allowed/;
const notReading = /^comem: (?:the statement is not allowed|the statement gives no rows|the pragma|no database)/;
const refused = /^comem: the statement is refused: /;
const tooBig = /^comem: the statement (?:is refused: .*16 MiB|takes more than 200 MiB)/;

const attacks: readonly [statement: string, says: RegExp][] = [
  // Files and libraries.
  ["select * from fsdir('/etc')", refused],
  ["select * from main.fsdir where path = '/etc/passwd'", refused],
  ["select readfile('/etc/passwd')", refused],
  ["select writefile('/tmp/x', 'x')", refused],
  ["select load_extension('/tmp/x.so')", notAFunction],
  ["select edit('x')", refused],
  ["select fts3_tokenizer('simple')", notAFunction],
  ["select sqlite_log(1, 'x')", notAFunction],
  ["attach '/tmp/x.db' as x", notReading],
  ["attach ':memory:' as x", notReading],
  ['detach main', notReading],
  ["vacuum into '/tmp/x.db'", notReading],
  ['vacuum', notReading],
  // The engine itself.
  ['pragma journal_mode = wal', notReading],
  ['pragma writable_schema = 1', notReading],
  ['pragma database_list', notReading],
  ["pragma temp_store_directory = '/'", notReading],
  ['pragma table_xinfo(companies)', notReading],
  ['select * from pragma_database_list', notATable],
  ['select count(*) from pragma_database_list', notATable],
  ['select 1 from pragma_function_list', notATable],
  ['select * from pragma_compile_options', notATable],
  ['select * from sqlite_master', notATable],
  ['select count(*) from sqlite_schema', notATable],
  ['select sql from main.sqlite_schema', notATable],
  ['select * from sqlite_temp_master', notATable],
  ['select * from dbstat', notATable],
  ['select 1 from dbstat', notATable],
  ['select count(*) from main.dbstat', notATable],
  ['select (with dbstat as (select 1) select count(*) from dbstat), (select count(*) from dbstat)', notATable],
  ['select * from sqlite_dbpage', refused],
  ["select * from fts3tokenize('simple', 'a b')", /^comem: /],
  ['select * from generate_series(1, 10)', refused],
  ['select sqlite_compileoption_get(1)', notAFunction],
  ['select last_insert_rowid()', notAFunction],
  ["select jsonb('[1]')", notAFunction],
  ['select match(1, 2)', notAFunction],
  ["select geopoly_svg('[[0,0],[1,0],[1,1],[0,0]]')", notAFunction],
  // Writes.
  ["update sqlite_master set sql = 'x'", /^comem: /],
  ['delete from companies', notReading],
  ["insert into companies values ('x')", /^comem: /],
  ["with c as (select 1) delete from companies where alias = 'x'", notReading],
  ['create table x (y)', notReading],
  ['create temp table x (y)', notReading],
  ['create table x as select * from companies', notReading],
  ['create view x as select 1', notReading],
  ['create temp trigger x after insert on companies begin select 1; end', notReading],
  ['create virtual table x using fts5(y)', notReading],
  ['create virtual table x using rtree(a, b, c)', notReading],
  ['create index x on companies (alias)', notReading],
  ['drop table companies', notReading],
  ['alter table companies rename to x', notReading],
  ['analyze', notReading],
  ['reindex', notReading],
  ['begin', notReading],
  ['savepoint x', notReading],
  ['explain delete from companies', notReading],
  ["select 1; attach '/tmp/x.db' as x", /second statement/],
  ["select ';' as a /* ; */; -- ;\n drop table companies", /second statement/],
  // Size.
  ['select zeroblob(900000000)', tooBig],
  ['select length(randomblob(900000000))', tooBig],
  ["select printf('%.*c', 900000000, 'x')", tooBig],
  ["select format('%900000000d', 1)", tooBig],
  ["select length(printf('%s%s', hex(zeroblob(7000000)), hex(zeroblob(7000000))))", tooBig],
  ["select replace(hex(zeroblob(4000000)), '0', 'xxxxxxxxxx')", tooBig],
  ['select hex(zeroblob(16000000))', tooBig],
  ["select hex(zeroblob(8000000)) || hex(zeroblob(8000000)) || 'x'", tooBig],
  [
    `${endless.slice(0, -1)} limit 600000) select group_concat(n, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') from r`,
    tooBig,
  ],
  [`${endless} select json_group_array(hex(zeroblob(10000))) from r`, tooBig],
  ["with recursive r(x) as (select 'x' union all select x || x from r) select max(length(x)) from r", tooBig],
  [`select ${repeated('hex(zeroblob(8000000))', 60).join()}`, tooBig],
  [`${endless} select hex(randomblob(100000)) x from r order by x`, tooBig],
  // Depth and counts.
  [`select ${repeated('1', 1001).join()}`, refused],
  [`select ${repeated('1', 2000).join(' + ')}`, refused],
  [`select ${'not '.repeat(20_000)} 1`, refused],
  [`select ${'case when 1 then '.repeat(2000)} 1 ${'end '.repeat(2000)}`, refused],
  [repeated('select 1', 300).join(' union all '), refused],
  [`select max(${repeated('1', 200).join()})`, refused],
  [`select '${'x'.repeat(100_000)}' || '${'x'.repeat(100_001)}'`, refused],
  [`select 'x' like '${'%x'.repeat(1000)}'`, refused],
  [`select * from companies ${repeated('join companies', 70).join(' ')}`, refused],
  ['select ?1', /a parameter has no name/],
  ['select 1e999', /gives Infinity/],
  ['select 9e307 * 10', /gives Infinity/],
];

/** The most memory that a process which this one started had, in MiB, where the system says it. */
let memory = 0;
let timer: NodeJS.Timeout | undefined;

function look(): void {
  try {
    for (const task of readdirSync('/proc/self/task')) {
      for (const child of readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean)) {
        const [, kib = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child}/status`, 'utf8')) ?? [];
        memory = Math.max(memory, Number(kib) / 1024);
      }
    }
  } catch {
    // A task or a process has ended.
  }
}

beforeAll(() => {
  if (existsSync('/proc/self/task')) timer = setInterval(look, 5);
});
afterAll(() => clearInterval(timer));

describe('a statement is refused that', () => {
  it('is one of fifty at least', () => expect(attacks.length).toBeGreaterThanOrEqual(46));

  it.each(attacks.map(([statement, says]) => [statement.slice(0, 100), statement, says] as const))(
    '%s',
    async (_, statement, says) => {
      memory = 0;
      const { code, stdout, stderr } = await run(['sql', statement], { sqlEngine: await sqlEngine() });
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(says);
      expect(memory).toBeLessThan(300);
    },
    20_000,
  );
});

describe('a statement runs that', () => {
  it.each([
    ["select count(*) as n from pragma_table_info('companies')", 'n\n4\n'],
    ["select value as n from json_each('[7]')", 'n\n7\n'],
    ["select fullkey as n from json_tree('{\"a\":1}') where key = 'a'", 'n\n$.a\n'],
    ['with c as (select 5 as n) select count(*) as n from c', 'n\n1\n'],
    ['with recursive r(n) as (select 1 union select n + 1 from r limit 4) select count(*) as n from r', 'n\n4\n'],
    ["select count(*) as n from companies where alias = 'none'", 'n\n0\n'],
    ["select ';' || '--' as n; -- ; it's over\n;;", 'n\n;--\n'],
    ["select length(printf('%.*c', 16000000, 'x')) as n", 'n\n16000000\n'],
    ["select printf('%s %d %.2f', 5.0, 5.0, 2) as n", 'n\n5.0 5 2.00\n'],
    ['select 9223372036854775807 as n', 'n\n9223372036854775807\n'],
    ["select x'0aff' as n", 'n\n0aff\n'],
    ['select 1e308 = 1e308 and 5e-324 > 0 as n', 'n\n1\n'],
  ])('%s', async (statement, expected) => {
    const { code, stdout, stderr } = await run(['sql', statement, '-o', 'csv'], { sqlEngine: await sqlEngine() });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expected });
  });
});
