/**
 * The recipes of docs/scripting.md with other tools, each run as printed, in a shell, against the demo, and held against
 * comem's own CSV. A tool that is not installed is a skip that names it; `.ci/run` installs them all.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { readCsv } from '../../src/core/csv.ts';
import { binary, temporaryFolder } from '../helpers/cli.ts';
import { testIf, testWith } from '../helpers/tools.ts';

const folder = temporaryFolder();
const home = join(folder, 'home');
const env = {
  PATH: [join(folder, 'bin'), process.env.PATH ?? ''].join(delimiter),
  HOME: home,
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_DATA_HOME: join(home, 'data'),
  XDG_CACHE_HOME: join(home, 'cache'),
  XDG_STATE_HOME: join(home, 'state'),
};

/** What a recipe prints. */
function sh(line: string): string {
  return execFileSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

async function rowsOf(text: string): Promise<Record<string, string>[]> {
  const [header, ...rows] = await readCsv(text, { name: 'csv' });
  return rows.map(({ cells }) => Object.fromEntries((header?.cells ?? []).map((key, at) => [key, cells[at] ?? ''])));
}

const comem = async (words: string) => rowsOf(sh(`comem -p demo ${words} -o csv`));

beforeAll(() => {
  mkdirSync(join(folder, 'bin'));
  symlinkSync(binary, join(folder, 'bin/comem'));
  sh('comem -p demo lists list');
});

describe('jq', () => {
  testWith('jq')('reads NDJSON line by line', async () => {
    const line = `comem -p demo metrics series -m mrr --order asc -o ndjson | jq -r 'select(.metrics.mrr > 1900000) | .periodKey'`;
    const expected = (await comem('metrics series -m mrr --order asc')).filter(({ mrr }) => Number(mrr) > 1_900_000);
    expect(expected.length).toBeGreaterThan(1);
    expect(sh(line).trim().split('\n')).toEqual(expected.map(({ periodKey }) => periodKey));
  });
});

describe('Miller', () => {
  testWith('mlr', 'miller')('sums up long rows', async () => {
    const line =
      'comem -p demo metrics series --shape long -m mrr,burn --last 12 -o csv | mlr --icsv --ojson stats1 -a count,max -f value -g metricId';
    const rows = await comem('metrics series --shape long -m mrr,burn --last 12');
    const of = (id: string) => rows.filter(({ metricId }) => metricId === id).map(({ value }) => Number(value));
    const found = JSON.parse(sh(line)) as { metricId: string; value_count: number; value_max: number }[];
    expect(found.map(({ metricId }) => metricId).sort()).toEqual(['burn', 'mrr']);
    for (const { metricId, value_count, value_max } of found) {
      expect([value_count, value_max]).toEqual([of(metricId).length, Math.max(...of(metricId))]);
    }
  });
});

describe('DuckDB', () => {
  /** Its library for Node runs the same SQL as its command line. */
  const library = () => {
    const from = process.env.COMEM_TEST_DUCKDB ?? join(import.meta.dirname, '../..');
    try {
      return createRequire(join(from, 'package.json')).resolve('@duckdb/node-api');
    } catch {
      return undefined;
    }
  };
  const testWithDuckDb = testIf(library() !== undefined, 'DuckDB: npm install --no-save @duckdb/node-api');

  async function query(sql: string): Promise<unknown[][]> {
    const { DuckDBInstance } = await import(library() ?? '');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      const reader = await connection.runAndReadAll(sql.replace(/'([^']+\.(?:parquet|ndjson))'/g, `'${folder}/$1'`));
      return reader.getRowsJson();
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }

  testWithDuckDb('reads Parquet with its types', async () => {
    sh('comem -p demo metrics series --shape long --from 2023 --out series.parquet');
    const sql = `SELECT metricId, count(value), max(value) FROM 'series.parquet' GROUP BY metricId ORDER BY metricId`;
    const rows = await comem('metrics series --shape long --from 2023');
    const ids = [...new Set(rows.map(({ metricId = '' }) => metricId))].sort();
    const values = (id: string) => rows.filter(({ metricId }) => metricId === id).flatMap(({ value }) => value || []);
    const expected = ids.map((id) => [id, String(values(id).length), Math.max(...values(id).map(Number))]);
    expect(await query(sql)).toEqual(expected);
    const types = await query(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT value, updatedAt FROM 'series.parquet')`,
    );
    expect(types).toEqual([
      ['value', 'DOUBLE'],
      ['updatedAt', 'TIMESTAMP WITH TIME ZONE'],
    ]);
  });

  testWithDuckDb('reads NDJSON with its nesting', async () => {
    sh('comem -p demo metrics series -m mrr --from 2023 --order asc --out series.ndjson');
    const sql = `SELECT periodKey, metrics.mrr FROM 'series.ndjson' ORDER BY periodKey`;
    const rows = await comem('metrics series -m mrr --from 2023 --order asc');
    expect(await query(sql)).toEqual(rows.map(({ periodKey, mrr }) => [periodKey, Number(mrr)]));
  });
});

describe('a spreadsheet', () => {
  testWith('soffice', 'libreoffice-calc-nogui')(
    'opens the workbook and converts it back to the same numbers',
    async () => {
      sh('comem -p demo metrics series --from 2023 --order asc --out series.xlsx');
      // The last `false`: cells as they are, not as they are shown.
      const filter = '44,34,76,1,,0,false,false,false';
      const profile = `-env:UserInstallation=file://${join(folder, 'office')}`;
      sh(
        `soffice ${profile} --headless --convert-to csv:"Text - txt - csv (StarCalc)":${filter} --outdir converted series.xlsx`,
      );
      const file = join(folder, 'converted/series.csv');
      expect(existsSync(file)).toBe(true);
      const found = await rowsOf(readFileSync(file, 'utf8'));
      const expected = await comem('metrics series --from 2023 --order asc');
      expect(found.length).toBe(expected.length);
      const metrics = Object.keys(expected[0] ?? {}).filter((key) => !['source', 'updatedAt'].includes(key));
      expect(metrics.length).toBeGreaterThan(10);
      const numbers = (rows: typeof found) => rows.map((row) => metrics.map((key) => row[key]));
      expect(numbers(found)).toEqual(numbers(expected));
      expect(found.map(({ updatedAt }) => updatedAt?.slice(0, 10))).toEqual(
        expected.map(({ updatedAt }) => updatedAt?.slice(0, 10)),
      );
    },
  );
});
