/** Checks of a real table find what a person finds in it; the counts come from the file by other means. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, expect, it } from 'vitest';
import { cli, temporaryFolder } from '../helpers/cli.ts';

const file = new URL('../data/sp500-constituents.csv', import.meta.url);
const rows: Record<string, string>[] = parse(readFileSync(file), { columns: true });
const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const company = '00000000-0000-4000-8000-000000000001';
const env = { COMEM_BASE_URL: `embedded:${dataDir}`, COMEM_COMPANY_ID: company };

const columns = { symbol: 'Symbol', sector: 'GICS Sector', 'date-added': 'Date added', cik: 'CIK', founded: 'Founded' };

beforeAll(async () => {
  const seed = {
    companies: [{ slug: 'index', id: company, name: 'Index' }],
    lists: [
      {
        company: 'index',
        name: 'Constituents',
        attributes: Object.keys(columns).map((slug) => ({ name: slug, slug, attribute_type: 'text' })),
        entries: rows.map((row) => ({
          title: row.Security,
          values: Object.fromEntries(
            Object.entries(columns).flatMap(([slug, name]) => (row[name] ? [[slug, row[name]]] : [])),
          ),
        })),
      },
    ],
  };
  writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed));
  expect(await cli(['server', 'load', 'seed.json', '--data-dir', dataDir], { cwd: folder, env })).toMatchObject({
    code: 0,
  });
});

/** How often each value beyond its first is in a column. */
function repeats(name: string): number {
  const values = rows.map((row) => row[name]).filter((value) => value !== '');
  return values.length - new Set(values).size;
}

it('finds the messy column, the repeated names and keys, and the blank cells', async () => {
  const blank = (name: string) => rows.filter((row) => row[name] === '').length;
  const messy = rows.filter((row) => row.Founded !== '' && !/^\d{4}$/.test(row.Founded ?? '')).length;
  const expected: Record<string, number> = {
    'type(founded, year)': messy,
    'required(founded)': blank('Founded'),
    'required(date-added)': blank('Date added'),
    'unique(title)': repeats('Security'),
    'unique(symbol)': repeats('Symbol'),
    'unique(cik)': repeats('CIK'),
    'pattern(symbol, "^[A-Z]+$")': rows.filter((row) => !/^[A-Z]+$/.test(row.Symbol ?? '')).length,
  };
  // The file is messy on purpose of its source: a test that expects nothing would prove nothing.
  expect(messy).toBeGreaterThan(10);
  expect(repeats('CIK')).toBeGreaterThan(0);
  const argv = ['check', 'entries', 'constituents', '-o', 'json', '--expect', `count = ${rows.length}`];
  const all = await cli([...argv, ...Object.keys(expected).flatMap((text) => ['--expect', text])], {
    cwd: folder,
    env,
  });
  const { results } = JSON.parse(all.stdout) as { results: { name: string; status: string; failed: number }[] };
  expect(results[0]).toMatchObject({ status: 'pass' });
  expect(Object.fromEntries(results.slice(1).map(({ name, failed }) => [name, failed]))).toEqual(expected);
  expect(all.code).toBe(1);
});
