import { describe, expect, it } from 'vitest';
import { flagNames as flags } from '../../../src/commands/entries/import/flags.ts';
import { Failure } from '../../../src/core/errors.ts';
import { cellFormat, timeText } from '../../../src/core/workbook.ts';
import { readSheet } from '../../../src/domain/import/sheet.ts';
import { type Parts, sheetOf, zip64, zipped } from '../../helpers/zipped.ts';

const bytesOf = (data: Buffer) => ({
  size: data.length,
  read: (at: number, length: number) => data.subarray(at, at + length),
});
const open = async (data: Buffer, sheet?: string) => {
  const table = await readSheet(bytesOf(data), { name: 'f.xlsx', sheet, flags });
  return { ...table, rows: [...table.rows] };
};
const cellsOf = async (parts: Parts) => (await open(zipped(parts))).rows.map(({ cells }) => cells);
const one = async (cell: string, parts: Partial<Parts> = {}) =>
  (await cellsOf({ ...parts, sheets: { A: sheetOf([['a'], [cell]]) } }))[0]?.[0];

describe('a cell of a sheet', () => {
  it.each([
    ['shared text', '<c t="s"><v>1</v></c>', 'two  and'],
    ['text in runs', '<c t="s"><v>2</v></c>', 'bold plain'],
    ['text in place', '<c t="inlineStr"><is><t>a</t><rPh><t>x</t></rPh></is></c>', 'a'],
    ['the text of a formula', '<c t="str"><f>A1</f><v>b</v></c>', 'b'],
    ['the number of a formula', '<c><f>1+1</f><v>2</v></c>', 2],
    ['a boolean', '<c t="b"><v>1</v></c>', true],
    ['a number of 17 digits', '<c><v>1.1000000000000001</v></c>', 1.1],
    ['an exponent', '<c><v>1E-3</v></c>', 0.001],
    ['a date in ISO', '<c t="d"><v>2024-01-31T00:00:00</v></c>', '2024-01-31'],
    ['escaped characters', '<c t="inlineStr"><is><t>a_x000D_b_x005F_x0001_</t></is></c>', 'a\rb_x0001_'],
    ['entities', '<c t="inlineStr"><is><t>&lt;&amp;&#x20AC;</t></is></c>', '<&€'],
    ['another prefix', '<x:c t="b"><x:v>0</x:v></x:c>', false],
    ['an error', '<c t="e"><v>#N/A</v></c>', { wrong: 'holds the error #N/A' }],
    ['a formula without a result', '<c><f>A1</f></c>', { wrong: expect.stringContaining('without a stored result') }],
    ['what is not a number', '<c><v>x</v></c>', { wrong: expect.stringContaining('not a number') }],
  ])('%s', async (_, cell, value) => {
    const texts = [
      '<t>one</t>',
      '<t xml:space="preserve">two  and</t>',
      '<r><t>bold</t></r><r><t xml:space="preserve"> plain</t></r>',
    ];
    const own = cell.startsWith('<x:') ? 'xmlns:x="x"' : '';
    const sheet = sheetOf([['a'], [cell.startsWith('<x:') ? `<c/>${cell}` : cell]]).replace(
      '<worksheet',
      `<worksheet ${own}`,
    );
    const [row] = await cellsOf({ texts, sheets: { A: cell.startsWith('<x:') ? sheet.replace('<c/>', '') : sheet } });
    expect(row?.[0]).toEqual(value);
  });

  it.each([
    ['yyyy-mm-dd', 45322, '2024-01-31'],
    ['dd/mm/yyyy', 45322.75, '2024-01-31'],
    ['dd.mm.yyyy hh:mm', 45322.75, '2024-01-31T18:00:00'],
    ['dd.mm.yyyy hh:mm', 45322, '2024-01-31'],
    ['[$-407]d. mmmm yyyy', 45322, '2024-01-31'],
    ['[h]:mm', 1.5, '36:00:00'],
    ['h:mm AM/PM', 0.25, '06:00:00'],
    ['mm:ss', 0.5, '12:00:00'],
    ['"day" 0', 5, 5],
    ['General', 45322, 45322],
    ['#,##0.00', 1.5, 1.5],
    ['[Red]-0.00', -1, -1],
    ['0.0%', 0.1, { number: 10, unit: '%' }],
    ['0.00"%"', 25, 25],
    ['#,##0.00 "USD"', 7, { number: 7, unit: 'USD' }],
    ['[$€-407] #,##0', 7, { number: 7, unit: '€' }],
    ['_-* #,##0.00 [$CHF]_-;x', 7, { number: 7, unit: 'CHF' }],
    ['yyyy', 60, { wrong: expect.stringContaining('does not exist') }],
    ['yyyy', 0, { wrong: expect.stringContaining('does not exist') }],
    ['yyyy', -1, { wrong: expect.stringContaining('does not exist') }],
    ['yyyy', 3e6, { wrong: expect.stringContaining('does not exist') }],
    ['yyyy', 1, '1900-01-01'],
    ['yyyy', 59, '1900-02-28'],
    ['yyyy', 61, '1900-03-01'],
  ])('as %s, %d is %j', async (format, number, value) => {
    expect(await one(`<c s="1"><v>${number}</v></c>`, { formats: [format] })).toEqual(value);
  });

  it('counts days from 1904 where the workbook does', async () => {
    expect(await one('<c s="1"><v>43860</v></c>', { formats: ['yyyy-mm-dd'], from1904: true })).toBe('2024-01-31');
    expect(timeText(0, cellFormat('yyyy'), true)).toBe('1904-01-01');
  });

  it.each([
    ['below another has its value', 'A2:A3', ['x', 'z'], 'merged cells have the value of their first cell: A2:A3'],
    ['beside another has none', 'A3:B3', [null, { wrong: expect.stringContaining('A3:B3') }], undefined],
    ['below a name of the header has none', 'A1:A3', [{ wrong: expect.stringContaining('A1:A3') }, 'z'], undefined],
  ])('that is merged %s', async (_, ref, cells, note) => {
    const rows = [
      ['a', 'b'],
      ['x', 'y'],
      [null, 'z'],
    ];
    const { rows: read, notes } = await open(
      zipped({ sheets: { A: sheetOf(rows, `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`) } }),
    );
    expect(read[1]?.cells).toEqual(cells.map((cell) => cell ?? ''));
    expect(notes).toEqual(note === undefined ? [] : [note]);
  });
});

describe('a sheet', () => {
  it('is the first that is shown, or the one of the name', async () => {
    const sheets = {
      Secret: sheetOf([['s'], ['1']]),
      Deals: sheetOf([['d'], ['2']]),
      Empty: sheetOf([]),
      Märkte: sheetOf([['m'], ['3']]),
    };
    const data = zipped({ sheets, hidden: ['Secret'] });
    expect(await open(data)).toMatchObject({
      notes: ['the sheet "Deals" is read; --sheet names another: "Secret", "Märkte"'],
    });
    expect((await open(data, 'ma\u0308rkte')).headers).toEqual(['m']);
    await expect(open(data, 'Dels')).rejects.toMatchObject({ kind: 'usage', hint: 'did you mean Deals?' });
    await expect(open(data, 'Empty')).rejects.toThrow('is empty');
  });

  it('keeps the numbers of its rows, and says which are hidden', async () => {
    const sheet = `<worksheet><sheetData><row r="2"><c r="B2"><v>1</v></c><c r="C2" t="inlineStr"><is><t> two
      words </t></is></c></row><row r="5"/><row r="7" hidden="1"><c r="C7"><v>3</v></c></row></sheetData></worksheet>`;
    const found = await open(zipped({ sheets: { A: sheet } }));
    expect([found.headers, found.rows, found.notes]).toEqual([
      ['#1', '1', 'two words'],
      [{ line: 7, cells: ['', '', 3] }],
      ['1 hidden row is read, too'],
    ]);
  });

  it('has its names below titles, merged or not', async () => {
    const cells = (...texts: string[]) => texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`);
    const rows = [cells('Pipeline 2026'), cells('As of March'), cells('title', 'amount'), cells('A', '1')];
    const table = sheetOf(rows, '<mergeCells><mergeCell ref="A1:H1"/></mergeCells>');
    const read = await open(zipped({ sheets: { A: table } }));
    const note = 'the 2 rows above the names of the columns are titles, and left out';
    expect(read).toMatchObject({ headers: ['title', 'amount'], issues: [], notes: [note] });
    expect(read.rows.map(({ cells }) => cells)).toEqual([['A', '1']]);
  });

  it('says which cells have no header', async () => {
    const { issues } = await open(
      zipped({
        sheets: {
          A: sheetOf([
            ['a', 'b'],
            ['1', '2', 'x'],
          ]),
        },
      }),
    );
    expect(issues).toEqual([{ line: 2, message: 'the cell in column number 3 has no header above it' }]);
  });
});

describe('a workbook in zip64', () => {
  const parts = { sheets: { A: sheetOf([['title'], ['Acme'], ['Müller']]) } };

  it('is the same workbook', async () => {
    const rows = (await open(zip64(zipped(parts)))).rows;
    expect(rows).toEqual((await open(zipped(parts))).rows);
    expect(rows).toHaveLength(2);
  });

  it('is never read as something else, whichever byte is wrong', async () => {
    const good = zip64(zipped(parts));
    const whole = JSON.stringify((await open(good)).rows);
    const directory = good.readUInt32LE(good.length - 20 - 22 - 56 + 48);
    for (let at = directory; at < good.length; at += 1) {
      const found = await open(Buffer.from(good.map((byte, index) => (index === at ? byte ^ 0xff : byte)))).catch(
        (error: unknown) => error,
      );
      if (found instanceof Error) expect(found).toBeInstanceOf(Failure);
      else expect(JSON.stringify((found as { rows: unknown }).rows)).toBe(whole);
    }
  });
});

describe('a broken workbook', () => {
  const good = zipped({ sheets: { A: sheetOf([['a'], ...Array.from({ length: 200 }, (_, at) => [`row ${at}`])]) } });
  const xml = (text: string) => zipped({ sheets: { A: text } });
  const flipped = (at: number) => {
    const data = Buffer.from(good);
    data[at] = (data[at] as number) ^ 0xff;
    return data;
  };
  const bomb = zipped({ sheets: { A: `<worksheet><sheetData>${' '.repeat(80_000_000)}</sheetData></worksheet>` } });
  it.each([
    ['empty', Buffer.alloc(0), 'not a workbook'],
    ['text', Buffer.from('title\nA\n'), 'not a workbook'],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0, 0, 0]), 'password'],
    ['cut', good.subarray(0, good.length - 30), 'not a whole zip file'],
    ['only its head', good.subarray(0, 4), 'not a whole zip file'],
    [
      'without a workbook',
      zipped({ sheets: {}, own: { '_rels/.rels': '<a/>', 'xl/workbook.xml': '<a/>' } }),
      'no sheet',
    ],
    ['XML that ends early', xml('<worksheet><sheetData><row>'), 'not well-formed'],
    ['XML that is text', xml('title,stage'), 'not well-formed'],
    ['a document type', xml('<!DOCTYPE a [<!ENTITY b "c">]><worksheet>&b;</worksheet>'), 'document type'],
    ['a text that does not exist', xml(sheetOf([['<c t="s"><v>9</v></c>']])), 'does not exist'],
    [
      'rows in disorder',
      xml('<worksheet><sheetData><row r="3"/><row r="2"/></sheetData></worksheet>'),
      'after the row',
    ],
    [
      'a cell beyond the last column',
      xml('<worksheet><sheetData><row><c r="ZZZZ1"/></row></sheetData></worksheet>'),
      'cell ZZZZ1',
    ],
    ['a zip bomb', bomb, 'packed into'],
  ])('%s is refused in a sentence', async (_, data, message) => {
    const failure = await open(Buffer.from(data)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ kind: 'usage', message: expect.stringContaining(message) });
  });

  it('is never read as something else, whichever byte is wrong', async () => {
    const whole = JSON.stringify((await open(good)).rows);
    for (let at = 0; at < good.length; at += 7) {
      const found = await open(flipped(at)).catch((error: unknown) => error);
      if (found instanceof Error) expect(found).toBeInstanceOf(Failure);
      else expect(JSON.stringify((found as { rows: unknown }).rows)).toBe(whole);
    }
  });
});
