/** Ten years of real months in one command: to the digit as CSV, workbook and Parquet, and as derived quarters. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli, temporaryFolder } from '../helpers/cli.ts';
import { readParquet } from '../helpers/parquet.ts';
import { readWorkbook } from '../helpers/workbook.ts';

const file = fileURLToPath(new URL('../data/us-employment.csv', import.meta.url));
const months: Record<string, string>[] = parse(readFileSync(file), { columns: true });
const metrics = Object.keys(months[0] ?? {}).slice(1);

/** The file's columns again under other ids, until there are eighty. */
const many = Array.from({ length: 80 }, (_, index) => {
  const metric = metrics[index % metrics.length] ?? '';
  return { id: index < metrics.length ? metric : `${metric}_copy${Math.floor(index / metrics.length)}`, metric };
});

let folder: string;
let database: string;
beforeAll(async () => {
  folder = temporaryFolder();
  database = join(folder, 'employment');
  mkdirSync(join(folder, 'in'));
  const wide = join(folder, 'in', 'employment.csv');
  const lines = months.map((row) => [row.month, ...many.map(({ metric }) => row[metric])].join(','));
  writeFileSync(wide, `${['month', ...many.map(({ id }) => id)].join(',')}\n${lines.join('\n')}\n`);
  const loaded = await cli(['server', 'load', wide, '--data-dir', database]);
  if (loaded.code !== 0) throw new Error(loaded.stderr);
});

const series = (...flags: string[]) => cli(['metrics', 'series', ...flags, '--base-url', `embedded:${database}`]);
const tenYears = ['--from', '2006', '--to', '2015', '--order', 'asc'];

/** What the file says, by month and metric id, as text. */
function expected(wanted: readonly { id: string; metric: string }[]) {
  return months.map((row) => ({
    periodKey: row.month?.slice(0, 7),
    ...Object.fromEntries(wanted.map(({ id, metric }) => [id, row[metric]])),
  }));
}

describe.each([
  ['the 23 series', many.slice(0, 23)],
  ['80 metrics', many],
])('%s of the file', (name, wanted) => {
  const flags = [...tenYears, '-m', wanted.map(({ id }) => id).join(',')];
  const fileOf = (extension: string) => join(folder, `${name.replaceAll(' ', '-')}.${extension}`);
  const only = (row: Record<string, unknown>) => {
    const cells = wanted.map(({ id }) => [id, row[id] === null ? '' : String(row[id])]);
    return { periodKey: row.periodKey, ...Object.fromEntries(cells) };
  };
  const written = async (extension: string) => {
    const { code, stdout, stderr } = await series(...flags, '--out', fileOf(extension));
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    return readFileSync(fileOf(extension));
  };

  it('come back as CSV', async () => {
    const rows: Record<string, string>[] = parse(await written('csv'), { columns: true });
    expect(rows.map(only)).toEqual(expected(wanted));
  });

  it('come back as numbers of a workbook', async () => {
    const { rows, frozen } = readWorkbook(await written('xlsx'));
    const [header = [], ...body] = rows;
    const keys = header.map(({ text }) => text);
    expect(keys).toEqual(['periodKey', 'periodType', 'version', ...wanted.map(({ id }) => id), 'source', 'updatedAt']);
    expect(frozen).toBe(1);
    const cells = body.map((row) => Object.fromEntries(keys.map((key, index) => [key, row[index]?.text ?? ''])));
    expect(cells.map(only)).toEqual(expected(wanted));
    const numbers = body.flatMap((row) => row.slice(3, 3 + wanted.length)).filter((cell) => cell !== undefined);
    expect(new Set(numbers.map(({ type }) => type))).toEqual(new Set(['number']));
    expect(body[0]?.at(-1)).toMatchObject({ type: 'number', format: 'yyyy-mm-dd hh:mm:ss' });
  });

  it('come back as doubles of Parquet', async () => {
    const { rows, types } = await readParquet(await written('parquet'));
    expect(rows.map(only)).toEqual(expected(wanted));
    expect(new Set(wanted.map(({ id }) => types[id]))).toEqual(new Set(['DOUBLE']));
    expect(types).toMatchObject({ periodKey: 'BYTE_ARRAY UTF8', updatedAt: 'INT64 TIMESTAMP' });
  });
});

describe('derived quarters', () => {
  const agg = ['--agg', 'nonfarm_change=sum', '--agg', 'private=average', '--agg', 'information=last'];
  const argv = [...tenYears, '-m', 'nonfarm_change,private,information', '--derive', 'quarter', ...agg, '-o', 'csv'];

  it('equal a pivot of the file', async () => {
    const { stdout, code } = await series(...argv);
    expect(code).toBe(0);
    const rows: Record<string, string>[] = parse(stdout, { columns: true });
    // Worked out by hand from the file's first three rows.
    expect(rows[0]).toMatchObject({
      periodKey: '2006-Q1',
      nonfarm_change: '891', // 282 + 312 + 297
      private: '113881', // (113603 + 113884 + 114156) / 3
      information: '3055', // of March
      derived: 'true',
      months: '3/3',
    });
    const quarters = Array.from({ length: 40 }, (_, index) => months.slice(index * 3, index * 3 + 3));
    const tenths = (row: Record<string, string>, id: string) => Math.round(Number(row[id]) * 10);
    for (const [index, quarter] of quarters.entries()) {
      const total = (id: string) => quarter.reduce((sum, row) => sum + tenths(row, id), 0);
      const row = rows[index];
      expect(row?.periodKey).toBe(`${2006 + Math.floor(index / 4)}-Q${(index % 4) + 1}`);
      expect(Number(row?.nonfarm_change)).toBe(total('nonfarm_change') / 10);
      expect(Number(row?.private)).toBeCloseTo(total('private') / 30, 9);
      expect(row?.information).toBe(quarter[2]?.information);
    }
    expect(rows).toHaveLength(40);
  });

  it('say which of them are incomplete', async () => {
    const bounds = ['--from', '2006-02', '--to', '2006-06', '-m', 'nonfarm', '--agg', 'nonfarm=last'];
    const { stdout } = await series(...bounds, '--derive', 'quarter', '-o', 'csv', '--fields', 'periodKey,months');
    expect(stdout).toBe('periodKey,months\n2006-Q1,2/3\n2006-Q2,3/3\n');
  });
});
