import { describe, expect, test } from 'vitest';
import { decode, encodingOf } from '../../../src/core/decode.ts';
import {
  formatOfName,
  formatOfText,
  type ReadOptions,
  readRows,
  type TextFormat,
} from '../../../src/domain/import/file.ts';

const read = async (text: string, format: TextFormat, options: Partial<ReadOptions> = {}) => {
  const table = await readRows(text, format, { name: 'f', ...options });
  return { ...table, rows: [...table.rows] };
};

describe('readRows', () => {
  test.each([
    ['LF', 'a,b\n1,"x\ny"\n'],
    ['no last line break', 'a,b\n1,"x\ny"'],
    ['CRLF and a byte order mark', '\uFEFFa,b\r\n1,"x\ny"\r\n'],
    ['blanks around the headers', ' a , b\n1,"x\ny"\n'],
    ['semicolons', 'a;b\n1;"x\ny"\n'],
    ['tabs', 'a\tb\n1\t"x\ny"\n'],
    ['rows that a spreadsheet left empty', 'a,b\n1,"x\ny"\n,\n,\n'],
    ['delimiters behind the last header', 'a,b\n1,"x\ny",,\n'],
  ])('reads CSV with %s', async (_, text) => {
    const { headers, rows, issues } = await read(text, 'csv');
    expect({ headers, cells: rows[0]?.cells.slice(0, 2), count: rows.length, issues }).toEqual({
      headers: ['a', 'b'],
      cells: ['1', 'x\ny'],
      count: 1,
      issues: [],
    });
  });

  test('says which rows do not fit the header', async () => {
    const { issues } = await read('a,b\n1\n1,2,3\n"x\ny",2\n1,2,\n1\n', 'csv');
    expect(issues).toEqual([
      { line: 2, message: 'the row has 1 cell, and the header has 2 cells' },
      { line: 3, message: 'the row has 3 cells, and the header has 2 cells' },
      { line: 7, message: 'the row has 1 cell, and the header has 2 cells' },
    ]);
  });

  test('takes cells that are empty for cells', async () => {
    const { rows, issues } = await read('a,b\n1,\n,2\n,,\n', 'csv');
    expect([rows.map(({ cells }) => cells), issues]).toEqual([
      [
        ['1', ''],
        ['', '2'],
      ],
      [],
    ]);
    expect((await read('a,b\n1,2,,3\n', 'csv')).issues).toMatchObject([{ line: 2 }]);
  });

  test.each([
    ['as comem writes it', 'a\tb\nx\\ty\t"1" \\\\\\n\n', [['x\ty', '"1" \\\n']]],
    ['as a spreadsheet writes it', 'a\tb\r\n"x\ty"\t"1 ""2"""\r\n', [['x\ty', '1 "2"']]],
  ])('reads TSV %s', async (_, text, cells) => {
    const { headers, rows } = await read(text, 'tsv');
    expect(headers).toEqual(['a', 'b']);
    expect(rows.map((row) => row.cells)).toEqual(cells);
  });

  const id = '00000000-0000-4000-8000-000000000001';
  test.each([
    [
      'paths of another program',
      'a\tb\n1\tC:\\new\\table\n',
      ['1', 'C:\\new\\table'],
      ['backslashes are read as they are'],
    ],
    ['a network path', 'a\tb\n1\t\\\\host\\new\n', ['1', '\\\\host\\new'], ['backslashes are read as they are']],
    ['a backslash that is no escape', 'a\tb\n1\\n\t\\d+\n', ['1\\n', '\\d+'], ['backslashes are read as they are']],
    ['escaped paths', 'a\tb\n1\tC:\\\\new\n', ['1', 'C:\\new'], ['read as escapes']],
    ['a quote that needs none', 'a\tb\n1\t"all of it"\n', ['1', '"all of it"'], []],
    ['quotes around a comma', 'a\tb\n1\t"x, y"\n', ['1', 'x, y'], ['cells in quotes']],
    ['quotes around everything', '"a"\t"b"\n1\t"x"\n', ['1', 'x'], ['cells in quotes']],
    ['quotes of an export with ids', `id\tb\n${id}\t"x, y"\n`, [id, '"x, y"'], []],
  ])('decides by the file: %s', async (_, text, cells, notes) => {
    const found = await read(text, 'tsv');
    expect([found.rows[0]?.cells, found.notes]).toEqual([cells, notes.map((note) => expect.stringContaining(note))]);
  });

  test('takes the delimiter of a line sep=, and counts it', async () => {
    const { headers, rows } = await read('sep=;\r\na,x;b\r\n1,5;2\r\n', 'csv');
    expect([headers, rows]).toEqual([['a,x', 'b'], [{ line: 3, cells: ['1,5', '2'] }]]);
  });

  test("takes the guards of --excel off, and leaves other files' apostrophes", async () => {
    const cells = async (text: string, hasMark = true) => (await read(text, 'csv', { hasMark })).rows[0]?.cells;
    expect(await cells("a,b\r\n'@me,''=1\r\n")).toEqual(['@me', "'=1"]);
    expect(await cells("a,b\r\n'@me,-5\r\n")).toEqual(['@me', '-5']);
    expect(await cells("a,b\r\n'＝1,' @x\r\n")).toEqual(['＝1', ' @x']);
    expect(await cells("a,b\r\n'@me,=1\r\n")).toEqual(["'@me", '=1']);
    expect(await cells("a,b\r\n'@me,1\r\n", false)).toEqual(["'@me", '1']);
  });

  test('reads entries as the API has them, and plain objects', async () => {
    const {
      headers,
      rows,
      lineUnit: place,
    } = await read('[{"id":"i","values":{"x":1.50,"y":null}},{"title":"t"}]', 'json');
    expect({ headers, place }).toEqual({ headers: ['id', 'values.x', 'values.y', 'title'], place: 'item' });
    expect(rows[0]?.cells.map(String)).toEqual(['i', '1.50', 'null']);
    expect([rows[1]?.cells[0], rows[1]?.cells[3]]).toEqual([undefined, 't']);
    const lines = await read('{"a":1}\n\n{"b":2}\r\n', 'ndjson');
    expect(lines.rows.map(({ line }) => line)).toEqual([1, 3]);
  });

  test('says which lines are not JSON, and which items no objects, all of them', async () => {
    const lines = await read('\uFEFF{"a":1}\n  {"a"\n\n[2]\n{"a":3}\nx\n', 'ndjson');
    expect(lines.rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [1, 1],
      [5, 3],
    ]);
    expect(lines.issues).toEqual([
      { line: 2, message: "is not JSON: expected ':', the text ends at column 7" },
      { line: 4, message: 'must be an object, got [2]' },
      { line: 6, message: 'is not JSON: expected a value, found "x" at column 1' },
    ]);
    const items = await read('[1,{"a":1},null,"x"]', 'json');
    expect(items.issues).toEqual([
      { line: 1, message: 'must be an object, got 1' },
      { line: 3, message: 'must be an object, got null' },
      { line: 4, message: 'must be an object, got "x"' },
    ]);
  });

  test.each([
    ['json', '{"a":1}', 'f must hold one JSON array of objects'],
    ['json', '[{"a":}]', 'f is not JSON: expected a value, found "}" at line 1, column 7'],
    ['ndjson', 'a,b\n1,2', 'f, line 1 is not JSON: expected a value, found "a" at column 1'],
    ['csv', '', 'f is empty; its first line must name the columns'],
    ['csv', 'a\n"b', 'f, line 2: a quoted cell is not closed before the end of the file'],
  ] as const)('refuses %s %j', async (format, text, message) => {
    await expect(read(text, format)).rejects.toMatchObject({ kind: 'usage', message });
  });
});

test('the format follows from the name, or from how the text begins', () => {
  expect(['a.CSV', 'b.tsv', 'c.jsonl', 'd.json', 'e', 'x.d/e'].map(formatOfName)).toEqual([
    'csv',
    'tsv',
    'ndjson',
    'json',
    undefined,
    undefined,
  ]);
  expect([' [{}]', '{"a":1}', 'a,b', '\uFEFF[', 'a\tb', '- id: x'].map(formatOfText)).toEqual([
    'json',
    'ndjson',
    'csv',
    'json',
    'tsv',
    'yaml',
  ]);
});

/** Decodes the bytes in the encoding that they turn out to have. */
function decodeText(file: Uint8Array, name: string, named?: string) {
  const { encoding, isAssumed } = encodingOf(() => [file], name, named);
  const text = [...decode([file], name, encoding)].join('');
  return isAssumed ? { text, assumed: encoding } : { text };
}

describe('the encoding of a file', () => {
  const bytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding);

  test('reads UTF-8, UTF-16 by its mark, and else what Windows writes', () => {
    expect(decodeText(bytes('\uFEFFé', 'utf8'), 'f')).toEqual({ text: 'é' });
    expect(decodeText(bytes('\uFEFFé€', 'utf16le'), 'f')).toEqual({ text: 'é€' });
    expect(decodeText(Buffer.from([0x63, 0xe9, 0x80]), 'f')).toEqual({ text: 'cé€', assumed: 'windows-1252' });
    expect(decodeText(Buffer.from([0xc3, 0xa9]), 'f', 'latin1')).toEqual({ text: 'Ã©' });
  });

  test('refuses one stray byte in a file of UTF-8, with its line, and obeys --encoding', () => {
    const file = Buffer.concat([
      bytes('a\r\nMünchen\r\nDüren\nK', 'utf8'),
      Buffer.from([0xf6]),
      bytes('ln\nx\n', 'utf8'),
    ]);
    expect(() => decodeText(file, 'f')).toThrow('f, line 4: not UTF-8, and other text of the file is');
    expect(decodeText(file, 'f', 'latin1').text).toContain('Köln');
    // A mark of missing text is UTF-8 itself.
    expect(() => decodeText(Buffer.concat([bytes('\u00e9\uFFFD\n', 'utf8'), Buffer.from([0xf6])]), 'f')).toThrow(
      'line 2',
    );
  });

  test('keeps a NUL of a text, which every export writes as it is', async () => {
    const text = 'title,note\nx,"a\0b"\ny,\0\n';
    expect(decodeText(bytes(text, 'utf8'), 'f')).toEqual({ text });
    const rows = (await read(text, 'csv')).rows.map(({ cells }) => cells.at(-1));
    expect(rows).toEqual(['a\0b', '\0']);
  });

  test.each([
    ['UTF-16 without its mark', bytes('title,note\nx,y\n', 'utf16le'), undefined, 'f holds binary data, not text'],
    ['bytes that are not text', Buffer.from([1, 2, 3, 4, 5, 6, 0, 0xff]), undefined, 'f holds binary data, not text'],
    ['binary data', Buffer.from([1, 0, 2]), undefined, 'f holds binary data, not text'],
    ['a workbook', Buffer.from('PK\u0003\u0004'), undefined, 'f is a workbook or another zip file, not text'],
    ['what it is said not to be', Buffer.from([0xe9]), 'utf-8', 'f is not utf-8 text'],
    ['an encoding that is none', Buffer.from('a'), 'klingon', 'the encoding klingon is not known'],
  ])('refuses %s', (_, data, encoding, message) => {
    expect(() => decodeText(data, 'f', encoding)).toThrow(message);
  });
});

describe('the first rows', () => {
  const note = 'the line above the names of the columns is a title, and left out';
  test.each([
    ['Deals;;\n;;\ntitle;amount;\nA;1;\n', ['title', 'amount', '#3'], [['A', '1', '']], [note]],
    ['Deals\n\ntitle;amount;x\nA;1;2\n', ['title', 'amount', 'x'], [['A', '1', '2']], [note]],
    ['title\nA; B\nC\n', ['title'], [['A; B'], ['C']], []],
    ['title\nA\nB\n', ['title'], [['A'], ['B']], []],
    ['title\nA\nB\nC\nD\nE\nF\n', ['title'], [['A'], ['B'], ['C'], ['D'], ['E'], ['F']], []],
  ])('of %j are titles, or names', async (text, headers, rows, notes) => {
    const table = await readRows(text, 'csv', { name: 'f' });
    expect(table).toMatchObject({ headers, issues: [], notes });
    expect([...table.rows].map(({ cells }) => cells)).toEqual(rows);
  });
});

test.each([
  ['Total', true],
  ['Grand Total:', true],
  ['Summe', true],
  ['Gesamtsumme (EUR)', true],
  ['Total général', true],
  ['Total Energies', false],
  ['Sumerian', false],
  ['Totals Ltd', false],
])('a row that begins with %j looks like a total: %s', async (text, isTotal) => {
  const { totals } = await readRows(`name,amount\nA,1\n${text},1\n`, 'csv', { name: 'f' });
  expect([...(totals ?? [])]).toEqual(isTotal ? [[3, text]] : []);
});
