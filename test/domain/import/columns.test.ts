import { describe, expect, test } from 'vitest';
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
  return { ...uniqueHeaders(headers), rows: [{ line: 2, cells }], json: false, lineUnit: 'line', issues: [] };
}

function match(headers: string[], map: Record<string, string> = {}, cells?: string[]) {
  const found = matchColumns(table(headers, cells), attributes, { map: new Map(Object.entries(map)) });
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
      { message: '"Same" matches 2 attributes: a, b', column: 'Same', remedy: 'choose' },
    ]);
    expect(match(['stage', 'Stage']).issues[0]).toMatchObject({ column: 'Stage', remedy: 'leaveOut' });
    expect(match(['stage', 'Stage']).messages[0]).toContain('both this column and stage fill values.stage');
    expect(match(['total']).messages).toEqual(['"total" matches 2 attributes: q1, q2']);
    expect(match(['Stage'], { zzz: 'stage' }).messages).toEqual([
      'the mapping names the column "zzz", which the file does not have; it has: Stage',
    ]);
    expect(match(['title', ' '], {}, ['t']).messages).toEqual([]);
    expect(match(['stage', 'stage']).messages).toEqual(['two columns have the header "stage"']);
    expect(match(['total']).messages).toEqual(['"total" matches 2 attributes: q1, q2']);
    expect(match(['Stage'], { zzz: 'stage' }).messages).toEqual([
      'the mapping names the column "zzz", which the file does not have; it has: Stage',
    ]);
    expect(match(['title', ' '], {}, ['t']).messages).toEqual([]);
    expect(match(['title', ''], {}, ['t', 'x']).messages).toEqual(['the column number 2 has values and no header']);
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
  });

  test("refuses a table's own ids once, and has a way in for them", () => {
    const cells = ['17', 't'];
    expect(match(['id', 'title'], {}, cells).issues).toEqual([
      { line: 1, column: 'id', message: 'holds "17", which is not the id of an entry', remedy: 'own' },
    ]);
    expect(match(['id', 'title'], { id: 'a' }, cells).columns).toEqual({ id: 'values.a', title: 'title' });
  });

  test("keeps a foreign table's own columns under another name, and an export's as they are", () => {
    const headers = ['id', 'title', 'position', 'archived', 'created_at', 'updated_at'];
    const foreign = matchColumns(table(headers, ['7', 'x', 'CEO', 'no', '1', '2']), attributes, {
      map: new Map(),
      create: true,
    });
    expect(foreign.unmatched.map(({ header, name }) => [header, name])).toEqual(
      headers.filter((header) => header !== 'title').map((header) => [header, `source ${header}`]),
    );
    const known = [
      ...attributes,
      { slug: 'source-position', name: 'source position', attribute_type: 'text' as const },
    ];
    const again = matchColumns(table(['title', 'position'], ['x', 'CEO']), known, { map: new Map() });
    expect(again.columns[1]?.target).toMatchObject({ field: 'value', slug: 'source-position' });
    const mapped = matchColumns(table(['title', 'position'], ['x', '1']), attributes, {
      map: new Map([['position', 'position']]),
      create: true,
    });
    expect(mapped.columns[1]?.target).toEqual({ field: 'position' });
    const own = matchColumns(
      table(headers, ['00000000-0000-4000-8000-000000000001', 'x', '1', 'false', 'c', 'u']),
      attributes,
      { map: new Map(), create: true },
    );
    expect([own.unmatched, own.ignored]).toEqual([[], ['created_at', 'updated_at']]);
  });

  test('says of a column that fits nothing what can be done', () => {
    const [column] = match(['stag']).unmatched;
    expect(column && unknownColumn(column, attributes)).toMatchObject({
      line: 1,
      column: 'stag',
      message: expect.stringMatching(/no attribute "stag"; did you mean stage\?$/),
      remedy: 'match',
    });
    const far = { index: 0, header: 'Zzz', name: 'zzz' };
    expect(unknownColumn(far, attributes).message).toBe('the list has no attribute "zzz"');
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
