/** A file of failed rows, imported again with the flags of its source: every value as the source would have given it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../helpers/cli.ts';
import { listsWorld, type World } from '../../../helpers/lists-world.ts';
import { sheetOf, zipped } from '../../../helpers/zipped.ts';

const cwd = temporaryFolder();
let world: World;
beforeAll(async () => {
  world = await listsWorld();
});
afterAll(() => world.close());

type Cell = string | number;
const headers = ['title', 'Betrag', 'Faktor', 'Anteil', 'Start', 'Code', 'Pfad', 'Menge'];
/** The first row shows how the columns are written; `x-bad` keeps the others from being imported. */
const german: Cell[][] = [
  ['A', '1.234,5', '1,5', '7,25 %', '31.01.2024', 'c', 'C:\\new', 1],
  ['B', '1.234', 12.125, '8,125 %', '01.02.2024', ' 7 ', 'C:\\temp;x', 'x-bad'],
  ['C', 5.5, '2.500', '0,5 %', '2024-03-04', '12', '"q", r', 'x-bad'],
];
const types = [
  'Betrag=number',
  'Faktor=number',
  'Anteil=number',
  'Start=date',
  'Code=text',
  'Pfad=text',
  'Menge=number',
];
const fixed = (rows: readonly Cell[][]) => rows.map((cells) => cells.map((cell) => (cell === 'x-bad' ? 5 : cell)));

const text = (cell: Cell) => (typeof cell === 'number' ? String(cell).replace('.', ',') : cell);
const delimited = (rows: readonly Cell[][]) =>
  rows.map((cells) => `${cells.map((cell) => `"${text(cell).replaceAll('"', '""')}"`).join(';')}\n`).join('');
const escaped = (rows: readonly Cell[][]) =>
  rows.map((cells) => `${cells.map((cell) => text(cell).replaceAll('\\', '\\\\')).join('\t')}\n`).join('');
/** A workbook has numbers: percents with their format, and codes without one. */
const xml = (cell: Cell) => {
  if (cell === '8,125 %') return '<c s="1"><v>0.08125</v></c>';
  return cell === '12' ? 12 : typeof cell === 'string' ? cell.replaceAll('"', '&quot;') : cell;
};
const sheet = (rows: readonly Cell[][]) =>
  zipped({ sheets: { Data: sheetOf(rows.map((cells) => cells.map(xml))) }, formats: ['0.000%'] });
const objects = ([names = [], ...rows]: readonly Cell[][]) =>
  rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [String(names[at]), cell])));
const sources: Record<string, (rows: readonly Cell[][]) => string | Buffer> = {
  csv: delimited,
  tsv: escaped,
  xlsx: sheet,
  json: (rows) => JSON.stringify(objects(rows)),
  yaml: (rows) => JSON.stringify(objects(rows), null, 1),
};

const ofJson = ['Anteil=Anteil|percent', 'Start=Start|date'];
const texts = ['Betrag=Betrag|strip(.)|replace(",",.)|number', 'Code=Code|prefix(X-)', 'Start=Start|date(dd.mm.yyyy)'];
const language = [
  'Betrag=Betrag|number(de)',
  'Faktor=Faktor|number(de)',
  'Anteil=Anteil|percent(de)',
  'Start=Start|date',
];
const columns = ['Betrag=Betrag|number', 'Faktor=Faktor|number', ...ofJson];
/** Steps and flags of each kind of source. */
const ways = {
  table: [
    [[], []],
    [[], ['--locale', 'de']],
    [columns, []],
    [columns, ['--decimal', ',', '--date-format', 'dd.mm.yyyy']],
    [language, []],
    [texts, []],
  ],
  json: [
    [columns, []],
    [language, []],
  ],
} as const;
const tables = ['csv', 'tsv', 'xlsx'];
const cases = Object.keys(sources).flatMap((source) =>
  ways[tables.includes(source) ? 'table' : 'json'].map(([maps, flags], at) => ({
    source,
    maps,
    flags,
    files: tables.includes(source) ? ['csv', ['tsv', 'ndjson', 'json'][at % 3]] : ['ndjson', ['json', 'yaml'][at % 2]],
  })),
);

let number = 0;
async function imported(file: string, flags: readonly string[], then?: string) {
  number += 1;
  const list = `L${number}`;
  await world.run(['lists', 'create', list]);
  const argv = ['entries', 'import', list];
  const first = await world.run([...argv, file, ...flags], { cwd, home: cwd });
  if (then !== undefined) {
    expect([first.code, first.stderr]).toEqual([7, expect.stringContaining(`they are in ${then}`)]);
    const bad = readFileSync(join(cwd, then), 'utf8');
    writeFileSync(join(cwd, then), bad.replace(/sv$/.test(then) ? /x-bad/g : /"x-bad"/g, '5'));
    const again = await world.run([...argv, then, ...flags], { cwd, home: cwd });
    expect([again.code, again.stderr]).toEqual([0, expect.anything()]);
  } else expect([first.code, first.stderr]).toEqual([0, expect.anything()]);
  const entries = (await world.json(['entries', 'list', list])) as { title: string; values: object }[];
  return Object.fromEntries(entries.map(({ title, values }) => [title, values]));
}

describe('a file of failed rows', () => {
  it.each(cases)('of $source with $maps and flags $flags', async ({ source, maps, flags: more, files }) => {
    const write = sources[source] as (rows: readonly Cell[][]) => string | Buffer;
    writeFileSync(join(cwd, `bad.${source}`), write([headers, ...german]));
    writeFileSync(join(cwd, `good.${source}`), write([headers, ...fixed(german)]));
    const flags = ['--create-attrs', ...types.flatMap((type) => ['--type', type]), ...more, '--yes'];
    const all = [...flags, ...maps.flatMap((map) => ['--map', map])];
    const expected = await imported(`good.${source}`, all);
    expect(Object.keys(expected)).toEqual(['A', 'B', 'C']);
    for (const file of files) {
      const skip = ['--on-error', 'skip', '--failed', `left.${file}`];
      expect([file, await imported(`bad.${source}`, [...all, ...skip], `left.${file}`)]).toEqual([file, expected]);
    }
  });

  const again = (file: string, text: string, ...flags: string[]) => {
    writeFileSync(join(cwd, file), text);
    return world.run(['entries', 'import', 'deals', file, ...flags], { cwd, home: cwd });
  };
  const failed = 'title,amount,_reason\nÄ,1,no\nB,2,no\nC,3,no\n';

  it('is read without the flags that name parts of the source', async () => {
    const flags = ['--skip-row', '1,3', '--sheet', 'Data', '--encoding', 'latin1', '--format', 'tsv', '--dry-run'];
    for (const [file, text] of [
      ['left.csv', failed],
      ['left.tsv', failed.replaceAll(',', '\t')],
      ['left.json', '[\n{"title":"Ä","_reason":"no"},\n{"title":"B","_reason":"no"},\n{"title":"C","_reason":"no"}\n]'],
    ] as const) {
      const { code, stdout, stderr } = await again(file, text, ...flags);
      const titles =
        code === 0 ? (JSON.parse(stdout) as { body: { title: string } }[]).map(({ body }) => body.title) : stderr;
      expect([file, titles]).toEqual([file, ['Ä', 'B', 'C']]);
      expect(stderr).toContain(
        'holds failed rows, so --encoding, --format, --sheet, --skip-row are ignored: they describe the original file.',
      );
    }
  });

  it('removes nothing that it lacks, and tells a note that was changed', async () => {
    const sync = await again('left.csv', failed, '--mode', 'sync', '--yes');
    expect([sync.code, sync.stderr]).toEqual([2, expect.stringContaining('--mode sync would remove all other')]);
    const changed = await again('left.csv', 'title,amount,_source,_reason\nA,1,{formats,no\n', '--yes');
    expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining('_source')]);
  });

  it('keeps an error of a workbook until the cell is changed', async () => {
    const flags = ['--on-error', 'skip', '--failed', 'left.csv', '--yes'];
    const bad = sheetOf([
      ['title', 'amount'],
      ['Good one', 1],
      ['Bad one', '<c t="e"><v>#DIV/0!</v></c>'],
    ]);
    writeFileSync(join(cwd, 'error.xlsx'), zipped({ sheets: { A: bad } }));
    const first = await world.run(['entries', 'import', 'deals', 'error.xlsx', ...flags], { cwd, home: cwd });
    expect([first.code, first.stderr]).toEqual([7, expect.stringContaining('holds the error #DIV/0!')]);
    const left = readFileSync(join(cwd, 'left.csv'), 'utf8');
    expect((await again('left.csv', left, '--dry-run')).stderr).toContain('holds the error #DIV/0!');
    expect((await again('left.csv', left.replace('#ERROR', '5'), '--dry-run')).code).toBe(0);
  });

  it('of JSON is JSON', async () => {
    const flags = ['--on-error', 'skip', '--failed', 'left.csv', '--yes'];
    const result = await again('rows.json', '[{"title":"One"},{"title":5}]', ...flags);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('.ndjson or .json')]);
  });
});
