import { createRequire } from 'node:module';
import fc from 'fast-check';
import libraryWidth from 'fast-string-width';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type VarianceRow, varianceColumns } from '../../src/commands/metrics/variances.ts';
import { ExactNumber, type Numeric, numeric } from '../../src/core/json.ts';
import type { Column } from '../../src/output/column.ts';
import { fit } from '../../src/output/formats/layout.ts';
import { withShortIds } from '../../src/output/screen-column.ts';
import { cleanJson, cleanLine, cleanLines } from '../../src/output/terminal-text.ts';
import { groupThousands, plainTime } from '../../src/output/values.ts';
import { cut, width } from '../../src/output/width.ts';
import { capture, type Given } from './capture.ts';

interface Row {
  id?: string;
  name: string;
  n?: Numeric;
  last?: string;
}
const columns: Column<Row>[] = [
  { key: 'name', heading: 'Name', get: (row) => row.name },
  { key: 'n', heading: 'N', type: 'number', get: (row) => row.n },
  { key: 'last', heading: 'Last', get: (row) => row.last },
];
const withId: Column<Row>[] = [{ key: 'id', heading: 'ID', type: 'id', get: (row) => row.id }, ...columns];
const uuid = '0193d1a1-7d2b-4bbb-8aaa-000000000001';

async function table(rows: Row[], given: Given = {}, of = columns) {
  const captured = capture({ format: 'table', ...given });
  await captured.out.rows(rows, of);
  return { lines: captured.stdout().split('\n').slice(0, -1), notes: captured.stderr() };
}

describe('a table without room', () => {
  const wide: Column<Row>[] = [
    { key: 'name', heading: 'Name', get: (row) => row.name },
    { key: 'kind', heading: 'Kind', get: () => 'value of a metric' },
    { key: 'n', heading: 'N', type: 'number', get: (row) => row.n },
    { key: 'last', heading: 'Last', get: (row) => row.last },
    { key: 'verdict', heading: 'Verdict', required: true, get: ({ n }) => (Number(n) === 1 ? 'good' : 'bad') },
  ];
  const rows = [
    { name: 'Alpha', n: numeric('1'), last: 'the first of two' },
    { name: 'Beta', n: numeric('2'), last: 'the second of two' },
  ];

  it('says once what all rows say, then leaves out columns from the end, and the verdict last', async () => {
    const at = async (columns: number) => table(rows, { tty: true, columns }, wide);
    expect((await at(80)).lines[0]).toBe('Name   Kind               N  Last               Verdict');
    const narrow = await at(38);
    expect([narrow.lines[0], narrow.notes.replace(/\s+/g, ' ')]).toEqual([
      'Name   N  Last               Verdict',
      'The same in all rows: Kind: value of a metric. ',
    ]);
    expect((await at(18)).lines[0]).toMatch(/^Name.*Verdict$/);
  });
});

describe('table', () => {
  it('aligns wide, combined and joined characters', async () => {
    const names = [
      'ASCII',
      'Ünïcode',
      '日本語',
      'สวัสดี',
      'नमस्ते',
      '👩‍👩‍👧‍👦 family',
      '🇨🇭 flag',
      'e\u0301',
      '한국어',
      'مرحبا',
      'a…b–€',
      '1️⃣ keycap',
      '👍🏽 skin',
      '❤️ heart',
      'ｗｉｄｅ',
      '\u0e01\u0e33',
    ];
    const { lines } = await table(names.map((name, n) => ({ name, n, last: '|' })));
    const before = lines.slice(1).map((line) => stringWidth(line.slice(0, line.indexOf('|'))));
    expect(new Set(before).size).toBe(1);
    for (const [index, name] of names.entries()) expect(lines[index + 1]).toContain(name);
  });

  it('says once what every row says, where a column asks for it', async () => {
    const noted = [...columns.slice(0, 2), { ...(columns[2] as Column<Row>), saidOnce: true }];
    const rows = [1, 2, 3].map((n) => ({ name: `row ${n}`, n, last: 'no budget' }));
    const { lines, notes } = await table(rows, { tty: true }, noted);
    expect(lines).toEqual(['Name   N', 'row 1  1', 'row 2  2', 'row 3  3']);
    expect(notes).toBe('The same in all rows: Last: no budget.\n');
    const different = await table([...rows, { name: 'row 4', n: 4, last: '' }], { tty: true }, noted);
    expect(different.lines[1]).toBe('row 1  1  no budget');
    expect((await table(rows, {}, noted)).lines[1]).toBe('row 1  1  no budget');
    expect((await table(rows.slice(0, 1), { tty: true }, noted)).lines[1]).toBe('row 1  1  no budget');
  });

  it('keeps what is required: the name shrinks, notes go below their rows, and at last each row is an object', async () => {
    const noted: Column<Row>[] = [
      columns[0] as Column<Row>,
      { ...(columns[1] as Column<Row>), required: true },
      { key: 'note', heading: 'Note', wraps: true, required: true, get: (row) => row.last },
    ];
    const rows = [
      { name: 'a name of a company', n: 1_234_567, last: 'without b (no value)' },
      { name: 'another name of another company', n: 7 },
    ];
    expect((await table(rows, { tty: true, columns: 30 }, noted)).lines).toEqual([
      'Name                         N',
      'a name of a company  1,234,567',
      '  without b (no value)',
      'another name of…             7',
    ]);
    const { lines, notes } = await table(rows, { tty: true, columns: 20 }, noted);
    expect(lines).toEqual([
      'Name  a name of a',
      '      company',
      'N     1,234,567',
      'Note  without b (no',
      '      value)',
      '',
      'Name  another name',
      '      of another',
      '      company',
      'N     7',
      'Note',
    ]);
    expect(notes).not.toContain('No room');
  });

  it('cuts a heading before its unit', async () => {
    const amount: Column<Row> = {
      key: 'n',
      heading: 'Annual recurring revenue',
      type: 'currency',
      unit: 'USD',
      get: (row) => row.n,
    };
    const of = [columns[0] as Column<Row>, amount];
    const rows = [{ name: 'a name of a company', n: 5_000_000 }];
    expect((await table(rows, { tty: true, columns: 37 }, of)).lines[0]).toMatch(/^Name +Annual… USD M$/);
  });

  it('says the scale of numbers whose unit is in another column', async () => {
    const amount: Column<Row> = { key: 'n', heading: 'MRR', type: 'currency', unitInRow: true, get: (row) => row.n };
    const rows = [{ name: 'USD', n: 5_000_000 }];
    expect((await table(rows, { tty: true }, [columns[0] as Column<Row>, amount])).lines).toEqual([
      'Name  MRR M',
      'USD    5.00',
    ]);
    const bare = await table(rows, { tty: true, header: false }, [columns[0] as Column<Row>, amount]);
    expect(bare.lines).toEqual(['USD  5.00 M']);
    const priced = { ...amount, unitInRow: false, unit: 'USD' };
    const unheaded = await table(rows, { tty: true, header: false }, [columns[0] as Column<Row>, priced]);
    expect(unheaded.lines).toEqual(['USD  5.00 USD M']);
  });

  it('says the scale of a number, whatever the width and the columns', async () => {
    const metric = { group: ({ name }: Row) => name, unit: () => 'USD' };
    const [name, n, last] = columns as [Column<Row>, Column<Row>, Column<Row>];
    const amount = { ...n, unitInRow: true, ...metric };
    const unit: Column<Row> = { key: 'unit', heading: 'Unit', ...metric, get: () => 'USD' };
    const rows = [{ name: 'mrr', n: 802_863.31, last: 'the end' }];
    for (const of of [
      [name, amount, unit, last],
      [name, amount, last, unit],
      [name, amount, last],
    ]) {
      for (let width = 10; width <= 60; width += 1) {
        const { lines } = await table(rows, { columns: width, tty: true }, of);
        const shown = lines.join('\n');
        expect(shown).not.toMatch(/803(?! .*USD k)/);
        if (width > 40) expect(shown).toMatch(/803 .*USD k/);
      }
    }
  });

  it('fits any terminal, whatever the texts', async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom('日', '😀', 'a', '\n', '\u001b[31m', '\uE000', ' ') }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: fc.constant(uuid), name: text, n: fc.integer(), last: text }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer({ min: 40, max: 160 }),
        async (rows, columns) => {
          const { lines } = await table(rows, { tty: true, columns }, withId);
          expect(lines).toHaveLength(rows.length + 1);
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it('stays readable at 60 cells: text is cut, numbers and ids are not, and what finds no room is named', async () => {
    const rows = [
      { id: uuid, name: 'A company with quite a long name', n: 1234567, last: 'and a remark that goes on' },
    ];
    expect(await table(rows, { tty: true, columns: 80 }, withId)).toEqual({
      lines: [
        'Name                                      N  Last',
        'A company with quite a long name  1,234,567  and a remark that goes on',
      ],
      notes: '-o id for ids\n',
    });
    const { lines, notes } = await table(rows, { tty: true, columns: 60 }, withId);
    expect(lines).toEqual([
      'Name                                      N  Last',
      'A company with quite a long name  1,234,567  and a remark…',
    ]);
    expect(notes).toBe('-o id for ids\n');
    const narrow = await table(rows, { tty: true, columns: 20 }, withId);
    expect(narrow.lines).toEqual(['Name', 'A company with…']);
    expect(narrow.notes).toContain('No room for N, Last');
    const given = await table(rows, { tty: true, columns: 60, fields: ['id', 'name'] }, withId);
    expect(given.lines[1]).toBe(`${uuid}  A company with quite…`);
    expect((await table(rows, { tty: true, columns: 120 }, withId)).lines[1]).toMatch(new RegExp(`${uuid}$`));
  });

  it('breaks no path, address or id: it takes the room of empty cells, or a line of its own', async () => {
    const wrapping: Column<Row>[] = [
      { key: 'name', heading: 'Name', get: (row) => row.name },
      { key: 'found', heading: 'Found', wraps: true, get: (row) => row.last },
      { key: 'advice', heading: 'What to do', wraps: true, get: (row) => row.id },
    ];
    const path = '/home/anna/.config/comem/config.json';
    const rows: Row[] = [
      { name: 'file', last: `${path} does not exist yet` },
      { name: 'folder', last: `${path} is a folder, where a file is read`, id: 'remove it, or name another file' },
      { name: 'long', last: `${path.repeat(2)} is missing` },
      { name: 'company', last: `${uuid} (the demo)`, id: 'nothing' },
      { name: '日本', last: '日本語の会社'.repeat(8), id: 'letters without blanks' },
    ];
    expect((await table(rows, { tty: true, columns: 60 }, wrapping)).lines).toEqual([
      'Name     Found                     What to do',
      'file     /home/anna/.config/comem/config.json does not exist',
      '         yet',
      'folder                             remove it, or name',
      '                                   another file',
      '  Found: /home/anna/.config/comem/config.json is a folder,',
      '  where a file is read',
      'long',
      `  Found:`,
      `  ${path.repeat(2)}`,
      '  is missing',
      'company                            nothing',
      `  Found: ${uuid} (the demo)`,
      '日本     日本語の会社日本語の会社  letters without blanks',
      '         日本語の会社日本語の会社',
      '         日本語の会社日本語の会社',
      '         日本語の会社日本語の会社',
    ]);
    const object = capture({ format: 'table', tty: true, columns: 40 });
    const [row] = rows as [Row];
    await object.out.value(row, wrapping);
    expect(object.stdout()).toBe(`Name   file\nFound\n  ${path}\n  does not exist yet\n`);
  });

  it('cuts what names a row last: whole at 60 columns, it is whole at 120 and more', () => {
    const kinds = fc.constantFrom('whole', 'id', 'text', 'wraps');
    const size = fc.record({
      cells: fc.integer({ min: 1, max: 60 }),
      heading: fc.integer({ min: 1, max: 20 }),
      kind: kinds,
    });
    const widths = fc.tuple(fc.integer({ min: 60, max: 200 }), fc.integer({ min: 0, max: 140 }));
    fc.assert(
      fc.property(size, fc.array(size, { maxLength: 8 }), widths, (first, others, [narrow, more]) => {
        const sizes = [{ ...first, kind: 'text' as const }, ...others];
        const isWhole = (columns: number) => (fit(sizes, columns)[0] ?? 0) >= Math.max(first.cells, first.heading);
        expect(isWhole(narrow) && !isWhole(2 * narrow + more)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('shows every id of one object whole', async () => {
    const captured = capture({ format: 'table', tty: true, columns: 24 });
    await captured.out.value({ id: uuid, name: 'A name that is too long for this', last: uuid }, withId);
    const text = captured.stdout();
    expect(text.match(new RegExp(uuid, 'g'))).toHaveLength(2);
    expect(text).toMatch(/Name +A name .*\n +long for this\n/);
  });

  it('shows the changes of one object as a table does: with a sign, and points in the digits of their values', async () => {
    const row = { metricId: 'churn', unit: '%', actual: 1.21, budget: 1.3, difference: -0.09, percent: -0.09 };
    const columns = varianceColumns('budget', false, new Map([['churn', { id: 'churn', measure: 'percent' }]]));
    const captured = capture({ format: 'table', tty: true, columns: 80 });
    await captured.out.value(row as unknown as VarianceRow, columns);
    const lines = captured.stdout().split('\n');
    expect(lines.filter((line) => /^(Actual|Difference|%)/.test(line)).map((line) => line.split(/ {2,}/)[1])).toEqual([
      '1.21%',
      '-0.09 pp',
      '-0.09 pp',
    ]);
  });

  it('cuts nothing with --no-truncate, in a pipe, and in a file', async () => {
    const long = 'x'.repeat(300);
    for (const given of [{ tty: true, truncate: false }, { tty: false }]) {
      const { lines } = await table([{ name: long, last: 'end' }], given);
      expect(lines[1]).toContain(`${long}  `);
      expect(lines[1]).toMatch(/end$/);
    }
  });

  it('keeps the widths of the first block, and shows every row', async () => {
    const rows = Array.from({ length: 1234 }, (_, n) => ({ name: n < 512 ? 'short' : 'a longer name', n, last: '|' }));
    const { lines } = await table(rows, { tty: true });
    expect(lines).toHaveLength(1235);
    expect(new Set(lines.slice(1).map((line) => line.indexOf('|'))).size).toBe(1);
    expect(lines[513]).toContain('a lo…');
  });

  it('makes headings stand out where colour may be used', async () => {
    const row = { name: 'x', n: 1, last: 'y' };
    expect((await table([row], { tty: true, color: true })).lines[0]).toBe('\u001b[1mName  N  Last\u001b[22m');
    // FORCE_COLOR: also in a pipe.
    expect((await table([row], { tty: false, color: true })).lines[0]).toContain('\u001b[1m');
    expect((await table([row], { tty: true })).lines[0]).toBe('Name  N  Last');
  });
});

describe('the width of text', () => {
  const widths: [string, number][] = [
    ['日本語', 6],
    ['한국어', 6],
    ['👩‍👩‍👧‍👦', 2],
    ['👍🏽', 2],
    ['🇨🇭', 2],
    ['1️⃣', 2],
    ['❤️', 2],
    ['e\u0301', 1],
    ['สวัสดี', 4],
    ['नु', 1],
    ['שָׁלוֹם', 4],
    ['a\u20dd', 1],
    ['\u1112\u1161\u11ab', 2],
    ['a\u00adb\u200bc', 3],
    ['plain …', 7],
  ];

  it('is that of a current terminal', () => {
    expect(widths.map(([text]) => [text, width(text)])).toEqual(widths);
  });

  it('is that of the library, also of texts that do not reach it', () => {
    const units = [
      'a',
      'é',
      '…',
      'か',
      'ガ',
      '漢',
      '한',
      '\u3099',
      '\u0301',
      '😀',
      '\u200d',
      '\ufe0f',
      '🇨',
      'ｶ',
      '\u1100',
    ];
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(fc.constantFrom(...units), fc.string({ maxLength: 1 })) }), (text) => {
        expect(width(text)).toBe(libraryWidth(text));
      }),
    );
  });

  it('is measured by the table library with the same function', () => {
    const require = createRequire(import.meta.url);
    expect(createRequire(require.resolve('cli-table3'))('string-width')).toBe(require('string-width'));
  });
});

describe('fit', () => {
  it('leaves out what is spare before what is at the right', () => {
    const column = (spare: boolean) => ({ cells: 10, heading: 5, kind: 'whole' as const, spare });
    const sizes = [column(true), column(true), column(false), column(true), column(false)];
    expect(fit(sizes, 46)).toEqual([10, 0, 10, 10, 10]);
    expect(fit(sizes, 34)).toEqual([10, 0, 10, 0, 10]);
    expect(fit(sizes, 22)).toEqual([10, 0, 10, 0, 0]);
  });

  it('gives every column its wish where there is room, and never more than there is', () => {
    const wish = fc.record({
      cells: fc.nat(80),
      heading: fc.integer({ min: 1, max: 30 }),
      kind: fc.constantFrom('whole' as const, 'id' as const, 'text' as const),
      spare: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(wish, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 20, max: 200 }),
        (sizes, available) => {
          const widths = fit(sizes, available);
          const natural = sizes.map(({ cells, heading }) => Math.max(cells, heading));
          const sum = (all: number[]) => all.reduce((a, b) => a + b, 0) + 2 * (all.length - 1);
          if (sum(natural) <= available) expect(widths).toEqual(natural);
          const shown = widths.filter((width, index) => width > 0 || natural[index] === 0);
          // One id or number is wider than the terminal rather than cut.
          const alone = shown.length <= 1 && sizes[0]?.kind !== 'text';
          if (!alone) expect(sum(shown.filter((width) => width > 0))).toBeLessThanOrEqual(available);
          widths.forEach((width, index) => {
            const { cells = 0, kind } = sizes[index] ?? {};
            if (kind === 'whole' && width > 0 && index > 0) expect(width).toBeGreaterThanOrEqual(cells);
          });
        },
      ),
    );
  });
});

describe('ids of other things', () => {
  const sizes = [
    { cells: 36, heading: 2, kind: 'id' as const },
    { cells: 36, heading: 10, kind: 'id' as const },
    { cells: 20, heading: 7, kind: 'text' as const },
    { cells: 7, heading: 6, kind: 'whole' as const },
  ];

  it('never cut other columns, and are cut to their start before they leave', () => {
    const inOrder = sizes.toReversed();
    expect(fit(inOrder, 105)).toEqual([7, 20, 36, 36]);
    expect(fit(inOrder, 80)).toEqual([7, 20, 36, 9]);
    expect(fit(inOrder, 52)).toEqual([7, 20, 10, 9]);
    expect(fit(inOrder, 45)).toEqual([7, 20, 10, 0]);
    expect(fit(inOrder, 40)).toEqual([7, 20, 0, 0]);
    expect(fit(inOrder, 25)).toEqual([7, 16, 0, 0]);
  });
});

describe('short ids', () => {
  const ids = ['0193d1a1-7d2b-4bbb-8aaa-000000000001', '0193d1a1-7d2c-4bbb-8aaa-000000000001'];
  const rows = ids.map((id) => ({ id, name: 'a' }));

  it('are as long as tells them apart in a table', async () => {
    const of = withId.filter(({ key }) => key === 'name' || key === 'id');
    const { lines } = await table(rows, { tty: true, columns: 24 }, of);
    expect(lines.slice(1)).toEqual(['a     0193d1a1-7d2b…', 'a     0193d1a1-7d2c…']);
    const narrow = await table(rows, { tty: true, columns: 18 }, of);
    expect(narrow.lines).toEqual(['Name', 'a', 'a']);
  });

  it('are so among the lines of a plan, without those of names and commands', () => {
    const nameOf = (id: string) => (id === uuid ? 'lumen' : undefined);
    const others = ids.map((id) => id.replace('0001', '0002'));
    const lines = [`keep ${others[0]}, archive ${others[1]} of ${uuid}`, `hint: \`comem grants get ${others[0]}\``];
    expect(withShortIds(lines, { ascii: false, nameOf })).toEqual([
      'keep 0193d1a1-7d2b…, archive 0193d1a1-7d2c… of lumen',
      lines[1],
    ]);
  });
});

describe('numbers and times', () => {
  it('groups thousands and loses no digit', () => {
    const cases: [Numeric, string][] = [
      [0, '0'],
      [999, '999'],
      [1000, '1,000'],
      [-1234567.25, '-1,234,567.25'],
      [1234.5678, '1,234.5678'],
      [new ExactNumber('12345678901234567890.10'), '12,345,678,901,234,567,890.10'],
      [1e21, '1,000,000,000,000,000,000,000'],
      [5e-324, '5e-324'],
      [new ExactNumber('1e400'), '1e400'],
    ];
    for (const [value, text] of cases) expect(groupThousands(value)).toBe(text);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }), (value) => {
        expect(Number(groupThousands(value).replaceAll(',', ''))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it('puts units beside numbers', async () => {
    const captured = capture({ format: 'table', header: false });
    await captured.out.rows(
      [{ v: 1234.5 }],
      [
        { key: 'a', type: 'currency', unit: 'USD', get: (row) => row.v },
        { key: 'b', type: 'number', unit: '%', get: (row) => row.v },
        { key: 'c', type: 'percent', get: (row) => row.v },
        { key: 'd', type: 'number', unit: (row) => (row.v > 1 ? 'months' : undefined), get: (row) => row.v },
      ],
    );
    expect(captured.stdout()).toBe('1,234.5 USD  1,234.5%  1,234.5%  1,234.5 months\n');
  });

  it('shortens times to the minute in UTC, and leaves other text unchanged', () => {
    expect(plainTime('2024-01-02T03:04:05.678Z', 'datetime')).toBe('2024-01-02 03:04');
    expect(plainTime('2024-01-02T01:04:05+02:00', 'datetime')).toBe('2024-01-01 23:04');
    expect(plainTime('2024-01-02', 'datetime')).toBe('2024-01-02');
    expect(plainTime('2024-01-02T00:00:00Z', 'date')).toBe('2024-01-02');
    expect(plainTime('soon', 'date')).toBe('soon');
  });
});

describe('terminal text', () => {
  it('takes out sequences with what they carry', () => {
    const cases: [string, string][] = [
      ['\u001b[31;1mred\u001b[0m', 'red'],
      ['\u009b31mred', 'red'],
      ['\u001b]0;title\u0007x', 'x'],
      ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
      ['\u001bPq payload\u001b\\x', 'x'],
      ['\u001b]52;c;never ended', '52;c;never ended'],
      ['\u001bc\u001b(Bx', 'x'],
      ['a\u0008b\u007fc\u0000d', 'abcd'],
      ['\u202Eabc\u2066d\u200F\u200B\uFEFF', 'abcd'],
      ['one\r\ntwo\u2028three\tfour', 'one two three four'],
      ['lone \ud800 half', 'lone \uFFFD half'],
      ['👩‍👧 ok', '👩‍👧 ok'],
    ];
    for (const [text, clean] of cases) expect(cleanLine(text), JSON.stringify(text)).toBe(clean);
    expect(cleanLines('a\n\tb\u001b[1m')).toBe('a\n\tb');
  });

  it('leaves nothing that a terminal acts on', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)),
        fc.constantFrom('\u202e', '\u2067', '[', ']', 'm', '\u001b'),
      ),
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    const acting = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
    fc.assert(
      fc.property(text, (any) => {
        expect(cleanLine(any)).not.toMatch(acting);
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(text, (any) => {
        const json = JSON.stringify([any]);
        expect(cleanJson(json)).not.toMatch(acting);
        expect(JSON.parse(cleanJson(json))).toEqual([any]);
      }),
    );
  });

  it('cuts to a width and never inside a character', () => {
    expect(cut('日本語', 6)).toBe('日本語');
    expect(cut('日本語', 5)).toBe('日本…');
    expect(cut('日本語', 4)).toBe('日…');
    expect(cut('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…');
    expect(cut('plain text', 6)).toBe('plain…');
  });
});
