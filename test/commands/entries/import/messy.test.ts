/** `entries import` of files that people and spreadsheets wrote: what is read, what is said, and what is refused. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../helpers/cli.ts';
import { listsWorld, type World } from '../../../helpers/lists-world.ts';
import type { RunResult } from '../../../helpers/run.ts';
import { sheetOf, zipped } from '../../../helpers/zipped.ts';

const cwd = temporaryFolder();
let world: World;
beforeAll(async () => {
  world = await listsWorld();
});
afterAll(() => world.close());

const importing = async (text: string | Buffer, flags: string[], name: string) => {
  writeFileSync(join(cwd, name), text);
  const mode = flags.includes('--mode') ? [] : ['--mode', 'insert'];
  return world.run(['entries', 'import', 'deals', name, ...mode, ...flags], { cwd, home: cwd });
};
/** What would be written. */
const load = (text: string | Buffer, flags: string[] = [], name = 'f.csv') =>
  importing(text, ['--dry-run', ...flags], name);
const writes = ({ stdout }: RunResult) => (stdout === '' ? [] : (JSON.parse(stdout) as { body?: unknown }[]));
const values = (result: RunResult) =>
  writes(result).map(({ body }) => (body as { values?: Record<string, unknown> }).values ?? {});
const sent = (result: RunResult, slug: string) => values(result).map((one) => one[slug]);
const column = (name: string, cells: readonly string[]) =>
  `title;${name}\n${cells.map((cell, at) => `Row ${at};${cell}`).join('\n')}\n`;

it('--create-attrs leaves codes as they are written', async () => {
  const rows = [
    'title,tel,plz,account,code,growth',
    'A,+4930123456,10115,12345678901234567,1e5,+5',
    'B,+493098765,80331,98765432109876543,2e7,1.5e2',
  ];
  const result = await load(`${rows.join('\n')}\n`, ['--create-attrs']);
  expect(values(result).slice(-2)).toEqual([
    { tel: '+4930123456', plz: '10115', account: '12345678901234567', code: '1e5', growth: 5 },
    { tel: '+493098765', plz: '80331', account: '98765432109876543', code: '2e7', growth: 150 },
  ]);
});

describe('numbers', () => {
  it.each([
    ['de', ['1.234,56', '7'], [], [1234.56, 7]],
    ['fr', ['1 234,56'], [], [1234.56]],
    ['ch', ["1'234.56"], [], [1234.56]],
    ['en', ['1,234.56', '(2)'], [], [1234.56, -2]],
    [undefined, ['1.234'], ['--decimal', ','], [1234]],
    [undefined, ['1,234'], ['--decimal', ','], [1.234]],
    [undefined, ['1,234'], ['--decimal', '.'], [1234]],
    [undefined, ['1.234,5', '€ 7'], [], [1234.5, 7]],
    [undefined, ['25 %', '5%'], [], [25, 5]],
    [
      'de',
      ['250k', '1,2M', '€ 1,6 Mio.', '3 Mrd. EUR', '540 Tsd. €'],
      [],
      [250_000, 1_200_000, 1_600_000, 3e9, 540_000],
    ],
    ['en', ['250k', '$1.2M', '2bn', '0.5B'], [], [250_000, 1_200_000, 2e9, 5e8]],
  ])('as %s writes them: %j', async (locale, cells, flags, numbers) => {
    const slug = cells.some((cell) => /[(%$]/.test(cell)) ? 'size' : 'amount';
    const result = await load(column(slug, cells), [...(locale ? ['--locale', locale] : []), ...flags]);
    expect([result.stderr, result.code, sent(result, slug)]).toEqual([expect.anything(), 0, numbers]);
  });

  it.each([
    ['with two readings', 'amount', ['1,234'], [], /line 2, column amount: "1,234" is 1234 .* and 1.234 .*--decimal/],
    [
      'with a point only, between semicolons',
      'amount',
      ['1.234', '5.000'],
      [],
      /"1.234" is 1.234 .* and 1234 .*--decimal/,
    ],
    [
      'that are words',
      'amount',
      ['n/a', '5'],
      [],
      /--map '\*=empty\(n\/a\)' makes these cells empty; --on-error skip.*"n\/a" is not a number such as/s,
    ],
    ['with a sign and two readings', 'amount', ['€1.234'], [], /"€1.234" is 1.234 .* and 1234/],
    [
      'of which two contradict each other',
      'size',
      ['1,5', '1.5'],
      [],
      /"1.5" on line 3 has a decimal point and "1,5" on line 2/,
    ],
    [
      'that the language does not write',
      'size',
      ['1.5'],
      ['--locale', 'de'],
      /line 2, column size: "1.5" is not a number such as 1.234,5/,
    ],
    ['of two currencies', 'size', ['€1', '$2'], [], /mixes currencies: "€1" on line 2, "\$2" on line 3/],
    ['of another currency', 'amount', ['$2'], [], /"\$2" is not in EUR/],
    ['of which some are shares', 'size', ['5%', '0.3'], [], /percent sign/],
    ['of which one may be grouped, beside a comma', 'amount;size', ['1.234;1,5'], [], /"1.234" is 1.234/],
  ])('%s are refused', async (_, name, cells, flags, message) => {
    const result = await load(column(name, cells), flags);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toMatch(message);
  });

  it('with a point only are said, with the line', async () => {
    const result = await load('title,size\nA,1.234\n');
    expect([result.code, sent(result, 'size')]).toEqual([0, [1.234]]);
    expect(result.stderr).toContain(
      'Column size: a point is read as the decimal point (line 2, "1.234" is 1.234); --decimal , reads 1234.',
    );
  });

  it.each([
    [['--locale', 'dee'], /--locale dee is not a known language/],
    [['--decimal', '12'], /--decimal/],
    [['--date-format', 'dd.mm'], /is not a format of dates/],
    [['--sheet', 'A'], /--sheet names a sheet of a workbook/],
    [['--on-error', 'skip', '--mode', 'sync'], /--mode sync would remove their entries/],
    [['--failed', 'x.xlsx'], /--failed writes text/],
  ])('%j is refused', async (flags, message) => {
    const result = await load('title\nA\n', flags);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toMatch(message);
  });
});

it('notes and plans name only flags that help has', async () => {
  const texts = [
    await load('title;size\nA;1,5\n'),
    await load(Buffer.from('title,notes\nÄ,x\n', 'latin1')),
    await load('title,amount,notes\nBørealis,,\n', ['--mode', 'sync']),
    await load('title,amount\nA,"1,234"\n'),
    await load('title,since\nA,01/02/2024\n'),
  ].map(({ stderr }) => stderr);
  const { stdout: help } = await world.run(['entries', 'import', '--help', '--long']);
  const flags = new Set(texts.join('\n').match(/(?<![\w-])--[a-z][a-z-]+/g));
  expect([...flags]).toEqual(expect.arrayContaining(['--decimal', '--encoding', '--date-format']));
  for (const flag of flags) expect(help).toContain(flag);
});

describe('dates', () => {
  it.each([
    [
      ['31.01.2024', '01.02.2024'],
      [],
      ['2024-01-31', '2024-02-01'],
      /dates are read as dd.mm.yyyy, the only format that fits \(line 2/,
    ],
    [['01/02/2024'], ['--date-format', 'dd/mm/yyyy'], ['2024-02-01'], /create 1 entry/],
    [['01/02/2024'], ['--locale', 'fr'], ['2024-02-01'], /dates are read as dd\/mm\/yyyy/],
    [['Jan 1 2000'], [], ['2000-01-01'], /mmm dd yyyy/],
    [['1. März 2024'], ['--locale', 'de'], ['2024-03-01'], /dd mmm yyyy/],
  ])('%j', async (cells, flags, dates, says) => {
    const result = await load(column('since', cells), flags);
    expect([result.stderr, result.code, sent(result, 'since')]).toEqual([expect.stringMatching(says), 0, dates]);
  });

  it.each([
    [
      ['01/02/2024'],
      /"01\/02\/2024" is 2024-02-01 as dd\/mm\/yyyy and 2024-01-02 as mm\/dd\/yyyy; say which with --date-format/,
    ],
    [['31/01/2024', '01/31/2024'], /no one format reads both/],
    [['31.01.99'], /line 2, column since: "31.01.99" has a year of two digits; .* --date-format dd.mm.yy/],
    [['30.02.2024', '31.01.2024'], /line 2, column since/],
  ])('%j are refused', async (cells, message) => {
    const result = await load(column('since', cells));
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toMatch(message);
  });
});

describe('words and headers', () => {
  it('yes and no in several languages', async () => {
    const result = await load(column('hot', ['x', 'nein', '', 'N', '✗']));
    expect(sent(result, 'hot')).toEqual([true, false, undefined, false, false]);
    expect(sent(await load(column('hot', ['✓', 'Ja', 'y', 'true', 'Sí']).replaceAll('Row', 'More')), 'hot')).toEqual(
      Array(5).fill(true),
    );
  });

  it('refuses x beside another yes', async () => {
    const result = await load(column('hot', ['yes', 'x']));
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toContain('"x" on line 3 may mean yes or no beside "yes" on line 2');
  });

  it('removes blanks', async () => {
    const text = 'title,notes\n A ,"  two  words "\n';
    const result = await load(text);
    expect(writes(result).map(({ body }) => body)).toMatchObject([{ title: 'A', values: { notes: 'two  words' } }]);
  });

  it('matches headers without case and accents', async () => {
    const added = await world.run(['attrs', 'create', 'deals', 'Größe', '--type', 'number']);
    expect(added.code).toBe(0);
    const slug =
      (
        JSON.parse((await world.run(['attrs', 'list', 'deals', '-o', 'json'])).stdout) as {
          name: string;
          slug: string;
        }[]
      ).find(({ name }) => name === 'Größe')?.slug ?? '';
    const result = await load(`title,${'GRÖSSE'.normalize('NFD')},Nötes\nA,5,x\n`, ['--map', 'notes=notes']);
    expect([result.stderr, values(result)]).toEqual([expect.anything(), [{ [slug]: 5, notes: 'x' }]]);
  });

  it('joins options that differ in case and blanks', async () => {
    const known = await load(column('stage', ['won ', 'WON', 'Open']));
    expect(sent(known, 'stage')).toEqual(['o-won', 'o-won', 'o-open']);
    const created = await load('title,Tool\nA,Notion\nB,"notion "\nC,Slack\nD,slack\nE,Slack\nF,Notion\n', [
      '--create-attrs',
    ]);
    const [attribute] = writes(created).map(({ body }) => body as { config?: { options: { label: string }[] } });
    expect(attribute?.config?.options.map(({ label }) => label)).toEqual(['Notion', 'Slack']);
  });
});

describe('--map with steps', () => {
  it.each([
    ['Price=amount|strip(€)|number', '€7', { amount: 7 }],
    ['Price=amount|strip(€)|number(de)', '€1.234', { amount: 1234 }],
    ['Price=size|percent', '25%', { size: 0.25 }],
    ['Price=since|date(mm/dd/yyyy)', '01/02/2024', { since: '2024-01-02' }],
    ['Price=notes|lower|replace(a,o)', 'BAR', { notes: 'bor' }],
    ['Price=notes|split(/,2)|trim', 'a / b', { notes: 'b' }],
    ['Price=notes|replace(=,-)', 'a=b', { notes: 'a-b' }],
    ['Price=notes|default(none)', '', { notes: 'none' }],
    ['Price=stage|default(Won)', '', { stage: 'o-won' }],
    ['PRICE=notes|upper', 'ß', { notes: 'SS' }],
    ['Price=notes|strip("|",")")', 'a|b)', { notes: 'ab' }],
    ['Price=notes|empty(n/a,-)|default(none)', ' N/A', { notes: 'none' }],
    ['Price=notes|empty(-)', '-5', { notes: '-5' }],
  ])('%s', async (map, cell, expected) => {
    const result = await load(`title;Price\nA;${cell}\n`, ['--map', map]);
    expect([result.stderr, result.code, values(result)]).toEqual([expect.anything(), 0, [expected]]);
  });

  it.each([
    ['Price=amount|stripp(€)', /--map Price: unknown step "stripp\(€\)".*\n.*did you mean strip\?/],
    ['Price=amount|number|trim', /"number" must be the last step/],
    ['Price=amount|replace(a)', /takes 2 arguments, got 1/],
    ['Price=amount|number(klingon)', /unknown language "klingon"/],
    ['Price=since|date(dd)', /"dd" is not a format of dates/],
    ['Price=amount|number', /"1,234" is 1234/],
    ['Price=amount|', /unknown step ""/],
    ['*=trim', /only the step empty is for all columns/],
    ['*=empty(n/a)|trim', /only the step empty is for all columns/],
  ])('%s is refused', async (map, message) => {
    const result = await load('title;Price\nA;1,234\n', ['--map', map]);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toMatch(message);
  });
});

describe('--on-error skip', () => {
  const write = (text: string | Buffer, flags: string[] = [], name = 'f.csv') =>
    importing(text, ['--yes', ...flags], name);
  const requests = ({ requests: all }: RunResult) => all.filter(({ method }) => method !== 'GET');
  const titles = (result: RunResult) => requests(result).map(({ body }) => (body as { title: string }).title);
  const sentValues = (result: RunResult) => requests(result).map(({ body }) => (body as { values: object }).values);

  const rows = 'title,stage,amount\nK,Won,1\nL,Lost,2\nM,Open,x\nN,Open,4\n';
  const others = rows.replace(/^[K-N],/gm, (title) => `Other ${title}`);

  it('writes the other rows, and a file that can be fixed and imported again', async () => {
    const result = await write(rows, ['--on-error', 'skip', '--failed', 'bad.csv', '-o', 'json']);
    expect([result.code, titles(result)]).toEqual([7, ['K', 'N']]);
    expect(JSON.parse(result.stdout)).toMatchObject({ created: 2, skipped: 2, failed: 0 });
    const { stderr } = await load(rows, ['--on-error', 'skip']);
    expect(stderr).toContain('! leave out 2 rows with errors:');
    expect(stderr).toContain('line 3, column stage: unknown option "Lost"');
    expect(result.stderr).toContain('2 of 4 rows had errors and were left out');
    const bad = readFileSync(join(cwd, 'bad.csv'), 'utf8').split('\n');
    expect(bad[0]).toBe('title,stage,amount,_line,_column,_reason');
    expect(bad[1]).toMatch(/^L,Lost,2,3,stage,"?unknown option/);
    expect(bad[2]).toMatch(/^M,Open,x,4,amount,/);
    const fixed = bad.join('\n').replace('Lost,', 'Won,').replace(',x,', ',3,');
    const again = await write(fixed);
    expect([again.code, titles(again)]).toEqual([0, ['L', 'M']]);
  });

  it('refuses a file without a good row, and one whose columns do not fit', async () => {
    for (const text of ['title,amount\nA,x\n', 'title,what\nA,x\nB,y\n']) {
      const result = await write(text, ['--on-error', 'skip', '--failed', 'none.csv']);
      expect([result.code, requests(result), existsSync(join(cwd, 'none.csv'))]).toEqual([2, [], false]);
    }
  });

  it('keeps the rows in a plan', async () => {
    await write(others, ['--on-error', 'skip', '--plan-out', 'plan.json']);
    const result = await world.run(
      ['entries', 'import', 'deals', '--plan', 'plan.json', '--yes', '--failed', 'bad.ndjson', '-o', 'json'],
      { cwd, home: cwd },
    );
    expect([result.code, requests(result).length]).toEqual([7, 2]);
    const [first] = readFileSync(join(cwd, 'bad.ndjson'), 'utf8').split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ title: 'Other L', _line: 3, _column: 'stage' });
  });

  it('writes numbers as the first file had them', async () => {
    const sheet = sheetOf([
      ['title', 'amount', 'since'],
      ['X', 1.5, 'never'],
      ['Y', '1.234,5', '2024-01-01'],
    ]);
    const flags = ['--locale', 'de', '--on-error', 'skip', '--failed', 'bad.csv'];
    const result = await write(zipped({ sheets: { A: sheet } }), flags, 'f.xlsx');
    expect([result.stderr, sentValues(result)]).toEqual([expect.anything(), [{ amount: 1234.5, since: '2024-01-01' }]]);
    const again = await write(readFileSync(join(cwd, 'bad.csv'), 'utf8').replace('never', '31.01.2024'), [
      '--locale',
      'de',
    ]);
    expect(sentValues(again)).toEqual([{ amount: 1.5, since: '2024-01-31' }]);
  });
});

describe('a workbook', () => {
  const head = ['title', 'amount', 'since', 'hot', 'notes', 'size'];
  const day = '<c s="1"><v>45322</v></c>';

  it('is typed by its cells', async () => {
    const sheet = sheetOf([head, ['A', 1.5, day, '<c t="b"><v>1</v></c>', 7, '<c s="2"><v>0.25</v></c>']]);
    const result = await load(
      zipped({ sheets: { A: sheet, B: sheetOf([['x'], ['y']]) }, formats: ['dd.mm.yyyy', '0%'] }),
      [],
      'f.xlsx',
    );
    expect(values(result)).toEqual([{ amount: 1.5, since: '2024-01-31', hot: true, notes: '7', size: 25 }]);
    expect(result.stderr).toContain('f.xlsx: the sheet "A" is read; --sheet names another: "B".');
    expect(result.stderr).toContain('Column size: the percent sign is ignored (row 2, "25%")');
  });

  it('says that a long id is a number of 15 digits', async () => {
    const rows = ['12345678901234567', '1.23456789012345E+16', '123456789012345'].map((id) => [
      `R${id}`,
      `<c><v>${id}</v></c>`,
    ]);
    const result = await load(zipped({ sheets: { A: sheetOf([['title', 'amount'], ...rows]) } }), [], 'f.xlsx');
    expect(result.stderr).toContain(
      'f.xlsx, row 2, column amount: 12345678901234567 is read as the double 12345678901234568 (and 1 more)',
    );
    expect(sent(result, 'amount')).toEqual([12345678901234568, 12345678901234500, 123456789012345]);
    const short = await load(
      zipped({
        sheets: {
          A: sheetOf([
            ['title', 'amount'],
            ['A', 1.5],
          ]),
        },
      }),
      [],
      'f.xlsx',
    );
    expect(short.stderr).not.toContain('double');
  });

  it('is recognized by its bytes', async () => {
    const data = zipped({ sheets: { A: sheetOf([['title'], ['A']]) } });
    const result = await load(data, [], 'f.dat');
    expect([result.code, writes(result)]).toMatchObject([0, [{ body: { title: 'A' } }]]);
  });

  it('does not take its numbers for text of another country', async () => {
    const sheet = sheetOf([head.slice(0, 2), ['A', 1.234], ['B', '1.234']]);
    expect(sent(await load(zipped({ sheets: { A: sheet } }), ['--locale', 'de'], 'f.xlsx'), 'amount')).toEqual([
      1.234, 1234,
    ]);
  });

  it.each([
    [
      'an error',
      [
        ['title', 'amount'],
        ['A', '<c t="e"><v>#N/A</v></c>'],
      ],
      /row 2, column amount: holds the error #N\/A/,
    ],
    [
      'a formula without a result',
      [
        ['title', 'amount'],
        ['A', '<c><f>1</f></c>'],
      ],
      /holds a formula without a stored result/,
    ],
    [
      'a number for a date',
      [
        ['title', 'since'],
        ['A', 45322],
      ],
      /since must be a date .*, got "45322"/,
    ],
    [
      'a time for a number',
      [
        ['title', 'amount'],
        ['A', '<c s="1"><v>0.5</v></c>'],
      ],
      /"12:00:00"/,
    ],
    [
      'a date with a time',
      [
        ['title', 'since'],
        ['A', '<c s="2"><v>45322.5</v></c>'],
      ],
      /"2024-01-31T12:00:00"/,
    ],
    [
      'two currencies',
      [
        ['title', 'size'],
        ['A', '<c s="3"><v>1</v></c>'],
        ['B', '<c s="4"><v>1</v></c>'],
      ],
      /mixes currencies: "1 €" on row 2, "1 USD" on row 3/,
    ],
    [
      'another currency',
      [
        ['title', 'amount'],
        ['A', '<c s="4"><v>1</v></c>'],
      ],
      /"1 USD" is not in EUR/,
    ],
  ])('with %s is refused', async (_, rows, message) => {
    const formats = ['h:mm', 'yyyy-mm-dd hh:mm', '0.00 [$€-407]', '0.00 "USD"'];
    const result = await load(zipped({ sheets: { A: sheetOf(rows) }, formats }), [], 'f.xlsx');
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toMatch(message);
  });

  it('makes attributes by its cells', async () => {
    const rows = [
      ['title', 'Deal size', 'First seen'],
      ['A', 1.5, day],
      ['B', 2, day],
    ];
    const result = await load(
      zipped({ sheets: { A: sheetOf(rows) }, formats: ['dd.mm.yyyy'] }),
      ['--create-attrs'],
      'f.xlsx',
    );
    const types = writes(result).flatMap(({ body }) => (body as { attribute_type?: string }).attribute_type ?? []);
    expect([result.stderr, types]).toEqual([expect.anything(), ['number', 'date']]);
  });
});

describe('a row of totals', () => {
  const text = 'title;Size\nA;1\nTotal;1\n';

  it('is named in the plan, and imported unless --skip-row leaves it out', async () => {
    const whole = await load(text);
    expect(whole.stderr).toContain(
      '! line 3 may be a total of the others: it begins with "Total"; leave it out with --skip-row 3',
    );
    expect(writes(whole)).toHaveLength(2);
    const without = await load(text, ['--skip-row', '3']);
    expect(without.stderr).not.toContain('total');
    expect(without.stderr).toContain('left out line 3 ("Total")');
    expect(writes(without)).toHaveLength(1);
  });

  it('without a key is an error that says how to leave it out', async () => {
    const result = await load('Size;title\n1;A\nSumme;\n');
    expect([result.code, result.stderr]).toEqual([
      2,
      expect.stringContaining('every row needs one; if it is a total, leave it out with --skip-row 3'),
    ]);
  });

  it.each([
    ['9', '--skip-row 9: f.csv has no line 9'],
    ['last', '--skip-row takes the number of a row, got "last"'],
  ])('--skip-row %s is refused', async (row, message) => {
    const result = await load(text, ['--skip-row', row]);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('cells that stand for no value', () => {
  const text = 'title;Size;Since;Stage;Mail\nA;n/a;31.01.2024;Won;a@b.de\nB;-5;-;won;none\n';

  it('are named in the plan, and empty under the mapping that it names', async () => {
    const create = ['--create-attrs', '--map', 'Size=new', '--map', 'Mail=mail'];
    const plan = await load(text, [...create, '--map', 'Since=', '--map', 'Stage=']);
    const [mapping = ''] = /'\*=empty.*?'/.exec(plan.stderr) ?? [];
    expect(plan.stderr).toContain(
      'Cells that may stand for no value: "n/a", "none" (Size 1, Mail 1); --map \'*=empty(n/a,none)\'',
    );
    const result = await load(text, [...create, '--map', mapping.slice(1, -1), '--map', 'Since=since|empty(-)']);
    expect(values(result).slice(-2)).toEqual([
      { mail: 'a@b.de', since: '2024-01-31', stage: 'o-won' },
      { new: -5, stage: 'o-won' },
    ]);
    expect(result.stderr).not.toContain('no value');
  });

  it('of several columns are emptied by the mapping of the hint', async () => {
    const refused = await load(text, ['--map', 'Mail=']);
    const [, mapping = ''] = /--map '(.*?)' makes these cells empty/.exec(refused.stderr) ?? [];
    expect([refused.code, mapping]).toEqual([2, '*=empty(n/a,-)']);
    const result = await load(text, ['--map', 'Mail=', '--map', mapping]);
    expect(values(result)).toEqual([
      { since: '2024-01-31', stage: 'o-won' },
      { size: -5, stage: 'o-won' },
    ]);
  });

  it('of JSON are emptied, too', async () => {
    const result = await load('[{"title":"A","size":"n/a","notes":"N/A"}]', ['--map', '*=empty(n/a)'], 'f.json');
    expect([result.code, values(result)]).toEqual([0, [{}]]);
  });
});

it.each([
  ['new;Size\nA;1\n', [], "name the column of titles, such as --map 'new=title', or choose another key with --key"],
  ['title;new;other\nA;1;2\n', [], '--create-attrs adds the 2 columns that the list lacks'],
  ['Title\nWho;;What\ntitle;name;Size\nA;b;1\n', [], 'line 2, column Who: the list has no attribute "Who"'],
  ['Title\nWho;;;What\nname;x;Size;y\nA;b;1;2\n', [], '--skip-row 2 leaves out a line above the names of the columns'],
  ['name;Size\nA;1\n', ['--map', 'title=name'], "for the column name, write --map 'name=title'"],
  ['name;Size\nA;1\n', ['--map', 'name:title'], "write --map 'name=title'"],
])('%j of %j is refused with the flag that is missing', async (text, flags, hint) => {
  const result = await load(text, flags);
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(hint)]);
});

it('a file in the place of LIST is refused', async () => {
  const { code, stderr } = await world.run(['entries', 'import', 'deals.csv']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('write `comem entries import LIST deals.csv`')]);
});

it('--map COLUMN=STEP leaves the column its attribute', async () => {
  const result = await load('title;Size\nA;25%\n', ['--map', 'Size=percent()', '--map', 'title=strip("x")']);
  expect([result.code, values(result)]).toEqual([0, [{ size: 0.25 }]]);
});

it('the column archived takes yes and no of other languages, as a checkbox does', async () => {
  const result = await load('title;archived\nA;ja\nB;Nein\n');
  expect(writes(result).map(({ body }) => (body as { archived?: boolean }).archived)).toEqual([true, false]);
});

describe('columns that all cells but a few fit a type', () => {
  const cells = (good: string, bad: string, count = 12) => [...Array<string>(count).fill(good), bad];
  it.each([
    [
      'dates',
      cells('31.01.2026', '31.02.2026'),
      'is select because of 1 of 13 cells (line 14, "31.02.2026"); --type X=date',
    ],
    ['addresses', cells('info@x.de', 'info(at)x.de'), '(line 14, "info(at)x.de"); --type X=email reports it.'],
    ['numbers', cells('1.234,50', 'on request'), '(line 14, "on request"); --type X=number reports it.'],
    ['amounts', cells('1.234,50 €', 'on request'), '(line 14, "on request"); --type X=currency reports it.'],
    ['few cells', cells('https://x.de', 'soon', 3), 'is text because of 1 of 4 cells (line 5, "soon"); --type X=url'],
    [
      'short years',
      cells('31.01.26', '01.02.26'),
      'years of two digits (line 2, "31.01.26") are dates with --date-format dd.mm.yy',
    ],
    [
      'two cells',
      ['TBD', ...cells('2026-01-31', '31.02.2026', 18)],
      '2 of 20 cells (line 2, "TBD"); --type X=date reports them.',
    ],
  ])('are named: %s', async (_, column_, says) => {
    const { stderr, code } = await load(column('X', column_), ['--create-attrs']);
    expect([code, stderr]).toEqual([0, expect.stringContaining(says)]);
    expect(stderr).toContain('+ attribute "X"');
  });

  it.each([
    ['texts', ['2026-01-31', '2026-01-31', 'soon']],
    ['half of them', [...cells('2026-01-31', 'soon', 5), 'later', 'never']],
    ['codes', cells('815', '007')],
    ['numbers of versions', cells('1.10.2', '1.9.22', 1)],
    ['answers', cells('yes', 'maybe')],
    ['columns of one type', cells('2026-01-31', '2026-02-28')],
  ])('are not named: %s', async (_, column_) => {
    expect((await load(column('X', column_), ['--create-attrs'])).stderr).not.toMatch(/because of|years of two digits/);
  });
});

it('new options have their usual spelling, and a capital where several are as frequent', async () => {
  const spelled = [
    'lost',
    'Lost',
    'Lost',
    'won',
    'Won',
    'open',
    'open',
    'Open',
    'lost',
    'LOST',
    'lost',
    'Lost',
    'Lost',
  ];
  const [created] = writes(await load(column('Phase', spelled), ['--create-attrs', '--type', 'Phase=select']));
  expect(created?.body).toMatchObject({
    config: { options: [{ label: 'Lost' }, { label: 'Won' }, { label: 'open' }] },
  });
});

describe('a file with wrong cells', () => {
  const deals = 'title;size\nA;1\nB;2\nC;3\nD;x\nE;4\nSumme;10\n';
  it('is refused with what else is to be seen in it', async () => {
    const { stderr, code } = await importing(deals, ['--yes'], 'sum.csv');
    expect([code, stderr]).toEqual([2, expect.stringContaining('! line 7 may be a total of the others')]);
    expect(stderr).not.toContain('Plan for');
  });

  it('has the plan of its other rows only where these are written', async () => {
    const { stderr, code } = await load(deals);
    expect([code, stderr]).toEqual([2, expect.stringContaining('line 5, column size')]);
    expect(stderr).not.toContain('Plan for');
    expect((await load(deals, ['--on-error', 'skip'])).stderr).toContain('create 5 entries');
  });

  it('has a message in the format of the dates of its column', async () => {
    const { stderr } = await load('title;when\nA;31.01.2026\nB;nodate\nC;31.02.2026\n', [
      '--create-attrs',
      '--type',
      'when=date',
    ]);
    expect(stderr).toContain('line 3, column when: "nodate" is not a date that exists, as dd.mm.yyyy');
    expect(stderr).toContain('line 4, column when: "31.02.2026" is not a date that exists, as dd.mm.yyyy');
  });

  it('leads from the type percent to the step', async () => {
    const { stderr, code } = await load('title;share\nA;20%\n', ['--type', 'share=percent']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("hint: write --map 'share=percent()'")]);
    const { code: ended } = await load('title;share\nA;20%\n', ['--create-attrs', '--map', 'share=percent()']);
    expect(ended).toBe(0);
  });

  it('names the rows of a key that is repeated', async () => {
    const { stderr } = await load('title;size\nA;1\nB;2\nA;1\nB;3\n');
    expect(stderr).toContain('the key "B" is on line 3 already');
    expect((await load('title;size\nA;1\nA;1\n', ['--skip-row', '3'])).code).toBe(0);
  });
});
