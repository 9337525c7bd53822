/** A real table of 503 companies, made a list by the commands that a script would use, and read back by another program. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram, temporaryFolder } from '../helpers/cli.ts';
import { type ServedWorld, servedWorld } from '../helpers/lists-world.ts';
import { run } from '../helpers/run.ts';
import { testWith } from '../helpers/tools.ts';

const file = fileURLToPath(new URL('../data/sp500-constituents.csv', import.meta.url));
const rows: Record<string, string>[] = parse(readFileSync(file), { columns: true });
const sectors = [...new Set(rows.map((row) => row['GICS Sector'] ?? ''))].sort();

/** Column of the file to attribute; the title is the company's name. */
const attributes: [column: string, ...flags: string[]][] = [
  ['Symbol', '--type', 'text', '--required'],
  ['GICS Sector', '--type', 'select', ...sectors.flatMap((sector) => ['--option', sector])],
  ['GICS Sub-Industry', '--type', 'text'],
  ['Headquarters Location', '--type', 'text'],
  ['Date added', '--type', 'date'],
  ['CIK', '--type', 'number', '--min', '1'],
  ['Founded', '--type', 'text'],
];
const slug = (column: string) => column.toLowerCase().replaceAll(' ', '-');

let world: ServedWorld;
let list: string;

async function ok(argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await world.comem(argv);
  if (code !== 0) throw new Error(`comem ${argv.join(' ')}: ${code}: ${stderr}`);
  return stdout;
}

const program = builtProgram();

beforeAll(async () => {
  world = await servedWorld();
  list = (await ok(['lists', 'create', 'S&P 500', '-o', 'id'])).trim();
  for (const [name, ...flags] of attributes) await ok(['attrs', 'create', list, name, ...flags]);
  const waiting = rows.map((row) => [
    ...['entries', 'create', list, '--title', row.Security ?? ''],
    ...attributes.flatMap(([column]) => ['--set', `${slug(column)}=${row[column]}`]),
  ]);
  await ok(waiting.pop() ?? []);
  // The built program without its start, which takes longer than all else that five hundred creates do.
  const script = async () => {
    for (let argv = waiting.pop(); argv; argv = waiting.pop()) {
      const { code, stderr } = await run(argv, { network: true, program, env: world.env });
      if (code !== 0) throw new Error(`comem ${argv.join(' ')}: ${code}: ${stderr}`);
    }
  };
  await Promise.all([script(), script(), script(), script()]);
}, 600_000);

afterAll(() => world?.close());

describe('the S&P 500 as a list', () => {
  it('is counted, whole and by sector', async () => {
    expect(await ok(['entries', 'count', 'S&P 500'])).toBe('503\n');
    for (const sector of sectors.slice(0, 3)) {
      const expected = rows.filter((row) => row['GICS Sector'] === sector).length;
      expect(await ok(['entries', 'count', list, '--filter', `gics-sector=${sector}`])).toBe(`${expected}\n`);
    }
    const two = ['--filter', 'gics-sector=energy', '--filter', 'gics-sector=Materials'];
    expect(await ok(['entries', 'count', list, ...two])).toBe('46\n');
  });

  it('is filtered by sector', async () => {
    const found = await ok([
      'entries',
      'list',
      list,
      '--filter',
      'gics-sector=Utilities',
      '--fields',
      'symbol',
      '--no-header',
    ]);
    const expected = rows.filter((row) => row['GICS Sector'] === 'Utilities').map((row) => row.Symbol);
    expect(found.trim().split('\n').sort()).toEqual(expected.sort());
  });

  it('is exported to CSV with the same 503 rows', async () => {
    const csv = await ok(['entries', 'list', list, '-o', 'csv']);
    const read: Record<string, string>[] = parse(csv, { columns: true });
    const back = new Map(read.map((row) => [row.title, attributes.map(([column]) => row[slug(column)])]));
    expect(read).toHaveLength(503);
    expect(back).toEqual(new Map(rows.map((row) => [row.Security, attributes.map(([column]) => row[column])])));
  });

  testWith('python3')('is read back the same by the csv module of python3', async () => {
    const out = join(temporaryFolder(), 'constituents.csv');
    expect(await ok(['entries', 'list', list, '--out', out])).toBe('');
    const columns = ['title', ...attributes.map(([column]) => slug(column))];
    const given = ['Security', ...attributes.map(([column]) => column)];
    const { status, stdout, stderr } = spawnSync('python3', [
      '-c',
      compare,
      file,
      out,
      given.join('|'),
      columns.join('|'),
    ]);
    expect([String(stderr), String(stdout), status]).toEqual(['', 'same 503\n', 0]);
  });
});

const compare = `
import csv, sys
def table(path, columns):
    with open(path, newline='', encoding='utf-8') as f:
        return sorted([row[c] for c in columns.split('|')] for row in csv.DictReader(f, strict=True))
given, got = table(sys.argv[1], sys.argv[3]), table(sys.argv[2], sys.argv[4])
print('same' if given == got else 'different', len(got))
`;
