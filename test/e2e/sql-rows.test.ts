/** Twenty statements over the demo and two real data sets: the same rows as SQLite's shell and DuckDB over exported files. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { beforeAll, expect } from 'vitest';
import { builtProgram, builtSqlEngine, temporaryFolder } from '../helpers/cli.ts';
import { run } from '../helpers/run.ts';
import { testIf, testWith } from '../helpers/tools.ts';

const data = (name: string) => fileURLToPath(new URL(`../data/${name}.csv`, import.meta.url));
const demo = ['-p', 'demo'];

/** Statements by the database that they run in; all mean the same in each of the programs. */
const statements: Readonly<Record<'demo' | 'employment', readonly string[]>> = {
  demo: [
    'select stage, count(*) as n, sum(valuation) as total from deal_pipeline group by stage',
    'select sector, sum(valuation) as total from deal_pipeline group by sector having sum(valuation) > 100000000',
    'select title, valuation from deal_pipeline where valuation > 20000000',
    "select title from deal_pipeline where lower(title) like '%data%' or lower(title) like 'a%'",
    "select owner, min(first_contact) as a, max(first_contact) as b from deal_pipeline where first_contact >= '2024-01-01' group by owner",
    'select distinct round, source from deal_pipeline where round is not null',
    'select title, valuation, rank() over (order by valuation desc, title) as place from deal_pipeline where valuation is not null',
    'select title, sum(raising) over (partition by stage order by position) as running from deal_pipeline where raising is not null',
    'select a.title, b.title as other from deal_pipeline a join deal_pipeline b on a.sector = b.sector and a.position < b.position where a.position < 20 and b.position < 30',
    "select p.title, m.value from portfolio p join metric_points m on m.company_id = p.linked_entity_id where m.metric_id = 'headcount' and m.version = 'actual'",
    "with arr as (select company_id, max(period_key) as newest from metric_points where metric_id = 'arr' and version = 'actual' group by company_id) select m.company_id, m.period_key, m.value from metric_points m join arr on arr.company_id = m.company_id and arr.newest = m.period_key where m.metric_id = 'arr' and m.version = 'actual'",
    "select period_key, metric_id, value - lag(value) over (partition by company_id, metric_id order by period_key) as added from metric_points where version = 'actual' and metric_id in ('mrr', 'burn')",
    'select version, period_type, count(*) as n, count(distinct metric_id) as metrics, sum(value) as total from metric_points group by version, period_type',
    "select a.period_key, a.value - b.value as variance from metric_points a join metric_points b on a.company_id = b.company_id and a.metric_id = b.metric_id and a.period_key = b.period_key where a.metric_id = 'mrr' and a.version = 'actual' and b.version = 'budget'",
    'select gics_sector, count(*) as n, min(founded) as oldest from constituents group by gics_sector',
    "select date_added, count(*) as n from constituents where date_added between '1990-01-01' and '2000-12-31' group by date_added having count(*) > 1",
    'select symbol, title, cik from constituents where cik > 1500000 and symbol not in (select symbol from constituents where cik < 1600000)',
    "select headquarters_location from constituents where gics_sector = 'Energy' union select headquarters_location from constituents where gics_sector = 'Utilities'",
  ],
  employment: [
    'select metric_id, avg(value) as mean, max(value) - min(value) as spread from metric_points group by metric_id',
    "select period_key, value, avg(value) over (order by period_key rows between 2 preceding and current row) as trailing from metric_points where metric_id = 'manufacturing'",
    "select substr(period_key, 1, 4) as year, sum(value) as total from metric_points where metric_id = 'nonfarm_change' group by substr(period_key, 1, 4)",
  ],
};

const folder = temporaryFolder();
let employment = '';

const own = { network: true, program: builtProgram(), sqlEngine: builtSqlEngine, home: folder, cwd: folder };
const env = { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined, COMEM_NOW: undefined };

/** The built program without its start; statements run in the process of the engine all the same. */
async function comem(argv: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await run(argv, { ...own, env });
  if (code !== 0) throw new Error(`comem ${argv.join(' ')}: ${code}: ${stderr}`);
  return stdout;
}

/** An export under the names of the tables of SQL: `company-id` and `companyId` are `company_id`. */
async function exported(file: string, argv: readonly string[]): Promise<void> {
  const rows: string[][] = parse(await comem([...argv, '-o', 'csv']));
  const [header = [], ...others] = rows;
  const names = header.map((name) =>
    name
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .replaceAll('-', '_')
      .replace(/ .*/, '')
      .toLowerCase(),
  );
  writeFileSync(join(folder, file), stringify([names, ...others]));
}

beforeAll(async () => {
  await comem([...demo, 'lists', 'create', 'Constituents']);
  const map = ['--map', 'Security=title', '--create-attrs', '--yes'];
  await comem([...demo, 'entries', 'import', 'constituents', data('sp500-constituents'), ...map]);
  employment = `embedded:${join(folder, 'employment')}`;
  await comem(['server', 'load', data('us-employment'), '--data-dir', join(folder, 'employment')]);
  await exported('deal_pipeline.csv', [...demo, 'entries', 'list', 'deal-pipeline']);
  await exported('constituents.csv', [...demo, 'entries', 'list', 'constituents']);
  const links = JSON.parse(await comem([...demo, 'entries', 'list', 'portfolio', '-o', 'json'])) as Record<
    string,
    string
  >[];
  const linked = links.map(({ title = '', linked_entity_id = '' }) => [title, linked_entity_id]);
  writeFileSync(join(folder, 'portfolio.csv'), stringify([['title', 'linked_entity_id'], ...linked]));
  const companies = ['northgate', 'lumen', 'harbor', 'tessera', 'fieldwork', 'quill'].flatMap((name) => ['-c', name]);
  const series = ['metrics', 'series', '--shape', 'long', '--order', 'asc'];
  const parts: string[][] = [];
  for (const [grain, versions] of [
    ['month', 'actual,budget,forecast'],
    ['quarter', 'budget,forecast'],
    ['year', 'budget,forecast'],
  ] as const) {
    const name = `points-${grain}.csv`;
    await exported(name, [...demo, ...companies, ...series, '--period-type', grain, '--versions', versions]);
    const rows: string[][] = parse(spawnSync('cat', [join(folder, name)]).stdout);
    parts.push(...(parts.length === 0 ? rows : rows.slice(1)));
  }
  writeFileSync(join(folder, 'metric_points.csv'), stringify(parts));
  await exported('employment_points.csv', [...series, '--base-url', employment]);
}, 120_000);

type Rows = unknown[][];

/** Rows in an order of their own, numbers as numbers. */
function comparable(rows: Rows): (string | number | null)[][] {
  const cells = rows.map((row) =>
    row.map((cell) => {
      if (cell === null || cell === undefined || cell === '') return null;
      const text = String(cell);
      return /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) ? Number(Number(text).toPrecision(12)) : text;
    }),
  );
  return cells.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

async function ours(database: keyof typeof statements, statement: string): Promise<Rows> {
  const where = database === 'demo' ? demo : ['--base-url', employment];
  const [, ...rows]: string[][] = parse(await comem(['sql', statement, ...where, '-o', 'csv']));
  return rows;
}

const files = (database: keyof typeof statements): [table: string, file: string][] =>
  database === 'demo'
    ? ['deal_pipeline', 'constituents', 'portfolio', 'metric_points'].map((name) => [name, join(folder, `${name}.csv`)])
    : [['metric_points', join(folder, 'employment_points.csv')]];

const every = Object.entries(statements).flatMap(([database, some]) =>
  some.map((statement) => [database as keyof typeof statements, statement] as const),
);

/** Columns whose cells are all numbers are numbers, as in the tables of comem; empty cells are null. */
function shell(database: keyof typeof statements): Map<string, Rows> {
  const lines = files(database).flatMap(([table, file]) => {
    const [header = [], ...rows]: string[][] = parse(spawnSync('cat', [file]).stdout);
    const types = header.map((name, at) => {
      const given = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '');
      return `"${name}" ${given.length > 0 && given.every((cell) => /^-?\d+(\.\d+)?$/.test(cell)) ? 'numeric' : 'text'}`;
    });
    const empty = header.map((name) => `"${name}" = nullif("${name}", '')`);
    return [
      `create table ${table} (${types.join(', ')});`,
      `.import --csv --skip 1 ${file} ${table}`,
      `update ${table} set ${empty.join(', ')};`,
    ];
  });
  const found = new Map<string, Rows>();
  const script = [
    ...lines,
    '.mode csv',
    '.headers off',
    ...statements[database].flatMap((each) => [`select '=';`, `${each};`]),
  ];
  const { stdout, stderr } = spawnSync('sqlite3', [':memory:'], { input: script.join('\n'), encoding: 'utf8' });
  expect(stderr).toBe('');
  const parts = stdout.split(/^=\r?\n/m).slice(1);
  for (const [at, statement] of statements[database].entries()) found.set(statement, parse(parts[at] ?? ''));
  return found;
}

/** DuckDB, as in the recipes of the README. */
const library = (() => {
  const from = process.env.COMEM_TEST_DUCKDB ?? join(import.meta.dirname, '../..');
  try {
    return createRequire(join(from, 'package.json')).resolve('@duckdb/node-api');
  } catch {
    return undefined;
  }
})();

async function duckdb(database: keyof typeof statements): Promise<Map<string, Rows>> {
  const { DuckDBInstance } = await import(library ?? '');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const found = new Map<string, Rows>();
  try {
    for (const [table, file] of files(database)) {
      const texts = ['first_contact', 'date_added', 'period_key', 'founded', 'symbol'];
      const [columns = []]: string[][] = parse(spawnSync('head', ['-1', file]).stdout);
      const types = texts.filter((name) => columns.includes(name)).map((name) => `'${name}': 'VARCHAR'`);
      const options = types.length > 0 ? `, types = {${types.join(', ')}}` : '';
      await connection.run(
        `create table ${table} as from read_csv('${file}', header = true, sample_size = -1${options})`,
      );
    }
    for (const statement of statements[database]) {
      found.set(statement, (await connection.runAndReadAll(statement)).getRowsJson());
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return found;
}

/** One run of comem for each statement, whichever program it is held against. */
const answers = new Map<string, Promise<Rows>>();
function answer(database: keyof typeof statements, statement: string): Promise<Rows> {
  const known = answers.get(statement) ?? ours(database, statement);
  answers.set(statement, known);
  return known;
}

testWith('sqlite3')(
  "the rows are those of SQLite's shell",
  async () => {
    expect(every.length).toBeGreaterThanOrEqual(20);
    const theirs = { demo: shell('demo'), employment: shell('employment') };
    for (const [database, statement] of every) {
      const rows = comparable(theirs[database].get(statement) ?? []);
      expect(rows.length, statement).toBeGreaterThan(1);
      expect(comparable(await answer(database, statement)), statement).toEqual(rows);
    }
  },
  240_000,
);

testIf(library !== undefined, 'DuckDB: npm install --no-save @duckdb/node-api')(
  'the rows are those of DuckDB',
  async () => {
    const theirs = { demo: await duckdb('demo'), employment: await duckdb('employment') };
    for (const [database, statement] of every) {
      const rows = comparable(theirs[database].get(statement) ?? []);
      expect(comparable(await answer(database, statement)), statement).toEqual(rows);
    }
  },
);
