import { describe, expect, it, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseJson } from '../../src/core/json.ts';
import type { Column } from '../../src/output/column.ts';
import { capture, type Deal, dealColumns, type Given } from './capture.ts';

const deals = parseJson(`[
  {"id":"d1","title":"Tab\\there","amount":1234567.10,"open":true,"at":"2024-01-02T03:04:05Z","tags":["a","b"],"values":{"stage":"Won","x":1},"extra":{"n":1.50}},
  {"id":"d2","title":"say \\"hi\\", line\\nbreak \\\\ | *b* _c_ a_b <i> &lt;","amount":12345678901234567890,"open":false,"at":null,"tags":{"k":[1.0]},"values":{}}
]`) as Deal[];

async function shown(given: Given, rows: Deal[] = deals): Promise<string> {
  const captured = capture(given);
  await captured.out.rows(rows, dealColumns);
  return captured.stdout();
}

describe('rows', () => {
  it('tsv: escapes, machine values, hidden columns, header', async () => {
    expect(await shown({ format: 'tsv' })).toBe(
      [
        'id\ttitle\tamount\topen\tat\ttags\tstage',
        'd1\tTab\\there\t1234567.10\ttrue\t2024-01-02T03:04:05Z\t["a","b"]\tWon',
        'd2\tsay "hi", line\\nbreak \\\\ | *b* _c_ a_b <i> &lt;\t12345678901234567890\tfalse\t\t{"k":[1.0]}\t',
        '',
      ].join('\n'),
    );
  });

  it('csv: RFC 4180 with LF', async () => {
    expect(await shown({ format: 'csv' })).toBe(
      [
        'id,title,amount,open,at,tags,stage',
        'd1,Tab\there,1234567.10,true,2024-01-02T03:04:05Z,"[""a"",""b""]",Won',
        'd2,"say ""hi"", line',
        'break \\ | *b* _c_ a_b <i> &lt;",12345678901234567890,false,,"{""k"":[1.0]}",',
        '',
      ].join('\n'),
    );
  });

  it('json: one array, a row on each line, unknown fields and literals kept', async () => {
    const text = await shown({ format: 'json' });
    expect(text.split('\n')).toHaveLength(5);
    expect(text.split('\n')[0]).toBe('[');
    expect(text).toContain('"extra":{"n":1.50}');
    expect(parseJson(text)).toEqual(deals);
  });

  it('ndjson: a row on each line', async () => {
    const lines = (await shown({ format: 'ndjson' })).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => parseJson(line))).toEqual(deals);
  });

  it('yaml: one sequence with the same rows, strings as in JSON', async () => {
    const text = await shown({ format: 'yaml' }, [
      ...deals,
      ...Array.from({ length: 300 }, (_, n) => ({ id: `r${n}`, title: 'yes' })),
    ]);
    const read = parseYaml(text) as Deal[];
    expect(read, text).toHaveLength(302);
    expect(read[1]?.title, text).toBe(deals[1]?.title);
    expect(text.slice(0, text.indexOf('- id: "d2"'))).toBe(`- id: "d1"
  title: "Tab\\there"
  amount: 1234567.10
  open: true
  at: "2024-01-02T03:04:05Z"
  tags:
    - "a"
    - "b"
  values:
    stage: "Won"
    x: 1
  extra:
    "n": 1.50
`);
    expect(text).toContain('amount: 12345678901234567890\n');
    expect(text).toContain('title: "yes"\n');
  });

  it('md: headings, numbers to the right, nothing that ends a cell or starts markup', async () => {
    expect(await shown({ format: 'md' })).toBe(
      [
        '| ID | Title | Amount | Open | At | Tags |',
        '| --- | --- | ---: | --- | --- | --- |',
        '| d1 | Tab here | 1,234,567.10 EUR | yes | 2024-01-02 03:04 | a, b |',
        '| d2 | say "hi", line<br>break \\\\ \\| \\*b\\* \\_c\\_ a_b \\<i> &amp;lt; | 12,345,678,901,234,567,890.00 EUR | no |  | {"k":\\[1.0]} |',
        '',
      ].join('\n'),
    );
  });

  it('id: only ids, and a usage failure without any', async () => {
    expect(await shown({ format: 'id' })).toBe('d1\nd2\n');
    const captured = capture({ format: 'id' });
    await captured.out.rows([{ name: 'x' }], [{ key: 'name', get: (row) => row.name }], { id: (row) => row.name });
    expect(captured.stdout()).toBe('x\n');
    const none = capture({ format: 'id' });
    await expect(none.out.rows([{ n: 1 }], [{ key: 'n', get: (row) => row.n }])).rejects.toMatchObject({
      kind: 'usage',
    });
    expect(none.stdout()).toBe('');
  });

  it('takes tsv in a pipe and a table on a terminal', async () => {
    expect(await shown({})).toContain('id\ttitle');
    expect(await shown({ tty: true })).toMatch(/^Title .*Amount EUR/m);
  });

  it.each([
    ['Amount', 'Amount EUR k'],
    ['Betrag (€)', 'Betrag (€) k'],
    ['ARR [EUR]', 'ARR [EUR] k'],
    ['Fee EUR', 'Fee EUR k'],
    ['Fee in USD', 'Fee in USD EUR k'],
  ])('heads a column with its unit once: %s', async (heading, head) => {
    const captured = capture({ format: 'table', tty: true });
    const amount: Column<{ n: number }> = { key: 'n', heading, type: 'currency', unit: 'EUR', get: ({ n }) => n };
    await captured.out.rows([{ n: 234_000 }, { n: 345_000 }], [amount]);
    expect(captured.stdout().split('\n')[0]?.trim()).toBe(head);
  });

  it('leaves the header out', async () => {
    expect((await shown({ format: 'csv', header: false })).startsWith('d1,')).toBe(true);
    expect((await shown({ format: 'tsv', header: false })).startsWith('d1\t')).toBe(true);
    expect((await shown({ format: 'table', header: false })).startsWith('d1')).toBe(true);
  });

  it('names the formats for one that it cannot write', () => {
    expect(() => capture({ format: 'papyrus' })).toThrow('unknown output format "papyrus"');
    for (const format of ['xlsx', 'parquet']) expect(() => capture({ format })).toThrow(`-o ${format} is a file`);
  });
});

describe('no rows', () => {
  it.each([
    ['tsv', 'id\ttitle\tamount\topen\tat\ttags\tstage\n'],
    ['csv', 'id,title,amount,open,at,tags,stage\n'],
    ['json', '[]\n'],
    ['ndjson', ''],
    ['yaml', '[]\n'],
    ['id', ''],
    ['table', ''],
  ])('%s', async (format, text) => {
    expect(await shown({ format }, [])).toBe(text);
  });

  it('says so to a person, in the words of the command', async () => {
    const captured = capture({ tty: true });
    await captured.out.rows([], dealColumns, { empty: 'No deals.' });
    expect([captured.stdout(), captured.stderr()]).toEqual(['', 'No deals.\n']);
  });

  it('fails under --fail-empty after writing', async () => {
    const captured = capture({ format: 'json', failEmpty: true });
    await expect(captured.out.rows([], dealColumns)).rejects.toMatchObject({ exitCode: 1 });
    expect(captured.stdout()).toBe('[]\n');
    await capture({ failEmpty: true }).out.rows(deals, dealColumns);
  });
});

describe('one object', () => {
  const value = async (given: Given) => {
    const captured = capture(given);
    await captured.out.value(deals[0] as Deal, dealColumns);
    return captured.stdout();
  };

  it('is the object in json and yaml, and one row elsewhere', async () => {
    expect(await value({ format: 'json' })).toMatch(/^\{\n {2}"id": "d1",\n.*"n": 1\.50\n {2}\}\n\}\n$/s);
    expect((await value({ format: 'ndjson' })).split('\n')).toHaveLength(2);
    expect(await value({ format: 'yaml' })).toContain('id: "d1"\ntitle: ');
    expect((await value({ format: 'csv' })).split('\n')).toHaveLength(3);
    expect(await value({ format: 'id' })).toBe('d1\n');
    expect(await value({ format: 'json', fields: ['stage', 'id'] })).toBe(
      '{\n  "values": {\n    "stage": "Won"\n  },\n  "id": "d1"\n}\n',
    );
  });

  it('is a line for each field in a table', async () => {
    expect(await value({ format: 'table' })).toBe(
      [
        'ID      d1',
        'Title   Tab here',
        'Amount  1,234,567.10 EUR',
        'Open    yes',
        'At      2024-01-02 03:04',
        'Tags    a, b',
        '',
      ].join('\n'),
    );
  });
});

describe('whole, scalar, text, bytes', () => {
  it('prints the whole object in JSON, and rows elsewhere', async () => {
    for (const [format, text] of [
      ['json', '{\n  "periods": 2\n}\n'],
      ['ndjson', '{"periods":2}\n'],
      ['yaml', 'periods: 2\n'],
    ] as const) {
      const captured = capture({ format });
      let read = 0;
      const rows = function* () {
        for (const deal of deals) {
          read += 1;
          yield deal;
        }
      };
      await captured.out.rows(rows(), dealColumns, { whole: () => ({ periods: read }) });
      expect(captured.stdout()).toBe(text);
    }
    const csv = capture({ format: 'id' });
    await csv.out.rows(deals, dealColumns, { whole: () => ({}) });
    expect(csv.stdout()).toBe('d1\nd2\n');
    await expect(
      capture({ format: 'json', fields: ['id'] }).out.rows(deals, dealColumns, { whole: () => ({}) }),
    ).rejects.toMatchObject({ kind: 'usage' });
  });

  it('prints a bare value', async () => {
    for (const [format, text] of [
      [undefined, '42\n'],
      ['csv', '42\n'],
      ['json', '{"count":42}\n'],
      ['ndjson', '{"count":42}\n'],
      ['yaml', 'count: 42\n'],
    ] as const) {
      const captured = capture({ format });
      await captured.out.scalar(42, { count: 42 });
      expect(captured.stdout()).toBe(text);
    }
  });

  it('prints bodies as they were received, but nothing dangerous on a terminal', async () => {
    const body = new TextEncoder().encode('{"a": 1.10 ,\r\n"b":"\u009b31m"}');
    const piped = capture();
    await piped.out.bytes(body);
    expect(piped.stdout()).toBe(new TextDecoder().decode(body));
    const tty = capture({ tty: true });
    await tty.out.bytes(body);
    expect(tty.stdout()).toBe('{"a": 1.10 ,\n"b":""}');
  });
});

describe('on a terminal', () => {
  const evil = [{ id: 'e', title: 'a\u001b[31mred\u001b]0;title\u0007\u009b2J\u202eb\rc' }];

  it('no format lets a control sequence through', async () => {
    for (const format of ['table', 'tsv', 'csv', 'md', 'yaml', 'json', 'ndjson', 'id']) {
      const text = await shown({ format, tty: true }, evil);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(text, format).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it('nothing is hidden or joined unseen, and emoji and scripts keep their joiners', async () => {
    const tags = [...'evil'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    const selectors = '\ufe0f\ufe01\ufe02\u{e0101}\u{e0102}';
    const kept = [
      ['\u{1f469}\u200d\u{1f4bb}', '\u{1f469}\u{1f3fd}\u200d\u{1f52c}'],
      ['\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', '\u2764\ufe0f'],
      ['\u0915\u094d\u200d\u0937', '\u0645\u06cc\u200c\u062e'],
    ].flat();
    const hidden = [{ id: 'h', title: `pay\u200dpal\u200c${tags}x${selectors}\u3164` }];
    for (const format of ['table', 'md', 'tsv', 'csv', 'json', 'yaml']) {
      const text = await shown({ format, tty: true, truncate: false }, [...hidden, { id: 'k', title: kept.join(' ') }]);
      expect(text, format).not.toMatch(/pay\u200d|\u200c\u{e0065}|\u{e0069}|\u{e0102}|\u3164|\ufe02/u);
      if (format !== 'table') for (const each of kept) expect(text, format).toContain(each);
    }
    expect(parseJson(await shown({ format: 'json', tty: true }, hidden))).toEqual(hidden);
  });

  it('json stays the same data', async () => {
    expect(parseJson(await shown({ format: 'json', tty: true }, evil))).toEqual(evil);
  });

  it('notes and warnings are clean, and silent under --quiet', () => {
    const captured = capture();
    captured.out.note('list \u001b[1mX\u001b[0m');
    captured.out.warn('careful');
    expect(captured.stderr()).toBe('list X\ncomem: warning: careful\n');
    const quiet = capture({ quiet: true, tty: true });
    quiet.out.note('x');
    quiet.out.warn('x');
    quiet.out.progress('x');
    expect(quiet.stderr()).toBe('');
  });

  it('progress is one line, shown after a moment, that goes before anything else is said', () => {
    vi.useFakeTimers();
    const captured = capture({ tty: true, columns: 10 });
    captured.out.progress('12 of 100 rows');
    vi.advanceTimersByTime(290);
    expect(captured.stderr()).toBe('');
    vi.advanceTimersByTime(10);
    expect(captured.stderr()).toBe('\r\u001b[K⠙ 12 of …');
    captured.out.note('done');
    captured.out.progress(undefined);
    vi.useRealTimers();
    expect(captured.stderr()).toBe('\r\u001b[K⠙ 12 of …\r\u001b[Kdone\n');
    const piped = capture();
    piped.out.progress('x');
    expect(piped.stderr()).toBe('');
  });
});
