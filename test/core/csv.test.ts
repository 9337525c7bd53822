import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv, sniffDelimiter } from '../../src/core/csv.ts';

const read = (text: string) => readCsv(text, { name: 'f.csv' });
const cells = async (text: string) => (await read(text)).map((record) => record.cells);

describe('readCsv', () => {
  test.each([
    ['LF', 'a,b\n1,2\n'],
    ['CRLF', 'a,b\r\n1,2\r\n'],
    ['CR', 'a,b\r1,2'],
    ['a byte order mark', '\uFEFFa,b\n1,2'],
    ['semicolons', 'a;b\n1;2'],
    ['tabs', 'a\tb\n1\t2'],
    ['empty lines', '\na,b\n\n\n1,2\n\n'],
  ])('reads %s', async (_, text) => {
    expect(await cells(text)).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  test('keeps quoted delimiters, quotes and line breaks', async () => {
    expect(await cells('a,b\n"x, ""y""\r\nz",2\n')).toEqual([
      ['a', 'b'],
      ['x, "y"\r\nz', '2'],
    ]);
  });

  test.each(['\n', '\r\n', '\r'])('gives the line on which each record starts (%j)', async (eol) => {
    const text = ['a,b', `"x${eol}y",é`, '', '3,4', '', '', '5,6'].join(eol);
    expect((await read(text)).map((record) => record.line)).toEqual([1, 2, 5, 8]);
  });

  test.each([
    ['a,b\n1,"2\n3', 'f.csv, line 3: a quoted cell is not closed before the end of the file'],
    ['a,b\n1,x"y\n', 'f.csv, line 2: a quote is inside a cell that does not start with one; quote the entire cell'],
    ['a,b\n1,"x"y\n', 'f.csv, line 2: text follows a closing quote; write a quote inside a cell as ""'],
  ])('says where %j is broken', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ kind: 'usage', message });
  });

  test('reads back whatever was quoted, with its lines', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n', 'é', ' ') });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1 }), async (rows) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const records = rows.map((row) => row.map(quoted).join(','));
        const found = await readCsv(records.join('\n'), { name: 'f.csv', delimiter: ',' });
        expect(found.map((record) => record.cells)).toEqual(rows);
        const lengths = records.map((record) => record.split('\n').length);
        expect(found.map((record) => record.line)).toEqual(
          lengths.map((_, index) => 1 + lengths.slice(0, index).reduce((sum, length) => sum + length, 0)),
        );
      }),
    );
  });
});

test('sniffDelimiter looks at the first line outside quotes', () => {
  expect(sniffDelimiter('"a;b;c",d\n1;2;3;4')).toBe(',');
  expect(sniffDelimiter('alone\n1;2')).toBe(',');
  expect(sniffDelimiter('a|b|c,d')).toBe('|');
});
