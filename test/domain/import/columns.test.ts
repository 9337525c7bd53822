import { describe, expect, test } from 'vitest';
import { flagNames as flags } from '../../../src/commands/entries/import/flags.ts';
import { matchColumns, slugLike, unknownColumn } from '../../../src/domain/import/columns.ts';
import { type SourceTable, uniqueHeaders } from '../../../src/domain/import/table.ts';

const attributes = [
  { slug: 'stage', name: 'Stage', attribute_type: 'status' as const },
  { slug: 'deal-size', name: 'Deal Size', attribute_type: 'currency' as const },
  { slug: 'title', name: 'Job title', attribute_type: 'text' as const },
  { slug: 'a', name: 'Same', attribute_type: 'text' as const },
  { slug: 'b', name: 'Same', attribute_type: 'text' as const },
  { slug: 'q1', name: 'Total', attribute_type: 'text' as const },
  { slug: 'q2', name: 'TOTAL', attribute_type: 'text' as const },
  { slug: 'q3', name: 'q1', attribute_type: 'text' as const },
  { slug: 'q4', name: 'Sum of it', attribute_type: 'text' as const },
  { name: 'without a slug', attribute_type: 'text' as const },
];

function table(headers: string[], cells: string[] = []): SourceTable {
  return {
    ...uniqueHeaders(headers),
    headerLine: 1,
    rows: [{ line: 2, cells }],
    json: false,
    lineUnit: 'line',
    issues: [],
  };
}

const mappingsOf = (targets: Record<string, string>) =>
  new Map(Object.entries(targets).map(([header, target]) => [header, { target }]));

function match(headers: string[], map: Record<string, string> = {}, cells?: string[]) {
  const found = matchColumns(table(headers, cells), attributes, { mappings: mappingsOf(map), flags });
  const columns = Object.fromEntries(
    found.columns.map(({ header, target }) => [
      header,
      target.field === 'value' ? `values.${target.slug}` : target.field,
    ]),
  );
  return { ...found, columns, messages: found.issues.map(({ message }) => message) };
}

describe('matchColumns', () => {
  test.each([
    ['stage', 'values.stage'],
    ['Stage', 'values.stage'],
    ['STAGE', 'values.stage'],
    ['values.stage', 'values.stage'],
    ['deal-size', 'values.deal-size'],
    ['Deal Size', 'values.deal-size'],
    ['deal_size', 'values.deal-size'],
    ['title', 'title'],
    ['Title', 'title'],
    ['values.title', 'values.title'],
    ['Job title', 'values.title'],
    ['q1', 'values.q1'],
    ['TOTAL', 'values.q2'],
    ['sum of IT', 'values.q4'],
    ['id', 'id'],
    ['position', 'position'],
    ['archived', 'archived'],
  ])('takes the header %j for %s', (header, target) => {
    expect(match([header]).columns).toEqual({ [header]: target });
  });

  test("leaves a foreign table's own ID to the person", () => {
    expect(match(['ID']).unmatched).toEqual([{ index: 0, header: 'ID', name: 'ID' }]);
    expect(match(['without a slug', 'values.Stage', '§']).unmatched.map(({ header }) => header)).toEqual([
      ...['without a slug', 'values.Stage', '§'],
    ]);
  });

  test('obeys --map, also to leave a column out', () => {
    const found = match(['Company', 'Stage', 'x'], { Company: 'title', x: '', Stage: 'Deal Size' });
    expect(found).toMatchObject({
      columns: { Company: 'title', Stage: 'values.deal-size' },
      unmatched: [],
      issues: [],
    });
  });

  test('knows columns of an export that cannot be written', () => {
    const found = match(['id', 'title', 'created_at', 'updated_at', 'list_id', 'created_by', '_reason']);
    expect(found.ignored).toEqual(['created_at', 'updated_at', 'list_id', 'created_by']);
    expect(found.issues).toEqual([]);
  });

  test('refuses what would be a guess', () => {
    expect(match(['Same']).issues).toMatchObject([
      { message: `"Same" matches 2 attributes: a, b; choose one with --map 'Same=SLUG'`, column: 'Same' },
    ]);
    const both = "both this column and stage fill values.stage; leave one out with --map 'Stage='";
    expect(match(['stage', 'Stage']).issues[0]).toMatchObject({ column: 'Stage', message: both });
    expect(match(['total']).messages).toEqual([expect.stringContaining('"total" matches 2 attributes: q1, q2')]);
    expect(match(['Stage'], { zzz: 'stage' }).messages).toEqual([
      'the mapping names the column "zzz", which the file does not have; it has: Stage',
    ]);
    expect(match(['title', ' '], {}, ['t']).messages).toEqual([]);
    expect(match(['stage', 'stage']).messages).toEqual([
      expect.stringContaining('two columns have the header "stage"; name it with --map'),
    ]);
    expect(match(['title', ''], {}, ['t', 'x']).messages).toEqual([
      "the column number 2 has values and no header; name it with --map '#2=SLUG', or leave it out with --map '#2='",
    ]);
    expect(match(['title', ''], {}, ['t', '']).messages).toEqual([]);
    expect(match(['Stage'], { Stagee: 'stage' }).messages).toEqual([
      'the mapping names the column "Stagee", which the file does not have; did you mean Stage?',
    ]);
  });

  test('has a way in for headers that are empty or repeated, by the number of the column', () => {
    const cells = ['t', 'x', 'y'];
    const found = match(['title', 'Stage', 'Stage'], { '#3': 'a' }, cells);
    expect([found.columns, found.messages]).toEqual([{ title: 'title', Stage: 'values.stage', '#3': 'values.a' }, []]);
    expect(match(['title', ''], { '#2': 'stage' }, cells).columns).toEqual({ title: 'title', '#2': 'values.stage' });
    expect(match(['title', 'title'], { '#2': '' }, cells).messages).toEqual([]);
    expect(match(['title', '#2'], {}, ['t', ''])).toMatchObject({ messages: [], unmatched: [] });
  });

  test("refuses a table's own ids once, and has a way in for them", () => {
    const cells = ['17', 't'];
    expect(match(['id', 'title'], {}, cells).issues).toEqual([
      {
        line: 1,
        column: 'id',
        message:
          'holds "17", which is not the id of an entry; keep it as an attribute with --map ' +
          "'id=SLUG', or leave it out with --map 'id='",
      },
    ]);
    expect(match(['id', 'title'], { id: 'a' }, cells).columns).toEqual({ id: 'values.a', title: 'title' });
  });

  test("keeps a foreign table's own columns under another name, and an export's as they are", () => {
    const headers = ['id', 'title', 'position', 'archived', 'created_at', 'updated_at'];
    const foreign = matchColumns(table(headers, ['7', 'x', 'CEO', 'no', '1', '2']), attributes, {
      mappings: new Map(),
      create: true,
      flags,
    });
    expect(foreign.unmatched.map(({ header, name }) => [header, name])).toEqual(
      headers.filter((header) => header !== 'title').map((header) => [header, `source ${header}`]),
    );
    const known = [
      ...attributes,
      { slug: 'source-position', name: 'source position', attribute_type: 'text' as const },
    ];
    const again = matchColumns(table(['title', 'position'], ['x', 'CEO']), known, { mappings: new Map(), flags });
    expect(again.columns[1]?.target).toMatchObject({ field: 'value', slug: 'source-position' });
    const mapped = matchColumns(table(['title', 'position'], ['x', '1']), attributes, {
      mappings: mappingsOf({ position: 'position' }),
      create: true,
      flags,
    });
    expect(mapped.columns[1]?.target).toEqual({ field: 'position' });
    const own = matchColumns(
      table(headers, ['00000000-0000-4000-8000-000000000001', 'x', '1', 'false', 'c', 'u']),
      attributes,
      { mappings: new Map(), create: true, flags },
    );
    expect([own.unmatched, own.ignored]).toEqual([[], ['created_at', 'updated_at']]);
  });

  test('says of a column that fits nothing what can be done', () => {
    const [column] = match(['stag']).unmatched;
    expect(column && unknownColumn(column, table([]), attributes, flags)).toMatchObject({
      line: 1,
      column: 'stag',
      message:
        `the list has no attribute "stag"; did you mean stage?; match it with --map 'stag=SLUG', ` +
        "leave it out with --map 'stag=', or add it with --create-attrs",
    });
    const far = { index: 0, header: 'Zzz', name: 'zzz' };
    expect(unknownColumn(far, table([]), attributes, flags).message).toMatch(
      /^the list has no attribute "zzz"; match it/,
    );
  });
});

test('slugLike folds letters, marks and punctuation', () => {
  expect(['GICS Sub-Industry', 'Größe (m²)', '  ', 'Été'].map(slugLike)).toEqual([
    'gics-sub-industry',
    'gro-e-m2',
    '',
    'ete',
  ]);
});
