/** What `entries list` writes in any format, `entries import` reads back without a change. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../helpers/cli.ts';
import { listsWorld, type World } from '../../../helpers/lists-world.ts';

const formats = ['csv', 'tsv', 'json', 'ndjson', 'yaml', 'excel', 'xlsx'] as const;
const flagsOf: Readonly<Record<(typeof formats)[number], readonly string[]>> = {
  csv: ['-o', 'csv'],
  tsv: ['-o', 'tsv'],
  json: ['-o', 'json'],
  ndjson: ['-o', 'ndjson'],
  yaml: ['-o', 'yaml'],
  excel: ['-o', 'csv', '--excel'],
  xlsx: ['--out', 'all.xlsx'],
};

const special = [
  ',',
  ';',
  '"',
  "'",
  '\n',
  '\r',
  '\t',
  '\\',
  ' ',
  '=',
  '+',
  '-',
  '@',
  'n',
  't',
  '|',
  '\u2028',
  '\u0085',
  '\uFFFE',
];
const hostile = fc.oneof(
  fc.string({ unit: fc.constantFrom(...special), minLength: 1, maxLength: 6 }),
  fc.constantFrom(
    '"a, b"',
    '"all of it"',
    "'=1+1",
    "''=x",
    '=1',
    '@me',
    'C:\\new\\table',
    '\\\\host\\new',
    'today',
    '[1]',
    '{"a":1}',
    'null',
    '- a: b',
    '# no',
    'é\u0001',
    'sep=;',
  ),
);
const labels = ['A', 'B', 'A; B', 'a;b', '"q"', '=x', 'A ', ' C', 'Twice', 'tWICE', 'o-0'];
const entry = fc.record(
  {
    title: hostile.filter((text) => text.trim() !== ''),
    notes: hostile,
    amount: fc.constantFrom(0, -1.5, 1e21, 1e-7),
    hot: fc.boolean(),
    since: fc.constantFrom('2024-02-29', '1899-01-01'),
    stage: fc.nat({ max: labels.length - 1 }).map((at) => `o-${at}`),
    tags: fc.uniqueArray(
      fc.nat({ max: labels.length - 1 }).map((at) => `o-${at}`),
      { maxLength: 4 },
    ),
  },
  { requiredKeys: ['title'] },
);

let world: World;
let home: string;
let list: string;
beforeAll(async () => {
  world = await listsWorld();
  home = temporaryFolder();
  const created = (await world.json(['lists', 'create', 'Hostile'])) as { id: string };
  list = created.id;
  const options = labels.map((label, at) => ({ id: `o-${at}`, label }));
  for (const body of [
    { name: 'Notes', attribute_type: 'text' },
    { name: 'Title', attribute_type: 'text' },
    { name: 'Amount', attribute_type: 'number' },
    { name: 'Hot', attribute_type: 'checkbox' },
    { name: 'Since', attribute_type: 'date' },
    { name: 'Stage', attribute_type: 'status', config: { options } },
    { name: 'Tags', attribute_type: 'multi_select', config: { options } },
  ]) {
    const argv = ['api', 'POST', `/api/lists/${list}/attributes`, '--yes', '--input', '-'];
    const { code, stderr } = await world.run(argv, { stdin: JSON.stringify(body) });
    expect([code, stderr]).toEqual([0, expect.anything()]);
  }
});
afterAll(() => world.close());

const load = (stdin: string, ...flags: string[]) =>
  world.run(['entries', 'import', list, '-', '--yes', '-o', 'json', ...flags], { stdin, home });

const loadFile = () =>
  world.run(['entries', 'import', list, 'all.xlsx', '--key', 'id', '--yes', '-o', 'json'], { home, cwd: home });

describe('an export and its import', () => {
  it.each(formats)('change nothing, as %s, whatever the values are', async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 20 }), async (entries) => {
        // What a run that failed has left would be counted.
        expect((await world.run(['entries', 'delete', list, '--all', '--yes'])).code).toBe(0);
        const rows = entries.map(({ title, ...values }, at) => ({ title: title + at, values: { ...values, title } }));
        const made = await load(JSON.stringify(rows));
        expect([made.stderr, made.code]).toEqual([expect.anything(), 0]);
        const exported = await world.run(['entries', 'list', list, ...flagsOf[format]], { cwd: home });
        const back = format === 'xlsx' ? await loadFile() : await load(exported.stdout, '--key', 'id');
        const { stdout, stderr } = back;
        const writes = back.requests.filter(({ method }) => method !== 'GET');
        expect({ code: back.code, stderr, writes }).toEqual({ code: 0, stderr, writes: [] });
        expect(JSON.parse(stdout)).toMatchObject({ unchanged: rows.length });
      }),
      { numRuns: 8 },
    );
  });
});
