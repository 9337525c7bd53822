import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/output/column.ts';
import { csvWriter } from '../../src/output/formats/text.ts';

function written(rows: string[][], header = false): string {
  const width = Math.max(1, ...rows.map((row) => row.length));
  const columns: Column<string[]>[] = Array.from({ length: width }, (_, index) => ({
    key: `c${index}`,
    get: (row) => row[index],
  }));
  const writer = csvWriter({ columns, json: (row) => row, id: () => undefined, header }, false);
  return (writer.open?.() ?? '') + writer.rows(rows);
}

const cell = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom(',', ';', '"', '\n', '\r', '\t', ' ', "'", '=', 'a', 'é', '|', '.') }),
);
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }));

describe('csv', () => {
  it('is read back the same by a CSV reader', () => {
    fc.assert(
      fc.property(table, (rows) => {
        expect(parse(written(rows), { record_delimiter: '\n' })).toEqual(rows);
      }),
    );
  });

  it('has the bytes of a known writer', () => {
    fc.assert(
      fc.property(table, (rows) => {
        // A lone empty cell would be an empty line, which readers skip: there we quote and the other does not.
        fc.pre(rows.every((row) => row.length > 1 || row[0] !== ''));
        expect(written(rows)).toBe(stringify(rows, { quoted_match: /[\r\n]/ }));
      }),
    );
  });

  it('guards spreadsheets against formulas in text, never in numbers', () => {
    const columns: Column<{ a: string | number }>[] = [{ key: '=a', get: (row) => row.a }];
    const writer = csvWriter({ columns, json: String, id: () => undefined, header: true }, '.');
    const rows = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', 'a=1', -5, 1e21].map((a) => ({ a }));
    const unseen = ['＝1+1', '＋1', '－1', '＠x', ' =1', '\u00a0=1', '\u200b=1', '\ufeff@x', '\n=1', "'＝1", '\0=1'];
    const guarded = String(writer.rows(unseen.map((a) => ({ a }))));
    expect(guarded).toBe(unseen.map((a) => (a.includes('\n') ? `"'${a}"\r\n` : `'${a}\r\n`)).join(''));
    expect(String(writer.rows([{ a: 'a ＝ b' }, { a: ' x' }, { a: "'x" }]))).toBe("a ＝ b\r\n x\r\n'x\r\n");
    expect((writer.open?.() ?? '') + writer.rows(rows)).toBe(
      ["\uFEFF'=a", "'=1+1", "'+1", "'-1", "'@x", "'\tx", '"\'\rx"', 'a=1', '-5', '1000000000000000000000', ''].join(
        '\r\n',
      ),
    );
  });
});
