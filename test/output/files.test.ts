/** Workbooks and Parquet: types, what they cannot hold, and where they may be written. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { numeric } from '../../src/core/json.ts';
import type { Column } from '../../src/output/column.ts';
import { parquetWriter } from '../../src/output/formats/parquet.ts';
import { xlsxWriter } from '../../src/output/formats/xlsx.ts';
import { readParquet } from '../helpers/parquet.ts';
import { run } from '../helpers/run.ts';
import { readWorkbook } from '../helpers/workbook.ts';

const folder = mkdtempSync(join(tmpdir(), 'comem-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Row = Record<string, unknown>;
const column = (key: string, type: Column['type'], rest: Partial<Column<Row>> = {}): Column<Row> => ({
  key,
  type,
  get: (row) => row[key] as never,
  ...rest,
});
const columns = [
  column('name', 'text'),
  column('count', 'integer'),
  column('amount', 'number', { unit: 'USD' }),
  column('share', 'percent'),
  column('open', 'boolean'),
  column('day', 'date'),
  column('at', 'datetime'),
  column('tags', 'json'),
];
const whole: Row = {
  name: '=1+1 <&> "ä\u0001" _x0041_',
  count: 3,
  amount: numeric('1234.50'),
  share: 12.5,
  open: true,
  day: '2026-02-28',
  at: '2026-01-15T12:30:00.250+01:00',
  tags: ['a', 1],
};
const empty: Row = { name: null };

async function write(
  make: typeof xlsxWriter | typeof parquetWriter,
  rows: readonly Row[],
  shown: readonly Column<Row>[] = columns,
) {
  const warnings: string[] = [];
  const result = { columns: shown, json: (row: Row) => row, id: () => undefined, header: true };
  const writer = await make(result, { warn: (text) => warnings.push(text) });
  const parts: Uint8Array[] = [];
  for (let at = 0; at < rows.length; at += 128) {
    const ready = writer.rows(rows.slice(at, at + 128));
    if (ready) parts.push(ready);
  }
  parts.push(await writer.close());
  return { bytes: Buffer.concat(parts), warnings, parts: parts.length };
}

describe('a workbook', () => {
  it('has numbers, dates and booleans that are some, units as formats, and empty cells', async () => {
    const { bytes, warnings } = await write(xlsxWriter, [whole, empty]);
    const { rows, frozen } = readWorkbook(bytes);
    expect([frozen, warnings]).toEqual([1, []]);
    expect(rows[0]?.map(({ text }) => text)).toEqual(columns.map(({ key }) => key));
    expect(rows[1]).toEqual([
      { type: 'text', text: '=1+1 <&> "ä_x0001_" _x005F_x0041_', format: undefined },
      { type: 'number', text: '3', format: undefined },
      { type: 'number', text: '1234.5', format: '#,##0.00 "USD"' },
      { type: 'number', text: '12.5', format: 'General"%"' },
      { type: 'boolean', text: '1', format: undefined },
      { type: 'number', text: '46081', format: 'yyyy-mm-dd' },
      { type: 'number', text: expect.stringMatching(/^46037\.479/), format: 'yyyy-mm-dd hh:mm:ss' },
      { type: 'text', text: '["a",1]', format: undefined },
    ]);
    expect((rows[2] ?? []).filter((cell) => cell !== undefined && cell.text !== '')).toEqual([]);
  });

  it('has columns that are as wide as their number formats show the values', async () => {
    const rows = [
      { amount: numeric('-1234567890.5'), share: 12.345678, day: '2026-01', at: '2026-01-01T00:00Z', count: 1 },
      { amount: 7, share: 1, count: 22 },
    ];
    const { widths } = readWorkbook((await write(xlsxWriter, rows)).bytes);
    const shown = [
      'name',
      '22',
      '-1,234,567,890.50 USD',
      '12.345678%',
      'open',
      '2026-01-01',
      '2026-01-01 00:00:00',
      'tags',
    ];
    for (const [index, text] of shown.entries()) {
      const least = Math.max(text.length + 2, 8);
      expect(widths[index], text).toBeGreaterThanOrEqual(least);
      expect(widths[index], text).toBeLessThanOrEqual(least + 2);
    }
  });

  it('keeps as text what a double would change, and says so', async () => {
    const rows = ['12345678901234567890', '0.1234567890123456789', '1.10', '1e3'].map((text) => ({
      amount: numeric(text),
    }));
    const { bytes, warnings } = await write(xlsxWriter, rows);
    const cells = readWorkbook(bytes)
      .rows.slice(1)
      .map((row) => row[2]);
    expect(cells.map((cell) => [cell?.type, cell?.text])).toEqual([
      ['text', '12345678901234567890'],
      ['text', '0.1234567890123456789'],
      ['number', '1.1'],
      ['number', '1000'],
    ]);
    expect(warnings).toEqual([expect.stringMatching(/^2 numbers have more digits .*12345678901234567890 in amount$/)]);
  });

  it('refuses what Excel does not take', async () => {
    await expect(write(xlsxWriter, [{ name: 'x'.repeat(32_768) }])).rejects.toThrow('32768 characters in name');
    const wide = Array.from({ length: 16_385 }, (_, index) => column(`c${index}`, 'text'));
    await expect(write(xlsxWriter, [{}], wide)).rejects.toThrow('16385 columns');
  });

  it('is written piece by piece, and holds every row', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ({
      name: `row ${index}, <&> ${'é'.repeat(20)}`,
      count: index,
    }));
    const { bytes, parts } = await write(xlsxWriter, rows);
    expect(parts).toBeGreaterThan(10);
    const read = readWorkbook(bytes).rows;
    expect(read).toHaveLength(20_001);
    for (const at of [0, 511, 512, 513, 19_999]) {
      expect(read[at + 1]?.slice(0, 2).map(({ text }) => text)).toEqual([rows[at]?.name, String(at)]);
    }
  });

  it('has the same bytes for the same rows', async () => {
    const [one, two] = [await write(xlsxWriter, [whole, empty]), await write(xlsxWriter, [whole, empty])];
    expect(one.bytes.equals(two.bytes)).toBe(true);
  });

  it('refuses more rows than a sheet takes', async () => {
    const thin = [column('count', 'integer')];
    const writer = await xlsxWriter(
      { columns: thin, json: (row) => row, id: () => undefined, header: true },
      { warn() {} },
    );
    const rows = Array.from({ length: 1_048_575 }, () => ({ count: 1 }));
    writer.rows(rows);
    expect(() => writer.rows([{ count: 2 }])).toThrow('more than 1048575 rows');
  });

  it('keeps every character that a sheet can hold', async () => {
    const texts = [
      '  spaces ',
      'two\nlines',
      'carriage\rreturn',
      'tab\there',
      '<b>&amp;</b>',
      '_x0041_',
      '😀',
      'half \ud800 one',
      '\u0085',
    ];
    const { bytes } = await write(
      xlsxWriter,
      texts.map((name) => ({ name })),
    );
    const read = readWorkbook(bytes)
      .rows.slice(1)
      .map((row) => row[0]?.text);
    // As Excel writes what XML cannot hold (ECMA-376, ST_Xstring).
    const held = (text: string) => text.replace('_x', '_x005F_x').replace('\ud800', '\ufffd').replace('\r', '_x000D_');
    expect(read).toEqual(texts.map(held));
  });

  it('leaves invalid days as text', async () => {
    const { bytes, warnings } = await write(xlsxWriter, [{ day: '2026-02-30', at: 'soon' }, { day: '1899-12-31' }]);
    expect(warnings).toEqual([
      '1 date is before 1900-03-01, which a spreadsheet cannot hold, written as text: 1899-12-31 in day',
    ]);
    const [, first, second] = readWorkbook(bytes).rows;
    expect([first?.[5]?.text, first?.[6]?.text, second?.[5]?.text]).toEqual(['2026-02-30', 'soon', '1899-12-31']);
  });
});

describe('Parquet', () => {
  it('has a type for each column, and nulls', async () => {
    const { bytes, warnings } = await write(parquetWriter, [whole, empty]);
    const { rows, types } = await readParquet(bytes);
    expect(warnings).toEqual([]);
    expect(types).toEqual({
      ...{ name: 'BYTE_ARRAY UTF8', count: 'INT64', amount: 'DOUBLE', share: 'DOUBLE', open: 'BOOLEAN' },
      ...{ day: 'INT32 DATE', at: 'INT64 TIMESTAMP', tags: 'BYTE_ARRAY UTF8' },
    });
    expect(rows).toEqual([
      {
        ...{ ...whole, count: 3n, amount: 1234.5, tags: '["a",1]' },
        ...{ day: new Date('2026-02-28T00:00:00Z'), at: new Date('2026-01-15T11:30:00.250Z') },
      },
      Object.fromEntries(columns.map(({ key }) => [key, null])),
    ]);
  });

  it('makes text of a column that its type would change, and says so', async () => {
    const rows = [
      { amount: 1.5, count: 2 },
      { amount: numeric('12345678901234567890'), count: 2.5 },
    ];
    const { bytes, warnings } = await write(parquetWriter, rows);
    const read = await readParquet(bytes);
    expect(read.rows.map(({ amount, count }) => [amount, count])).toEqual([
      ['1.5', '2'],
      ['12345678901234567890', '2.5'],
    ]);
    expect(warnings).toHaveLength(2);
  });

  it('is written group by group, in order', async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => ({
      name: `row ${index}`,
      count: index,
      amount: index / 8,
    }));
    const { bytes, parts } = await write(parquetWriter, rows);
    const read = await readParquet(bytes);
    expect(parts).toBe(13);
    expect(read.groups).toBe(13);
    expect(read.rows.map(({ count }) => Number(count))).toEqual(rows.map(({ count }) => count));
    expect(read.rows.at(-1)).toMatchObject({ name: 'row 49999', amount: 49999 / 8 });
  });

  it('ends at a later value that is not of its column’s type', async () => {
    const rows: Row[] = Array.from({ length: 25_000 }, () => ({ amount: 1 }));
    rows.push({ amount: numeric('12345678901234567890') });
    await expect(write(parquetWriter, rows)).rejects.toThrow('12345678901234567890 in amount');
  });

  it('of no rows has its columns', async () => {
    const { rows, types } = await readParquet((await write(parquetWriter, [])).bytes);
    expect([rows, types.amount]).toEqual([[], 'DOUBLE']);
  });
});

describe('on the command line', () => {
  it.each([['long rows', ['--shape', 'long'], 'value']])(
    'has units as number formats of %s, which tables do not repeat',
    async (_, flags, key) => {
      const out = join(folder, 'units.xlsx');
      const argv = ['metrics', 'series', '-m', 'burn', '--from', '2026-01', '--to', '2026-01', ...flags];
      expect(await run([...argv, '--out', out])).toMatchObject({ code: 0, stderr: '' });
      const [header = [], row = []] = readWorkbook(readFileSync(out)).rows;
      const cell = row[header.findIndex(({ text }) => text === key)];
      expect(cell).toMatchObject({ type: 'number', format: '#,##0.00 "USD"' });
      const { stdout } = await run([...argv, '-o', 'md']);
      expect(stdout.match(/USD/g)).toHaveLength(1);
    },
  );

  it.each(['xlsx', 'parquet'])('has averages as numbers, as %s', async (format) => {
    const out = join(folder, `averages.${format}`);
    const argv = [
      'metrics',
      'series',
      '-m',
      'churn_rate',
      '--last',
      '8q',
      '-c',
      'c0ffee00-0000-4000-8000-000000000011',
    ];
    expect(await run([...argv, '--out', out])).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await run([...argv, '-o', 'csv', '--fields', 'churn_rate', '--no-header']);
    expect(stdout).toMatch(/\.\d{14}/);
    const bytes = readFileSync(out);
    const found =
      format === 'xlsx'
        ? readWorkbook(bytes)
            .rows.slice(1)
            .map((row) => `${row[3]?.type} ${row[3]?.text}`)
        : (await readParquet(bytes)).rows.map((row) => `${typeof row.churn_rate} ${row.churn_rate}`);
    expect(found).toEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map((cell) => `number ${cell}`),
    );
  });

  it.each(['xlsx', 'parquet'])('%s follows from --out, for any rows', async (format) => {
    const out = join(folder, `lists.${format}`);
    const { code, stdout, stderr } = await run(['lists', 'list', '--out', out]);
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    expect(readFileSync(out).subarray(0, 2).toString()).toBe(format === 'xlsx' ? 'PK' : 'PA');
  });

  it('is refused on stdout, and for what is not rows', async () => {
    const stdout = await run(['lists', 'list', '-o', 'xlsx']);
    expect(stdout).toMatchObject({ code: 2, stdout: '', requests: [] });
    expect(stdout.stderr).toContain('--out data.xlsx');
    const out = join(folder, 'count.parquet');
    const first = await run(['lists', 'list', '-o', 'id', '--limit', '1']);
    const count = await run(['entries', 'count', first.stdout.trim(), '--out', out]);
    expect(count.code).toBe(2);
    expect(existsSync(out)).toBe(false);
  });

  it('leaves no file of a failure', async () => {
    const out = join(folder, 'failed.xlsx');
    const result = await run(['metrics', 'series', '--cursor', 'made-up', '-m', 'mrr', '--out', out]);
    expect([result.code, existsSync(out)]).toEqual([6, false]);
  });
});
