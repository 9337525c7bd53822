/** Ten years of real months, loaded into a database and read back over the API to the digit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { binary, cli, runBinary, temporaryFolder } from '../helpers/cli.ts';

const file = fileURLToPath(new URL('../data/us-employment.csv', import.meta.url));
const months: Record<string, string>[] = parse(readFileSync(file), { columns: true });
const metrics = Object.keys(months[0] ?? {}).slice(1);

let database: string;
beforeAll(async () => {
  database = join(temporaryFolder(), 'employment');
  const loaded = await cli(['server', 'load', file, '--data-dir', database]);
  if (loaded.code !== 0) throw new Error(loaded.stderr);
});

/** What the file says of a month, without the cells that it leaves empty. */
function expected({ month = '', ...cells }: Record<string, string>) {
  return { periodKey: month.slice(0, 7), ...cells };
}

function read(csv: string): Record<string, string>[] {
  const rows: Record<string, string>[] = parse(csv, { columns: true });
  return rows.map((row) => ({
    periodKey: row.periodKey ?? '',
    ...Object.fromEntries(metrics.map((metric) => [metric, row[metric] ?? 'no such column'])),
  }));
}

describe('us-employment.csv', () => {
  it('comes back as it went in', async () => {
    const series = ['metrics', 'series', '--from', '2006-01', '--to', '2010-12', '-o', 'csv'];
    const { stdout, stderr, code } = await cli([...series, '--base-url', `embedded:${database}`]);
    expect([code, stderr]).toEqual([0, '']);
    const wanted = months.filter(({ month = '' }) => month < '2011').map(expected);
    expect(wanted).toHaveLength(60);
    expect(read(stdout)).toEqual(wanted);
  });

  it('comes back over HTTP, and beyond one window', async () => {
    const series = ['metrics', 'series', '--from', '2006', '--to', '2015', '--order', 'asc', '-o', 'csv'];
    const serve = ['server', 'start', '--data-dir', database, '--port', '0', '--', process.execPath, binary];
    const { stdout, code } = await runBinary([...serve, ...series, '-m', metrics.join(',')]);
    expect(code).toBe(0);
    expect(read(stdout)).toEqual(months.map(expected));
  });

  it('is not changed by loading it again', async () => {
    const { stdout, code } = await cli(['server', 'load', file, '--data-dir', database, '-o', 'json']);
    expect(code).toBe(0);
    const report: Record<string, unknown>[] = JSON.parse(stdout);
    expect(report).toContainEqual({ section: 'points', created: 0, updated: 0, unchanged: 120 * metrics.length });
  });
});
